"""The orders that comparisons rest on, and the types that they compare in, against DuckDB."""

from __future__ import annotations

import duckdb
import pytest

from headrace.kernels.coercion import common_type
from headrace.kernels.comparison import (
    compare_f64,
    compare_interval,
    equal_f64,
    less_equal_f64,
    less_f64,
)  # fmt: skip
from headrace.kernels.decimal import compare_wide
from headrace.kernels.registry import resolve
from headrace.types import BLOB, BOOLEAN, DOUBLE, HUGEINT, INTERVAL, VARCHAR, SqlType
from kernel_oracle import Oracle, sql_name, to_words
from kernel_samples import pairs
from kernel_signatures import TYPES


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def orders(oracle: Oracle, t: SqlType) -> list[tuple[object, object, int]]:
    """(a, b, -1 or 0 or 1) over pairs of edge values."""
    values = oracle.table((t, t), pairs(t, t, 1700))
    expression = "CASE WHEN a < b THEN -1 WHEN a > b THEN 1 WHEN a = b THEN 0 END"
    found = oracle.connection.execute(f"SELECT {expression} FROM t ORDER BY row").fetchall()
    return [(a, b, order) for (a, b), (order,) in zip(values, found, strict=True)]


def test_doubles(oracle: Oracle) -> None:
    for a, b, order in orders(oracle, DOUBLE):
        assert compare_f64(a, b) == order, (a, b)
        assert (equal_f64(a, b), less_f64(a, b), less_equal_f64(a, b)) == (order == 0, order < 0, order <= 0)


def test_intervals(oracle: Oracle) -> None:
    for a, b, order in orders(oracle, INTERVAL):
        assert compare_interval(*a, *b) == order, (a, b)  # type: ignore[misc]


def test_wide_numbers(oracle: Oracle) -> None:
    for a, b, order in orders(oracle, HUGEINT):
        assert compare_wide(*to_words(a, HUGEINT), *to_words(b, HUGEINT)) == order, (a, b)


def test_the_type_that_two_values_share(oracle: Oracle) -> None:
    """COALESCE over columns of each pair of types."""
    wrong = []
    for a in TYPES:
        for b in TYPES:
            oracle.connection.execute(f"CREATE OR REPLACE TABLE c(a {sql_name(a)}, b {sql_name(b)})")
            oracle.connection.execute("INSERT INTO c VALUES (NULL, NULL)")
            try:
                found = oracle.connection.execute("SELECT typeof(COALESCE(a, b)) FROM c").fetchone()
                wanted = found[0] if found else ""
            except duckdb.Error:
                wanted = "None"
            if str(common_type(a, b)) != wanted:
                wrong.append((str(a), str(b), str(common_type(a, b)), wanted))
    assert not wrong


def test_text_is_compared_in_the_other_type() -> None:
    for t in TYPES:
        found = resolve("less", (VARCHAR, t))
        assert found is not None
        assert found.arguments == (t, t)
    assert resolve("equal", (BLOB, INTERVAL)) is None
    found = resolve("equal", (BOOLEAN, DOUBLE))
    assert found is not None
    assert found.arguments == (DOUBLE, DOUBLE)
