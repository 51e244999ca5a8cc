"""Copies of plans under fresh column ids, so that one plan can stand twice in a statement's plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headrace.sql.expr import ColumnRef, Expr, Field, transform
from headrace.sql.plan import (
    Aggregate,
    Join,
    Plan,
    Project,
    Scan,
    Union,
    Values,
    map_expressions,
    map_inputs,
)


def renumbered(plan: Plan, new_id: Callable[[], int]) -> tuple[Plan, dict[int, int]]:
    """A copy of a plan without subqueries, and the new id of every column in it.

    Columns that the plan reads but no node of it makes, those of enclosing queries, keep their ids.
    """
    ids: dict[int, int] = {}
    return _copy(plan, ids, new_id), ids


def _copy(plan: Plan, ids: dict[int, int], new_id: Callable[[], int]) -> Plan:
    if isinstance(plan, Union):
        # not through `map_inputs`, which looks for the columns of a Union's inputs by their old ids
        plan = replace(plan, left=_copy(plan.left, ids, new_id), right=_copy(plan.right, ids, new_id))
    else:
        plan = map_inputs(plan, lambda x: _copy(x, ids, new_id))

    def made(field: Field) -> Field:
        if field.id not in ids:
            ids[field.id] = new_id()
        return replace(field, id=ids[field.id])

    def read(e: Expr) -> Expr:
        return transform(e, lambda x: replace(x, id=ids[x.id]) if isinstance(x, ColumnRef) and x.id in ids else x)

    plan = map_expressions(plan, read)
    if isinstance(plan, (Scan, Values, Union)):
        return replace(plan, fields=tuple(made(f) for f in plan.fields))
    if isinstance(plan, Project):
        return replace(plan, outputs=tuple((made(f), e) for f, e in plan.outputs))
    if isinstance(plan, Aggregate):
        keys = tuple((made(f), e) for f, e in plan.keys)
        return replace(plan, keys=keys, aggregates=tuple((made(f), c) for f, c in plan.aggregates))
    if isinstance(plan, Join) and plan.mark is not None:
        return replace(plan, mark=made(plan.mark))
    return plan
