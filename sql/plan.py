"""The logical plan: frozen nodes, each with a schema of uniquely numbered fields."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from headrace.sql.expr import AggregateCall, Expr, Field, column
from headrace.sql.source import Relation


class JoinKind(enum.Enum):
    INNER = "inner"
    LEFT = "left"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"
    MARK = "mark"
    CROSS = "cross"


@dataclass(frozen=True, slots=True)
class Scan:
    """Columns of a stored relation. `columns[k]` is the source's name of `fields[k]`."""

    relation: Relation
    fields: tuple[Field, ...]
    columns: tuple[str, ...]

    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True, slots=True)
class Values:
    """Rows of constant expressions. `SELECT 1` reads one row of no columns."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Expr, ...], ...]

    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which `predicate` is true (not false, not NULL)."""

    input: Plan
    predicate: Expr

    def schema(self) -> tuple[Field, ...]:
        return self.input.schema()


@dataclass(frozen=True, slots=True)
class Project:
    """Computed columns; a plain reference keeps the field's id."""

    input: Plan
    outputs: tuple[tuple[Field, Expr], ...]

    def schema(self) -> tuple[Field, ...]:
        return tuple(f for f, _ in self.outputs)


@dataclass(frozen=True, slots=True)
class JoinKey:
    """One equality between the sides; `null_safe` is IS NOT DISTINCT FROM. Both have one type."""

    left: Expr
    right: Expr
    null_safe: bool = False


@dataclass(frozen=True, slots=True)
class Join:
    """A join. RIGHT is bound as LEFT with the sides exchanged. The schema is left ++ right for inner, left,
    full and cross (with the outer side's fields nullable), left for semi and anti, left ++ `mark` for mark.

    The right side is always the build side: the rule that chooses build sides exchanges inputs. `residual` is
    the part of ON that is no equality between the sides.
    """

    kind: JoinKind
    left: Plan
    right: Plan
    keys: tuple[JoinKey, ...] = ()
    residual: Expr | None = None
    mark: Field | None = None

    def schema(self) -> tuple[Field, ...]:
        left = self.left.schema()
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return left
        if self.kind is JoinKind.MARK:
            return (*left, self.mark) if self.mark is not None else left
        right = self.right.schema()
        if self.kind in (JoinKind.LEFT, JoinKind.FULL):
            right = nullable(right)
        if self.kind is JoinKind.FULL:
            left = nullable(left)
        return left + right


@dataclass(frozen=True, slots=True)
class Aggregate:
    """GROUP BY: one row a distinct combination of `keys` (NULLs are equal), or one row in all without keys.

    DISTINCT is an Aggregate without aggregates.
    """

    input: Plan
    keys: tuple[tuple[Field, Expr], ...]
    aggregates: tuple[tuple[Field, AggregateCall], ...]

    def schema(self) -> tuple[Field, ...]:
        return tuple(f for f, _ in self.keys) + tuple(f for f, _ in self.aggregates)


@dataclass(frozen=True, slots=True)
class SortKey:
    expr: Expr
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Sort:
    """A stable sort."""

    input: Plan
    keys: tuple[SortKey, ...]

    def schema(self) -> tuple[Field, ...]:
        return self.input.schema()


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `limit` rows (None: all) after skipping `offset`."""

    input: Plan
    limit: int | None
    offset: int = 0

    def schema(self) -> tuple[Field, ...]:
        return self.input.schema()


@dataclass(frozen=True, slots=True)
class TopK:
    """Sort and Limit in one: the first `offset + limit` rows in key order, less the first `offset`."""

    input: Plan
    keys: tuple[SortKey, ...]
    limit: int
    offset: int = 0

    def schema(self) -> tuple[Field, ...]:
        return self.input.schema()


Plan = Scan | Values | Filter | Project | Join | Aggregate | Sort | Limit | TopK


def inputs(plan: Plan) -> tuple[Plan, ...]:
    """The inputs of a node, left first."""
    if isinstance(plan, Join):
        return (plan.left, plan.right)
    if isinstance(plan, (Scan, Values)):
        return ()
    return (plan.input,)


def with_inputs(plan: Plan, new: tuple[Plan, ...]) -> Plan:
    """The same node over other inputs."""
    if isinstance(plan, Join):
        return replace(plan, left=new[0], right=new[1])
    if isinstance(plan, (Scan, Values)):
        return plan
    return replace(plan, input=new[0])


def nullable(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields of an outer join's NULL-able side."""
    return tuple(f if f.nullable else replace(f, nullable=True) for f in fields)


def map_inputs(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """The node over changed inputs; the node itself if no input changes."""
    old = inputs(plan)
    new = tuple(change(x) for x in old)
    if all(a is b for a, b in zip(old, new, strict=True)):
        return plan
    return with_inputs(plan, new)


def walk_plan(plan: Plan) -> Iterator[Plan]:
    """The node and everything under it, parents first."""
    yield plan
    for x in inputs(plan):
        yield from walk_plan(x)


def expressions(plan: Plan) -> Iterator[Expr]:
    """Every expression of the node itself, over its inputs' columns (a Values row: over none)."""
    if isinstance(plan, Filter):
        yield plan.predicate
    elif isinstance(plan, Project):
        for _, e in plan.outputs:
            yield e
    elif isinstance(plan, Join):
        for key in plan.keys:
            yield key.left
            yield key.right
        if plan.residual is not None:
            yield plan.residual
    elif isinstance(plan, Aggregate):
        for _, e in plan.keys:
            yield e
        for _, call in plan.aggregates:
            yield from call.arguments
            if call.filter is not None:
                yield call.filter
    elif isinstance(plan, (Sort, TopK)):
        for sort_key in plan.keys:
            yield sort_key.expr
    elif isinstance(plan, Values):
        for row in plan.rows:
            yield from row


def map_expressions(plan: Plan, change: Callable[[Expr], Expr]) -> Plan:
    """The node with each expression of its own changed; the node itself if none changes. Inputs stay."""
    old = tuple(expressions(plan))
    new = [change(e) for e in old]
    if all(a is b for a, b in zip(old, new, strict=True)):
        return plan
    take = iter(new)
    if isinstance(plan, Filter):
        return replace(plan, predicate=next(take))
    if isinstance(plan, Project):
        return replace(plan, outputs=tuple((f, next(take)) for f, _ in plan.outputs))
    if isinstance(plan, Join):
        keys = tuple(replace(k, left=next(take), right=next(take)) for k in plan.keys)
        return replace(plan, keys=keys, residual=None if plan.residual is None else next(take))
    if isinstance(plan, Aggregate):
        groups = tuple((f, next(take)) for f, _ in plan.keys)
        return replace(plan, keys=groups, aggregates=tuple((f, _map_aggregate(c, take)) for f, c in plan.aggregates))
    if isinstance(plan, (Sort, TopK)):
        return replace(plan, keys=tuple(replace(k, expr=next(take)) for k in plan.keys))
    if isinstance(plan, Values):
        return replace(plan, rows=tuple(tuple(next(take) for _ in row) for row in plan.rows))
    return plan


def _map_aggregate(call: AggregateCall, take: Iterator[Expr]) -> AggregateCall:
    arguments = tuple(next(take) for _ in call.arguments)
    return replace(call, arguments=arguments, filter=None if call.filter is None else next(take))


def exchanged(join: Join) -> Join:
    """The join with its sides exchanged; the kind stays, which is right for inner, full and cross."""
    keys = tuple(JoinKey(k.right, k.left, k.null_safe) for k in join.keys)
    return replace(join, left=join.right, right=join.left, keys=keys)


def arranged(plan: Plan, fields: tuple[Field, ...]) -> Plan:
    """The plan with exactly these output columns, by id, in this order and with these names."""
    have = plan.schema()
    if len(have) == len(fields) and all(a.id == b.id and a.name == b.name for a, b in zip(have, fields, strict=True)):
        return plan
    by_id = {f.id: f for f in have}
    return Project(plan, tuple((replace(f, nullable=by_id[f.id].nullable), column(by_id[f.id])) for f in fields))


def empty(plan: Plan) -> Values:
    """No rows, of the plan's columns."""
    return Values(plan.schema(), ())


def next_id(plan: Plan) -> int:
    """An id greater than every field's in the plan."""
    return 1 + max((f.id for node in walk_plan(plan) for f in node.schema()), default=0)
