"""The driver: rules in order, the check after each, and results unchanged over random plans."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from headrace.errors import InternalError
from headrace.sql import optimize as driver
from headrace.sql.explain import render
from headrace.sql.expr import ColumnRef
from headrace.sql.optimize import RULES, optimize
from headrace.sql.plan import Filter, Plan, Project, Sort
from sql_plans import Builder, both, col, eq, inner, lit, table
from sql_random_plans import random_plan
from sql_reference import RowError, evaluate

T = table("t", "a int, b int", [(1, 2), (2, 3)])


def assert_same_result(plan: Plan) -> None:
    """The rewritten plan gives the same rows; where the plan raises, it may raise too or do better."""
    try:
        expected = evaluate(plan)
    except RowError:
        optimize(plan)
        return
    rewritten = optimize(plan)
    found = evaluate(rewritten)
    same = found == expected if isinstance(plan, Sort) else Counter(found) == Counter(expected)
    assert same, f"{render(plan, ids=True)}\n{expected}\n{render(rewritten, ids=True)}\n{found}"


@pytest.mark.parametrize("block", range(20))
def test_random_plans_keep_their_results(block: int) -> None:
    for seed in range(block * 20, block * 20 + 20):
        assert_same_result(random_plan(random.Random(seed)))


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.__name__.rpartition(".")[2])
def test_each_rule_alone_keeps_results(rule: object) -> None:
    for seed in range(40):
        plan = random_plan(random.Random(1000 + seed))
        try:
            expected = evaluate(plan)
        except RowError:
            continue
        found = evaluate(rule.apply(plan))  # type: ignore[attr-defined]
        assert Counter(found) == Counter(expected), render(plan)


def test_trace_names_the_rules_that_changed_something() -> None:
    b = Builder()
    scan = b.scan(T)
    one = eq(col(scan, "a"), lit(1))
    seen: list[str] = []
    optimize(Filter(scan, one), lambda name, _: seen.append(name))
    assert seen == []
    optimize(b.project(Filter(scan, both(one, lit(True))), a=col(scan, "a")), lambda name, _: seen.append(name))
    assert seen == ["fold_constants", "prune_columns"]


def test_an_optimized_plan_can_be_optimized_again() -> None:
    for seed in range(40):
        assert_same_result(optimize(random_plan(random.Random(seed))))


class _Broken:
    """A rule that gives what it was told to."""

    __name__ = "headrace.sql.rules.break_things"

    def __init__(self, result: Plan) -> None:
        self.result = result

    def apply(self, _: Plan) -> Plan:
        return self.result


def _broken(monkeypatch: pytest.MonkeyPatch, plan: Plan, result: Plan) -> str:
    monkeypatch.setattr(driver, "RULES", (_Broken(result),))
    with pytest.raises(InternalError, match="break_things") as raised:
        optimize(plan)
    return raised.value.message


def test_a_lost_result_column_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder()
    scan = b.scan(T)
    assert "result columns" in _broken(monkeypatch, scan, b.project(scan, a=col(scan, "a")))


def test_a_reference_to_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = Builder().scan(T)
    lost = ColumnRef(99, "gone", col(scan, "a").type, True)
    assert "gone (id 99)" in _broken(monkeypatch, scan, Filter(scan, eq(lost, lit(1))))


def test_a_wrong_type_or_nullability_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = Builder().scan(T)
    a = col(scan, "a")
    wrong = ColumnRef(a.id, "a", lit("x").type, True)
    assert "VARCHAR" in _broken(monkeypatch, scan, Filter(scan, eq(wrong, lit("x"))))
    sure = ColumnRef(a.id, "a", a.type, False)
    assert "never NULL" in _broken(monkeypatch, scan, Filter(scan, eq(sure, lit(1))))


def test_a_column_on_both_sides_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = Builder().scan(T)
    twice = inner(scan, scan, (col(scan, "a"), col(scan, "a")))
    result = Project(twice, tuple((f, ColumnRef(f.id, f.name, f.type, True)) for f in scan.fields))
    assert "one id" in _broken(monkeypatch, scan, result)
