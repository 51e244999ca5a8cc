"""The exceptions of PEP 249, each able to say where in the SQL text the fault lies."""

from __future__ import annotations


class Warning(Exception):
    """An important warning, such as data truncated while inserting."""


class Error(Exception):
    """Base of every error that Headrace raises on purpose.

    `message` is one sentence for a person. `sql` and `position` (a character offset into `sql`), where known,
    add the line, the column and a caret to `str(error)`; `hint` says what to do about it.
    """

    def __init__(
        self, message: str, *, sql: str | None = None, position: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sql = sql
        self.position = position
        self.hint = hint

    def located(self, sql: str) -> Error:
        """Attach the statement's text, unless a text is attached already; returns self, to be raised."""
        if self.sql is None:
            self.sql = sql
        return self

    @property
    def line_and_column(self) -> tuple[int, int] | None:
        """The 1-based line and column of the fault, or None where the position is unknown."""
        if self.sql is None or self.position is None or self.position < 0:
            return None
        before = self.sql[: self.position]
        return before.count("\n") + 1, self.position - (before.rfind("\n") + 1) + 1

    def __str__(self) -> str:
        parts = [self.message]
        place = self.line_and_column
        if place is not None and self.sql is not None:
            line, column = place
            text = self.sql.split("\n")[line - 1].replace("\t", " ")
            parts.append(f"line {line}, column {column}:\n  {text}\n  {' ' * (column - 1)}^")
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


class InterfaceError(Error):
    """The interface was misused: a closed cursor, a fetch before a query."""


class DatabaseError(Error):
    """Base of the errors that concern the database itself."""


class DataError(DatabaseError):
    """The data cannot be processed: division by zero, a value out of range, a malformed file."""


class OperationalError(DatabaseError):
    """The environment failed: a missing file, too little memory, a damaged file, a cancelled query."""


class IntegrityError(DatabaseError):
    """A constraint was violated."""


class InternalError(DatabaseError):
    """A defect in Headrace: an invariant does not hold."""


class ProgrammingError(DatabaseError):
    """The SQL is wrong: a syntax error, an unknown table or column, a wrong parameter count."""


class NotSupportedError(DatabaseError):
    """A construct that is valid SQL and that Headrace refuses, always before any data is touched."""


class CancelledError(OperationalError):
    """The query was cancelled."""
