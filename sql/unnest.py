"""Taking the outer columns out of a subquery's plan.

For a plan that reads columns of an enclosing plan, the `origin`, its rows are a function of an outer row.
`Unnester.unnest` turns it into one plan for all outer rows: conditions that tell which of its rows belong to
an outer row move up through every node, and can at last become the condition of one join with the origin.
Where a node does not let them through - an aggregate lets equalities through, as more group keys, and nothing
else - the domain comes in: the different values of the outer columns among the origin's rows, joined to the
node's input (the dependent join of Neumann and Kemper, Unnesting Arbitrary Queries, 2015). Equalities of an
outer column with an inner expression make the domain needless: the expression has the outer value already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from headrace.errors import NotSupportedError
from headrace.sql.expr import (
    FALSE,
    AggregateCall,
    Call,
    ColumnRef,
    Expr,
    Field,
    Literal,
    column,
    column_ids,
    conjunction,
    conjuncts,
    substitute,
)
from headrace.sql.join_conditions import key_terms, on_terms, same_value
from headrace.sql.nullability import widened
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    Repeat,
    Scan,
    Sort,
    TopK,
    Union,
    Values,
    expressions,
    map_expressions,
    walk_plan,
)
from headrace.sql.properties import can_raise, strict_columns
from headrace.sql.renumber import renumbered
from headrace.types import BOOLEAN

Ids = frozenset[int]


@dataclass(frozen=True, slots=True)
class Unnested:
    """A plan that reads no outer columns, and how its rows depend on the outer row.

    The rows for an outer row are those of the plan that meet all `conditions`, expressions over the columns
    of both. `computed` are output columns that the plan lacks, as expressions over both. Where `single` is
    set there is one row for each outer row: the only one that meets the conditions, or one of NULLs if none
    does - less those that do not meet the `guards`.
    """

    plan: Plan
    conditions: tuple[Expr, ...] = ()
    computed: Mapping[int, Expr] = field(default_factory=dict)
    single: bool = False
    guards: tuple[Expr, ...] = ()

    def value(self, e: Expr) -> Expr:
        """An expression over the output columns, as one over the plan's and the outer ones."""
        return substitute(e, dict(self.computed)) if self.computed else e


@dataclass(frozen=True, slots=True)
class Link:
    """A condition that is an equality between an outer and an inner expression."""

    outer: Expr
    inner: Expr
    function: str

    def with_inner(self, inner: Expr) -> Expr:
        nullable = self.function == "equal" and (self.outer.nullable or inner.nullable)
        return Call(self.function, (self.outer, inner), BOOLEAN, nullable)


class Unnester:
    """Unnests plans that read columns of `origin`; `new_id` gives fresh column ids."""

    def __init__(self, origin: Plan, new_id: Callable[[], int]) -> None:
        self.origin = origin
        self.new_id = new_id
        self.outer = {f.id: column(f) for f in origin.schema()}
        self.ids: Ids = frozenset(self.outer)

    # ---- outer columns

    def reads(self, e: Expr) -> Ids:
        """The outer columns that an expression reads."""
        return self.ids & column_ids(e)

    def all_reads(self, expressions: Iterable[Expr]) -> Ids:
        return frozenset().union(*(self.reads(e) for e in expressions))

    def correlated(self, plan: Plan) -> bool:
        return any(self.reads(e) for node in walk_plan(plan) for e in expressions(node))

    def domain(self, ids: Ids) -> tuple[Plan, dict[int, ColumnRef]]:
        """The different values that some outer columns have together, and the column of each."""
        plan, new = renumbered(self.origin, self.new_id)
        keys: list[tuple[Field, Expr]] = []
        for i in sorted(ids):
            c = self.outer[i]
            keys.append((Field(self.new_id(), c.name, c.type, c.nullable), replace(c, id=new[i])))
        found = {i: column(f) for i, (f, _) in zip(sorted(ids), keys, strict=True)}
        return Aggregate(plan, tuple(keys), ()), found

    def link(self, condition: Expr) -> Link | None:
        """The condition as an equality of an outer with an inner expression; None where it is none."""
        if not isinstance(condition, Call) or condition.function not in ("equal", "is_not_distinct"):
            return None
        for outer, inner in (condition.arguments, condition.arguments[::-1]):
            a, b = column_ids(outer), column_ids(inner)
            if a and a <= self.ids and b and b.isdisjoint(self.ids):
                return Link(outer, inner, condition.function)
        return None

    def provide(self, u: Unnested, needed: Ids, exact: bool = False) -> tuple[Unnested, dict[int, Expr]]:
        """The same with the values of the outer columns `needed` in the plan, and the expression of each.

        Conditions that read no other outer columns move into the plan. `exact`: the plan then has no rows
        that belong to no outer row, so that expressions which can raise may be computed over it.
        """
        conditions = u.conditions
        for _ in conditions:
            for c in conditions:
                ids = self.reads(c)
                if not ids.isdisjoint(needed):
                    needed |= ids
        mapping: dict[int, Expr] = {}
        kept: list[Expr] = []
        rest: list[Expr] = []
        for c in conditions:
            i = None if exact else self.provider(c)
            if i is not None and i in needed and i not in mapping:
                link = self.link(c)
                assert link is not None
                mapping[i] = link.inner
                kept.append(c)
            else:
                rest.append(c)
        plan = u.plan
        missing = needed - mapping.keys()
        if missing:
            domain, found = self.domain(missing)
            plan = Join(JoinKind.CROSS, plan, domain)
            mapping |= found
            kept.extend(same_value(self.outer[i], c) for i, c in found.items())
        inside: list[Expr] = []
        for c in rest:
            c = substitute(c, mapping)
            (kept if self.reads(c) else inside).append(c)
        if inside:
            plan = Filter(plan, conjunction(inside))
        computed = {i: substitute(e, mapping) for i, e in u.computed.items()}
        return replace(u, plan=plan, conditions=tuple(kept), computed=computed), mapping

    def provider(self, condition: Expr) -> int | None:
        """The outer column of which an inner expression has the very value, by this condition."""
        link = self.link(condition)
        if link is None or not isinstance(link.outer, ColumnRef) or link.outer.type.is_float:
            return None
        # a column taken for never NULL cannot be replaced by an expression that can be
        fits = link.outer.nullable or not link.inner.nullable
        return link.outer.id if fits and not can_raise(link.inner) else None

    def settled(self, u: Unnested, fields: tuple[Field, ...]) -> Unnested:
        """The same with all of the output columns `fields` in the plan, and no longer `single`."""
        if u.single:
            return self._settled_single(u, fields)
        if not u.computed:
            return u
        exact = bool(u.conditions) and any(can_raise(e) for e in u.computed.values())
        needed = self.all_reads(u.computed.values())
        if exact:
            needed |= self.all_reads(u.conditions)
        u, _ = self.provide(u, needed, exact)
        outputs = [(f, u.computed.get(f.id, column(f))) for f in fields]
        return Unnested(Project(u.plan, carried(u, outputs, u.conditions)), u.conditions)

    def _settled_single(self, u: Unnested, fields: tuple[Field, ...]) -> Unnested:
        ids = self.all_reads((*u.conditions, *u.computed.values(), *u.guards))
        domain, found = self.domain(ids)
        mapping: dict[int, Expr] = dict(found)
        plan: Plan = on_terms(JoinKind.LEFT, domain, u.plan, [substitute(c, mapping) for c in u.conditions])
        inner = frozenset(f.id for f in u.plan.schema())
        if u.guards:
            plan = Filter(plan, conjunction([widened(substitute(g, mapping), inner) for g in u.guards]))
        outputs: list[tuple[Field, Expr]] = []
        for f in fields:
            e = widened(substitute(u.value(column(f)), mapping), inner)
            outputs.append((replace(f, nullable=e.nullable), e))
        outputs.extend((f, column(f)) for f in domain.schema())
        conditions = tuple(same_value(self.outer[i], c) for i, c in found.items())
        return Unnested(Project(plan, tuple(outputs)), conditions)

    # ---- nodes

    def unnest(self, plan: Plan) -> Unnested:
        """The plan without outer columns; raises NotSupportedError for a limit of more than one row."""
        if isinstance(plan, Scan) or not self.correlated(plan):
            return Unnested(plan)
        if isinstance(plan, Filter):
            return self._filter(plan)
        if isinstance(plan, Project):
            return self._project(plan)
        if isinstance(plan, Join):
            return self._join(plan)
        if isinstance(plan, Aggregate):
            return self._aggregate(plan)
        if isinstance(plan, Sort):
            return self._sort(plan)
        if isinstance(plan, TopK):
            return self._limit(Limit(Sort(plan.input, plan.keys), plan.limit, plan.offset))
        if isinstance(plan, Limit):
            return self._limit(plan)
        if isinstance(plan, Union):
            return self._union(plan)
        if isinstance(plan, Repeat):
            return self._repeat(plan)
        return self._values(plan)

    def _filter(self, plan: Filter) -> Unnested:
        u = self.unnest(plan.input)
        terms = [u.value(t) for t in conjuncts(plan.predicate)]
        if u.single:
            return replace(u, guards=(*u.guards, *terms))
        moved = [t for t in terms if self.reads(t)]
        if moved or u.conditions:
            # a term that can raise sees no rows that the conditions keep from it
            moved = [t for t in terms if self.reads(t) or can_raise(t)]
        local = [t for t in terms if t not in moved]
        below = Filter(u.plan, conjunction(local)) if local else u.plan
        return replace(u, plan=below, conditions=(*u.conditions, *moved))

    def _project(self, plan: Project) -> Unnested:
        u = self.unnest(plan.input)
        outputs: list[tuple[Field, Expr]] = []
        computed: dict[int, Expr] = {}
        for f, e in plan.outputs:
            e = u.value(e)
            late = bool(self.reads(e)) or (bool(u.conditions) and can_raise(e))
            if late or (u.single and not strict_columns(e)):
                computed[f.id] = e
            else:
                outputs.append((f, e))
        above = (*u.conditions, *u.guards, *computed.values())
        return replace(u, plan=Project(u.plan, carried(u, outputs, above)), computed=computed)

    def _join(self, plan: Join) -> Unnested:
        if plan.kind in (JoinKind.INNER, JoinKind.CROSS):
            return self._inner(plan, self._plain(plan.left), self._plain(plan.right))
        left = self.settled(self.unnest(plan.left), plan.left.schema())
        right = self.settled(self.unnest(plan.right), plan.right.schema())
        if plan.kind is JoinKind.FULL:
            return self._full(plan, left, right)
        terms = key_terms(plan)
        needed = self.all_reads((*terms, *right.conditions))
        exact = bool(left.conditions) and any(can_raise(t) for t in terms)
        if exact:
            needed |= self.all_reads(left.conditions)
        left, mapping = self.provide(left, needed, exact)
        terms = [substitute(t, mapping) for t in terms]
        conditions = [substitute(c, mapping) for c in right.conditions]
        joined = on_terms(plan.kind, left.plan, right.plan, terms, conditions, plan.mark)
        return Unnested(joined, left.conditions)

    def _plain(self, plan: Plan) -> Unnested:
        u = self.unnest(plan)
        return self.settled(u, plan.schema()) if u.single else u

    def _inner(self, plan: Join, left: Unnested, right: Unnested) -> Unnested:
        computed = {**left.computed, **right.computed}
        conditions = (*left.conditions, *right.conditions)
        terms = [substitute(t, computed) for t in key_terms(plan)]
        moved = [t for t in terms if self.reads(t) or (conditions and can_raise(t))]
        local = [t for t in terms if t not in moved]
        product: Plan = Join(JoinKind.CROSS, left.plan, right.plan)
        joined = Filter(product, conjunction(local)) if local else product
        return Unnested(joined, (*conditions, *moved), computed)

    def _full(self, plan: Join, left: Unnested, right: Unnested) -> Unnested:
        """Both sides with the domain's values; a row of the result has them from the side that it has."""
        terms = key_terms(plan)
        needed = self.all_reads((*terms, *left.conditions, *right.conditions))
        left, one = self.provide(left, needed, exact=True)
        right, two = self.provide(right, needed, exact=True)
        terms = [substitute(t, one) for t in terms] + [same_value(one[i], two[i]) for i in sorted(needed)]
        joined = on_terms(JoinKind.FULL, left.plan, right.plan, terms)
        outputs: list[tuple[Field, Expr]] = [(f, column(f)) for f in joined.schema()]
        conditions: list[Expr] = []
        for i in sorted(needed):
            either = tuple(replace(c, nullable=True) for c in (one[i], two[i]) if isinstance(c, ColumnRef))
            outer = self.outer[i]
            f = Field(self.new_id(), outer.name, outer.type, True)
            outputs.append((f, Call("coalesce", either, outer.type, True)))
            conditions.append(same_value(outer, column(f)))
        return Unnested(Project(joined, tuple(outputs)), tuple(conditions))

    def _aggregate(self, plan: Aggregate) -> Unnested:
        """Equalities with outer values pass as more group keys; what else is needed of them the domain has."""
        u = self._plain(plan.input)
        new = map_expressions(plan, u.value)
        own = list(expressions(new))
        loose = [c for c in u.conditions if self.link(c) is None]
        exact = bool(u.conditions) and any(can_raise(e) for e in own)
        needed = self.all_reads((*own, *(u.conditions if exact else loose)))
        u, mapping = self.provide(u, needed, exact)
        new = map_expressions(new, lambda e: substitute(e, mapping))
        assert isinstance(new, Aggregate)
        keys, conditions = self.grouped(u.conditions, new.keys)
        if plan.keys or not conditions:
            return Unnested(Aggregate(u.plan, keys, new.aggregates), conditions)
        # where an outer row has no group, NULL is right for all aggregates but counts, which are never NULL
        counts = {f.id: replace(f, id=self.new_id()) for f, _ in new.aggregates if not f.nullable}
        calls = tuple((counts.get(f.id, f), c) for f, c in new.aggregates)
        computed = {i: _count_of_none(f) for i, f in counts.items()}
        return Unnested(Aggregate(u.plan, keys, calls), conditions, computed, single=True)

    def grouped(
        self, conditions: tuple[Expr, ...], keys: tuple[tuple[Field, Expr], ...]
    ) -> tuple[tuple[tuple[Field, Expr], ...], tuple[Expr, ...]]:
        """The keys with the inner sides of all conditions added, and the conditions over the keys."""
        result = list(keys)
        above: list[Expr] = []
        for c in conditions:
            link = self.link(c)
            assert link is not None
            f = next((f for f, e in result if e == link.inner), None)
            if f is None:
                f = Field(self.new_id(), _name(link.inner), link.inner.type, link.inner.nullable)
                result.append((f, link.inner))
            above.append(link.with_inner(column(f)))
        return tuple(result), tuple(above)

    def _sort(self, plan: Sort) -> Unnested:
        u = self.unnest(plan.input)
        if u.single:
            return u
        # what reads outer columns alone is the same for all rows
        keys = [replace(k, expr=u.value(k.expr)) for k in plan.keys]
        keys = [k for k in keys if not self.reads(k.expr) or column_ids(k.expr) - self.ids]
        u, mapping = self.provide(u, self.all_reads(k.expr for k in keys))
        keys = [replace(k, expr=substitute(k.expr, mapping)) for k in keys]
        return replace(u, plan=Sort(u.plan, tuple(keys))) if keys else u

    def _limit(self, plan: Limit) -> Unnested:
        """A limit for each outer row: one row is the first of a group, more would need a rank in it."""
        u = self.unnest(plan.input)
        if u.single:
            none = plan.limit == 0 or plan.offset > 0
            return replace(u, guards=(*u.guards, FALSE)) if none else u
        if plan.limit is None and not plan.offset:
            return u
        if not u.conditions or plan.limit == 0:
            return replace(u, plan=Limit(u.plan, plan.limit, plan.offset))
        if plan.limit != 1 or plan.offset:
            raise NotSupportedError(
                "LIMIT of more than one row, and OFFSET, are not supported yet in subqueries that read columns of"
                " the query around them"
            )
        fields = plan.schema()
        u = self.settled(u, fields)
        loose = [c for c in u.conditions if self.link(c) is None]
        u, _ = self.provide(u, self.all_reads(loose))
        keys, conditions = self.grouped(u.conditions, ())
        return Unnested(first_rows(u.plan, keys, fields, self.new_id), conditions)

    def _union(self, plan: Union) -> Unnested:
        """Both sides with the values of the same outer columns, as more columns of the union."""
        sides = [self.settled(self.unnest(x), x.schema()) for x in (plan.left, plan.right)]
        needed = self.all_reads(c for u in sides for c in u.conditions)
        arms: list[Plan] = []
        strict: dict[int, bool] = dict.fromkeys(needed, True)
        for u, side in zip(sides, (plan.left, plan.right), strict=True):
            u, mapping = self.provide(u, needed)
            functions = dict.fromkeys(needed, "is_not_distinct")
            for c in u.conditions:
                link = self.link(c)
                assert link is not None
                assert isinstance(link.outer, ColumnRef)
                functions[link.outer.id] = link.function
            outputs: list[tuple[Field, Expr]] = [(f, column(f)) for f in side.schema()]
            missing: list[Expr] = []
            for i in sorted(needed):
                e = mapping[i]
                outputs.append((Field(self.new_id(), self.outer[i].name, e.type, e.nullable), e))
                if functions[i] == "equal" and e.nullable:
                    missing.append(Call("is_not_null", (e,), BOOLEAN, False))
                strict[i] = strict[i] and functions[i] == "equal"
            below = Filter(u.plan, conjunction(missing)) if missing else u.plan
            arms.append(Project(below, tuple(outputs)))
        fields = list(plan.fields)
        conditions: list[Expr] = []
        for k, i in enumerate(sorted(needed), len(fields)):
            a, b = arms[0].schema()[k], arms[1].schema()[k]
            f = Field(self.new_id(), a.name, a.type, a.nullable or b.nullable)
            fields.append(f)
            function = "equal" if strict[i] else "is_not_distinct"
            conditions.append(Link(self.outer[i], column(f), function).with_inner(column(f)))
        return Unnested(Union(arms[0], arms[1], tuple(fields)), tuple(conditions))

    def _repeat(self, plan: Repeat) -> Unnested:
        u = self._plain(plan.input)
        times = u.value(plan.times)
        u, mapping = self.provide(u, self.reads(times))
        return replace(u, plan=Repeat(u.plan, substitute(times, mapping)))

    def _values(self, plan: Plan) -> Unnested:
        assert isinstance(plan, Values)
        if len(plan.rows) == 1:
            computed = dict(zip((f.id for f in plan.fields), plan.rows[0], strict=True))
            return Unnested(Values((), ((),)), (), computed)
        return self.unnest(union_of_rows(plan, self.new_id))


def carried(u: Unnested, outputs: list[tuple[Field, Expr]], above: Iterable[Expr]) -> tuple[tuple[Field, Expr], ...]:
    """The outputs of a projection of the plan, with the plan's columns that expressions above it read."""
    read: Ids = frozenset().union(*(column_ids(e) for e in above))
    have = {f.id for f, _ in outputs}
    more = [(f, column(f)) for f in u.plan.schema() if f.id in read and f.id not in have]
    return (*outputs, *more)


def union_of_rows(plan: Values, new_id: Callable[[], int]) -> Plan:
    """Rows of values as projections of one row each, in which expressions may read what they like."""
    one_row = Values((), ((),))
    arms: list[Plan] = []
    for row in plan.rows:
        fields = [Field(new_id(), f.name, f.type, e.nullable) for f, e in zip(plan.fields, row, strict=True)]
        arms.append(Project(one_row, tuple(zip(fields, row, strict=True))))
    result = arms[0]
    for k, arm in enumerate(arms[1:], 2):
        last = k == len(arms)
        fields = [
            f if last else Field(new_id(), f.name, f.type, a.nullable or b.nullable)
            for f, a, b in zip(plan.fields, result.schema(), arm.schema(), strict=True)
        ]
        result = Union(result, arm, tuple(fields))
    return result


def first_rows(
    plan: Plan, keys: tuple[tuple[Field, Expr], ...], fields: tuple[Field, ...], new_id: Callable[[], int]
) -> Plan:
    """The columns `fields` of the first row of each group."""
    firsts = [replace(f, id=new_id()) for f in fields]
    calls = tuple(
        (first, AggregateCall("first", (column(f),), f.type, f.nullable))
        for first, f in zip(firsts, fields, strict=True)
    )
    groups = tuple((replace(f, id=new_id()), e) for f, e in keys)
    outputs: list[tuple[Field, Expr]] = [(f, column(first)) for f, first in zip(fields, firsts, strict=True)]
    outputs.extend((f, column(g)) for (f, _), (g, _) in zip(keys, groups, strict=True))
    return Project(Aggregate(plan, groups, calls), tuple(outputs))


def _count_of_none(count: Field) -> Expr:
    """A count where its group may be missing."""
    of = ColumnRef(count.id, count.name, count.type, True)
    return Call("coalesce", (of, Literal(0, count.type)), count.type, False)


def _name(e: Expr) -> str:
    return e.name if isinstance(e, ColumnRef) else "key"
