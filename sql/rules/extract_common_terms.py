"""Take out of a disjunction what all its alternatives imply.

`(a AND x) OR (a AND y)` becomes `a AND (x OR y)`. And of a disjunction over several relations,
`(p.size < 5 AND l.q < 9) OR (p.size < 7 AND l.q < 20)`, each relation alone is told the part that concerns
it, `p.size < 5 OR p.size < 7`, beside the original. Implied terms that can raise are not added.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import Expr, column_ids, conjunction, conjuncts, disjunction, disjuncts
from headrace.sql.plan import Filter, Join, JoinKind, Plan, inputs, map_inputs
from headrace.sql.properties import among, can_raise
from headrace.sql.simplify import either_equal


def apply(plan: Plan) -> Plan:
    plan = map_inputs(plan, apply)
    if isinstance(plan, Filter):
        terms = _extract(plan.predicate, plan.input)
        return plan if terms is None else Filter(plan.input, conjunction(terms))
    if isinstance(plan, Join) and plan.residual is not None and plan.kind is not JoinKind.MARK:
        terms = _extract(plan.residual, plan)
        return plan if terms is None else replace(plan, residual=conjunction(terms))
    return plan


def _extract(condition: Expr, source: Plan) -> list[Expr] | None:
    """The condition's terms with common and implied ones added; None where there is nothing to take out."""
    if not any(len(disjuncts(term)) > 1 for term in conjuncts(condition)):
        return None
    groups: list[frozenset[int]] | None = None
    terms: list[Expr] = []
    implied: list[Expr] = []
    for term in conjuncts(condition):
        alternatives = disjuncts(term)
        if len(alternatives) == 1:
            terms.append(term)
            continue
        common, rest = _common(alternatives)
        terms.extend(common)
        if rest is None:
            continue
        terms.append(_united(rest))
        if groups is None:
            groups = _relations(source)
        for group in groups:
            one = _implied_for(group, rest)
            if one is not None:
                implied.append(one)
    terms.extend(x for x in implied if not among(x, terms))
    return terms


def _common(alternatives: tuple[Expr, ...]) -> tuple[list[Expr], list[Expr] | None]:
    """Terms that every alternative has, and the alternatives without them (None: one had no other term)."""
    sets = [conjuncts(x) for x in alternatives]
    common = [x for x in sets[0] if not can_raise(x) and all(among(x, s) for s in sets[1:])]
    rest = [[x for x in s if not among(x, common)] for s in sets]
    if not all(rest):
        return common, None
    return common, [conjunction(x) for x in rest]


def _united(alternatives: list[Expr]) -> Expr:
    return either_equal(alternatives) or disjunction(alternatives)


def _implied_for(group: frozenset[int], alternatives: list[Expr]) -> Expr | None:
    """What the disjunction says of one relation, if every alternative says something and some say more."""
    parts: list[Expr] = []
    whole = True
    for alternative in alternatives:
        found = []
        for term in conjuncts(alternative):
            ids = column_ids(term)
            if ids and ids <= group and not can_raise(term):
                found.append(term)
            else:
                whole = False
        if not found:
            return None
        part = conjunction(found)
        if not among(part, parts):
            parts.append(part)
    return None if whole else _united(parts)


def _relations(plan: Plan) -> list[frozenset[int]]:
    """The columns of each input of a tree of joins."""
    if isinstance(plan, (Join, Filter)):
        return [group for x in inputs(plan) for group in _relations(x)]
    return [frozenset(f.id for f in plan.schema())]
