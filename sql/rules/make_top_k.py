"""Keep only the first rows while sorting, where a limit follows a sort and asks for few."""

from __future__ import annotations

from headrace.sql.plan import Limit, Plan, Sort, TopK, map_inputs

MOST = 65_536
"""Above so many rows, sorting everything is no dearer than keeping the first rows in order."""


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    if (
        isinstance(plan, Limit)
        and plan.limit is not None
        and plan.limit + plan.offset <= MOST
        and isinstance(plan.input, Sort)
    ):
        return TopK(plan.input.input, plan.input.keys, plan.limit, plan.offset)
    return plan
