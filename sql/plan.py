"""The logical plan: frozen nodes, each with a schema of uniquely numbered fields."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from headrace.sql.expr import AggregateCall, Expr, Field
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
    """A join. RIGHT is bound as LEFT with the sides exchanged. The schema is left ++ right for inner, left, full
    and cross (with the outer side's fields nullable), left for semi and anti, and left ++ `mark` for mark.

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
