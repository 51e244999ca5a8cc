"""Completion in the interactive shell: keywords, tables, columns, dot commands and their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from headrace.connection import Connection
from headrace.errors import Error
from headrace.shell.commands import COMMANDS
from headrace.shell.output import MODES
from headrace.shell.words import KEYWORDS, quoted
from headrace.sql.source import View

_WORD = re.compile(r"[\w.]+\Z")
_ARGUMENTS = {".mode": MODES, ".timer": ("on", "off")}


class SqlCompleter(Completer):
    """Offers what could continue the word before the cursor, in the letter case it was begun in."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.lstrip().startswith("."):
            yield from self._commands(before.lstrip())
            return
        found = _WORD.search(before)
        if found is None:
            return
        word = found[0]
        qualifier, _, start = word.rpartition(".")
        if qualifier:
            yield from _matching(start, self._columns(qualifier))
            return
        yield from _matching(start, [*self._names(), *self._mentioned_columns(document.text)])
        keywords = KEYWORDS if start.islower() else [k.upper() for k in KEYWORDS]
        yield from _matching(start, keywords)

    def _commands(self, before: str) -> Iterator[Completion]:
        name, space, argument = before.partition(" ")
        if not space:
            yield from _matching(name, COMMANDS)
            return
        choices = self._names() if name == ".schema" else _ARGUMENTS.get(name, ())
        yield from _matching(argument.rpartition(" ")[2], choices)

    def _names(self) -> list[str]:
        return [quoted(n) for n in self.connection.catalog.names()]

    def _mentioned_columns(self, text: str) -> list[str]:
        """The columns of every table that the statement names anywhere, without repetition."""
        words = {w.lower() for w in re.findall(r"\w+", text)}
        found: dict[str, None] = {}
        for name in self.connection.catalog.names():
            if name.lower() in words:
                found.update(dict.fromkeys(self._columns(name)))
        return list(found)

    def _columns(self, table: str) -> list[str]:
        try:
            relation = self.connection.catalog.lookup(table.strip('"'))
            if relation is None:
                return []
            if isinstance(relation, View):
                return [quoted(str(row[0])) for row in self.connection.sql(f"DESCRIBE {quoted(table)}")]
            return [quoted(c.name) for c in relation.schema()]
        except Error:
            return []  # a view over a file that has gone, say: nothing to offer


def _matching(start: str, choices: Iterable[str]) -> Iterator[Completion]:
    lower = start.lower()
    for choice in choices:
        if choice.lower().startswith(lower) and choice != start:
            yield Completion(choice, -len(start))
