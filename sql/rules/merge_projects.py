"""Drop projections that only select columns, and merge a projection into the one above it.

Nodes name columns by id and read what they need, so below the root a mere selection does nothing. An
expression is not merged upwards where that would compute it more than once.
"""

from __future__ import annotations

from collections import Counter

from headrace.sql.expr import ColumnRef, Expr, Literal, substitute, walk
from headrace.sql.plan import Plan, Project, arranged, map_inputs


def apply(plan: Plan) -> Plan:
    if isinstance(plan, Project):
        return _merge_two(map_inputs(plan, _merge))
    return arranged(_merge(plan), plan.schema())


def _merge(plan: Plan) -> Plan:
    plan = map_inputs(plan, _merge)
    if isinstance(plan, Project) and all(isinstance(e, ColumnRef) and e.id == f.id for f, e in plan.outputs):
        return plan.input
    return _merge_two(plan)


def _merge_two(plan: Plan) -> Plan:
    """A projection of a projection as one."""
    if not isinstance(plan, Project):
        return plan
    below = plan.input
    if not isinstance(below, Project):
        return plan
    mapping: dict[int, Expr] = {f.id: e for f, e in below.outputs}
    uses = Counter(x.id for _, e in plan.outputs for x in walk(e) if isinstance(x, ColumnRef))
    if any(uses[i] > 1 and not isinstance(e, (ColumnRef, Literal)) for i, e in mapping.items()):
        return plan
    return Project(below.input, tuple((f, substitute(e, mapping)) for f, e in plan.outputs))
