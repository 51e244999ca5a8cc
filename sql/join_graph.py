"""A tree of inner joins as a graph: relations, classes of equal expressions, and other conditions.

Sets of relations are bit masks. Whichever two sets are joined, one key of each class that both have members
of makes all members of the class equal in the result, so the keys of any join order follow from the classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.sql.estimate import ColumnProfile, Estimator, shared_distinct
from headrace.sql.expr import Call, ColumnRef, Expr, column_ids, conjunction, conjuncts, equal
from headrace.sql.plan import Aggregate, Filter, Join, JoinKey, JoinKind, Plan, Project
from headrace.sql.properties import can_raise

_INNER = (JoinKind.INNER, JoinKind.CROSS)


@dataclass(slots=True)
class Member:
    """One expression of a class: the relation it reads, and what is believed of its values."""

    relation: int
    expr: Expr
    profile: ColumnProfile | None


@dataclass(slots=True)
class EqualityClass:
    """Expressions that a condition makes equal; `null_safe` classes have two members and NULL equals NULL."""

    members: list[Member]
    null_safe: bool = False
    mask: int = 0


@dataclass(slots=True)
class JoinGraph:
    relations: list[Plan] = field(default_factory=list)
    rows: list[float] = field(default_factory=list)
    classes: list[EqualityClass] = field(default_factory=list)
    residuals: list[tuple[int, Expr]] = field(default_factory=list)
    """Other conditions, each with the relations it reads (at least two)."""
    neighbours: list[int] = field(default_factory=list)
    """For each relation the mask of those it can be joined to by a key."""

    def connect(self, mask: int) -> None:
        """Make the relations of a set neighbours of each other."""
        for k in range(len(self.relations)):
            if mask >> k & 1:
                self.neighbours[k] |= mask & ~(1 << k)

    def around(self, relations: int) -> int:
        """The neighbours of a set of relations."""
        mask, rest = 0, relations
        while rest:
            bit = rest & -rest
            mask |= self.neighbours[bit.bit_length() - 1]
            rest ^= bit
        return mask & ~relations

    def connected(self, relations: int) -> int:
        """All relations that can be reached from those of a set, which are among them."""
        frontier = relations
        while frontier:
            relations |= frontier
            frontier = self.around(relations)
        return relations

    def divisor(self, one: int, two: int) -> float:
        """What rows(one) * rows(two) is divided by for the keys between the two sets; 1 without any."""
        divisor = 1.0
        keys = 0
        cap = float("inf")
        for c in self.classes:
            if c.mask & one and c.mask & two:
                a, b = self._side(c, one), self._side(c, two)
                divisor *= shared_distinct(a.profile, b.profile, self.rows[a.relation], self.rows[b.relation])
                cap = min(cap, *(m.profile.rows for m in (a, b) if m.profile is not None), cap)
                keys += 1
        return max(1.0, min(divisor, cap) if keys > 1 else divisor)

    def matching(self, one: int, two: int) -> float:
        """The part of the pairs that the other conditions, first complete in the union, let through."""
        part = 1.0
        both = one | two
        for mask, _ in self.residuals:
            if mask & both == mask and mask & one and mask & two:
                part *= 0.3
        return part

    def _side(self, c: EqualityClass, relations: int) -> Member:
        """The class's member in the set with the fewest distinct values."""
        found = [m for m in c.members if relations >> m.relation & 1]
        return min(found, key=lambda m: m.profile.distinct if m.profile is not None else float("inf"))

    def join(self, left: Plan, left_mask: int, right: Plan, right_mask: int) -> Plan:
        """The two sets joined by every condition that they complete."""
        keys: list[JoinKey] = []
        for c in self.classes:
            if c.mask & left_mask and c.mask & right_mask:
                a, b = self._side(c, left_mask), self._side(c, right_mask)
                keys.append(JoinKey(a.expr, b.expr, c.null_safe))
        both = left_mask | right_mask
        terms = [e for mask, e in self.residuals if mask & both == mask and mask & left_mask and mask & right_mask]
        if keys:
            return Join(JoinKind.INNER, left, right, tuple(keys), conjunction(terms) if terms else None)
        product = Join(JoinKind.CROSS, left, right)
        return Filter(product, conjunction(terms)) if terms else product


def is_region(plan: Plan) -> bool:
    """Whether a node is an inner join, or a filter over one, whose parts may be joined in any order.

    Conditions that can raise hold a node in its place: they must see the rows that the SQL text gives them.
    """
    if isinstance(plan, Filter):
        return is_region(plan.input) and not can_raise(plan.predicate)
    if not isinstance(plan, Join) or plan.kind not in _INNER:
        return False
    if plan.residual is not None and can_raise(plan.residual):
        return False
    return not any(can_raise(k.left) or can_raise(k.right) for k in plan.keys)


def build_graph(
    plan: Plan, relations: list[Plan], estimator: Estimator, last: tuple[Expr, ...] = ()
) -> tuple[JoinGraph, list[Expr]]:
    """The graph of a region whose inputs, left to right, are `relations`.

    `last` are terms above the region that can raise. An equality among them becomes a key only where nothing
    else connects its sides: their product would evaluate it for every row as well. Also returns the terms of
    `last` that stay above.
    """
    graph = JoinGraph(relations=relations, rows=[max(1.0, estimator.rows(x)) for x in relations])
    owner = {f.id: k for k, relation in enumerate(relations) for f in relation.schema()}
    builder = _Builder(graph, owner, estimator)
    builder.collect(plan)
    builder.finish()
    return graph, [term for term in last if not builder.bridge(term)]


def region_inputs(plan: Plan) -> list[Plan]:
    """The inputs of a region, left to right."""
    if not is_region(plan):
        return [plan]
    if isinstance(plan, Filter):
        return region_inputs(plan.input)
    assert isinstance(plan, Join)
    return region_inputs(plan.left) + region_inputs(plan.right)


class _Builder:
    def __init__(self, graph: JoinGraph, owner: dict[int, int], estimator: Estimator) -> None:
        self.graph = graph
        self.owner = owner
        self.estimator = estimator
        self.classes: dict[object, EqualityClass] = {}
        self.local: dict[int, list[Expr]] = {}

    def collect(self, plan: Plan) -> None:
        if not is_region(plan):
            return
        if isinstance(plan, Filter):
            self.collect(plan.input)
            self.conditions(plan.predicate)
            return
        assert isinstance(plan, Join)
        self.collect(plan.left)
        self.collect(plan.right)
        for key in plan.keys:
            self.equality(key.left, key.right, key.null_safe)
        if plan.residual is not None:
            self.conditions(plan.residual)

    def conditions(self, condition: Expr) -> None:
        for term in conjuncts(condition):
            if isinstance(term, Call) and term.function == "equal":
                self.equality(term.arguments[0], term.arguments[1], False)
            else:
                self.residual(term)

    def residual(self, term: Expr) -> None:
        mask = self.mask(term)
        if mask & (mask - 1):
            self.graph.residuals.append((mask, term))
        else:
            self.local.setdefault(mask.bit_length() - 1 if mask else 0, []).append(term)

    def mask(self, e: Expr) -> int:
        mask = 0
        for i in column_ids(e):
            mask |= 1 << self.owner[i]
        return mask

    def equality(self, a: Expr, b: Expr, null_safe: bool) -> None:
        mask_a, mask_b = self.mask(a), self.mask(b)
        single = mask_a and mask_b and not mask_a & (mask_a - 1) and not mask_b & (mask_b - 1)
        if not single or mask_a == mask_b:
            function = "is_not_distinct" if null_safe else "equal"
            nullable = not null_safe and (a.nullable or b.nullable)
            self.residual(Call(function, (a, b), equal(a, b).type, nullable))
            return
        one, two = self.member(a, mask_a), self.member(b, mask_b)
        if null_safe:
            self.graph.classes.append(EqualityClass([one, two], True, mask_a | mask_b))
            return
        key_a, key_b = _identity(a), _identity(b)
        first = self.classes.setdefault(key_a, EqualityClass([one]))
        second = self.classes.setdefault(key_b, EqualityClass([two]))
        if first is not second:
            first.members.extend(second.members)
            for key, c in self.classes.items():
                if c is second:
                    self.classes[key] = first

    def member(self, e: Expr, mask: int) -> Member:
        relation = mask.bit_length() - 1
        source = self.graph.relations[relation]
        profile = self.estimator.column(source, e.id) if isinstance(e, ColumnRef) else None
        return Member(relation, e, profile)

    def finish(self) -> None:
        """Settle the classes, filter relations by conditions of their own, and find the neighbours."""
        graph = self.graph
        seen: set[int] = set()
        for c in self.classes.values():
            if id(c) in seen:
                continue
            seen.add(id(c))
            firsts: dict[int, Expr] = {}
            for m in c.members:
                first = firsts.setdefault(m.relation, m.expr)
                if first is not m.expr:
                    # Two columns of one relation in a class: no join compares them, so a filter does.
                    self.local.setdefault(m.relation, []).append(equal(first, m.expr))
            c.mask = sum(1 << k for k in firsts)
            graph.classes.append(c)
        for k, terms in self.local.items():
            graph.relations[k] = Filter(graph.relations[k], conjunction(terms))
            graph.rows[k] = max(1.0, self.estimator.rows(graph.relations[k]))
        graph.neighbours = [0] * len(graph.relations)
        masks = [c.mask for c in graph.classes]
        masks += [
            m for m, _ in graph.residuals if any(m >> k & 1 and _one_row(r) for k, r in enumerate(graph.relations))
        ]
        for mask in masks:
            graph.connect(mask)

    def bridge(self, term: Expr) -> bool:
        """Make an equality the key between two parts of the graph that nothing connects, if it is one."""
        if not isinstance(term, Call) or term.function != "equal":
            return False
        a, b = term.arguments
        mask_a, mask_b = self.mask(a), self.mask(b)
        if mask_a.bit_count() != 1 or mask_b.bit_count() != 1 or self.graph.connected(mask_a) & mask_b:
            return False
        members = [self.member(a, mask_a), self.member(b, mask_b)]
        self.graph.classes.append(EqualityClass(members, False, mask_a | mask_b))
        self.graph.connect(mask_a | mask_b)
        return True


def _identity(e: Expr) -> object:
    """What makes two key expressions the same one: a column's id, whatever is believed of its nullability."""
    return e.id if isinstance(e, ColumnRef) else e


def _one_row(plan: Plan) -> bool:
    """Whether the plan always gives exactly one row, so that a product with it costs nothing."""
    if isinstance(plan, Project):
        return _one_row(plan.input)
    return isinstance(plan, Aggregate) and not plan.keys
