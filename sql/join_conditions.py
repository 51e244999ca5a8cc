"""Joins made of conditions: which become keys, and how a mark join tells correlation from comparison."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.sql.expr import TRUE, Call, Expr, Field, column_ids, conjunction, conjuncts
from headrace.sql.plan import Filter, Join, JoinKey, JoinKind, Plan
from headrace.types import BOOLEAN


def same_value(a: Expr, b: Expr) -> Expr:
    """a IS NOT DISTINCT FROM b; plain equality where neither can be NULL."""
    function = "is_not_distinct" if a.nullable or b.nullable else "equal"
    return Call(function, (a, b), BOOLEAN, False)


def key_terms(plan: Join) -> list[Expr]:
    """The condition of a join as terms, its keys first."""
    terms: list[Expr] = []
    for key in plan.keys:
        function = "is_not_distinct" if key.null_safe else "equal"
        nullable = not key.null_safe and (key.left.nullable or key.right.nullable)
        terms.append(Call(function, (key.left, key.right), BOOLEAN, nullable))
    return [*terms, *(conjuncts(plan.residual) if plan.residual is not None else ())]


def on_terms(
    kind: JoinKind,
    left: Plan,
    right: Plan,
    terms: Iterable[Expr],
    conditions: Iterable[Expr] = (),
    mark: Field | None = None,
) -> Join:
    """The join of a kind under a condition.

    A mark join compares by `terms`, three-valued; the `conditions` say which rows of the right side it
    compares with at all, so there NULL is as good as false. To other kinds both are the same.
    """
    if kind is not JoinKind.MARK:
        keys, rest = _split([*terms, *conditions], left, right)
        return Join(kind, left, right, tuple(keys), conjunction(rest) if rest else None)
    keys, rest = _split(terms, left, right)
    correlated, others = _split(conditions, left, right)
    present: list[Expr] = []
    for key in correlated:
        if not key.null_safe and key.left.nullable and key.right.nullable:
            present.append(Call("is_not_null", (key.right,), BOOLEAN, False))
        keys.append(JoinKey(key.left, key.right, True))
    if present:
        right = Filter(right, conjunction(present))
    rest.extend(Call("is_not_distinct", (c, TRUE), BOOLEAN, False) if c.nullable else c for c in others)
    return Join(kind, left, right, tuple(keys), conjunction(rest) if rest else None, mark)


def _split(terms: Iterable[Expr], left: Plan, right: Plan) -> tuple[list[JoinKey], list[Expr]]:
    """The terms that are equalities between the sides, and the others."""
    left_ids = frozenset(f.id for f in left.schema())
    right_ids = frozenset(f.id for f in right.schema())
    keys: list[JoinKey] = []
    rest: list[Expr] = []
    for term in terms:
        key = join_key(term, left_ids, right_ids)
        if key is None:
            rest.append(term)
        else:
            keys.append(key)
    return keys, rest


def join_key(term: Expr, left: frozenset[int], right: frozenset[int]) -> JoinKey | None:
    """The term as an equality between the sides; None where it is none."""
    if not isinstance(term, Call) or term.function not in ("equal", "is_not_distinct"):
        return None
    a, b = term.arguments
    reads_a, reads_b = column_ids(a), column_ids(b)
    if not reads_a or not reads_b:
        return None
    null_safe = term.function == "is_not_distinct"
    if reads_a <= left and reads_b <= right:
        return JoinKey(a, b, null_safe)
    if reads_a <= right and reads_b <= left:
        return JoinKey(b, a, null_safe)
    return None
