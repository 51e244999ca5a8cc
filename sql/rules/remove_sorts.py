"""Remove sorts below an aggregate whose result does not depend on the order of its input."""

from __future__ import annotations

from headrace.sql.plan import Aggregate, Filter, Join, Plan, Project, Repeat, Sort, Union, map_inputs

ORDERLESS = frozenset(
    {
        "avg",
        "bit_and",
        "bit_or",
        "bit_xor",
        "bool_and",
        "bool_or",
        "count",
        "count_star",
        "max",
        "min",
        "stddev",
        "stddev_pop",
        "stddev_samp",
        "sum",
        "var_pop",
        "var_samp",
        "variance",
    }
)
"""Aggregates of which the order of the input changes nothing but the last digits of a float."""


def apply(plan: Plan) -> Plan:
    if isinstance(plan, Aggregate) and all(c.function in ORDERLESS for _, c in plan.aggregates):
        plan = map_inputs(plan, _unsorted)
    return map_inputs(plan, apply)


def _unsorted(plan: Plan) -> Plan:
    if isinstance(plan, Sort):
        return _unsorted(plan.input)
    if isinstance(plan, (Filter, Project, Join, Union, Repeat)):
        return map_inputs(plan, _unsorted)
    return plan
