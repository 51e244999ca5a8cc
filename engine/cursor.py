"""The cursor of PEP 249, with Arrow, pandas and polars beside rows of Python values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.errors import InterfaceError
from headrace.plan_cache import Parameters
from headrace.result import Result, Row, RowReader

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from headrace.connection import Connection


class Cursor:
    """Runs statements and reads the rows of the last one. Each thread should use its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Connection | None = connection
        self._reader: RowReader | None = None
        self._rowcount = -1
        self.arraysize = 1

    # ------------------------------------------------------------------------------- running

    def execute(self, operation: str, parameters: Parameters = None) -> Cursor:
        """Run SQL text; returns self. Of several statements, split by semicolons, the last gives the rows.

        Parameters are `?` or `$1` with a sequence, `$name` or `:name` with a mapping.
        """
        connection = self._open()
        self._reader, self._rowcount = None, -1
        outcome = connection.run(operation, parameters)
        self._take(outcome.result, outcome.rowcount)
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Parameters]) -> Cursor:
        """Run one statement with several sets of parameters; INSERT appends all its rows at once, or none."""
        connection = self._open()
        self._reader, self._rowcount = None, -1
        outcome = connection.run_many(operation, seq_of_parameters)
        self._take(outcome.result, outcome.rowcount)
        return self

    def _take(self, result: Result | None, rowcount: int) -> None:
        self._reader = None if result is None else RowReader(result)
        self._rowcount = rowcount

    # ------------------------------------------------------------------------------- reading

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """Name, type code and five further items for each column; None where there are no rows to fetch."""
        return None if self._reader is None else self._reader.result.description

    @property
    def rowcount(self) -> int:
        """Rows that the last statement gave or wrote; -1 where that has no meaning."""
        return self._rowcount

    @property
    def result(self) -> Result | None:
        """The whole result of the last statement, fetched or not; None if it gave none."""
        return None if self._reader is None else self._reader.result

    def fetchone(self) -> Row | None:
        """The next row, None after the last."""
        return self._rows().one()

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next `size` rows (default: `arraysize`), fewer at the end."""
        return self._rows().many(self.arraysize if size is None else size)

    def fetchall(self) -> list[Row]:
        """Every row not fetched yet."""
        return self._rows().rest().fetchall()

    def fetch_arrow_table(self) -> pa.Table:
        """The rows not fetched yet, as a pyarrow Table."""
        return self._rows().rest().fetch_arrow_table()

    def fetch_record_batch(self, rows_per_batch: int = 1_000_000) -> pa.RecordBatchReader:
        """The rows not fetched yet, as a reader of record batches."""
        return self._rows().rest().fetch_record_batch(rows_per_batch)

    def df(self) -> pandas.DataFrame:
        """The rows not fetched yet, as a pandas DataFrame."""
        return self._rows().rest().df()

    def pl(self) -> polars.DataFrame:
        """The rows not fetched yet, as a polars DataFrame."""
        return self._rows().rest().pl()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows not fetched yet, through the Arrow PyCapsule interface."""
        return self._rows().rest().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[Row]:
        self._rows()
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    # ------------------------------------------------------------------------------- the rest of PEP 249

    @property
    def connection(self) -> Connection:
        """The connection that made this cursor."""
        return self._open()

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Does nothing: parameters need no sizes."""
        self._open()

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing: values of any length are fetched whole."""
        self._open()

    def close(self) -> None:
        """Drop the rows; anything further but close() raises InterfaceError."""
        self._connection = None
        self._reader, self._rowcount = None, -1

    def __enter__(self) -> Cursor:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Connection:
        if self._connection is None:
            raise InterfaceError("the cursor is closed")
        if self._connection.closed:
            raise InterfaceError("the connection is closed")
        return self._connection

    def _rows(self) -> RowReader:
        self._open()
        if self._reader is None:
            raise InterfaceError("there are no rows to fetch: the last statement gave none, or nothing was executed")
        return self._reader
