"""The 22 TPC-H queries: those without subqueries and set operations bind to plans, the others are refused."""

from __future__ import annotations

import time

import pytest

from bind_catalog import bound, catalog, columns_of, expected, plan_of
from headrace.errors import NotSupportedError
from headrace.sql.bind import bind
from headrace.sql.parse import parse
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


@pytest.mark.parametrize("name", ["2", "4", "11", "15", "16", "17", "18", "20", "21", "22"])
def test_a_query_with_subqueries_is_refused_at_its_place(name: str) -> None:
    with pytest.raises(NotSupportedError, match="subqueries") as caught:
        bound(TEXTS[name])
    assert caught.value.position is not None
    assert caught.value.position > TEXTS[name].lower().index("where")


def test_binding_takes_a_fraction_of_parsing() -> None:
    (parsed,) = parse(TEXTS["5"])
    used = catalog()
    bind(parsed, used)
    best = min(_seconds(lambda: bind(parsed, used)) for _ in range(20))
    assert best < 0.0015


def _seconds(action: object) -> float:
    start = time.perf_counter()
    assert callable(action)
    action()
    return time.perf_counter() - start
