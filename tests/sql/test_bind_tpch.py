"""The 22 TPC-H queries: those without subqueries and set operations bind to plans, the others are refused."""

from __future__ import annotations

import pytest

from bind_catalog import columns_of, expected, plan_of
from headrace.sql.plan import Aggregate, Scan, walk_plan
from headrace.tpch.tpch import TPCH

TEXTS = {q.name: q.text(TPCH.draw(q, 1.0, None)) for q in TPCH.queries}
BOUND = {
    "1": ("lineitem",),
    "3": ("customer", "orders", "lineitem"),
    "5": ("customer", "orders", "lineitem", "supplier", "nation", "region"),
    "6": ("lineitem",),
    "7": ("supplier", "lineitem", "orders", "customer", "nation", "nation"),
    "8": ("part", "supplier", "lineitem", "orders", "customer", "nation", "nation", "region"),
    "9": None,
    "10": ("customer", "orders", "lineitem", "nation"),
    "12": ("orders", "lineitem"),
    "13": ("customer", "orders"),
    "14": ("lineitem", "part"),
    "19": ("lineitem", "part"),
}


@pytest.mark.parametrize("name", ["1", "3", "5", "6", "7", "8", "10", "12", "13", "14", "19"])
def test_a_query_without_subqueries_binds(name: str) -> None:
    plan = plan_of(TEXTS[name])
    described = expected(TEXTS[name])
    assert columns_of(plan) == described
    scans = [n.relation.name for n in walk_plan(plan) if isinstance(n, Scan)]
    assert tuple(scans) == BOUND[name]
    assert any(isinstance(n, Aggregate) for n in walk_plan(plan))


@pytest.mark.parametrize("name", ["2", "4", "9", "11", "15", "16", "17", "18", "20", "21", "22"])
def test_the_other_queries_bind_too(name: str) -> None:
    assert columns_of(plan_of(TEXTS[name])) == expected(TEXTS[name])
