"""The complete result of a statement: an Arrow table with SQL types, and its other forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.errors import InterfaceError
from headrace.types import Kind, SqlType

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

BLOCK_ROWS = 2048  # rows turned into Python values at a time while a result is read row by row

Row = tuple[object, ...]


class Result:
    """Rows with names and SQL types. It never changes; it can be read again and again, and queried."""

    __slots__ = ("_table", "_types")

    def __init__(self, table: pa.Table, types: Sequence[SqlType]) -> None:
        self._table = table
        self._types = tuple(types)

    @property
    def columns(self) -> list[str]:
        """The column names; a name can occur more than once."""
        return list(self._table.column_names)

    @property
    def types(self) -> list[SqlType]:
        return list(self._types)

    @property
    def description(self) -> list[tuple[Any, ...]]:
        """The seven items of PEP 249 for each column; the type code is the SQL type."""
        return [
            (name, t, None, None, t.precision or None, t.scale if t.is_decimal else None, None)
            for name, t in zip(self._table.column_names, self._types, strict=True)
        ]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)"""
        return self._table.num_rows, len(self._types)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), BLOCK_ROWS):
            yield from self.rows(start, start + BLOCK_ROWS)

    def fetchall(self) -> list[Row]:
        """Every row, as tuples of Python values."""
        return self.rows(0, len(self))

    def rows(self, start: int, stop: int) -> list[Row]:
        """The rows from `start` up to, not including, `stop`."""
        from headrace.python_values import python_values

        part = self._table.slice(start, max(0, stop - start))
        if not self._types:
            return [()] * part.num_rows
        columns = [python_values(part.column(i), t) for i, t in enumerate(self._types)]
        return list(zip(*columns, strict=True))

    def slice(self, start: int) -> Result:
        """The result without its first `start` rows; nothing is copied."""
        return Result(self._table.slice(start), self._types)

    def fetch_arrow_table(self) -> pa.Table:
        """The result as a pyarrow Table, without a copy."""
        return self._table

    def fetch_record_batch(self, rows_per_batch: int = 1_000_000) -> pa.RecordBatchReader:
        """The result as a reader of record batches of at most `rows_per_batch` rows."""
        if rows_per_batch < 1:
            raise InterfaceError("rows_per_batch must be at least 1")
        return self._table.to_reader(max_chunksize=rows_per_batch)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface, through which pyarrow, polars, pandas and DuckDB read a result."""
        return self._table.__arrow_c_stream__(requested_schema)

    def df(self) -> pandas.DataFrame:
        """The result as a pandas DataFrame.

        DECIMAL and HUGEINT become float64, dates and timestamps datetime64, INTERVAL timedelta64 (months of
        30 days), whole numbers and booleans with NULLs pandas' nullable types. Repeated names get a suffix.
        """
        from headrace.frames import to_pandas

        return to_pandas(self._table, self._types)

    def pl(self) -> polars.DataFrame:
        """The result as a polars DataFrame.

        INTERVAL becomes Duration (months of 30 days); repeated names get a suffix.
        """
        from headrace.frames import to_polars

        return to_polars(self._table, self._types)

    def show(self, rows: int | None = 40, width: int | None = None) -> None:
        """Print the result as a table; `rows` and `width` (default: the terminal's) bound what is shown."""
        import shutil

        from headrace.table_text import render_table

        print(render_table(self._table, self._types, rows=rows, width=width or shutil.get_terminal_size().columns))

    def __repr__(self) -> str:
        from headrace.table_text import render_table

        return render_table(self._table, self._types)

    @classmethod
    def of_columns(cls, **columns: Sequence[object]) -> Result:
        """A result of VARCHAR columns, for what the engine says of itself (EXPLAIN, DESCRIBE)."""
        import pyarrow as pa

        table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        return cls(table, [SqlType(Kind.VARCHAR)] * len(columns))

    @classmethod
    def of_count(cls, rows: int) -> Result:
        """What INSERT and CREATE TABLE AS answer: one row, the number of rows written."""
        import pyarrow as pa

        return cls(pa.table({"Count": pa.array([rows], pa.int64())}), [SqlType(Kind.BIGINT)])

    @classmethod
    def empty(cls) -> Result:
        """No columns and no rows: what a statement that answers nothing gives."""
        import pyarrow as pa

        return cls(pa.table({}), ())


class RowReader:
    """A position in a result, moved on by fetching. Values are converted a block at a time."""

    __slots__ = ("_block", "_block_start", "position", "result")

    def __init__(self, result: Result) -> None:
        self.result = result
        self.position = 0
        self._block: list[Row] = []
        self._block_start = 0

    def one(self) -> Row | None:
        at = self.position - self._block_start
        if at >= len(self._block):
            if self.position >= len(self.result):
                return None
            self._block_start = self.position
            self._block = self.result.rows(self.position, self.position + BLOCK_ROWS)
            at = 0
        self.position += 1
        return self._block[at]

    def many(self, count: int) -> list[Row]:
        stop = min(len(self.result), self.position + max(0, count))
        at = self.position - self._block_start
        if at + stop - self.position <= len(self._block):
            rows = self._block[at : at + stop - self.position]
        else:
            rows = self.result.rows(self.position, stop)
        self.position = stop
        return rows

    def rest(self) -> Result:
        """What has not been fetched yet; the position moves to the end."""
        start, self.position = self.position, len(self.result)
        return self.result if start == 0 else self.result.slice(start)
