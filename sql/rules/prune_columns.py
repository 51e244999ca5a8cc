"""Compute and read only the columns that something above needs; a scan may be left with none.

Also drops aggregates that nothing reads. The root keeps its columns.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.expr import ColumnRef, column_ids
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    Scan,
    Sort,
    TopK,
    Values,
    arranged,
    expressions,
    map_inputs,
)

Ids = frozenset[int]


def apply(plan: Plan) -> Plan:
    if isinstance(plan, Project):
        read: Ids = frozenset().union(*(column_ids(e) for _, e in plan.outputs))
        return map_inputs(plan, lambda x: _prune(x, read))
    schema = plan.schema()
    return arranged(_prune(plan, frozenset(f.id for f in schema)), schema)


def _prune(plan: Plan, needed: Ids) -> Plan:
    """The plan with at least the columns `needed` that it has."""
    if isinstance(plan, Scan):
        return _scan(plan, needed)
    if isinstance(plan, Values):
        return _values(plan, needed)
    if isinstance(plan, Project):
        return _project(plan, needed)
    if isinstance(plan, Aggregate):
        return _aggregate(plan, needed)
    if isinstance(plan, (Filter, Sort, TopK, Join)):
        needed = needed.union(*(column_ids(e) for e in expressions(plan)))
    return map_inputs(plan, lambda x: _prune(x, needed))


def _scan(plan: Scan, needed: Ids) -> Scan:
    kept = [k for k, f in enumerate(plan.fields) if f.id in needed]
    if len(kept) == len(plan.fields):
        return plan
    return replace(plan, fields=tuple(plan.fields[k] for k in kept), columns=tuple(plan.columns[k] for k in kept))


def _values(plan: Values, needed: Ids) -> Values:
    kept = [k for k, f in enumerate(plan.fields) if f.id in needed]
    if len(kept) == len(plan.fields):
        return plan
    rows = tuple(tuple(row[k] for k in kept) for row in plan.rows)
    return Values(tuple(plan.fields[k] for k in kept), rows)


def _project(plan: Project, needed: Ids) -> Plan:
    outputs = tuple((f, e) for f, e in plan.outputs if f.id in needed)
    below = _prune(plan.input, frozenset().union(*(column_ids(e) for _, e in outputs)))
    if all(isinstance(e, ColumnRef) and e.id == f.id for f, e in outputs):
        return below
    if below is plan.input and len(outputs) == len(plan.outputs):
        return plan
    return Project(below, outputs)


def _aggregate(plan: Aggregate, needed: Ids) -> Plan:
    aggregates = tuple((f, c) for f, c in plan.aggregates if f.id in needed)
    if not aggregates and not plan.keys:
        return Values((), ((),))
    if len(aggregates) != len(plan.aggregates):
        plan = replace(plan, aggregates=aggregates)
    read: Ids = frozenset().union(*(column_ids(e) for e in expressions(plan)))
    return map_inputs(plan, lambda x: _prune(x, read))
