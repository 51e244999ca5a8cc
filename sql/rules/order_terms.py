"""Order the terms of each condition: cheap and selective ones first, those that can raise last.

Terms that can raise keep their order, so that each sees only rows that all other terms let through.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.estimate import Estimator
from headrace.sql.expr import (
    Call,
    Case,
    Cast,
    ColumnRef,
    Expr,
    InList,
    Literal,
    children,
    conjunction,
    conjuncts,
)
from headrace.sql.plan import Aggregate, Filter, Join, Plan, map_inputs
from headrace.sql.properties import can_raise

_MATCHING = frozenset({"like", "ilike", "contains", "starts_with"})


def apply(plan: Plan) -> Plan:
    return _order(plan, Estimator())


def _order(plan: Plan, estimator: Estimator) -> Plan:
    plan = map_inputs(plan, lambda x: _order(x, estimator))
    if isinstance(plan, Filter):
        predicate = _ordered(plan.predicate, plan.input, estimator)
        return plan if predicate is plan.predicate else Filter(plan.input, predicate)
    if isinstance(plan, Join) and plan.residual is not None:
        residual = _ordered(plan.residual, plan, estimator)
        return plan if residual is plan.residual else replace(plan, residual=residual)
    if isinstance(plan, Aggregate):
        return _order_filters(plan, estimator)
    return plan


def _order_filters(plan: Aggregate, estimator: Estimator) -> Aggregate:
    new = []
    for field, call in plan.aggregates:
        condition = call.filter
        if condition is not None:
            condition = _ordered(condition, plan.input, estimator)
        new.append((field, call if condition is call.filter else replace(call, filter=condition)))
    if all(a[1] is b[1] for a, b in zip(new, plan.aggregates, strict=True)):
        return plan
    return replace(plan, aggregates=tuple(new))


def _ordered(condition: Expr, source: Plan, estimator: Estimator) -> Expr:
    terms = conjuncts(condition)
    if len(terms) < 2:
        return condition
    safe = [t for t in terms if not can_raise(t)]
    ranked = sorted(safe, key=lambda t: _cost(t) / (1.01 - estimator.selectivity(t, source)))
    ranked += [t for t in terms if can_raise(t)]
    if all(a is b for a, b in zip(ranked, terms, strict=True)):
        return condition
    return conjunction(ranked)


def _cost(e: Expr) -> float:
    """The work of evaluating `e` for one row, in units of reading a number."""
    if isinstance(e, Literal):
        return 0.0
    if isinstance(e, ColumnRef):
        return 4.0 if e.type.is_text else 1.0
    own = 1.0
    if isinstance(e, Call) and e.function in _MATCHING:
        own = 16.0
    elif isinstance(e, (Cast, Case, InList)):
        own = 2.0
    return own + sum(_cost(x) for x in children(e))
