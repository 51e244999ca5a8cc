"""Joins on keys near and beyond 64 bits, against build sides of every form."""

from __future__ import annotations

import itertools

import duckdb
import pyarrow as pa
import pytest

import headrace
from headrace.tpch.comparison import difference

HUGE = pa.decimal128(38, 0)
COLUMNS = {
    "huge": pa.array([3, 3 + 2**64, 5, -1, -1 + 2**64, None, 2**65], HUGE),
    "narrow": pa.array(range(10), HUGE),
    "gaps": pa.array([-1, 3, 9, 50], HUGE),
    "repeats": pa.array([-1, 3, 9, 3], HUGE),
    "unsigned": pa.array([3, 2**64 - 1, 5, 2**63 + 3], pa.uint64()),
    "counting": pa.array(range(10), pa.uint64()),
    "limits": pa.array([3, -(2**63), 2**63 - 1, -1, 5], pa.int64()),
    "above": pa.array([2**63 - 2, 2**63 - 1], pa.int64()),
    "below": pa.array([-(2**63), 1 - 2**63], pa.int64()),
    "tiny": pa.array([3, 5, None, 120, 3], pa.int8()),
}


@pytest.mark.parametrize("execution", ["interpreted", "compiled"])
def test_joins(execution: str) -> None:
    with headrace.connect(execution=execution) as ours, duckdb.connect() as theirs:
        for name, column in COLUMNS.items():
            table = pa.table({"k": column, "place": pa.array(range(len(column)), pa.int16())})
            ours.register(name, table)
            theirs.register(name, table)
        pairs = list(itertools.permutations(COLUMNS, 2))
        for place, (a, b) in enumerate(pairs if execution == "interpreted" else pairs[::7]):
            for kind in (
                ("JOIN", "LEFT JOIN") if execution == "interpreted" else ("LEFT JOIN" if place % 2 else "JOIN",)
            ):
                sql = f"SELECT {a}.k, {b}.k AS other, {b}.place FROM {a} {kind} {b} ON {a}.k = {b}.k"
                fault = difference(ours.sql(sql).fetch_arrow_table(), theirs.sql(sql).to_arrow_table())
                assert fault is None, f"{sql}\n{fault}"
