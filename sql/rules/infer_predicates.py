"""Tell each side of an equality what a filter says of the other: from `a.k = b.k` and `a.k < 9`, `b.k < 9`.

Works on what is compared with constants, through chains of equalities within a tree of inner joins, and from
the kept side of outer and semi joins to the other. The new terms are then pushed down.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headrace.sql.expr import Call, ColumnRef, Expr, InList, Literal, column, conjunction, conjuncts
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Plan,
    Project,
    Scan,
    Union,
    Values,
    map_inputs,
)
from headrace.sql.properties import COMPARISONS, among
from headrace.sql.rules import push_down_filter

_INNER = (JoinKind.INNER, JoinKind.CROSS)
Facts = list[tuple[int, Expr]]
"""(column, a term that compares it with constants): true of every row."""


@dataclass(slots=True)
class _Region:
    """What holds for every row of a tree of inner joins: facts, and which columns are equal."""

    facts: Facts = field(default_factory=list)
    columns: dict[int, ColumnRef] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)

    def find(self, i: int) -> int:
        while self.parents.get(i, i) != i:
            i = self.parents[i]
        return i

    def unite(self, a: ColumnRef, b: ColumnRef) -> None:
        self.columns.setdefault(a.id, a)
        self.columns.setdefault(b.id, b)
        self.parents.setdefault(a.id, a.id)
        self.parents.setdefault(b.id, b.id)
        self.parents[self.find(a.id)] = self.find(b.id)

    def derived(self) -> list[tuple[int, Expr]]:
        """Facts restated for the other members of their column's class, less those known already."""
        members: dict[int, list[ColumnRef]] = {}
        for i, c in self.columns.items():
            members.setdefault(self.find(i), []).append(c)
        known: dict[int, list[Expr]] = {}
        for i, term in self.facts:
            known.setdefault(i, []).append(term)
        new: list[tuple[int, Expr]] = []
        for i, term in self.facts:
            for other in members.get(self.find(i), ()) if i in self.parents else ():
                restated = _restated(term, other)
                if other.id != i and not among(restated, known.setdefault(other.id, [])):
                    known[other.id].append(restated)
                    new.append((other.id, restated))
        return new


def apply(plan: Plan) -> Plan:
    new, _ = _infer(plan)
    return plan if new is plan else push_down_filter.apply(new)


def _infer(plan: Plan) -> tuple[Plan, Facts]:
    """The plan with inferred filters, and what is true of all its rows."""
    if isinstance(plan, Filter) or (isinstance(plan, Join) and plan.kind in _INNER):
        region = _Region()
        new = _collect(plan, region)
        derived = region.derived()
        if derived:
            new = Filter(new, conjunction([term for _, term in derived]))
        return new, region.facts + derived
    if isinstance(plan, Join):
        return _infer_outer(plan)
    if isinstance(plan, (Scan, Values)):
        return plan, []
    if isinstance(plan, Union):
        return map_inputs(plan, lambda x: _infer(x)[0]), []
    below, facts = _infer(plan.input)
    if isinstance(plan, (Project, Aggregate)):
        outputs = plan.outputs if isinstance(plan, Project) else plan.keys
        facts = [
            (f.id, _restated(term, column(f)))
            for f, e in outputs
            if isinstance(e, ColumnRef)
            for i, term in facts
            if i == e.id
        ]
    return (plan if below is plan.input else replace(plan, input=below)), facts


def _collect(plan: Plan, region: _Region) -> Plan:
    """Gather the facts and equalities of a tree of filters and inner joins; rewrite its other inputs."""
    if isinstance(plan, Filter):
        for term in conjuncts(plan.predicate):
            subject = _subject(term)
            if subject is not None:
                region.facts.append((subject.id, term))
        return map_inputs(plan, lambda x: _collect(x, region))
    if isinstance(plan, Join) and plan.kind in _INNER:
        for key in plan.keys:
            if isinstance(key.left, ColumnRef) and isinstance(key.right, ColumnRef) and not key.null_safe:
                region.unite(key.left, key.right)
        return map_inputs(plan, lambda x: _collect(x, region))
    new, facts = _infer(plan)
    region.facts.extend(facts)
    return new


def _infer_outer(plan: Join) -> tuple[Plan, Facts]:
    left, facts = _infer(plan.left)
    right, right_facts = _infer(plan.right)
    if plan.kind in (JoinKind.LEFT, JoinKind.SINGLE, JoinKind.SEMI, JoinKind.ANTI):
        right = _told(right, facts, right_facts, [(k.left, k.right) for k in plan.keys if not k.null_safe])
    if plan.kind is JoinKind.SEMI:
        left = _told(left, right_facts, facts, [(k.right, k.left) for k in plan.keys if not k.null_safe])
    if left is not plan.left or right is not plan.right:
        plan = replace(plan, left=left, right=right)
    return plan, [] if plan.kind is JoinKind.FULL else facts


def _told(plan: Plan, facts: Facts, known: Facts, keys: list[tuple[Expr, Expr]]) -> Plan:
    """`plan` filtered by what the facts say of its key columns."""
    have = [term for _, term in known]
    new: list[Expr] = []
    for source, target in keys:
        if isinstance(source, ColumnRef) and isinstance(target, ColumnRef):
            terms = [_restated(term, target) for i, term in facts if i == source.id]
            new.extend(t for t in terms if not among(t, have) and not among(t, new))
    return Filter(plan, conjunction(new)) if new else plan


def _subject(term: Expr) -> ColumnRef | None:
    """The column that the term compares with constants; None for any other term."""
    if isinstance(term, InList) and isinstance(term.argument, ColumnRef):
        return term.argument
    if isinstance(term, Call) and term.function in COMPARISONS:
        a, b = term.arguments
        if isinstance(a, ColumnRef) and isinstance(b, Literal):
            return a
    return None


def _restated(term: Expr, other: ColumnRef) -> Expr:
    """The same comparison of another column."""
    if isinstance(term, InList):
        return replace(term, argument=other, nullable=other.nullable or term.nullable)
    assert isinstance(term, Call)
    return replace(term, arguments=(other, term.arguments[1]), nullable=other.nullable or term.nullable)
