"""Building plans by hand: relations held as Python rows, and short names for the expressions tests need."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headrace.sql.bind import bind
from headrace.sql.expr import AggregateCall, Call, Cast, ColumnRef, Expr, Field, Literal, column
from headrace.sql.parse import parse
from headrace.sql.plan import Aggregate, Join, JoinKey, JoinKind, Plan, Project, Scan
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.sql.statement import Query
from headrace.types import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, INTEGER, VARCHAR, SqlType

Row = tuple[object, ...]


@dataclass(frozen=True)
class Table:
    """A relation of given rows, or of a row count alone with estimates."""

    name: str
    columns: tuple[SourceColumn, ...]
    rows: tuple[Row, ...] = ()
    count: int | None = None
    estimates: dict[str, ColumnEstimate] = field(default_factory=dict)

    def schema(self) -> tuple[SourceColumn, ...]:
        return self.columns

    def row_count(self) -> int | None:
        return len(self.rows) if self.count is None else self.count

    def unsupported(self) -> dict[str, str]:
        return {}

    def estimate(self, column: str) -> ColumnEstimate:
        return self.estimates.get(column, ColumnEstimate())


def table(name: str, columns: str, rows: Sequence[Row] = (), count: int | None = None, **estimates: object) -> Table:
    """`columns` is text such as "a int, b text, c int not null"; an estimate may be just a distinct count."""
    types = {"int": INTEGER, "big": BIGINT, "date": DATE, "text": VARCHAR, "bool": BOOLEAN, "double": DOUBLE}
    parsed = []
    for part in columns.split(","):
        words = part.split()
        parsed.append(SourceColumn(words[0], types[words[1]], "not" not in words))
    known = {
        k: e if isinstance(e, ColumnEstimate) else ColumnEstimate(distinct=int(str(e))) for k, e in estimates.items()
    }
    return Table(name, tuple(parsed), tuple(rows), count, known)


class Builder:
    """Hands out ids and makes nodes."""

    def __init__(self) -> None:
        self.ids = itertools.count(1)

    def scan(self, of: Table) -> Scan:
        columns = of.schema()
        fields = tuple(Field(next(self.ids), c.name, c.type, c.nullable) for c in columns)
        return Scan(of, fields, tuple(c.name for c in columns))

    def project(self, source: Plan, **outputs: Expr) -> Project:
        """Outputs by name; a bare reference keeps its id, other expressions get new ones."""
        made = []
        for name, e in outputs.items():
            i = e.id if isinstance(e, ColumnRef) else next(self.ids)
            made.append((Field(i, name, e.type, e.nullable), e))
        return Project(source, tuple(made))

    def aggregate(self, source: Plan, keys: Sequence[Expr], **aggregates: AggregateCall) -> Aggregate:
        groups = []
        for k in keys:
            i = k.id if isinstance(k, ColumnRef) else next(self.ids)
            groups.append((Field(i, k.name if isinstance(k, ColumnRef) else "k", k.type, k.nullable), k))
        calls = tuple((Field(next(self.ids), name, c.type, c.nullable), c) for name, c in aggregates.items())
        return Aggregate(source, tuple(groups), calls)


def col(plan: Plan, name: str) -> ColumnRef:
    """The output column of that name."""
    return next(column(f) for f in plan.schema() if f.name == name)


def lit(value: object, t: SqlType | None = None) -> Literal:
    if t is None:
        t = {bool: BOOLEAN, int: INTEGER, str: VARCHAR, float: DOUBLE}[type(value)]
    return Literal(value, t)


def call(function: str, *arguments: Expr, t: SqlType = BOOLEAN) -> Call:
    nulls = function not in ("is_null", "is_not_null", "is_distinct", "is_not_distinct")
    return Call(function, arguments, t, nulls and any(x.nullable for x in arguments))


def eq(a: Expr, b: Expr) -> Call:
    return call("equal", a, b)


def lt(a: Expr, b: Expr) -> Call:
    return call("less", a, b)


def both(*terms: Expr) -> Call:
    return call("and", *terms)


def either(*terms: Expr) -> Call:
    return call("or", *terms)


def quotient(a: Expr, b: Expr) -> Call:
    """a // b: raises for b = 0."""
    return call("integer_divide", a, b, t=INTEGER)


def widened(e: Expr) -> Cast:
    return Cast(e, BIGINT, e.nullable)


def inner(left: Plan, right: Plan, *keys: tuple[Expr, Expr]) -> Join:
    return join(JoinKind.INNER, left, right, *keys)


def join(kind: JoinKind, left: Plan, right: Plan, *keys: tuple[Expr, Expr], residual: Expr | None = None) -> Join:
    return Join(kind, left, right, tuple(JoinKey(a, b) for a, b in keys), residual)


def aggregate_call(function: str, *arguments: Expr, distinct: bool = False, where: Expr | None = None) -> AggregateCall:
    """An aggregate over INTEGER arguments, with the type it has there."""
    types = {"count": BIGINT, "count_star": BIGINT, "sum": HUGEINT, "avg": DOUBLE, "stddev": DOUBLE}
    t = types.get(function) or arguments[0].type
    return AggregateCall(function, arguments, t, t != BIGINT, distinct, where)


class Catalog:
    """Tables by name, for binding SQL text against them."""

    def __init__(self, *tables: Table) -> None:
        self.tables = {t.name: t for t in tables}

    def lookup(self, name: str) -> Table | None:
        return self.tables.get(name.lower())

    def names(self) -> list[str]:
        return list(self.tables)

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> Table:
        raise NotImplementedError(name)


def plan_of(text: str, catalog: Catalog) -> Plan:
    """The bound plan of a query."""
    statement = bind(parse(text)[0], catalog)
    assert isinstance(statement, Query)
    return statement.plan
