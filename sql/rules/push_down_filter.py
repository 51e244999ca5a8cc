"""Apply each filter term as early as it may be, and make join keys of equalities between the sides of a join.

A term moves through projections (its columns replaced by their expressions), into the sides of a join that
it reads alone, into the input of an aggregate if it reads group keys only, and below a sort; never below a
limit. A term that can raise stays where the SQL text has it, above every join and filter, so that it sees no
other rows.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import Call, Expr, column, column_ids, conjunction, conjuncts, substitute
from headrace.sql.plan import (
    Filter,
    Join,
    JoinKey,
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
    map_inputs,
    with_inputs,
)
from headrace.sql.properties import can_raise, distinct_terms
from headrace.types import BOOLEAN


def apply(plan: Plan) -> Plan:
    return push(plan, [])


def push(plan: Plan, terms: list[Expr]) -> Plan:
    """`plan` with the rows that meet all of `terms`, the terms applied as low as they may be."""
    if isinstance(plan, Filter):
        own = conjuncts(plan.predicate)
        new = push(plan.input, [*own, *terms])
        if not terms and isinstance(new, Filter) and new.input is plan.input:
            return plan if new.predicate == plan.predicate else new
        return new
    if isinstance(plan, (Scan, Values)):
        return _filtered(plan, terms)
    if isinstance(plan, Join):
        inner = plan.kind in (JoinKind.INNER, JoinKind.CROSS)
        return _push_into_inner(plan, terms) if inner else _push_into_outer(plan, terms)
    if isinstance(plan, Union):
        return _push_into_union(plan, terms)
    down: list[Expr] = []
    stay: list[Expr] = []
    if isinstance(plan, (Limit, TopK)):
        stay = terms
    elif isinstance(plan, (Sort, Repeat)):
        for term in terms:
            (stay if can_raise(term) else down).append(term)
    else:
        outputs = plan.outputs if isinstance(plan, Project) else plan.keys
        mapping = {f.id: e for f, e in outputs}
        for term in terms:
            ids = column_ids(term)
            # Without keys an aggregate gives a row even for no input: a term cannot move below it.
            movable = ids.issubset(mapping) and (bool(ids) or isinstance(plan, Project))
            below = substitute(term, mapping) if movable else term
            if movable and not can_raise(below):
                down.append(below)
            else:
                stay.append(term)
    return _filtered(map_inputs(plan, lambda x: push(x, down)), stay)


def _push_into_union(plan: Union, terms: list[Expr]) -> Plan:
    """Each side gets the terms that cannot raise, over its own columns."""
    down = [t for t in terms if not can_raise(t)]
    sides: list[Plan] = []
    for side in (plan.left, plan.right):
        own: dict[int, Expr] = {f.id: column(x) for f, x in zip(plan.fields, side.schema(), strict=True)}
        sides.append(push(side, [substitute(t, own) for t in down]))
    new = plan if sides[0] is plan.left and sides[1] is plan.right else with_inputs(plan, (sides[0], sides[1]))
    return _filtered(new, [t for t in terms if can_raise(t)])


def _filtered(plan: Plan, terms: list[Expr]) -> Plan:
    return Filter(plan, conjunction(distinct_terms(terms))) if terms else plan


def _push_into_inner(plan: Join, terms: list[Expr]) -> Plan:
    """ON and the terms above are one conjunction: each goes to a side, becomes a key, or stays."""
    left, right = _ids(plan.left), _ids(plan.right)
    to_left: list[Expr] = []
    to_right: list[Expr] = []
    above: list[Expr] = []
    residual: list[Expr] = []
    keys = _between_sides(plan.keys, to_left, to_right)
    for term in (*_on(plan), *terms):
        ids = column_ids(term)
        if can_raise(term) or not ids:
            above.append(term)
        elif ids <= left:
            to_left.append(term)
        elif ids <= right:
            to_right.append(term)
        else:
            _add_key_or(residual, keys, term, left, right)
    if keys:
        kind, on = JoinKind.INNER, residual
    else:
        kind, on, above = JoinKind.CROSS, [], residual + above
    return _filtered(_joined(plan, kind, to_left, to_right, keys, on), above)


def _push_into_outer(plan: Join, terms: list[Expr]) -> Plan:
    """Terms above may go to the side whose rows all stay; terms of ON to the other side."""
    kind = plan.kind
    left, right = _ids(plan.left), _ids(plan.right)
    to_left: list[Expr] = []
    to_right: list[Expr] = []
    above: list[Expr] = []
    residual: list[Expr] = []
    keys = list(plan.keys)
    for term in terms:
        ids = column_ids(term)
        movable = kind is not JoinKind.FULL and ids and ids <= left and not can_raise(term)
        (to_left if movable else above).append(term)
    for term in _on(plan):
        ids = column_ids(term)
        if kind in (JoinKind.FULL, JoinKind.MARK) or can_raise(term) or not ids:
            residual.append(term)
        elif ids <= right:
            to_right.append(term)
        elif ids <= left and kind is JoinKind.SEMI:
            to_left.append(term)
        else:
            _add_key_or(residual, keys, term, left, right)
    return _filtered(_joined(plan, kind, to_left, to_right, keys, residual), above)


def _joined(
    plan: Join,
    kind: JoinKind,
    to_left: list[Expr],
    to_right: list[Expr],
    keys: list[JoinKey],
    residual: list[Expr],
) -> Join:
    new = replace(
        plan,
        kind=kind,
        left=push(plan.left, to_left),
        right=push(plan.right, to_right),
        keys=tuple(keys),
        residual=conjunction(residual) if residual else None,
    )
    unmoved = new.left is plan.left and new.right is plan.right and new.kind is plan.kind
    return plan if unmoved and new.keys == plan.keys and new.residual == plan.residual else new


def _ids(plan: Plan) -> frozenset[int]:
    return frozenset(f.id for f in plan.schema())


def _on(plan: Join) -> tuple[Expr, ...]:
    return conjuncts(plan.residual) if plan.residual is not None else ()


def _add_key_or(
    residual: list[Expr], keys: list[JoinKey], term: Expr, left: frozenset[int], right: frozenset[int]
) -> None:
    key = _as_key(term, left, right)
    if key is None:
        residual.append(term)
    elif key not in keys:
        keys.append(key)


def _as_key(term: Expr, left: frozenset[int], right: frozenset[int]) -> JoinKey | None:
    """The term as an equality between the sides; None where it is none."""
    if not isinstance(term, Call) or term.function not in ("equal", "is_not_distinct"):
        return None
    a, b = term.arguments
    if a.type != b.type:
        return None
    ids_a, ids_b = column_ids(a), column_ids(b)
    if not ids_a or not ids_b:
        return None
    null_safe = term.function == "is_not_distinct"
    if ids_a <= left and ids_b <= right:
        return JoinKey(a, b, null_safe)
    if ids_a <= right and ids_b <= left:
        return JoinKey(b, a, null_safe)
    return None


def _between_sides(keys: tuple[JoinKey, ...], to_left: list[Expr], to_right: list[Expr]) -> list[JoinKey]:
    """The keys; one that compares one side with a constant becomes a term of that side instead."""
    kept: list[JoinKey] = []
    for key in keys:
        reads_left, reads_right = bool(column_ids(key.left)), bool(column_ids(key.right))
        if (reads_left and reads_right) or can_raise(key.left) or can_raise(key.right):
            kept.append(key)
            continue
        function = "is_not_distinct" if key.null_safe else "equal"
        nullable = not key.null_safe and (key.left.nullable or key.right.nullable)
        term = Call(function, (key.left, key.right), BOOLEAN, nullable)
        (to_left if reads_left else to_right).append(term)
    return kept
