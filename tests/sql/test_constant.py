"""Constants evaluated at plan time, by the bodies that kernels run."""

from __future__ import annotations

import math

import pytest

from headrace.sql.constant import compare, evaluate, literal_of, literal_words
from headrace.sql.expr import Call, Cast, Literal
from headrace.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTERVAL,
    TINYINT,
    VARCHAR,
    SqlType,
    decimal,
)
from sql_plans import call, lit, quotient


@pytest.mark.parametrize(
    ("value", "of"),
    [
        (True, BOOLEAN),
        (-7, BIGINT),
        (-(2**100), HUGEINT),
        (10**30, decimal(38, 2)),
        (1.5, DOUBLE),
        ((1, -2, 3), INTERVAL),
        ("häß", VARCHAR),
        (b"\x00\xff", BLOB),
    ],
)
def test_words_and_back(value: object, of: SqlType) -> None:
    assert literal_of(literal_words(Literal(value, of)), of, -1) == Literal(value, of)


def test_calls() -> None:
    assert evaluate(call("add", lit(2), lit(3), t=INTEGER)) == lit(5)
    assert evaluate(call("multiply", lit(2), Literal(None, INTEGER), t=INTEGER)) == Literal(None, INTEGER)
    assert evaluate(Call("random", (), DOUBLE, False)) is None


def test_failures_are_left_for_the_run() -> None:
    assert evaluate(quotient(lit(1), lit(0))) is None
    assert evaluate(call("add", lit(2**31 - 1), lit(1), t=INTEGER)) is None
    assert evaluate(Cast(lit(200), TINYINT, False)) is None
    assert evaluate(Cast(lit(200), TINYINT, True, lenient=True)) == Literal(None, TINYINT)
    assert evaluate(Cast(lit(100), TINYINT, False)) == Literal(100, TINYINT)


NAN = Literal(math.nan, DOUBLE)


@pytest.mark.parametrize(
    ("function", "a", "b", "expected"),
    [
        ("less", lit("B"), lit("a"), True),
        ("less", lit("z"), lit("é"), True),
        ("equal", NAN, NAN, True),
        ("greater", NAN, lit(math.inf), True),
        ("equal", lit(0.0), lit(-0.0), True),
        ("equal", Literal((1, 0, 0), INTERVAL), Literal((0, 30, 0), INTERVAL), True),
        ("greater", Literal((1, -1, 0), INTERVAL), Literal((0, 29, 0), INTERVAL), True),
        ("equal", lit(1), Literal(None, INTEGER), None),
        ("is_distinct", lit(1), Literal(None, INTEGER), True),
        ("is_not_distinct", Literal(None, INTEGER), Literal(None, INTEGER), True),
    ],
)
def test_comparisons(function: str, a: Literal, b: Literal, expected: bool | None) -> None:
    assert compare(function, a, b) == Literal(expected, BOOLEAN)
