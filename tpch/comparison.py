"""The difference between two results of one query: names, types, values, order and ties."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

RELATIVE_TOLERANCE = 1e-9

Row = tuple[Any, ...]


def difference(
    ours: pa.Table, theirs: pa.Table, order: Sequence[int] = (), limit: int | None = None, offset: int = 0
) -> str | None:
    """The first difference in words, or None when the two results are equal.

    `order` is the positions of the ORDER BY columns; `limit` and `offset` are the query's. Names and types
    must be equal (the Arrow forms of text count as one type, those of bytes as another). FLOAT and DOUBLE
    may differ by RELATIVE_TOLERANCE, everything else must be exact. Rows with equal sort keys are a
    multiset; the ties that LIMIT or OFFSET cut through are compared by their sort keys only, as any of them
    may be the ones returned.
    """
    shape = _shape_difference(ours, theirs)
    if shape is not None:
        return shape
    floats = tuple(k for k, field in enumerate(theirs.schema) if _is_float(field.type))
    mine, expected = _rows(ours), _rows(theirs)
    names = theirs.column_names
    for row, (a, b) in enumerate(zip(mine, expected, strict=True)):
        for k in order:
            if not _equal(a[k], b[k], k in floats):
                return f"row {row}, ORDER BY column {names[k]}: {a[k]!r}, expected {b[k]!r}"
    for start, stop in _runs(expected, order, floats):
        cut = (offset > 0 and start == 0) or (limit is not None and len(expected) == limit and stop == limit)
        fault = None if cut else _multiset_difference(mine[start:stop], expected[start:stop], floats)
        if fault is not None:
            a, b = fault
            where = f"row {start}" if stop - start == 1 else f"rows {start} to {stop - 1}"
            return f"{where}: {_where_rows_differ(a, b, names, floats)}"
    return None


def _shape_difference(ours: pa.Table, theirs: pa.Table) -> str | None:
    if ours.column_names != theirs.column_names:
        return f"columns {ours.column_names}, expected {theirs.column_names}"
    for mine, expected in zip(ours.schema, theirs.schema, strict=True):
        if _type_class(mine.type) != _type_class(expected.type):
            return f"column {mine.name} has the type {mine.type}, expected {expected.type}"
    if ours.num_rows != theirs.num_rows:
        return f"{ours.num_rows} rows, expected {theirs.num_rows}"
    return None


def _type_class(t: pa.DataType) -> object:
    import pyarrow.types as pt

    if pt.is_string(t) or pt.is_large_string(t) or pt.is_string_view(t):
        return "text"
    if pt.is_binary(t) or pt.is_large_binary(t) or pt.is_binary_view(t):
        return "bytes"
    return t


def _is_float(t: pa.DataType) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_floating(t))


def _rows(table: pa.Table) -> list[Row]:
    """The rows as tuples of Python values; dates and times as whole numbers, which lose nothing."""
    if table.num_columns == 0:
        return [()] * table.num_rows
    return list(zip(*(_values(column) for column in table.columns), strict=True))


def _values(column: pa.ChunkedArray) -> list[Any]:
    import pyarrow as pa
    import pyarrow.types as pt

    t = column.type
    if pt.is_timestamp(t) or pt.is_duration(t) or pt.is_time64(t):
        column = column.cast(pa.int64())
    elif pt.is_date32(t) or pt.is_time32(t):
        column = column.cast(pa.int32())
    return [_hashable(value) for value in column.to_pylist()] if pt.is_nested(t) else column.to_pylist()


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_hashable(element) for element in value)
    if isinstance(value, dict):
        return tuple((key, _hashable(element)) for key, element in value.items())
    return value


def _equal(a: Any, b: Any, is_float: bool) -> bool:
    if not is_float or a is None or b is None:
        return bool(a == b)
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)


def _runs(rows: list[Row], order: Sequence[int], floats: Sequence[int]) -> list[tuple[int, int]]:
    """The [start, stop) ranges of neighbours with equal sort keys; one range where there is no ORDER BY."""
    if not rows:
        return []
    starts = [0] + [
        row
        for row in range(1, len(rows))
        if not all(_equal(rows[row - 1][k], rows[row][k], k in floats) for k in order)
    ]
    return list(zip(starts, [*starts[1:], len(rows)], strict=True))


def _multiset_difference(ours: list[Row], theirs: list[Row], floats: Sequence[int]) -> tuple[Row, Row] | None:
    """A row of ours without a partner in theirs and the nearest row of theirs left over, or None."""
    # Rows are grouped by their exact columns; only the floats within a group need pairing by tolerance.
    groups: dict[Row, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((ours, theirs)):
        for row in rows:
            groups[tuple(v for k, v in enumerate(row) if k not in floats)][side].append(row)
    lonely: tuple[list[Row], list[Row]] = ([], [])
    for mine, expected in groups.values():
        if len(mine) == len(expected) and _pairwise_equal(mine, expected, floats):
            continue
        for row in mine:
            partner = _partner(row, expected, floats)
            if partner is None:
                lonely[0].append(row)
            else:
                expected.pop(partner)
        lonely[1].extend(expected)
    if not lonely[0]:
        return None
    row = lonely[0][0]
    return row, max(lonely[1], key=lambda other: sum(_equal(a, b, False) for a, b in zip(row, other, strict=True)))


def _pairwise_equal(ours: list[Row], theirs: list[Row], floats: Sequence[int]) -> bool:
    """Whether the rows, alike in their exact columns, pair up when both sides are sorted by their floats."""
    if not floats:
        return True

    def key(row: Row) -> list[tuple[int, float]]:
        values = (row[k] for k in floats)
        return [(2, 0.0) if v is None else (1, 0.0) if math.isnan(v) else (0, v) for v in values]

    pairs = zip(sorted(ours, key=key), sorted(theirs, key=key), strict=True)
    return all(_equal(a[k], b[k], True) for a, b in pairs for k in floats)


def _partner(row: Row, candidates: list[Row], floats: Sequence[int]) -> int | None:
    if not floats:
        return len(candidates) - 1 if candidates else None
    fits = (
        k for k, other in enumerate(candidates) if all(_equal(row[column], other[column], True) for column in floats)
    )
    return next(fits, None)


def _where_rows_differ(ours: Row, theirs: Row, names: Sequence[str], floats: Sequence[int]) -> str:
    different = [
        f"{names[k]} is {a!r}, expected {b!r}"
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True))
        if not _equal(a, b, k in floats)
    ]
    return "; ".join(different)
