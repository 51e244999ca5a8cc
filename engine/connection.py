"""The connection of PEP 249: one catalog, its settings, and the cursors over them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from headrace import errors
from headrace.cancel import Cancel
from headrace.cursor import Cursor
from headrace.errors import (
    Error,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
)
from headrace.plan_cache import Parameters
from headrace.result import Result
from headrace.settings import Settings
from headrace.statements import Outcome, Statements

if TYPE_CHECKING:
    from headrace.catalog import Catalog
    from headrace.profile import Profile


def connect(database: str = ":memory:", **settings: object) -> Connection:
    """Open a connection with an empty catalog, in memory.

    Settings are those of `SET name = value` (device, execution, threads, memory_limit, ...).
    """
    if database not in (":memory:", ""):
        raise NotSupportedError(
            f"there are no database files: {database!r} cannot be opened",
            hint="connect() takes no name; read files with FROM 'file.parquet' or read_csv('file.csv')",
        )
    own = Settings()
    for name, value in settings.items():
        own.set(name, value)
    return Connection(own)


class Connection:
    """Tables, views and registered objects, and SQL over them.

    Several threads may share a connection. Each statement takes effect by itself, at once (autocommit).
    """

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, settings: Settings) -> None:
        from headrace.catalog import Catalog
        from headrace.scan.sources import Sources

        self._settings = settings
        self._statements: Statements | None = Statements(Catalog(settings, Sources), settings)
        self._running: set[Cancel] = set()
        self._lock = threading.RLock()  # interrupt() runs in signal handlers, too
        self._last_profile: Profile | None = None

    # ------------------------------------------------------------------------------- SQL

    def cursor(self) -> Cursor:
        """A cursor over this connection's tables."""
        self._open()
        return Cursor(self)

    def execute(self, operation: str, parameters: Parameters = None) -> Cursor:
        """Run SQL text on a new cursor, which is returned."""
        return self.cursor().execute(operation, parameters)

    def executemany(self, operation: str, seq_of_parameters: Sequence[Parameters]) -> Cursor:
        """Run one statement with each of several sets of parameters, on a new cursor, which is returned."""
        return self.cursor().executemany(operation, seq_of_parameters)

    def sql(self, text: str, parameters: Parameters = None) -> Result:
        """Run SQL text; the rows of its last statement.

        INSERT and CREATE TABLE AS give one row, the Count of rows written; other statements no columns.
        """
        outcome = self.run(text, parameters)
        if outcome.result is not None:
            return outcome.result
        return Result.of_count(outcome.rowcount) if outcome.rowcount >= 0 else Result.empty()

    def run(self, text: str, parameters: Parameters = None) -> Outcome:
        """Run SQL text; what its last statement gave. Cursors and `sql` go through here."""
        statements = self._open()
        with self._executing(text) as cancel:
            return self._noted(statements.run(text, parameters, cancel))

    def run_many(self, text: str, seq_of_parameters: Sequence[Parameters]) -> Outcome:
        """Run one statement with each set of parameters; INSERT appends all its rows at once."""
        statements = self._open()
        with self._executing(text) as cancel:
            return self._noted(statements.run_many(text, seq_of_parameters, cancel))

    def kernels(self, sql: str, arch: str, parameters: Parameters = None) -> list[object]:
        """Compile the kernels of one query for a GPU architecture such as "sm_90"; no GPU is needed.

        One report a kernel: name, registers, spills, shared bytes.
        """
        statements = self._open()
        with self._executing(sql):
            return list(statements.executor.kernels(statements.plan(sql, parameters), arch))

    @contextlib.contextmanager
    def _executing(self, text: str) -> Iterator[Cancel]:
        """A flag that `interrupt` sets, and errors given the text they arose from."""
        if not isinstance(text, str):
            raise InterfaceError(f"SQL text is a str, not {type(text).__name__}")
        cancel = Cancel()
        with self._lock:
            self._running.add(cancel)
        try:
            yield cancel
        except Error as error:
            error.located(text)
            raise
        except KeyboardInterrupt:
            cancel.set()  # so that the workers stop as well
            raise
        except MemoryError as fault:
            raise OperationalError(
                "the query ran out of memory", sql=text, hint="SET memory_limit bounds what queries take"
            ) from fault
        except RecursionError:
            # Without its cause: a thousand lines of traceback.
            raise NotSupportedError("the statement is nested too deeply", sql=text) from None
        except Exception as fault:
            raise InternalError(
                f"{type(fault).__name__}: {fault}",
                sql=text,
                hint="this is a defect in Headrace: please report it, with the statement and this message",
            ) from fault
        finally:
            with self._lock:
                self._running.discard(cancel)

    def _noted(self, outcome: Outcome) -> Outcome:
        if outcome.profile is not None:
            self._last_profile = outcome.profile
        return outcome

    # ------------------------------------------------------------------------------- objects

    def register(self, name: str, value: object) -> Connection:
        """Give a data frame or Arrow object a name that SQL can use, until `unregister`; returns self."""
        self._open().catalog.register(name, value)
        return self

    def unregister(self, name: str) -> Connection:
        """Forget a registered object; raises ProgrammingError if there is none of that name."""
        self._open().catalog.unregister(name)
        return self

    @property
    def catalog(self) -> Catalog:
        """The tables, views and registered objects."""
        return self._open().catalog

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def last_profile(self) -> Profile | None:
        """What the last query did: pipelines, rows, times, bytes. None before the first."""
        return self._last_profile

    # ------------------------------------------------------------------------------- the rest of PEP 249

    def commit(self) -> None:
        """Does nothing: every statement has taken effect already."""
        self._open()

    def rollback(self) -> None:
        """Raises NotSupportedError: there are no transactions to undo."""
        self._open()
        raise NotSupportedError("there is nothing to roll back: each statement takes effect at once")

    def interrupt(self) -> bool:
        """Cancel what is running, in whatever thread: it raises CancelledError. Whether anything was."""
        with self._lock:
            for cancel in self._running:
                cancel.set()
            return bool(self._running)

    @property
    def closed(self) -> bool:
        return self._statements is None

    def close(self) -> None:
        """Cancel what is running and drop all tables; anything further but close() raises InterfaceError."""
        self.interrupt()
        self._statements = None

    def __enter__(self) -> Connection:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Statements:
        if self._statements is None:
            raise InterfaceError("the connection is closed")
        return self._statements
