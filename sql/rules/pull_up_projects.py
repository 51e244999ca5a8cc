"""Lift a projection over joins above the inner join that it is an input of: all can then be ordered as one.

Only expressions that cannot raise are lifted, since above a join they see other rows.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import Expr, Field, column, conjunction, conjuncts, substitute
from headrace.sql.join_graph import is_region
from headrace.sql.plan import Join, JoinKey, JoinKind, Plan, Project, map_inputs
from headrace.sql.properties import can_raise


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    if not isinstance(plan, Join) or plan.kind not in (JoinKind.INNER, JoinKind.CROSS):
        return plan
    mapping: dict[int, Expr] = {}
    outputs: list[tuple[Field, Expr]] = []
    sides: list[Plan] = []
    for side in (plan.left, plan.right):
        if isinstance(side, Project) and _liftable(side):
            outputs.extend(side.outputs)
            mapping.update((f.id, e) for f, e in side.outputs)
            sides.append(side.input)
        else:
            outputs.extend((f, column(f)) for f in side.schema())
            sides.append(side)
    if not mapping:
        return plan
    keys = tuple(JoinKey(substitute(k.left, mapping), substitute(k.right, mapping), k.null_safe) for k in plan.keys)
    residual = plan.residual
    if residual is not None:
        residual = conjunction([substitute(t, mapping) for t in conjuncts(residual)])
    return Project(replace(plan, left=sides[0], right=sides[1], keys=keys, residual=residual), tuple(outputs))


def _liftable(plan: Project) -> bool:
    return is_region(plan.input) and not any(can_raise(e) for _, e in plan.outputs)
