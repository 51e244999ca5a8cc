"""The input of a node whose expressions hold subqueries: they are joined to it one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from headrace.sql.expr import (
    FALSE,
    TRUE,
    AggregateCall,
    Call,
    Case,
    ColumnRef,
    Expr,
    Field,
    Literal,
    Subquery,
    SubqueryKind,
    column,
    conjunction,
    transform,
)
from headrace.sql.join_conditions import on_terms
from headrace.sql.nullability import widened
from headrace.sql.plan import Aggregate, Filter, Join, JoinKind, Limit, Plan, Project, Sort, Values
from headrace.sql.properties import strict_columns
from headrace.sql.unnest import Unnested, Unnester
from headrace.types import BIGINT, BOOLEAN


class Owner(Protocol):
    """What makes sites: it rewrites the plans of subqueries and hands out column ids."""

    def plan_of(self, subquery: Subquery) -> Plan: ...

    def new_id(self) -> int: ...


class Site:
    """An input, `plan`, that grows by a join for each subquery; `origin` is what it was at first."""

    def __init__(self, origin: Plan, owner: Owner) -> None:
        self.origin = origin
        self.plan = origin
        self.owner = owner
        self.unnester = Unnester(origin, owner.new_id)
        self.known: dict[Subquery, Expr] = {}

    def replaced(self, e: Expr) -> Expr:
        """The expression over the site's columns instead of subqueries."""
        return transform(e, lambda x: self.value(x) if isinstance(x, Subquery) else x)

    def value(self, subquery: Subquery) -> Expr:
        """What stands for a subquery; one that was met before is not joined again."""
        found = self.known.get(subquery)
        if found is None:
            makers: dict[SubqueryKind, Callable[[Subquery], Expr]] = {
                SubqueryKind.SCALAR: self._scalar,
                SubqueryKind.EXISTS: self._exists,
                SubqueryKind.ANY: self._any,
            }
            found = self.known[subquery] = makers[subquery.kind](subquery)
        return found

    def filtered(self, term: Expr) -> bool:
        """Apply a filter's term by a semi or anti join; False where it is no subquery or needs more."""
        negative = isinstance(term, Call) and term.function == "not"
        subquery = term.arguments[0] if isinstance(term, Call) and negative else term
        if not isinstance(subquery, Subquery) or subquery.kind is SubqueryKind.SCALAR:
            return False
        compares = subquery.kind is SubqueryKind.ANY
        if compares and negative and subquery.nullable and subquery.comparison == "equal":
            return False
        subquery = replace(subquery, arguments=tuple(self.replaced(a) for a in subquery.arguments))
        u, comparisons = self._matched(subquery)
        if u.single or (not compares and not u.conditions):
            self.known[subquery] = self._compared(subquery, u, comparisons)
            return False
        if negative:
            # what may be equal, as far as is known, keeps a row from being known to be unequal
            comparisons = [Call("is_distinct", (c, FALSE), BOOLEAN, False) if c.nullable else c for c in comparisons]
        kind = JoinKind.ANTI if negative else JoinKind.SEMI
        self.plan = on_terms(kind, self.plan, u.plan, [*comparisons, *u.conditions])
        return True

    def _scalar(self, subquery: Subquery) -> Expr:
        inner = unordered(self.owner.plan_of(subquery))
        (field,) = inner.schema()
        u = self.unnester.unnest(inner)
        if u.single:
            return self._single(u, u.value(column(field)))
        value = u.value(column(field))
        if not u.conditions and exactly_one(u.plan):
            self.plan = Join(JoinKind.CROSS, self.plan, u.plan)
            return value
        right = u.plan
        added = frozenset(f.id for f in right.schema())
        if strict_columns(value).isdisjoint(added):
            marker = Field(self.owner.new_id(), "found", BOOLEAN, False)
            outputs = [(f, column(f)) for f in right.schema()]
            right = Project(right, (*outputs, (marker, TRUE)))
            found = Call("is_not_null", (replace(column(marker), nullable=True),), BOOLEAN, False)
            value = Case(((found, widened(value, added)),), Literal(None, value.type), value.type, True)
        kind = JoinKind.LEFT if self._at_most_one(u) else JoinKind.SINGLE
        self.plan = on_terms(kind, self.plan, right, u.conditions)
        return widened(value, added)

    def _single(self, u: Unnested, value: Expr) -> Expr:
        """The value of a query that gives one row for every outer row, or none where a guard says so."""
        added = frozenset(f.id for f in u.plan.schema())
        self.plan = on_terms(JoinKind.LEFT, self.plan, u.plan, u.conditions)
        value = widened(value, added)
        if not u.guards:
            return value
        kept = widened(conjunction(list(u.guards)), added)
        return Case(((kept, value),), Literal(None, value.type), value.type, True)

    def _exists(self, subquery: Subquery) -> Expr:
        return self._compared(subquery, *self._matched(subquery))

    def _any(self, subquery: Subquery) -> Expr:
        return self._compared(subquery, *self._matched(subquery))

    def _matched(self, subquery: Subquery) -> tuple[Unnested, list[Expr]]:
        """The rows of EXISTS or ANY, and the comparisons with each of them."""
        inner = self.owner.plan_of(subquery)
        if subquery.kind is SubqueryKind.EXISTS:
            return self.unnester.unnest(witness(inner)), []
        inner = unordered(inner)
        fields = inner.schema()
        u = self.unnester.unnest(inner)
        if u.single:
            u = self.unnester.settled(u, fields)
        comparisons: list[Expr] = []
        for argument, f in zip(subquery.arguments, fields, strict=True):
            other = u.value(column(f))
            nullable = argument.nullable or other.nullable
            comparisons.append(Call(subquery.comparison, (argument, other), BOOLEAN, nullable))
        return u, comparisons

    def _compared(self, subquery: Subquery, u: Unnested, comparisons: list[Expr]) -> Expr:
        """The truth of EXISTS or ANY as a value."""
        if u.single:
            return _truth(self._single(u, TRUE)) if u.guards else TRUE
        if subquery.kind is SubqueryKind.EXISTS and not u.conditions:
            return self._any_row(u.plan)
        exists = subquery.kind is SubqueryKind.EXISTS
        nullable = subquery.nullable if not exists else any(c.nullable for c in u.conditions)
        mark = Field(self.owner.new_id(), "mark", BOOLEAN, nullable)
        if exists:
            # as comparisons: NULL is no match then, which is as good as false
            self.plan = on_terms(JoinKind.MARK, self.plan, u.plan, u.conditions, (), mark)
            return _truth(column(mark))
        self.plan = on_terms(JoinKind.MARK, self.plan, u.plan, comparisons, u.conditions, mark)
        return column(mark)

    def _any_row(self, plan: Plan) -> Expr:
        """Whether a plan that reads no outer columns has rows."""
        if exactly_one(plan):
            return TRUE
        rows = Field(self.owner.new_id(), "rows", BIGINT, False)
        counted = Aggregate(Limit(plan, 1), (), ((rows, AggregateCall("count_star", (), BIGINT, False)),))
        self.plan = Join(JoinKind.CROSS, self.plan, counted)
        return Call("greater", (column(rows), Literal(0, BIGINT)), BOOLEAN, False)

    def _at_most_one(self, u: Unnested) -> bool:
        """Whether the plan has no second row for an outer row: one in all, or one for what is compared."""
        links = [self.unnester.link(c) for c in u.conditions]
        compared = {x.inner.id for x in links if x is not None and isinstance(x.inner, ColumnRef)}
        plan = u.plan
        while isinstance(plan, (Project, Filter, Sort)):
            if isinstance(plan, Project):
                same = {f.id: e.id for f, e in plan.outputs if isinstance(e, ColumnRef)}
                compared = {same[i] for i in compared if i in same}
            plan = plan.input
        if isinstance(plan, Limit):
            return plan.limit is not None and plan.limit <= 1
        if isinstance(plan, Values):
            return len(plan.rows) <= 1
        return isinstance(plan, Aggregate) and all(f.id in compared for f, _ in plan.keys)


def _truth(e: Expr) -> Expr:
    """A condition of which NULL is as good as false, as a value."""
    return Call("coalesce", (e, FALSE), BOOLEAN, False) if e.nullable else e


def exactly_one(plan: Plan) -> bool:
    """Whether a plan gives one row, whatever the tables hold."""
    while isinstance(plan, (Project, Sort)):
        plan = plan.input
    if isinstance(plan, Join) and plan.kind is JoinKind.CROSS:
        return exactly_one(plan.left) and exactly_one(plan.right)
    if isinstance(plan, Values):
        return len(plan.rows) == 1
    return isinstance(plan, Aggregate) and not plan.keys


def witness(plan: Plan) -> Plan:
    """A plan that has a row if and only if `plan` has one."""
    if isinstance(plan, (Project, Sort)):
        return witness(plan.input)
    if isinstance(plan, Aggregate) and plan.keys:
        return witness(plan.input)
    if isinstance(plan, Limit) and not plan.offset and plan.limit != 0:
        return witness(plan.input)
    return plan


def unordered(plan: Plan) -> Plan:
    """The plan without a sort that only orders its result."""
    if isinstance(plan, Sort):
        return unordered(plan.input)
    if isinstance(plan, Project):
        below = unordered(plan.input)
        return plan if below is plan.input else replace(plan, input=below)
    return plan
