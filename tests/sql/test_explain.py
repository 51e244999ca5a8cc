"""Expressions and plans as text."""

from __future__ import annotations

import pytest

from headrace.sql.explain import render, render_expr
from headrace.sql.expr import NULL_LITERAL, Case, Cast, Expr, InList, Literal
from headrace.sql.plan import Filter, Join, JoinKey, JoinKind, Limit, Sort, SortKey, TopK, Values
from headrace.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DATE,
    INTEGER,
    INTERVAL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_S,
    VARCHAR,
    decimal,
)
from sql_plans import Builder, aggregate_call, both, call, col, either, eq, lit, lt, table

T = table("t", "a int, b int, c text")
B = Builder()
SCAN = B.scan(T)
A, BB, C = col(SCAN, "a"), col(SCAN, "b"), col(SCAN, "c")


@pytest.mark.parametrize(
    ("value", "of", "text"),
    [
        (None, INTEGER, "NULL"),
        (True, BOOLEAN, "TRUE"),
        (-5, INTEGER, "-5"),
        ("it's", VARCHAR, "'it''s'"),
        (b"\x00a", BLOB, "'\\x00\\x61'::BLOB"),
        (5, decimal(4, 2), "0.05"),
        (-123456, decimal(10, 3), "-123.456"),
        (7, decimal(4, 0), "7"),
        (0, DATE, "DATE '1970-01-01'"),
        (8766, DATE, "DATE '1994-01-01'"),
        (-719_468, DATE, "DATE '0000-03-01'"),
        (3_723_000_005, TIME, "TIME '01:02:03.000005'"),
        (-1, TIMESTAMP, "TIMESTAMP '1969-12-31 23:59:59.999999'"),
        (86_400, TIMESTAMP_S, "TIMESTAMP_S '1970-01-02 00:00:00'"),
        ((14, 3, 0), INTERVAL, "INTERVAL '14 months 3 days'"),
        ((0, 0, 0), INTERVAL, "INTERVAL '0 days'"),
    ],
)
def test_literals(value: object, of: object, text: str) -> None:
    assert render_expr(Literal(value, of)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (both(either(eq(A, lit(1)), lt(A, BB)), call("is_null", C)), "(a = 1 OR a < b) AND c IS NULL"),
        (either(both(eq(A, lit(1)), lt(A, BB)), call("is_not_null", C)), "a = 1 AND a < b OR c IS NOT NULL"),
        (call("not", both(lt(A, BB), lt(BB, A))), "NOT (a < b AND b < a)"),
        (call("multiply", call("add", A, BB, t=INTEGER), A, t=INTEGER), "(a + b) * a"),
        (call("subtract", A, call("subtract", BB, A, t=INTEGER), t=INTEGER), "a - (b - a)"),
        (call("subtract", call("subtract", A, BB, t=INTEGER), A, t=INTEGER), "a - b - a"),
        (call("negate", call("negate", A, t=INTEGER), t=INTEGER), "-(-a)"),
        (eq(eq(A, BB), lit(True)), "(a = b) = TRUE"),
        (call("like", C, lit("x%")), "c LIKE 'x%'"),
        (InList(A, (lit(1), NULL_LITERAL), True), "a IN (1, NULL)"),
        (Cast(A, BIGINT, True), "CAST(a AS BIGINT)"),
        (Cast(A, BIGINT, True, lenient=True), "TRY_CAST(a AS BIGINT)"),
        (Case(((lt(A, BB), lit(1)),), lit(2), INTEGER, False), "CASE WHEN a < b THEN 1 ELSE 2 END"),
        (call("coalesce", A, lit(0), t=INTEGER), "coalesce(a, 0)"),
    ],
)
def test_expressions(e: Expr, text: str) -> None:
    assert render_expr(e) == text


def test_plans() -> None:
    b = Builder()
    t, u = b.scan(T), b.scan(T)
    on = (JoinKey(col(t, "a"), col(u, "a")), JoinKey(col(t, "b"), col(u, "b"), True))
    joined = Join(
        JoinKind.LEFT,
        Filter(t, lt(col(t, "a"), lit(3))),
        u,
        on,
        either(eq(col(t, "c"), lit("x")), lit(False)),
    )
    grouped = b.aggregate(
        joined,
        [col(t, "b")],
        n=aggregate_call("count_star", where=lt(col(t, "a"), lit(1))),
        s=aggregate_call("sum", col(u, "a"), distinct=True),
    )
    top = TopK(grouped, (SortKey(col(grouped, "n"), True), SortKey(col(grouped, "b"), nulls_first=True)), 5, 2)
    shown = b.project(top, b=col(top, "b"), twice=call("add", col(top, "n"), col(top, "n"), t=BIGINT))
    assert render(shown).split("\n") == [
        "Project [b, n + n AS twice]",
        "  TopK 5 offset 2 by n DESC, b NULLS FIRST",
        "    Aggregate by [b] [count(*) FILTER (WHERE a < 1) AS n, sum(DISTINCT a) AS s]",
        "      LeftJoin on a = a AND b IS NOT DISTINCT FROM b AND (c = 'x' OR FALSE)",
        "        Filter a < 3",
        "          Scan t [a, b, c]",
        "        Scan t [a, b, c]",
    ]
    assert render(Limit(Sort(u, (SortKey(col(u, "a")),)), None, 3), ids=True).split("\n") == [
        "Limit offset 3",
        "  Sort a#4",
        "    Scan t [a#4, b#5, c#6]",
    ]
    assert render(Values((), ((),))) == "Values 1 row []"
