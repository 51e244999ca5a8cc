"""The dot commands of the shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from headrace.errors import OperationalError, ProgrammingError
from headrace.shell.output import MODES
from headrace.shell.session import Session
from headrace.shell.words import quoted
from headrace.sql.source import View


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    arguments: str
    description: str
    run: Callable[[Session, list[str]], bool | None]  # False: a fault was reported already


def run_command(session: Session, text: str) -> bool:
    """Run one dot command; whether all went well.

    Raises ProgrammingError for an unknown one or arguments that do not fit.
    """
    name, *arguments = text.split()
    command = COMMANDS.get(name)
    if command is None:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else ".help lists the commands"
        raise ProgrammingError(f"there is no command {name}", hint=hint)
    outcome = command.run(session, arguments)
    session.out.flush()
    return outcome is not False


def _one_of(command: str, arguments: list[str], *choices: str) -> str:
    if len(arguments) != 1 or arguments[0].lower() not in choices:
        raise ProgrammingError(f"{command} takes one of {', '.join(choices)}")
    return arguments[0].lower()


def _tables(session: Session, arguments: list[str]) -> None:
    pattern = arguments[0].lower() if arguments else ""
    names = [n for n in session.connection.catalog.names() if pattern in n.lower()]
    session.out.writelines(f"{n}\n" for n in names)


def _schema(session: Session, arguments: list[str]) -> None:
    catalog = session.connection.catalog
    for name in arguments or catalog.names():
        relation = catalog.lookup(name)
        if relation is None:
            near = get_close_matches(name, catalog.names(), 1)
            raise ProgrammingError(f"there is no table {name}", hint=f"did you mean {near[0]}?" if near else None)
        if isinstance(relation, View):
            columns = f" ({', '.join(map(quoted, relation.columns))})" if relation.columns else ""
            session.out.write(f"CREATE VIEW {quoted(relation.name)}{columns} AS {relation.text.rstrip('; ')};\n")
            continue
        body = ",\n".join(f"    {quoted(c.name)} {c.type}" for c in relation.schema())
        notes = "".join(f"\n    -- {quoted(n)} cannot be read: {why}" for n, why in relation.unsupported().items())
        session.out.write(f"CREATE TABLE {quoted(name)} (\n{body}{notes}\n);\n")


def _timer(session: Session, arguments: list[str]) -> None:
    session.timer = _one_of(".timer", arguments, "on", "off") == "on"


def _mode(session: Session, arguments: list[str]) -> None:
    session.mode = _one_of(".mode", arguments, *MODES)


def _read(session: Session, arguments: list[str]) -> bool:
    if len(arguments) != 1:
        raise ProgrammingError(".read takes one file name")
    path = Path(arguments[0]).expanduser()
    if path.resolve() in session.reading:
        raise ProgrammingError(f"{path} is being read already")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise OperationalError(f"cannot read {path}: {fault}") from None
    before, session.reading = session.reading, (*session.reading, path.resolve())
    try:
        return session.run(text)
    finally:
        session.reading = before


def _help(session: Session, _arguments: list[str]) -> None:
    width = max(len(f"{c.name} {c.arguments}") for c in COMMANDS.values())
    session.out.writelines(f"{f'{c.name} {c.arguments}':{width}}  {c.description}\n" for c in COMMANDS.values())
    session.out.write("Everything else is SQL, up to a semicolon. Ctrl-C cancels a query, Ctrl-D leaves.\n")


def _quit(session: Session, _arguments: list[str]) -> None:
    session.finished = True


COMMANDS: dict[str, Command] = {
    c.name: c
    for c in (
        Command(".help", "", "show this list", _help),
        Command(".mode", "|".join(MODES), "choose how results are written", _mode),
        Command(".quit", "", "leave the shell", _quit),
        Command(".read", "FILE", "run the SQL in a file", _read),
        Command(".schema", "[NAME ...]", "show the definitions of tables and views", _schema),
        Command(".tables", "[TEXT]", "list tables and views whose names contain a text", _tables),
        Command(".timer", "on|off", "show the time each statement takes", _timer),
    )
}
