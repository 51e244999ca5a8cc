"""Results as pandas and polars frames, with DuckDB's choice of column types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.errors import InterfaceError
from headrace.types import Kind, SqlType

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

_NULLABLE = {
    Kind.BOOLEAN: "boolean",
    Kind.TINYINT: "Int8",
    Kind.SMALLINT: "Int16",
    Kind.INTEGER: "Int32",
    Kind.BIGINT: "Int64",
    Kind.UTINYINT: "UInt8",
    Kind.USMALLINT: "UInt16",
    Kind.UINTEGER: "UInt32",
    Kind.UBIGINT: "UInt64",
    Kind.NULL: "Int32",
}


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with _1, _2, ... after those that came before."""
    taken = set(names)
    seen: set[str] = set()
    result = []
    for name in names:
        fresh, k = name, 0
        while fresh in seen or (k and fresh in taken):
            k += 1
            fresh = f"{name}_{k}"
        seen.add(fresh)
        result.append(fresh)
    return result


def to_pandas(table: pa.Table, types: Sequence[SqlType]) -> pandas.DataFrame:
    """Raises InterfaceError where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise InterfaceError("df() needs pandas", hint="pip install pandas") from None
    import pyarrow as pa

    names = unique_names(table.column_names)
    frame = {}
    for i, (name, t) in enumerate(zip(names, types, strict=True)):
        column = table.column(i)
        if t.kind is Kind.HUGEINT or t.is_decimal:
            frame[name] = column.cast(pa.float64()).to_pandas()
        elif t.kind is Kind.INTERVAL:
            frame[name] = _durations(column).to_pandas()
        elif t.kind is Kind.DATE:
            frame[name] = column.cast(pa.timestamp("us")).to_pandas()
        elif t.kind in _NULLABLE and column.null_count:
            integers = column.to_pandas(integer_object_nulls=True)
            frame[name] = integers.astype(_NULLABLE[t.kind])
        else:
            frame[name] = column.to_pandas()
    return pandas.DataFrame(frame, index=pandas.RangeIndex(table.num_rows))


def to_polars(table: pa.Table, types: Sequence[SqlType]) -> polars.DataFrame:
    """Raises InterfaceError where polars is not installed."""
    try:
        import polars
    except ImportError:
        raise InterfaceError("pl() needs polars", hint="pip install polars") from None
    columns = [_durations(table.column(i)) if t.kind is Kind.INTERVAL else table.column(i) for i, t in enumerate(types)]
    import pyarrow as pa

    frame = polars.from_arrow(pa.table(columns, names=unique_names(table.column_names)))
    if not isinstance(frame, polars.DataFrame):
        raise InterfaceError("polars did not make a data frame of the result")
    return frame


def _durations(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Intervals as microseconds, a month being 30 days."""
    import pyarrow as pa

    microseconds = [
        None if v is None else (v[0] * 30 + v[1]) * 86_400 * 10**6 + v[2] // 1000 for v in column.to_pylist()
    ]
    return pa.chunked_array([pa.array(microseconds, pa.duration("us"))])
