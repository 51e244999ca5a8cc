"""Stored tables: encoded columns and a tail of rows not yet encoded; every write makes a new version.

Versions share what they have in common. The tail is a list that only grows: a version knows how many of its
batches it has, so appending one row costs neither a copy nor an encoding.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from headrace.column import Column, null_column
from headrace.encode import encode
from headrace.errors import InternalError
from headrace.extend import extend
from headrace.memory import Memory
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.types import to_arrow

TAIL_ROWS = 122_880
"""Rows in the tail from which on it is encoded and joined to the columns."""

_numbers = itertools.count(1)


class _Store:
    """What consecutive versions share: columns, and the batches that came after them."""

    def __init__(self, columns: dict[str, Column], rows: int, memory: Memory, owner: str) -> None:
        self.columns = columns
        self.rows = rows
        self.tail: list[pa.Table] = []
        self.tail_rows = 0
        self.lock = threading.Lock()
        self.extended: dict[str, tuple[int, Column]] = {}
        self.reservation = memory.reserve(sum(c.nbytes for c in columns.values()), owner)
        weakref.finalize(self, self.reservation.release).atexit = False

    def column(self, name: str, batches: int, rows: int) -> Column:
        """The column of the version that has so many batches of the tail, `rows` rows in all."""
        base = self.columns[name]
        if batches == 0:
            return base
        with self.lock:
            done, longest = self.extended.get(name, (0, base))
            if done < batches:
                new = pa.concat_tables(self.tail[done:batches]).column(name)
                before = 0 if done == 0 else longest.nbytes
                done, longest = batches, extend(longest, new)
                self.reservation.resize(self.reservation.size + longest.nbytes - before)
                self.extended[name] = (done, longest)
        return longest if done == batches else longest.slice(0, rows)


class TableVersion:
    """The rows of a stored table as they were at one moment; what a statement reads."""

    def __init__(self, table: StoredTable, store: _Store, batches: int, rows: int) -> None:
        self.table = table
        self._store = store
        self._batches = batches
        self._rows = rows
        self._number = next(_numbers)

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def version(self) -> int:
        """A number that no other version of any table has."""
        return self._number

    def schema(self) -> tuple[SourceColumn, ...]:
        return self.table.columns

    def unsupported(self) -> dict[str, str]:
        return {}

    def row_count(self) -> int:
        return self._rows

    def estimate(self, column: str) -> ColumnEstimate:
        """From the statistics of the encoded values."""
        seen = self._store.column(column, self._batches, self._rows).statistics
        return ColumnEstimate(seen.minimum, seen.maximum, seen.null_count, seen.distinct, seen.unique is True)

    def load(self, columns: Sequence[str], threads: int) -> dict[str, Column]:
        """The columns; rows that came since they were last read are encoded now."""
        return {name: self._store.column(name, self._batches, self._rows) for name in columns}

    def appended(self, rows: pa.Table, threads: int = 1) -> TableVersion:
        """The next version, with the rows after those of this one, which must be the latest.

        The columns of `rows` match the table's in order and have the Arrow types of `to_arrow`. Only one
        thread may append at a time: the catalog sees to that.
        """
        rows = self._checked(rows)
        store = self._store
        if rows.num_rows == 0:
            return self
        total = self._rows + rows.num_rows
        if store.tail_rows + rows.num_rows < TAIL_ROWS:
            store.reservation.resize(store.reservation.size + rows.nbytes)
            store.tail.append(rows)
            store.tail_rows += rows.num_rows
            return TableVersion(self.table, store, self._batches + 1, total)
        return TableVersion(self.table, self._joined(rows, total, threads), 0, total)

    def _checked(self, rows: pa.Table) -> pa.Table:
        """The rows under the table's column names."""
        columns = self.table.columns
        if len(columns) != rows.num_columns or any(
            field.type != to_arrow(column.type) for field, column in zip(rows.schema, columns, strict=True)
        ):
            raise InternalError(f"rows of {rows.schema.types} do not match the columns of {self.name}")
        return rows.rename_columns([c.name for c in columns])

    def _joined(self, rows: pa.Table, total: int, threads: int) -> _Store:
        def column(name: str, number: int) -> Column:
            old = self._store.column(name, self._batches, self._rows)
            if old.rows == 0:
                return encode(rows.column(name), self.table.columns[number].type, own=True)
            return extend(old, rows.column(name))

        names = [c.name for c in self.table.columns]
        if threads > 1:
            with ThreadPoolExecutor(threads, "headrace-encode") as pool:
                made = list(pool.map(column, names, range(len(names))))
        else:
            made = [column(name, number) for number, name in enumerate(names)]
        return _Store(dict(zip(names, made, strict=True)), total, self.table.memory, f"table {self.name}")


class StoredTable:
    """A table's lasting part: name, columns and where its memory is counted. Its rows are in versions."""

    def __init__(self, name: str, columns: Sequence[SourceColumn], memory: Memory) -> None:
        self.name = name
        self.columns = tuple(columns)
        self.memory = memory

    def empty(self) -> TableVersion:
        """The first version, without rows."""
        columns = {c.name: null_column(c.type, 0) for c in self.columns}
        return TableVersion(self, _Store(columns, 0, self.memory, f"table {self.name}"), 0, 0)
