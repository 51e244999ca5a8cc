"""What is known of an expression without evaluating it: whether it can raise, and what a NULL does to it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import headrace.kernels.functions  # noqa: F401 - importing it declares every function
from headrace.kernels import registry
from headrace.kernels.registry import Nulls, Overload
from headrace.sql.expr import Call, Cast, ColumnRef, Expr, InList, Literal, Subquery, children
from headrace.types import SqlType

COMPARISONS = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""Each comparison and the one that says the same with its operands exchanged."""

NEGATED = {
    "equal": "not_equal",
    "not_equal": "equal",
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "is_null": "is_not_null",
    "is_not_null": "is_null",
    "is_distinct": "is_not_distinct",
    "is_not_distinct": "is_distinct",
}
"""Each predicate and its exact opposite, in three-valued logic (floats are totally ordered, NaN last)."""

_NULL_TESTS = frozenset({"is_null", "is_not_null", "is_distinct", "is_not_distinct"})
_TOTAL = frozenset({"and", "or", "not", *NEGATED})
_STRICT = frozenset({"not", *COMPARISONS})

_calls: dict[tuple[str, tuple[SqlType, ...]], Overload] = {}
_casts: dict[tuple[SqlType, SqlType], Overload] = {}


def overload_of(call: Call) -> Overload | None:
    """The registry's entry for a call; None where the registry does not know it."""
    key = (call.function, tuple(x.type for x in call.arguments))
    found = _calls.get(key)
    if found is None:
        found = registry.resolve(*key)
        if found is not None:
            _calls[key] = found
    return found


def cast_overload(cast: Cast) -> Overload | None:
    """The registry's entry for a cast; None where the registry does not know it."""
    key = (cast.argument.type, cast.type)
    found = _casts.get(key)
    if found is None:
        found = registry.cast(*key)
        if found is not None:
            _casts[key] = found
    return found


def can_raise(e: Expr) -> bool:
    """Whether evaluating `e` can end the query with an error for some row.

    True for what the registry does not know: a rule then leaves the expression where the SQL text has it.
    """
    if isinstance(e, (ColumnRef, Literal)):
        return False
    if isinstance(e, Subquery):
        return True
    if isinstance(e, Call) and e.function not in _TOTAL:
        overload = overload_of(e)
        if overload is None or overload.fails is not None:
            return True
    elif isinstance(e, Cast) and not e.lenient and e.argument.type != e.type:
        overload = cast_overload(e)
        if overload is None or overload.fails is not None:
            return True
    return any(can_raise(x) for x in children(e))


def is_strict(call: Call) -> bool:
    """Whether any NULL argument makes the call NULL."""
    if call.function in _STRICT:
        return True
    if call.function in _TOTAL:
        return False
    overload = overload_of(call)
    return overload is not None and overload.nulls is Nulls.STRICT


def strict_columns(e: Expr) -> frozenset[int]:
    """Columns of which any being NULL makes `e` NULL."""
    if isinstance(e, ColumnRef):
        return frozenset((e.id,))
    if isinstance(e, (Cast, InList)):
        return strict_columns(e.argument)
    if isinstance(e, Call) and is_strict(e):
        return frozenset().union(*(strict_columns(x) for x in e.arguments))
    return frozenset()


def rejected_nulls(condition: Expr) -> frozenset[int]:
    """Columns of which any being NULL keeps `condition` from being true."""
    if isinstance(condition, Call):
        if condition.function == "and":
            return frozenset().union(*(rejected_nulls(x) for x in condition.arguments))
        if condition.function == "or":
            return frozenset.intersection(*(rejected_nulls(x) for x in condition.arguments))
        if condition.function == "is_not_null":
            return strict_columns(condition.arguments[0])
        if condition.function in _NULL_TESTS:
            return frozenset()
    return strict_columns(condition)


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions give the same value for every row; unlike `==` it tells 0.0 from -0.0."""
    if a != b:
        return False
    if isinstance(a, Literal) and isinstance(b, Literal) and isinstance(a.value, float):
        assert isinstance(b.value, float)
        return math.copysign(1.0, a.value) == math.copysign(1.0, b.value)
    return all(same(x, y) for x, y in zip(children(a), children(b), strict=True))


def among(e: Expr, others: list[Expr] | tuple[Expr, ...]) -> bool:
    """Whether one of `others` is the same expression."""
    return any(same(e, x) for x in others)


def distinct_terms(terms: Iterable[Expr]) -> list[Expr]:
    """The terms without those that repeat an earlier one."""
    kept: list[Expr] = []
    seen: set[Expr] = set()
    for term in terms:
        if term not in seen or not among(term, kept):
            seen.add(term)
            kept.append(term)
    return kept
