"""Rounding and functions of doubles against DuckDB."""

from __future__ import annotations

from itertools import product

import pytest

from headrace.kernels.registry import resolve
from headrace.kernels.rounding import round_decimal
from headrace.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UTINYINT,
    SqlType,
    decimal,
)  # fmt: skip
from kernel_oracle import Oracle, close, sql_name
from kernel_samples import pairs, samples

NUMBERS = (
    TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, UBIGINT, HUGEINT, FLOAT, DOUBLE, decimal(1, 1),
    decimal(4, 1), decimal(9, 2), decimal(18, 0), decimal(18, 18), decimal(19, 3), decimal(38, 0),
    decimal(38, 10), decimal(38, 38),
)  # fmt: skip
DIGITS = ("-400", "-40", "-20", "-19", "-18", "-10", "-2", "-1", "0", "1", "2", "5", "18", "308", "400")


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("t", NUMBERS, ids=sql_name)
@pytest.mark.parametrize("name", ["round", "floor", "ceil", "ceiling", "trunc"])
def test_to_whole_numbers(oracle: Oracle, name: str, t: SqlType) -> None:
    overload = resolve(name, (t,))
    assert overload is not None
    if overload.arguments == (t,):
        oracle.check(overload, f"{name}(a)", [(x,) for x in samples(t)])
    else:
        oracle.table((t,), [(samples(t)[0],)])
        oracle.answers(f"{name}(a)", overload.result)


@pytest.mark.parametrize("t", [t for t in NUMBERS if not t.is_decimal], ids=sql_name)
def test_to_digits(oracle: Oracle, t: SqlType) -> None:
    overload = resolve("round", (t, INTEGER))
    assert overload is not None
    columns = overload.arguments
    rows = list(product(samples(columns[0]), DIGITS))
    oracle.check(overload, "round(a, b)", rows, columns, close)


@pytest.mark.parametrize("t", [decimal(4, 1), decimal(9, 3), decimal(18, 6), decimal(38, 10)], ids=sql_name)
@pytest.mark.parametrize("digits", [-20, -9, -3, -1, 0, 1, 2, 3, 12])
def test_type_of_decimals_to_digits(oracle: Oracle, t: SqlType, digits: int) -> None:
    oracle.table((t,), [(x,) for x in samples(t)])
    oracle.answers(f"round(a, {digits})", round_decimal(t, digits))


@pytest.mark.parametrize("t", [decimal(4, 1), decimal(9, 3), decimal(18, 6)], ids=sql_name)
@pytest.mark.parametrize("digits", [-20, -12, -9, -3, -2, -1])
def test_decimals_to_tens(oracle: Oracle, t: SqlType, digits: int) -> None:
    rows = [(x, str(digits)) for x in samples(t)]
    overload = resolve("round_tens", (t, INTEGER))
    oracle.check(overload, f"round(a, {digits})", rows)


ONE = (
    "sqrt", "cbrt", "exp", "ln", "log2", "log10", "log", "sin", "cos", "tan", "cot", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "degrees", "radians", "even", "isnan", "isinf",
    "isfinite",
)  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_one_double(oracle: Oracle, name: str) -> None:
    """Equal but for the last bit: DuckDB calls the C library too, perhaps another one."""
    oracle.check(resolve(name, (DOUBLE,)), f"{name}(a)", [(x,) for x in samples(DOUBLE)], equal=close)


@pytest.mark.parametrize("name", ["power", "pow", "atan2", "log", "fmod"])
def test_two_doubles(oracle: Oracle, name: str) -> None:
    oracle.check(resolve(name, (DOUBLE, DOUBLE)), f"{name}(a, b)", pairs(DOUBLE, DOUBLE), equal=close)


def test_pi(oracle: Oracle) -> None:
    oracle.connection.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS a, 0 AS row")
    overload = resolve("pi", ())
    assert overload is not None
    assert overload.body is not None
    assert oracle.answers("pi()", overload.result) == [overload.body()]
