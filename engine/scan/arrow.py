"""Arrow objects in memory as relations: tables, batches, readers, datasets, and whatever exports a stream."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import pyarrow as pa

from headrace.column import Column
from headrace.encode import column_type, encode
from headrace.errors import DataError, NotSupportedError, OperationalError
from headrace.scan.names import distinct_names
from headrace.sql.source import ColumnEstimate, SourceColumn

Fetch = Callable[[Sequence[int]], "list[pa.ChunkedArray]"]
"""Gives the values of the columns at these positions of the object."""


class MemoryRelation:
    """Rows that an object of the caller's program holds. Made anew for every statement.

    The object may change between statements, so encoded columns live only as long as the relation, and
    `version` never equals an earlier one.
    """

    def __init__(
        self,
        name: str,
        fields: Sequence[tuple[str, pa.DataType | NotSupportedError, bool]],
        rows: int | None,
        fetch: Fetch,
        own: bool = False,
    ) -> None:
        """`fields` are (name, Arrow type or why there is none, nullable), in order. With `own` columns share
        no memory with the object, as results that outlive a change of it require."""
        self._name = name
        self._rows = rows
        self._fetch = fetch
        self._own = own
        self._schema: list[SourceColumn] = []
        self._positions: dict[str, int] = {}
        self._unsupported: dict[str, str] = {}
        self._loaded: dict[str, Column] = {}
        labels = distinct_names(label for label, _, _ in fields)
        for position, (label, (_, kind, nullable)) in enumerate(zip(labels, fields, strict=True)):
            try:
                if isinstance(kind, NotSupportedError):
                    raise kind
                self._schema.append(SourceColumn(label, column_type(kind), nullable))
                self._positions[label] = position
            except NotSupportedError as refusal:
                self._unsupported[label] = refusal.message

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> object:
        """A new object each time: nothing tells whether the rows have changed."""
        return object()

    def schema(self) -> tuple[SourceColumn, ...]:
        """The columns that can be read; `unsupported` has the others."""
        return tuple(self._schema)

    def unsupported(self) -> dict[str, str]:
        """Columns that cannot be read, each with the reason."""
        return dict(self._unsupported)

    def row_count(self) -> int | None:
        return self._rows

    def estimate(self, column: str) -> ColumnEstimate:
        return ColumnEstimate()

    def load(self, columns: Sequence[str], threads: int) -> dict[str, Column]:
        """The columns, encoded. Raises DataError where the object gives values that are not what it
        declares."""
        missing = [name for name in dict.fromkeys(columns) if name not in self._loaded]
        for name in missing:
            if name not in self._positions:
                reason = self._unsupported.get(name, "there is no such column")
                raise NotSupportedError(f"column {name!r} of {self._name} cannot be read: {reason}")
        if missing:
            arrays = self._fetch([self._positions[name] for name in missing])
            for name, array in zip(missing, arrays, strict=True):
                try:
                    self._loaded[name] = encode(array, own=self._own)
                except (pa.ArrowException, DataError) as fault:
                    raise DataError(f"column {name!r} of {self._name}: {fault}") from None
        return {name: self._loaded[name] for name in columns}


class _Streamed(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


_consumed: weakref.WeakSet[pa.RecordBatchReader] = weakref.WeakSet()


def open_arrow(name: str, value: object) -> MemoryRelation | None:
    """A relation over an Arrow object, or anything with `__arrow_c_stream__`; None for any other object.

    Raises OperationalError for a reader whose rows were read by an earlier query.
    """
    if isinstance(value, pa.RecordBatch):
        value = pa.Table.from_batches([value])
    if isinstance(value, pa.Table):
        return _table_relation(name, value)
    if isinstance(value, pa.RecordBatchReader):
        return _reader_relation(name, value)
    if _is_dataset(value):
        return _dataset_relation(name, cast("Any", value))
    if hasattr(value, "__arrow_c_stream__") and not isinstance(value, type):
        return _stream_relation(name, cast("_Streamed", value))
    return None


def _fields(schema: pa.Schema) -> list[tuple[str, pa.DataType, bool]]:
    return [(field.name, field.type, field.nullable) for field in schema]


def _table_relation(name: str, table: pa.Table) -> MemoryRelation:
    return MemoryRelation(
        name, _fields(table.schema), table.num_rows, lambda positions: [table.column(p) for p in positions]
    )


def _reader_relation(name: str, reader: pa.RecordBatchReader) -> MemoryRelation:
    if reader in _consumed:
        raise _spent(name)
    whole: list[pa.Table] = []

    def fetch(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        if not whole:
            if reader in _consumed:
                raise _spent(name)
            _consumed.add(reader)
            whole.append(_drained(name, reader))
        return [whole[0].column(p) for p in positions]

    return MemoryRelation(name, _fields(reader.schema), None, fetch)


def _spent(name: str) -> OperationalError:
    return OperationalError(
        f"{name} is a RecordBatchReader, which can be read only once, and a query has read it",
        hint="keep its rows in a table: reader.read_all(), or CREATE TABLE ... AS",
    )


def _stream_relation(name: str, value: _Streamed) -> MemoryRelation:
    try:
        reader = pa.RecordBatchReader.from_stream(value)
        schema = reader.schema
    except NotSupportedError:
        raise
    except Exception as fault:  # the exporter is foreign code: any exception may come
        raise OperationalError(f"{name} does not give an Arrow stream: {_first_line(fault)}") from None
    whole: list[pa.Table] = []

    def fetch(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        if not whole:
            whole.append(_drained(name, reader))
        return [whole[0].column(p) for p in positions]

    return MemoryRelation(name, _fields(schema), None, fetch)


def _drained(name: str, reader: pa.RecordBatchReader) -> pa.Table:
    try:
        return reader.read_all()
    except Exception as fault:  # as above
        raise OperationalError(f"reading {name} failed: {_first_line(fault)}") from None


def _is_dataset(value: object) -> bool:
    """Tested without importing pyarrow.dataset, which only those who made one have paid for."""
    return any(kind.__name__ == "Dataset" and kind.__module__ == "pyarrow._dataset" for kind in type(value).__mro__)


def _dataset_relation(name: str, dataset: Any) -> MemoryRelation:
    schema: pa.Schema = dataset.schema

    def fetch(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        labels = [schema.field(p).name for p in positions]
        try:
            table = dataset.to_table(columns=labels)
        except (pa.ArrowException, OSError) as fault:
            raise OperationalError(f"reading the dataset {name} failed: {_first_line(fault)}") from None
        return [table.column(k) for k in range(len(labels))]

    return MemoryRelation(name, _fields(schema), None, fetch)


def _first_line(fault: Exception) -> str:
    return str(fault).strip().split("\n")[0] or type(fault).__name__
