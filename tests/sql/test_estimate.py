"""Row counts and selectivities from statistics."""

from __future__ import annotations

import pytest

from headrace.sql.estimate import rows, selectivity
from headrace.sql.expr import Expr, InList
from headrace.sql.plan import Filter, JoinKind, Limit, Plan
from headrace.sql.source import ColumnEstimate
from sql_plans import Builder, aggregate_call, both, call, col, either, eq, inner, join, lit, lt, table

ORDERS = table(
    "orders",
    "k int, c int, day int, kind text, note text",
    count=1_500_000,
    k=ColumnEstimate(1, 6_000_000, 0, unique=True),
    c=ColumnEstimate(1, 150_000, 0),
    day=ColumnEstimate(0, 2399, 0),
    kind=5,
    note=ColumnEstimate(null_count=150_000),
)
LINES = table("lines", "o int, q int", count=6_000_000, o=ColumnEstimate(1, 6_000_000, 0), q=50)
CUSTOMERS = table("customers", "k int, nation int", count=150_000, k=ColumnEstimate(1, 150_000), nation=25)


def close(a: float, b: float) -> bool:
    return a == pytest.approx(b, rel=0.02)


@pytest.fixture
def orders() -> Plan:
    return Builder().scan(ORDERS)


def conditions(o: Plan) -> list[tuple[Expr, float]]:
    day, kind, note = col(o, "day"), col(o, "kind"), col(o, "note")
    in_list = InList(kind, (lit("a"), lit("b")), True)  # type: ignore[arg-type]
    return [
        (lt(day, lit(240)), 0.1),
        (call("greater_equal", day, lit(1800)), 0.25),
        (both(call("greater_equal", day, lit(1200)), lt(day, lit(1440))), 0.1),
        (lt(day, lit(-5)), 1 / 2400),
        (eq(day, lit(7)), 1 / 2400),
        (eq(day, lit(9999)), 1 / 1_500_000),
        (eq(kind, lit("x")), 0.2),
        (call("not_equal", kind, lit("x")), 0.8),
        (in_list, 0.4),
        (call("not", in_list), 0.6),
        (either(eq(kind, lit("x")), eq(kind, lit("y"))), 0.36),
        (call("like", note, lit("%x%")), 0.1),
        (call("is_null", note), 0.1),
        (call("is_not_null", note), 0.9),
        (eq(note, lit("x")), 0.9 / 20),
        (lit(True), 1.0),
        (lit(False), 0.0),
        (lt(day, col(o, "c")), 0.3),
    ]


def test_selectivities(orders: Plan) -> None:
    for condition, expected in conditions(orders):
        assert close(selectivity(condition, orders), expected), condition


def test_a_key_joins_to_its_rows() -> None:
    b = Builder()
    lines, orders, customers = b.scan(LINES), b.scan(ORDERS), b.scan(CUSTOMERS)
    joined = inner(lines, orders, (col(lines, "o"), col(orders, "k")))
    assert close(rows(joined), 6_000_000)
    early = Filter(orders, lt(col(orders, "day"), lit(240)))
    assert close(rows(inner(lines, early, (col(lines, "o"), col(orders, "k")))), 600_000)
    assert close(rows(inner(orders, customers, (col(orders, "c"), col(customers, "k")))), 1_500_000)


def test_a_constant_on_both_sides_counts_once() -> None:
    b = Builder()
    orders, customers = b.scan(ORDERS), b.scan(CUSTOMERS)
    left = Filter(orders, eq(col(orders, "c"), lit(7)))
    right = Filter(customers, eq(col(customers, "k"), lit(7)))
    assert close(rows(inner(left, right, (col(orders, "c"), col(customers, "k")))), 10)


def test_two_keys_are_no_more_selective_than_the_smaller_relation() -> None:
    parts = table("parts", "p int, s int", count=800_000, p=200_000, s=10_000)
    uses = table("uses", "p int, s int", count=6_000_000, p=200_000, s=10_000)
    b = Builder()
    a, c = b.scan(uses), b.scan(parts)
    assert close(rows(inner(a, c, (col(a, "p"), col(c, "p")), (col(a, "s"), col(c, "s")))), 6_000_000)


def test_other_joins() -> None:
    b = Builder()
    orders, customers = b.scan(ORDERS), b.scan(CUSTOMERS)
    on = (col(customers, "k"), col(orders, "c"))
    few = Filter(orders, eq(col(orders, "day"), lit(7)))
    assert close(rows(join(JoinKind.LEFT, customers, few, on)), 150_000)
    assert close(rows(join(JoinKind.FULL, customers, orders, on)), 1_500_000)
    assert close(rows(join(JoinKind.SEMI, customers, few, on)), 625)
    assert close(rows(join(JoinKind.ANTI, customers, few, on)), 149_375)
    assert close(rows(join(JoinKind.CROSS, customers, Limit(orders, 2))), 300_000)


def test_groups() -> None:
    b = Builder()
    orders = b.scan(ORDERS)
    count = aggregate_call("count_star")
    assert rows(b.aggregate(orders, [], n=count)) == 1
    assert rows(b.aggregate(orders, [col(orders, "kind")], n=count)) == 5
    assert rows(b.aggregate(orders, [col(orders, "kind"), col(orders, "c")], n=count)) == 750_000
    few = Limit(orders, 3)
    assert rows(b.aggregate(few, [col(orders, "kind")], n=count)) == 3


def test_nothing_known() -> None:
    class Unknown:
        name = "unknown"

        def schema(self) -> tuple[object, ...]:
            return ORDERS.schema()

        def row_count(self) -> None:
            return None

        def unsupported(self) -> dict[str, str]:
            return {}

        def estimate(self, column: str) -> ColumnEstimate:
            return ColumnEstimate()

    scan = Builder().scan(Unknown())  # type: ignore[arg-type]
    assert rows(scan) == 1000
