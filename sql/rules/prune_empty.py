"""Replace what certainly gives no rows by no rows: joins with an empty side, groups of nothing, LIMIT 0."""

from __future__ import annotations

from headrace.sql.expr import Literal, column
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
    empty,
    map_inputs,
)

_BOTH_NEEDED = (JoinKind.INNER, JoinKind.CROSS, JoinKind.SEMI)


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    if isinstance(plan, (Scan, Values)):
        return plan
    if isinstance(plan, Join):
        return _join(plan)
    if isinstance(plan, Union):
        return _union(plan)
    if isinstance(plan, (Limit, TopK)) and plan.limit == 0:
        return empty(plan)
    if not _is_empty(plan.input):
        return plan
    if isinstance(plan, (Filter, Repeat, Sort, Limit, TopK)):
        return plan.input
    if isinstance(plan, Project) or (isinstance(plan, Aggregate) and plan.keys):
        return empty(plan)
    return plan


def _is_empty(plan: Plan) -> bool:
    return isinstance(plan, Values) and not plan.rows


def _join(plan: Join) -> Plan:
    left, right = _is_empty(plan.left), _is_empty(plan.right)
    kind = plan.kind
    if (left and kind is not JoinKind.FULL) or (right and kind in _BOTH_NEEDED) or (left and right):
        return empty(plan)
    if right and kind is JoinKind.ANTI:
        return plan.left
    if right and kind in (JoinKind.LEFT, JoinKind.SINGLE, JoinKind.MARK):
        kept = {f.id for f in plan.left.schema()}
        missing = False if kind is JoinKind.MARK else None
        return Project(
            plan.left,
            tuple((f, column(f) if f.id in kept else Literal(missing, f.type)) for f in plan.schema()),
        )
    return plan


def _union(plan: Union) -> Plan:
    """The other side alone, where one gives nothing."""
    if _is_empty(plan.left) and _is_empty(plan.right):
        return empty(plan)
    for gone, other in ((plan.left, plan.right), (plan.right, plan.left)):
        if _is_empty(gone):
            return Project(other, tuple((f, column(x)) for f, x in zip(plan.fields, other.schema(), strict=True)))
    return plan
