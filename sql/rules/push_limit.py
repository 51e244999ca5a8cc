"""Move a limit below projections, so that they compute only the rows kept, and join a limit of a limit."""

from __future__ import annotations

from headrace.sql.plan import Limit, Plan, Project, map_inputs


def apply(plan: Plan) -> Plan:
    return _push(map_inputs(plan, apply))


def _push(plan: Plan) -> Plan:
    if not isinstance(plan, Limit):
        return plan
    below = plan.input
    if plan.limit is None and not plan.offset:
        return below
    if isinstance(below, Project):
        return Project(_push(Limit(below.input, plan.limit, plan.offset)), below.outputs)
    if isinstance(below, Limit):
        remaining = None if below.limit is None else max(0, below.limit - plan.offset)
        limits = [x for x in (plan.limit, remaining) if x is not None]
        return _push(Limit(below.input, min(limits, default=None), below.offset + plan.offset))
    return plan
