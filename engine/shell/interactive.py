"""The prompt: editing over several lines, history, colours and completion."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from headrace import __version__
from headrace.shell.complete import SqlCompleter
from headrace.shell.session import Session
from headrace.shell.split import is_complete

PROMPT = "headrace> "


def run_interactive(session: Session) -> int:
    """Prompt, run and show until .quit or the end of input; always 0, as every error was shown."""
    session.out.write(f"Headrace {__version__}. End SQL with a semicolon; .help lists the commands, .quit leaves.\n")
    prompt: PromptSession[str] = PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=lambda width, _line, _wrapped: "...> ".rjust(width),
        history=open_history(),
        lexer=PygmentsLexer(SqlLexer),
        completer=SqlCompleter(session.connection),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        key_bindings=_key_bindings(),
    )
    while not session.finished:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue  # Ctrl-C at the prompt drops the line
        except EOFError:
            break
        session.run(text)
    return 0


def history_path() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "headrace" / "history"


def open_history() -> History:
    """The history file, or memory alone where the file cannot be written."""
    path = history_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _key_bindings() -> KeyBindings:
    bindings = KeyBindings()

    @Condition
    def complete() -> bool:
        from prompt_toolkit.application import get_app

        return is_complete(get_app().current_buffer.text)

    @bindings.add("enter", filter=complete)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return bindings
