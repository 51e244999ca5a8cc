"""Turn an outer join into a plainer one where the rows it adds are thrown away later.

A condition above that no NULL of the added side can meet makes LEFT an INNER join, FULL a LEFT or INNER one.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import Expr, Field
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    Repeat,
    Scan,
    Sort,
    TopK,
    Union,
    Values,
    arranged,
    exchanged,
    map_inputs,
)
from headrace.sql.properties import rejected_nulls, strict_columns

_NONE: frozenset[int] = frozenset()


def apply(plan: Plan) -> Plan:
    return arranged(_strengthen(plan, _NONE), plan.schema())


def _strengthen(plan: Plan, rejected: frozenset[int]) -> Plan:
    """Rewrite `plan`, of whose rows those with a NULL in a column of `rejected` are not needed."""
    if isinstance(plan, (Scan, Values)):
        return plan
    if isinstance(plan, Join):
        return _join(plan, rejected)
    if isinstance(plan, Filter):
        below = rejected | rejected_nulls(plan.predicate)
    elif isinstance(plan, Project):
        below = _through(plan.outputs, rejected)
    elif isinstance(plan, Aggregate):
        below = _through(plan.keys, rejected)
    elif isinstance(plan, (Sort, Repeat)):
        below = rejected
    else:
        assert isinstance(plan, (Union, Limit, TopK))
        below = _NONE
    return map_inputs(plan, lambda x: _strengthen(x, below))


def _through(outputs: tuple[tuple[Field, Expr], ...], rejected: frozenset[int]) -> frozenset[int]:
    """Input columns of which a NULL makes a rejected output NULL."""
    found = _NONE
    for field, e in outputs:
        if field.id in rejected:
            found |= strict_columns(e)
    return found


def _ids(plan: Plan) -> frozenset[int]:
    return frozenset(f.id for f in plan.schema())


def _strengthen_full(plan: Join, rejected: frozenset[int]) -> Join:
    """FULL adds rows to both sides; drop the additions that a rejected column is NULL in."""
    left, right = bool(rejected & _ids(plan.left)), bool(rejected & _ids(plan.right))
    if left and right:
        return replace(plan, kind=JoinKind.INNER)
    if left:
        return replace(plan, kind=JoinKind.LEFT)
    return exchanged(replace(plan, kind=JoinKind.LEFT)) if right else plan


def _join(plan: Join, rejected: frozenset[int]) -> Plan:
    if plan.kind is JoinKind.FULL and rejected:
        plan = _strengthen_full(plan, rejected)
    left, right = _ids(plan.left), _ids(plan.right)
    if plan.kind is JoinKind.LEFT and rejected & right:
        plan = replace(plan, kind=JoinKind.INNER)
    matched = _NONE
    for key in plan.keys:
        if not key.null_safe:
            matched |= strict_columns(key.left) | strict_columns(key.right)
    if plan.residual is not None:
        matched |= rejected_nulls(plan.residual)
    kind = plan.kind
    if kind in (JoinKind.INNER, JoinKind.CROSS, JoinKind.SEMI):
        above = (rejected | matched, rejected | matched)
    elif kind in (JoinKind.LEFT, JoinKind.SINGLE, JoinKind.ANTI):
        # Rows of the right side that match nothing are never seen; those of the left side are.
        above = (rejected & left, matched)
    else:
        above = (rejected & left if kind is JoinKind.MARK else _NONE, _NONE)
    new_left = _strengthen(plan.left, above[0] & left)
    new_right = _strengthen(plan.right, above[1] & right)
    if new_left is plan.left and new_right is plan.right:
        return plan
    return replace(plan, left=new_left, right=new_right)
