"""TPC-H as a `Suite`."""

from __future__ import annotations

from headrace.tpch import parameters
from headrace.tpch.generate import tpchgen
from headrace.tpch.suite import Query, Suite, packaged_template

# The positions of the ORDER BY columns in each query's result, and its LIMIT.
_SHAPES: dict[int, tuple[tuple[int, ...], int | None]] = {
    1: ((0, 1), None),
    2: ((0, 2, 1, 3), 100),
    3: ((1, 2), 10),
    4: ((0,), None),
    5: ((1,), None),
    6: ((), None),
    7: ((0, 1, 2), None),
    8: ((0,), None),
    9: ((0, 1), None),
    10: ((2,), 20),
    11: ((1,), None),
    12: ((0,), None),
    13: ((1, 0), None),
    14: ((), None),
    15: ((0,), None),
    16: ((3, 0, 1, 2), None),
    17: ((), None),
    18: ((4, 3), 100),
    19: ((), None),
    20: ((0,), None),
    21: ((1, 0), 100),
    22: ((0,), None),
}

TPCH = Suite(
    name="tpch",
    title="TPC-H",
    tables=("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"),
    queries=tuple(
        Query(str(number), packaged_template("headrace.tpch.queries", f"q{number:02d}.sql"), order, limit)
        for number, (order, limit) in _SHAPES.items()
    ),
    draw=parameters.draw,
    generate=tpchgen,
    scale_table="supplier",
    scale_rows=10_000,
)
