"""How selective a filter is, by what was seen in the columns it reads: whether a mask over a tile pays."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.column import Column
from headrace.encodings.dictionary import Dictionary
from headrace.sql.expr import Call, ColumnRef, Expr, Literal

_MIRROR = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def passing(terms: tuple[Expr, ...], columns: Mapping[int, Column]) -> float | None:
    """The part of the rows that should pass all terms, values being spread evenly; None if a term is no
    comparison of a column of `columns` with a constant."""
    part = 1.0
    for term in terms:
        found = _passing(term, columns)
        if found is None:
            return None
        part *= found
    return part


def _passing(term: Expr, columns: Mapping[int, Column]) -> float | None:
    if not isinstance(term, Call) or len(term.arguments) != 2:
        return None
    a, b = term.arguments
    function = term.function
    if isinstance(a, Literal):
        a, b, function = b, a, _MIRROR.get(function, function)
    column = columns.get(a.id) if isinstance(a, ColumnRef) else None
    if column is None or not isinstance(b, Literal) or b.value is None:
        return None
    if function in ("equal", "not_equal"):
        distinct = _distinct(column)
        if distinct is None:
            return None
        return 1.0 / distinct if function == "equal" else 1.0 - 1.0 / distinct
    low, high = column.statistics.minimum, column.statistics.maximum
    if not isinstance(b.value, (int, float)) or low is None or high is None or column.type.scale != b.type.scale:
        return None
    span = float(high) - float(low) + (0.0 if column.type.is_float else 1.0)
    below = min(1.0, max(0.0, (float(b.value) - float(low)) / span)) if span > 0 else 0.5
    if function in ("less", "less_equal"):
        return below
    return 1.0 - below if function in ("greater", "greater_equal") else None


def _distinct(column: Column) -> int | None:
    if isinstance(column.encoding, Dictionary):
        return max(1, column.encoding.values.count)
    return column.statistics.distinct or None
