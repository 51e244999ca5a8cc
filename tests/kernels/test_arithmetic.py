"""Arithmetic on every pair of numeric types, and unary minus, abs and sign, against DuckDB."""

from __future__ import annotations

import pytest

from headrace.kernels.registry import resolve
from headrace.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    NULL,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    SqlType,
    decimal,
)  # fmt: skip
from kernel_oracle import Oracle, sql_name
from kernel_samples import pairs, samples

INTEGERS = (TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, HUGEINT)
DECIMALS = (
    decimal(1, 0), decimal(4, 1), decimal(9, 2), decimal(15, 2), decimal(18, 0), decimal(18, 9),
    decimal(19, 3), decimal(38, 0), decimal(38, 10), decimal(38, 38),
)  # fmt: skip
NUMBERS = (*INTEGERS, FLOAT, DOUBLE, *DECIMALS)
OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "integer_divide": "//",
    "modulo": "%",
}


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("function", OPERATORS)
def test_result_types_of_every_pair(oracle: Oracle, function: str) -> None:
    """The type, or the refusal, for each pair of numeric types; a bare NULL takes the other's type."""
    wrong = []
    for a in (*NUMBERS, NULL):
        for b in (*NUMBERS, NULL):
            if NULL in (a, b) and (a.is_decimal or b.is_decimal):
                continue
            x, y = ("NULL" if t == NULL else f"CAST(NULL AS {sql_name(t)})" for t in (a, b))
            try:
                query = f"SELECT typeof({x} {OPERATORS[function]} {y})"
                wanted = oracle.connection.execute(query).fetchall()[0][0]
            except Exception:
                wanted = "none"
            found = resolve(function, (a, b))
            if wanted != ("none" if found is None else sql_name(found.result)):
                wrong.append((sql_name(a), sql_name(b), wanted, found and sql_name(found.result)))
    assert not wrong


@pytest.mark.parametrize("function", OPERATORS)
@pytest.mark.parametrize("t", NUMBERS, ids=sql_name)
def test_same_types(oracle: Oracle, function: str, t: SqlType) -> None:
    found = resolve(function, (t, t))
    if found is not None:
        oracle.check(found, f"a {OPERATORS[function]} b", pairs(t, t))


MIXED = (
    (decimal(9, 2), decimal(18, 4)), (decimal(4, 1), decimal(38, 10)), (decimal(15, 2), decimal(9, 9)),
    (decimal(12, 2), decimal(7, 3)), (decimal(18, 9), decimal(10, 9)),
)  # fmt: skip


@pytest.mark.parametrize("function", OPERATORS)
@pytest.mark.parametrize(("a", "b"), MIXED, ids=sql_name)
def test_decimals_of_two_types(oracle: Oracle, function: str, a: SqlType, b: SqlType) -> None:
    found = resolve(function, (a, b))
    assert found is not None
    oracle.check(found, f"a {OPERATORS[function]} b", pairs(*found.arguments)) if found.arguments == (
        a,
        b,
    ) else None


@pytest.mark.parametrize("t", NUMBERS, ids=sql_name)
@pytest.mark.parametrize(("function", "expression"), [("negate", "-a"), ("abs", "abs(a)"), ("sign", "sign(a)")])
def test_one_argument(oracle: Oracle, function: str, expression: str, t: SqlType) -> None:
    oracle.check(resolve(function, (t,)), expression, [(x,) for x in samples(t)], (t,))
