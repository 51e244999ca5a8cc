"""Put the input expected to give fewer rows on the right, where the hash table is built.

Exchanges the sides of inner, cross and full joins; those of the other kinds have fixed parts.
"""

from __future__ import annotations

from headrace.sql.estimate import Estimator
from headrace.sql.plan import Join, JoinKind, Plan, arranged, exchanged, map_inputs

_SYMMETRIC = (JoinKind.INNER, JoinKind.CROSS, JoinKind.FULL)


def apply(plan: Plan) -> Plan:
    return arranged(_choose(plan, Estimator()), plan.schema())


def _choose(plan: Plan, estimator: Estimator) -> Plan:
    plan = map_inputs(plan, lambda x: _choose(x, estimator))
    if isinstance(plan, Join) and plan.kind in _SYMMETRIC and estimator.rows(plan.left) < estimator.rows(plan.right):
        return exchanged(plan)
    return plan
