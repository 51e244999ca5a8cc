"""Parquet footers: schema, row groups and the statistics that files claim. Kept while the files do not
change."""

from __future__ import annotations

import datetime
import decimal
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.encode import column_type
from headrace.errors import DataError, NotSupportedError, OperationalError
from headrace.scan.files import FileKey
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.types import BIGINT, TICKS_PER_SECOND, TIMESTAMP, Kind, SqlType

_KEPT = 4096
_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True, eq=False)
class Footer:
    """One file: its columns in order, those that cannot be read with the reason, and Parquet's own metadata.

    `leaves` gives the leaf number of a column in the metadata of a row group.
    """

    key: FileKey
    metadata: pq.FileMetaData
    columns: tuple[SourceColumn, ...]
    unsupported: dict[str, str]
    leaves: dict[str, int]

    @property
    def rows(self) -> int:
        return int(self.metadata.num_rows)


_footers: OrderedDict[FileKey, Footer] = OrderedDict()
_lock = threading.Lock()


def footer(key: FileKey) -> Footer:
    """The footer of a file; OperationalError or DataError, naming the file, when there is none to be read."""
    with _lock:
        known = _footers.get(key)
        if known is not None:
            _footers.move_to_end(key)
            return known
    made = _read(key)
    with _lock:
        _footers[key] = made
        while len(_footers) > _KEPT:
            _footers.popitem(last=False)
    return made


def open_file(key: FileKey, metadata: pq.FileMetaData | None, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """Open for reading; `dictionaries` are the text columns to be read as codes and values."""
    try:
        # Not memory-mapped: a file cut short under a map kills the process, where a read fails.
        return pq.ParquetFile(
            pa.OSFile(key.path),
            metadata=metadata,
            read_dictionary=list(dictionaries) or None,
            pre_buffer=False,
            coerce_int96_timestamp_unit="us",
        )
    except FileNotFoundError:
        raise OperationalError(f"the file {key.path!r} is gone") from None
    except PermissionError:
        raise OperationalError(f"no permission to read {key.path!r}") from None
    except (pa.ArrowException, OSError) as fault:
        raise damaged(key, fault) from None


def damaged(key: FileKey, fault: Exception) -> DataError:
    """The error for a file that pyarrow could not read, with the likely reason."""
    if key.size == 0:
        return DataError(f"{key.path!r} is empty; a Parquet file has at least a footer")
    try:
        with open(key.path, "rb") as file:
            start = file.read(4)
    except OSError:
        start = b""
    if start != _MAGIC:
        hint = "for text, use read_csv" if start.isascii() else None
        return DataError(f"{key.path!r} is not a Parquet file: it does not start with PAR1", hint=hint)
    return DataError(f"the Parquet file {key.path!r} is damaged or cut short: {_first_line(fault)}")


def _first_line(fault: Exception) -> str:
    return str(fault).strip().split("\n")[0]


def _read(key: FileKey) -> Footer:
    file = open_file(key, None)
    metadata, schema = file.metadata, file.schema_arrow
    leaves = {metadata.schema.column(k).path: k for k in range(metadata.num_columns)}
    columns: list[SourceColumn] = []
    unsupported: dict[str, str] = {}
    seen: set[str] = set()
    for field in schema:
        name = field.name
        if name.lower() in seen:
            for twin in [c.name for c in columns if c.name.lower() == name.lower()] + [name]:
                unsupported[twin] = "the file has several columns of this name"
            columns = [c for c in columns if c.name.lower() != name.lower()]
            continue
        seen.add(name.lower())
        try:
            if name not in leaves:
                raise NotSupportedError(f"columns of the Arrow type {field.type} are not supported yet")
            columns.append(
                SourceColumn(name, _sql_type(field.type, metadata.schema.column(leaves[name])), field.nullable)
            )
        except NotSupportedError as refusal:
            unsupported[name] = refusal.message
    return Footer(key, metadata, tuple(columns), unsupported, leaves)


def _sql_type(t: pa.DataType, column: pq.ColumnSchema) -> SqlType:
    """Parquet knows fewer types than the Arrow schema that may lie beside it, and it is Parquet's that
    count."""
    if column.converted_type == "INTERVAL" or column.logical_type.type == "UUID":
        raise NotSupportedError(f"Parquet columns of the type {column.converted_type or 'UUID'} are not supported yet")
    if pa.types.is_duration(t):
        return BIGINT
    found = column_type(t)
    if found.kind in (Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS):
        return TIMESTAMP
    return found


def claimed(footers: Sequence[Footer], column: SourceColumn) -> ColumnEstimate:
    """What the footers say of a column, in the units of its type; unknown where any row group is silent."""
    low: Any = None
    high: Any = None
    nulls: int | None = 0
    bounded = True
    for file in footers:
        for group in range(file.metadata.num_row_groups):
            chunk = file.metadata.row_group(group).column(file.leaves[column.name])
            facts = chunk.statistics if chunk.is_stats_set else None
            nulls = None if nulls is None or facts is None or not facts.has_null_count else nulls + facts.null_count
            if facts is None or not facts.has_min_max:
                bounded = bounded and facts is not None and facts.null_count == chunk.num_values
                continue
            if bounded:
                first, last = facts.min, facts.max
                low = first if low is None else min(low, first)
                high = last if high is None else max(high, last)
    minimum, maximum = (_units(low, column.type), _units(high, column.type)) if bounded else (None, None)
    return ColumnEstimate(minimum, maximum, nulls)


def clustered(footers: Sequence[Footer], column: str) -> bool:
    """Whether the row groups' ranges claim to follow one another, as in a file sorted by the column."""
    last: Any = None
    for file in footers:
        for group in range(file.metadata.num_row_groups):
            facts = file.metadata.row_group(group).column(file.leaves[column]).statistics
            if facts is None or not facts.has_min_max or (last is not None and facts.min < last):
                return False
            last = facts.max
    return last is not None


def _units(value: object, t: SqlType) -> object:
    """A value of a footer as a literal of the type holds it; None for what has no bounds here."""
    if isinstance(value, bool):
        return value if t.kind is Kind.BOOLEAN else None
    if isinstance(value, int) and t.is_integer:
        return value
    if isinstance(value, float) and t.is_float:
        return value
    if isinstance(value, str) and t.kind is Kind.VARCHAR:
        return value
    if isinstance(value, decimal.Decimal) and t.is_decimal:
        return int(value.scaleb(t.scale, decimal.Context(prec=60)))
    if isinstance(value, datetime.datetime):
        if t.is_timestamp and value.tzinfo is None:
            span = value - datetime.datetime(1970, 1, 1)
            micros = (span.days * 86_400 + span.seconds) * 10**6 + span.microseconds
            return micros * TICKS_PER_SECOND[t.kind] // 10**6
        return None
    if isinstance(value, datetime.date) and t.kind is Kind.DATE:
        return (value - datetime.date(1970, 1, 1)).days
    return None


def with_distinct(estimate: ColumnEstimate, distinct: int, rows: int) -> ColumnEstimate:
    """The estimate with a guess at the number of distinct values, which the claimed range caps."""
    low, high = estimate.minimum, estimate.maximum
    if isinstance(low, int) and isinstance(high, int):
        distinct = min(distinct, high - low + 1)
        if high - low + 1 == rows and estimate.null_count == 0:
            # A dense key: as many values as rows. Chance would not make the range so exact.
            return replace(estimate, distinct=rows, unique=True)
    return replace(estimate, distinct=max(1, min(distinct, rows)))
