"""Random plans - joins of every kind, unions, repeats, aggregates, limits - as written and as optimised."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

import headrace
from differential.plans import Stored, run
from headrace.sql.explain import render
from headrace.sql.plan import Plan, Scan, map_inputs
from headrace.types import to_arrow
from sql_plans import Table
from sql_random_plans import random_plan
from sql_reference import RowError, evaluate

Rows = Counter[tuple[object, ...]]


def _on_arrow(plan: Plan) -> Plan:
    """The plan over Arrow tables with the rows of its relations."""
    if not isinstance(plan, Scan):
        return map_inputs(plan, _on_arrow)
    table = plan.relation
    assert isinstance(table, Table)
    arrays = {c.name: pa.array([row[k] for row in table.rows], to_arrow(c.type)) for k, c in enumerate(table.columns)}
    return replace(plan, relation=Stored(table.name, pa.table(arrays)))


def _rows(values: list[tuple[object, ...]]) -> Rows:
    """Rows as a multiset: floats to six digits, whole numbers of any width as equal."""
    return Counter(tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in values)


def _fault(seed: int, execution: str, optimized: bool) -> str | None:
    """How the engine's rows differ; None where they agree, where it refuses an unoptimised plan, or both raise."""
    plan = random_plan(random.Random(seed))
    try:
        expected = _rows(evaluate(plan))
    except RowError:
        expected = None
    try:
        table = run(_on_arrow(plan), execution, optimized=optimized)
    except headrace.NotSupportedError:
        return None
    except headrace.DataError as error:
        return None if expected is None else f"{seed}: raised {error}\n{render(plan, ids=True)}"
    if expected is None:
        return None  # fewer rows were asked
    columns = [[int(v) if type(v).__name__ == "Decimal" else v for v in c.to_pylist()] for c in table.columns]
    found = _rows(list(zip(*columns, strict=True)) if columns else [()] * table.num_rows)
    return None if found == expected else f"{seed}: {found}, expected {expected}\n{render(plan, ids=True)}"


@pytest.mark.parametrize("optimized", [True, False])
@pytest.mark.parametrize("block", range(4))
def test_interpreted(block: int, optimized: bool) -> None:
    faults = [f for seed in range(block * 60, block * 60 + 60) if (f := _fault(seed, "interpreted", optimized))]
    assert not faults, "\n\n".join(faults)


@pytest.mark.parametrize("seed", range(3000, 3006))
def test_compiled(seed: int) -> None:
    fault = _fault(seed, "compiled", True)
    assert fault is None, fault
