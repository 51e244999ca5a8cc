"""Replace DISTINCT aggregates by plain ones in two phases: group by the argument too, then aggregate that.

The other aggregates of the node travel through the first phase as partial results. Where one cannot be taken
in two parts, or several arguments are DISTINCT, each part gets an Aggregate of its own over the very same
input, and they are joined on the group keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from headrace.sql.expr import (
    TRUE,
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Expr,
    Field,
    Literal,
    column,
    conjunction,
    conjuncts,
)
from headrace.sql.plan import Aggregate, Join, JoinKey, JoinKind, Plan, Project, map_inputs, next_id
from headrace.sql.properties import can_raise, same
from headrace.types import BIGINT, DOUBLE, HUGEINT, SqlType, decimal

_INSENSITIVE = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "any_value"})
"""Aggregates that repeated values do not change."""

_AGAIN = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"})
"""Aggregates whose partial results are aggregated by the same function."""

Aggregates = tuple[tuple[Field, AggregateCall], ...]


def apply(plan: Plan) -> Plan:
    return _expand(plan, _Ids(plan))


class _Ids:
    """New ids, found only when one is wanted."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.counter: Iterator[int] | None = None

    def field(self, name: str, t: SqlType, nullable: bool) -> Field:
        if self.counter is None:
            self.counter = count(next_id(self.plan))
        return Field(next(self.counter), name, t, nullable)


def _expand(plan: Plan, ids: _Ids) -> Plan:
    plan = map_inputs(plan, lambda x: _expand(x, ids))
    if not isinstance(plan, Aggregate) or not any(c.distinct for _, c in plan.aggregates):
        return plan
    aggregates = tuple((f, _plainer(c)) for f, c in plan.aggregates)
    groups: list[list[tuple[Field, AggregateCall]]] = []
    others: list[tuple[Field, AggregateCall]] = []
    for f, c in aggregates:
        if not c.distinct:
            others.append((f, c))
            continue
        if len(c.arguments) != 1:
            return plan
        group = next((g for g in groups if same(g[0][1].arguments[0], c.arguments[0])), None)
        if group is None:
            groups.append([(f, c)])
        else:
            group.append((f, c))
    if not groups:
        return replace(plan, aggregates=aggregates)
    if len(groups) == 1:
        partials = [_partial(f, c, ids) for f, c in others]
        whole = [p for p in partials if p is not None]
        if len(whole) == len(partials):
            return _two_phases(plan, plan.keys, groups[0], whole, ids)
    return _joined(plan, groups, tuple(others), ids)


def _plainer(call: AggregateCall) -> AggregateCall:
    """Without DISTINCT where it changes nothing, else with FILTER folded into the argument as CASE."""
    if not call.distinct:
        return call
    if call.function in _INSENSITIVE:
        return replace(call, distinct=False)
    if call.filter is None or len(call.arguments) != 1:
        return call
    terms = conjuncts(call.filter)
    safe = [t for t in terms if not can_raise(t)]
    chosen = call.arguments[0]
    # A term that can raise gets a CASE of its own inside: it sees only rows that the others let through.
    for condition in (*reversed([t for t in terms if can_raise(t)]), conjunction(safe)):
        if condition is not TRUE:
            chosen = Case(((condition, chosen),), Literal(None, chosen.type), chosen.type, True)
    return replace(call, arguments=(chosen,), filter=None)


@dataclass(frozen=True, slots=True)
class _Partial:
    """One aggregate in two parts: `inner` in the first phase, `outer` over them, and `result` from those."""

    field: Field
    inner: Aggregates
    outer: Aggregates
    result: Expr


def _partial(field: Field, call: AggregateCall, ids: _Ids) -> _Partial | None:
    """The aggregate in two parts; None where it cannot be taken so."""
    if call.function in ("count", "count_star"):
        return _partial_count(field, call, ids)
    if call.function in _AGAIN or (call.function == "sum" and _sum_type(call) == call.type):
        inner = ids.field(field.name, call.type, True)
        again = AggregateCall(call.function, (column(inner),), call.type, True, position=call.position)
        return _Partial(field, ((inner, call),), ((field, again),), column(field))
    if call.function == "avg" and call.type == DOUBLE:
        return _partial_average(field, call, ids)
    return None


def _partial_count(field: Field, call: AggregateCall, ids: _Ids) -> _Partial:
    inner = ids.field(field.name, BIGINT, False)
    total = ids.field(field.name, HUGEINT, True)
    outer = AggregateCall("sum", (column(inner),), HUGEINT, True, position=call.position)
    # Without groups there may be no partial count at all, and their sum is NULL.
    result = Call("coalesce", (Cast(column(total), BIGINT, True), Literal(0, BIGINT)), BIGINT, False, call.position)
    return _Partial(field, ((inner, call),), ((total, outer),), result)


def _partial_average(field: Field, call: AggregateCall, ids: _Ids) -> _Partial | None:
    sum_type = _sum_type(call)
    if sum_type is None:
        return None
    position = call.position
    inner_sum = ids.field(field.name, sum_type, True)
    inner_count = ids.field(field.name, BIGINT, False)
    outer_sum = ids.field(field.name, sum_type, True)
    outer_count = ids.field(field.name, HUGEINT, True)
    inner = (
        (inner_sum, replace(call, function="sum", type=sum_type, nullable=True)),
        (inner_count, replace(call, function="count", type=BIGINT, nullable=False)),
    )
    outer = (
        (outer_sum, AggregateCall("sum", (column(inner_sum),), sum_type, True, position=position)),
        (outer_count, AggregateCall("sum", (column(inner_count),), HUGEINT, True, position=position)),
    )
    operands = (_as_double(column(outer_sum)), _as_double(column(outer_count)))
    return _Partial(field, inner, outer, Call("divide", operands, DOUBLE, True, position))


def _sum_type(call: AggregateCall) -> SqlType | None:
    """The type of a sum of the argument, and of a sum of such sums; None where there is none."""
    t = call.arguments[0].type
    if t.is_integer:
        return HUGEINT
    if t.is_decimal:
        return decimal(38, t.scale)
    return DOUBLE if t.is_float else None


def _as_double(e: Expr) -> Expr:
    return e if e.type == DOUBLE else Cast(e, DOUBLE, e.nullable)


def _two_phases(
    plan: Aggregate,
    keys: tuple[tuple[Field, Expr], ...],
    distinct: list[tuple[Field, AggregateCall]],
    partials: list[_Partial],
    ids: _Ids,
) -> Plan:
    """Group by the keys and the distinct argument, then by the keys alone."""
    argument = distinct[0][1].arguments[0]
    value = ids.field(
        argument.name if isinstance(argument, ColumnRef) else "distinct", argument.type, argument.nullable
    )
    inner = Aggregate(plan.input, (*keys, (value, argument)), tuple(x for p in partials for x in p.inner))
    outer: Aggregates = tuple((f, replace(c, distinct=False, arguments=(column(value),))) for f, c in distinct) + tuple(
        x for p in partials for x in p.outer
    )
    grouped = Aggregate(inner, tuple((f, column(f)) for f, _ in keys), outer)
    results: dict[int, Expr] = {p.field.id: p.result for p in partials}
    fields = (*(f for f, _ in keys), *(f for f, _ in plan.aggregates if f.id in results or _has(grouped, f)))
    return Project(grouped, tuple((f, results.get(f.id, column(f))) for f in fields))


def _has(plan: Plan, field: Field) -> bool:
    return any(f.id == field.id for f in plan.schema())


def _joined(
    plan: Aggregate,
    groups: list[list[tuple[Field, AggregateCall]]],
    others: Aggregates,
    ids: _Ids,
) -> Plan:
    """One aggregate for each distinct argument, and one for the rest, joined on the keys."""
    keys = plan.keys
    whole: Plan | None = Aggregate(plan.input, keys, others) if others else None
    for group in groups:
        if whole is None:
            whole = _two_phases(plan, keys, group, [], ids)
            continue
        own = tuple((ids.field(f.name, f.type, f.nullable), e) for f, e in keys)
        part = _two_phases(plan, own, group, [], ids)
        on = tuple(JoinKey(column(f), column(g), True) for (f, _), (g, _) in zip(keys, own, strict=True))
        whole = Join(JoinKind.INNER if on else JoinKind.CROSS, whole, part, on)
    assert whole is not None
    return Project(whole, tuple((f, column(f)) for f in plan.schema()))
