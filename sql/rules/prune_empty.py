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
    Scan,
    Sort,
    TopK,
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
    if isinstance(plan, (Limit, TopK)) and plan.limit == 0:
        return empty(plan)
    if not _is_empty(plan.input):
        return plan
    if isinstance(plan, (Filter, Sort, Limit, TopK)):
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
    if right and kind is JoinKind.LEFT:
        kept = {f.id for f in plan.left.schema()}
        return Project(
            plan.left,
            tuple((f, column(f) if f.id in kept else Literal(None, f.type)) for f in plan.schema()),
        )
    return plan
