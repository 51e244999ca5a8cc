"""Evaluate constant expressions, remove trivial logic; a filter that lets nothing through becomes no rows."""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import AggregateCall, Literal
from headrace.sql.plan import Aggregate, Filter, Join, JoinKind, Plan, empty, map_expressions, map_inputs
from headrace.sql.simplify import simplify, simplify_condition


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    if isinstance(plan, Filter):
        return _fold_filter(plan)
    if isinstance(plan, Join) and plan.residual is not None:
        # A mark tells NULL from false, so its condition is a value.
        value = plan.kind is JoinKind.MARK
        residual = simplify(plan.residual) if value else simplify_condition(plan.residual)
        if residual is not plan.residual:
            trivial = isinstance(residual, Literal) and residual.value is True
            plan = replace(plan, residual=None if trivial else residual)
    if isinstance(plan, Aggregate):
        plan = _fold_filters(plan)
    return map_expressions(plan, simplify)


def _fold_filter(plan: Filter) -> Plan:
    predicate = simplify_condition(plan.predicate)
    if predicate is plan.predicate:
        return plan
    if isinstance(predicate, Literal):
        return plan.input if predicate.value is True else empty(plan)
    return Filter(plan.input, predicate)


def _fold_filters(plan: Aggregate) -> Aggregate:
    """Drop FILTER (WHERE TRUE)."""
    new = tuple((f, _without_trivial_filter(c)) for f, c in plan.aggregates)
    if all(a[1] is b[1] for a, b in zip(new, plan.aggregates, strict=True)):
        return plan
    return replace(plan, aggregates=new)


def _without_trivial_filter(call: AggregateCall) -> AggregateCall:
    if call.filter is None:
        return call
    condition = simplify_condition(call.filter)
    if condition is call.filter:
        return call
    trivial = isinstance(condition, Literal) and condition.value is True
    return replace(call, filter=None if trivial else condition)
