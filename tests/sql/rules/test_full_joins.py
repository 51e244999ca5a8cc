"""Filters above a FULL join: they strengthen it where they reject NULLs, and else stay above it."""

from __future__ import annotations

from collections import Counter

import pytest

from headrace.sql.explain import render
from headrace.sql.expr import Expr
from headrace.sql.optimize import optimize
from headrace.sql.plan import Filter, Join, JoinKind, walk_plan
from sql_plans import Builder, both, call, col, either, join, lit, lt, table
from sql_reference import evaluate

LEFT = table("l", "a int, b int", [(1, 1), (2, None), (3, 3)])
RIGHT = table("r", "c int, d int", [(1, 5), (3, None), (4, 7)])
B = Builder()
L, R = B.scan(LEFT), B.scan(RIGHT)
FULL = join(JoinKind.FULL, L, R, (col(L, "a"), col(R, "c")))
SMALL_B = lt(col(FULL, "b"), lit(9))
SMALL_D = lt(col(FULL, "d"), lit(9))
NO_B = call("is_null", col(FULL, "b"))


@pytest.mark.parametrize(
    ("condition", "kind", "first"),
    [
        (SMALL_B, JoinKind.LEFT, "l"),
        (SMALL_D, JoinKind.LEFT, "r"),
        (both(SMALL_B, SMALL_D), JoinKind.INNER, "l"),
        (NO_B, JoinKind.FULL, "l"),
        (either(SMALL_B, NO_B), JoinKind.FULL, "l"),
        (either(SMALL_B, SMALL_D), JoinKind.FULL, "l"),
    ],
)
def test_filter_above_a_full_join(condition: Expr, kind: JoinKind, first: str) -> None:
    plan = Filter(FULL, condition)
    rewritten = optimize(plan)
    joined = next(x for x in walk_plan(rewritten) if isinstance(x, Join))
    assert joined.kind is kind
    if kind is not JoinKind.INNER:
        assert f"Scan {first} " in render(joined.left)
    assert Counter(evaluate(rewritten)) == Counter(evaluate(plan))
