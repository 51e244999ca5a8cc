"""Compare the column, not a cast of it: `CAST(d AS TIMESTAMP) < TIMESTAMP '1995-01-01'` is `d < DATE ...`.

Done where the cast multiplies by a constant and keeps every value, so that order and equality are kept too.
"""

from __future__ import annotations

import math
from dataclasses import replace

from headrace.sql.expr import Call, Cast, Expr, InList, Literal, transform
from headrace.sql.plan import Plan, map_expressions, map_inputs
from headrace.sql.properties import COMPARISONS
from headrace.sql.simplify import simplify
from headrace.types import TICKS_PER_SECOND, Kind, SqlType

_EXACT_IN_DOUBLE = 2**53
_BETWEEN = {
    "less": "less_equal",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater",
}
"""The comparison with floor(c) that stands for one with a constant c between two values of the column."""


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    return map_expressions(plan, _unwrap_all)


def _unwrap_all(e: Expr) -> Expr:
    return transform(e, _unwrap)


def _unwrap(e: Expr) -> Expr:
    if isinstance(e, Call) and e.function in COMPARISONS:
        inner, literal = e.arguments
        if isinstance(inner, Cast) and isinstance(literal, Literal):
            return _unwrap_comparison(e, inner, literal)
    elif isinstance(e, InList) and isinstance(e.argument, Cast):
        return _unwrap_in(e, e.argument)
    return e


def _unwrap_comparison(e: Call, cast: Cast, literal: Literal) -> Expr:
    source = cast.argument.type
    factor = _factor(source, cast.type)
    value = literal.value
    if factor is None or not isinstance(value, (int, float)) or not math.isfinite(value):
        return e
    whole = math.floor(value / factor) if isinstance(value, float) else value // factor
    function = e.function
    if whole * factor != value:
        if function not in _BETWEEN:
            return e
        function = _BETWEEN[function]
    bounds = source.range
    if bounds is None or not bounds[0] <= whole <= bounds[1]:
        return e
    return replace(e, function=function, arguments=(cast.argument, Literal(whole, source, literal.position)))


def _unwrap_in(e: InList, cast: Cast) -> Expr:
    """Values that the column's type cannot hold can never be equal to it."""
    source = cast.argument.type
    factor = _factor(source, cast.type)
    bounds = source.range
    if factor is None or bounds is None:
        return e
    kept: list[Literal] = []
    for literal in e.values:
        value = literal.value
        if value is None:
            kept.append(replace(literal, type=source))
        elif not isinstance(value, (int, float)):
            return e
        elif math.isfinite(value) and value % factor == 0 and bounds[0] <= value // factor <= bounds[1]:
            kept.append(Literal(int(value // factor), source, literal.position))
    return simplify(replace(e, argument=cast.argument, values=tuple(kept))) if kept else e


def _factor(source: SqlType, target: SqlType) -> int | None:
    """What the cast multiplies the stored whole number by; None where it is no such cast or is lossy."""
    bounds = source.range
    if bounds is None or source.kind is Kind.BOOLEAN:
        return None
    if source.kind is Kind.DATE:
        ticks = TICKS_PER_SECOND.get(target.kind)
        return None if ticks is None else 86_400 * ticks
    if source.is_integer and target.kind is Kind.DOUBLE:
        return 1 if bounds[1] <= _EXACT_IN_DOUBLE else None
    if not (source.is_exact and target.is_exact) or target.scale < source.scale:
        return None
    factor = int(10 ** (target.scale - source.scale))
    limits = target.range
    assert limits is not None
    return factor if limits[0] <= bounds[0] * factor and bounds[1] * factor <= limits[1] else None
