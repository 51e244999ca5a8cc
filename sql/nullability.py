"""Whether an expression can be NULL, once columns that it reads can be."""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import Call, Case, Cast, ColumnRef, Expr, InList, transform

_NEVER = frozenset({"is_null", "is_not_null", "is_distinct", "is_not_distinct"})
_IF_ALL = frozenset({"coalesce", "concat", "greatest", "least"})


def widened(e: Expr, ids: frozenset[int]) -> Expr:
    """The expression where the columns `ids` can be NULL, as on the outer side of a join."""
    return transform(e, lambda x: _widened(x, ids))


def _widened(e: Expr, ids: frozenset[int]) -> Expr:
    if e.nullable:
        return e
    if isinstance(e, ColumnRef):
        return replace(e, nullable=True) if e.id in ids else e
    if isinstance(e, Call):
        if e.function in _NEVER:
            return e
        can_be = all if e.function in _IF_ALL else any
        return replace(e, nullable=True) if e.arguments and can_be(x.nullable for x in e.arguments) else e
    if isinstance(e, Case):
        results = (e.default, *(r for _, r in e.branches))
        return replace(e, nullable=True) if any(r.nullable for r in results) else e
    if isinstance(e, (Cast, InList)):
        return replace(e, nullable=True) if e.argument.nullable else e
    return e
