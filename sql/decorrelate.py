"""Replace subqueries in expressions, and joins whose right side reads the left, by plain joins.

Bottom-up: what a subquery's own plan holds is replaced first. Then the subquery's rows for all rows of its
site, the input of the node that it stands in, become one plan (see `unnest`), which is joined to the site:
by a semi or anti join where the subquery is a term of a filter, a mark join where its truth is a value, a
left join for the value of a query that has one row, and a single join where only running it tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from headrace.errors import NotSupportedError
from headrace.sql.expr import (
    TRUE,
    Expr,
    Field,
    Subquery,
    children,
    column,
    column_ids,
    conjunction,
    conjuncts,
    substitute,
    transform,
    walk,
    with_children,
)
from headrace.sql.join_conditions import key_terms, on_terms, same_value
from headrace.sql.nullability import widened
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Plan,
    Project,
    Values,
    arranged,
    expressions,
    free_columns,
    inputs,
    map_expressions,
    map_inputs,
    map_plan_expressions,
    walk_plan,
)
from headrace.sql.properties import can_raise
from headrace.sql.renumber import renumbered
from headrace.sql.simplify import simplify_condition
from headrace.sql.subquery_site import Site
from headrace.sql.unnest import Unnester, union_of_rows


def apply(plan: Plan) -> Plan:
    if not any(_has_subquery(node) for node in walk_plan(plan)):
        return plan
    return Decorrelator(plan).rewritten(plan)


def _has_subquery(node: Plan) -> bool:
    if isinstance(node, Join) and node.dependent:
        return True
    return any(isinstance(x, Subquery) for e in expressions(node) for x in walk(e))


class Decorrelator:
    """Rewrites the plan of one statement."""

    def __init__(self, plan: Plan) -> None:
        self.ids = count(1 + max(_made(plan), default=0))
        self.met: set[int] = set()

    def new_id(self) -> int:
        return next(self.ids)

    def plan_of(self, subquery: Subquery) -> Plan:
        """A subquery's plan, itself rewritten; the columns of one met twice are new ones each time."""
        plan = self.rewritten(subquery.plan)
        if subquery.number in self.met:
            return renumbered(plan, self.new_id)[0]
        self.met.add(subquery.number)
        return plan

    def rewritten(self, plan: Plan) -> Plan:
        if isinstance(plan, Values) and _has_subquery(plan):
            plan = union_of_rows(plan, self.new_id) if len(plan.rows) > 1 else _row(plan)
        plan = map_inputs(plan, self.rewritten)
        if not _has_subquery(plan):
            return plan
        if isinstance(plan, Filter):
            return self._filter(plan)
        if isinstance(plan, Join):
            return self._dependent(plan) if plan.dependent else self._join(plan)
        assert not isinstance(plan, Values)
        (source,) = inputs(plan)
        site = Site(source, self)
        new = map_expressions(plan, site.replaced)
        new = map_inputs(new, lambda _: site.plan)
        return new if isinstance(plan, (Project, Aggregate)) else arranged(new, plan.schema())

    def _filter(self, plan: Filter) -> Plan:
        """Plain terms first, then subqueries that are terms, then what reads the values of others."""
        terms = conjuncts(simplify_condition(plan.predicate))
        nested = [t for t in terms if _nests(t)]
        plain = [t for t in terms if not _nests(t)]
        last = [t for t in plain if can_raise(t)]
        first = [t for t in plain if not can_raise(t)]
        site = Site(Filter(plan.input, conjunction(first)) if first else plan.input, self)
        values = [t for t in nested if not site.filtered(t)]
        last[:0] = [t for x in values if (t := site.replaced(x)) != TRUE]
        result = Filter(site.plan, conjunction(last)) if last else site.plan
        return arranged(result, plan.schema())

    def _dependent(self, plan: Join) -> Plan:
        """A join whose right side is another plan for each row of the left."""
        terms = key_terms(plan)
        if any(_nests(t) for t in terms):
            raise NotSupportedError("subqueries in ON of LATERAL joins are not supported yet")
        unnester = Unnester(plan.left, self.new_id)
        fields = plan.right.schema()
        u = unnester.unnest(plan.right)
        whole = u.single and not u.guards and not terms
        if plan.kind is JoinKind.LEFT and not whole:
            u = unnester.settled(u, fields)
            joined = on_terms(JoinKind.LEFT, plan.left, u.plan, [*terms, *u.conditions])
            return arranged(joined, plan.schema())
        kind = JoinKind.LEFT if u.single else JoinKind.INNER
        result: Plan = on_terms(kind, plan.left, u.plan, u.conditions)
        added = frozenset(f.id for f in u.plan.schema()) if u.single else frozenset()
        if u.guards:
            result = Filter(result, conjunction([widened(g, added) for g in u.guards]))
        outputs: list[tuple[Field, Expr]] = [(f, column(f)) for f in plan.left.schema()]
        for f in fields:
            e = widened(u.value(column(f)), added)
            outputs.append((replace(f, nullable=e.nullable), e))
        result = Project(result, tuple(outputs))
        return arranged(Filter(result, conjunction(terms)) if terms else result, plan.schema())

    def _join(self, plan: Join) -> Plan:
        """Subqueries in ON of a join that keeps rows: each is a value of the side that it reads."""
        if plan.kind is JoinKind.FULL:
            raise NotSupportedError("subqueries in ON of FULL joins are not supported yet")
        left_ids = frozenset(f.id for f in plan.left.schema())
        right_ids = frozenset(f.id for f in plan.right.schema())
        terms = key_terms(plan)
        mixed: set[int] = set()
        for x in (x for t in terms for x in walk(t) if isinstance(x, Subquery)):
            read = column_ids(x)
            if not read.isdisjoint(right_ids):
                mixed |= read & left_ids
        right = plan.right
        same: list[Expr] = []
        values: dict[int, Expr] = {}
        if mixed:
            # the right side once for each value of the left that a subquery reads beside it
            unnester = Unnester(plan.left, self.new_id)
            domain, found = unnester.domain(frozenset(mixed))
            right = Join(JoinKind.CROSS, right, domain)
            same = [same_value(unnester.outer[i], c) for i, c in found.items()]
            values.update(found)
        sites = Site(plan.left, self), Site(right, self)

        def placed(e: Expr) -> Expr:
            if isinstance(e, Subquery):
                read = column_ids(e)
                if read.isdisjoint(right_ids):
                    return sites[1 if read.isdisjoint(left_ids) else 0].replaced(e)
                return sites[1].replaced(_reading(e, values))
            return with_children(e, tuple(placed(x) for x in children(e)))

        new = [placed(t) for t in terms]
        joined = on_terms(plan.kind, sites[0].plan, sites[1].plan, [*same, *new], (), plan.mark)
        return arranged(joined, plan.schema())


def _made(plan: Plan) -> Iterator[int]:
    """The ids of all columns and subqueries in a plan, those inside subqueries included."""
    for node in walk_plan(plan):
        for f in node.schema():
            yield f.id
        for e in expressions(node):
            for x in walk(e):
                if isinstance(x, Subquery):
                    yield x.number
                    yield from _made(x.plan)


def _nests(e: Expr) -> bool:
    return any(isinstance(x, Subquery) for x in walk(e))


def _row(plan: Values) -> Plan:
    """One row of values as a projection, whose expressions have a site."""
    return Project(Values((), ((),)), tuple(zip(plan.fields, plan.rows[0], strict=True)))


def _reading(e: Subquery, values: dict[int, Expr]) -> Subquery:
    """The subquery with columns around it replaced by others."""
    plan = map_plan_expressions(e.plan, lambda x: _substituted(x, values))
    arguments = tuple(_substituted(a, values) for a in e.arguments)
    return replace(e, plan=plan, outer=free_columns(plan), arguments=arguments)


def _substituted(e: Expr, values: dict[int, Expr]) -> Expr:
    nested = transform(e, lambda x: _reading(x, values) if isinstance(x, Subquery) else x)
    return substitute(nested, values)
