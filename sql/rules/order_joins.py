"""Order inner joins by estimated cost: the rows that joins give, and those that hash tables are built from.

Every connected way to join up to ten relations is weighed (dynamic programming over connected subsets and
their connected complements); beyond that, or where the conditions connect almost everything, the cheapest
next join is taken greedily. Relations that no condition connects are multiplied last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headrace.sql.estimate import Estimator
from headrace.sql.expr import Expr, conjunction, conjuncts
from headrace.sql.join_graph import JoinGraph, build_graph, is_region, region_inputs
from headrace.sql.plan import Filter, Plan, arranged, map_inputs
from headrace.sql.properties import can_raise

EXHAUSTIVE_RELATIONS = 10
EXHAUSTIVE_PAIRS = 4000
BUILD_COST = 2.0
"""The cost of a row put into a hash table, in rows given by a join."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The best known way to join a set of relations; `left` and `right` are 0 for a single relation."""

    cost: float
    rows: float
    left: int = 0
    right: int = 0


def apply(plan: Plan) -> Plan:
    return arranged(_order(plan, Estimator()), plan.schema())


def _order(plan: Plan, estimator: Estimator) -> Plan:
    if isinstance(plan, Filter) and is_region(plan.input):
        terms = conjuncts(plan.predicate)
        last = tuple(t for t in terms if can_raise(t))
        if last:
            safe = [t for t in terms if t not in last]
            region = Filter(plan.input, conjunction(safe)) if safe else plan.input
            return _order_region(region, estimator, last)
    if not is_region(plan):
        return map_inputs(plan, lambda x: _order(x, estimator))
    return _order_region(plan, estimator, ())


def _order_region(plan: Plan, estimator: Estimator, last: tuple[Expr, ...]) -> Plan:
    """The region ordered, below a filter of the terms `last`, which can raise."""
    old = region_inputs(plan)
    relations = [_order(x, estimator) for x in old]
    if len(relations) <= 2 and not last:
        return plan if relations[0] is old[0] and relations[-1] is old[-1] else _replaced(plan, iter(relations))
    graph, above = build_graph(plan, relations, estimator, last)
    steps = {1 << k: _Step(0.0, rows) for k, rows in enumerate(graph.rows)}
    roots = [_best(graph, component, steps) for component in _components(graph)]
    while len(roots) > 1:
        roots.sort(key=lambda s: steps[s].rows)
        one, two = roots[0], roots[1]
        steps[one | two] = _joined(graph, steps, one, two)
        roots[:2] = [one | two]
    ordered = _assemble(graph, steps, roots[0])
    return Filter(ordered, conjunction(above)) if above else ordered


def _replaced(plan: Plan, relations: Iterator[Plan]) -> Plan:
    """The region in its old order over new inputs."""
    if not is_region(plan):
        return next(relations)
    return map_inputs(plan, lambda x: _replaced(x, relations))


def _components(graph: JoinGraph) -> list[int]:
    """The connected parts of the graph."""
    rest = (1 << len(graph.relations)) - 1
    found = []
    while rest:
        part = graph.connected(rest & -rest)
        found.append(part)
        rest &= ~part
    return found


def _joined(graph: JoinGraph, steps: dict[int, _Step], one: int, two: int) -> _Step:
    """The join of two sets, the larger on the left."""
    a, b = steps[one], steps[two]
    known = steps.get(one | two)
    if known is None:
        rows = max(1.0, a.rows * b.rows * graph.matching(one, two) / graph.divisor(one, two))
    else:
        rows = known.rows
    if a.rows < b.rows:
        a, b, one, two = b, a, two, one
    return _Step(a.cost + b.cost + rows + BUILD_COST * b.rows, rows, one, two)


def _best(graph: JoinGraph, component: int, steps: dict[int, _Step]) -> int:
    """Fill in `steps` for a connected component; returns the component."""
    if component.bit_count() <= EXHAUSTIVE_RELATIONS:
        pairs = _pairs(graph, component)
        if pairs is not None:
            for one, two in pairs:
                step = _joined(graph, steps, one, two)
                known = steps.get(one | two)
                if known is None or step.cost < known.cost:
                    steps[one | two] = step
            return component
    parts = [1 << k for k in range(component.bit_length()) if component >> k & 1]
    while len(parts) > 1:
        candidates = [
            (_joined(graph, steps, a, b), a, b)
            for i, a in enumerate(parts)
            for b in parts[i + 1 :]
            if graph.around(a) & b
        ]
        step, a, b = min(candidates, key=lambda c: c[0].rows + BUILD_COST * min(steps[c[1]].rows, steps[c[2]].rows))
        steps[a | b] = step
        parts = [p for p in parts if p not in (a, b)] + [a | b]
    return component


def _pairs(graph: JoinGraph, component: int) -> list[tuple[int, int]] | None:
    """Every pair of disjoint connected sets with an edge between them, small sets first; None if too many."""
    found: list[tuple[int, int]] = []
    neighbours: dict[int, int] = {}

    def around(relations: int) -> int:
        known = neighbours.get(relations)
        if known is None:
            known = neighbours[relations] = graph.around(relations) & component
        return known

    def grow(relations: int, excluded: int, partner: int) -> bool:
        """Extend a connected set by its neighbours; with a partner, each extension makes a pair with it."""
        frontier = around(relations) & ~excluded
        subset = frontier
        while subset:
            larger = relations | subset
            if partner:
                found.append((partner, larger))
            elif not complements(larger):
                return False
            if len(found) > EXHAUSTIVE_PAIRS:
                return False
            subset = (subset - 1) & frontier
        subset = frontier
        while subset:
            if not grow(relations | subset, excluded | frontier, partner):
                return False
            subset = (subset - 1) & frontier
        return True

    def complements(relations: int) -> bool:
        """Pair a connected set with the connected sets beside it that start after its first relation."""
        below = ((relations & -relations) << 1) - 1
        excluded = below | relations
        frontier = around(relations) & ~excluded
        rest = frontier
        while rest:
            bit = 1 << (rest.bit_length() - 1)
            rest ^= bit
            found.append((relations, bit))
            if not grow(bit, excluded | (frontier & ((bit << 1) - 1)), relations):
                return False
        return len(found) <= EXHAUSTIVE_PAIRS

    for k in reversed(range(component.bit_length())):
        bit = 1 << k
        if component & bit and not (complements(bit) and grow(bit, (bit << 1) - 1, 0)):
            return None
    found.sort(key=lambda pair: (pair[0] | pair[1]).bit_count())
    return found


def _assemble(graph: JoinGraph, steps: dict[int, _Step], relations: int) -> Plan:
    step = steps[relations]
    if not step.left:
        return graph.relations[relations.bit_length() - 1]
    left = _assemble(graph, steps, step.left)
    right = _assemble(graph, steps, step.right)
    return graph.join(left, step.left, right, step.right)
