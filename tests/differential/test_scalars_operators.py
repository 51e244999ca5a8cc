"""Arithmetic and comparison operators over every pair of types."""

from __future__ import annotations

from itertools import product

import pytest

from differential.harness import assert_case, assert_expressions_agree, assert_fails, expected, select

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "hu::HUGEINT")
NUMBERS = (*INTEGERS, "f4", "f8", "d4", "d15", "d18", "d38")
TIMES = ("da", "ti", "ts_s", "ts_ms", "ts", "ts_ns")

CASES: dict[str, tuple[str, ...]] = {
    "+": (
        "i8 + i8",
        "i32 + i64",
        "u64 + u8",
        "hu::HUGEINT + 1",
        "f4 + i32",
        "f8 + d15",
        "d4 + d18",
        "d38 + 1",
        "i8 + NULL",
        "1.5 + d4",
    ),
    "-": ("i8 - i16", "i32 - 1", "f4 - f8", "d15 - d4", "d18 - i32", "i64 - 2.5", "hu::HUGEINT - i8", "d4 - '2'"),
    "*": ("i16 * i8", "i32 * i32", "u32 * 2", "f8 * f8", "d4 * d4", "d15 * 2", "d18 * d4", "d38 * i8", "i8 * 1e0"),
    "/": (
        "i32 / i16",
        "i32 / 0",
        "d15 / d4",
        "f4 / 3",
        "i64 / 2.5",
        "u64 / u64",
        "hu::HUGEINT / 7",
        "d38 / i8",
        "-7 / 2",
    ),
    "//": (
        "i32 // 7",
        "i64 // -3",
        "u8 // 2",
        "hu::HUGEINT // 10",
        "f8 // 2",
        "d15 // 2",
        "i32 // nullif(i16, 0)",
        "-7 // 2",
    ),
    "%": (
        "i32 % 7",
        "i64 % -3",
        "u8 % 2",
        "hu::HUGEINT % 10",
        "f8 % 2",
        "f8 % 0",
        "d15 % 2",
        "d15 % nullif(d4, 0)",
        "d38 % 3::HUGEINT",
    ),
    "**": ("i32 ** 2", "f8 ** 2", "f8 ^ 0.5", "2 ^ 3 ^ 2", "d4 ^ 2"),
    "unary -": ("-i8", "-i64", "-f8", "-d15", "-d38", "-(hu::HUGEINT)", "-iv", "- -i32", "+i32", "-NULL"),
    "=": (
        "i8 = i64",
        "u64 = i64",
        "i32 = 2.5",
        "f8 = f4",
        "d4 = d15",
        "s = t",
        "s = s",
        "s = upper(s)",
        "s = 'abc'",
        "da = ts",
        "bl = bl",
        "iv = iv",
        "bo = true",
        "i32 = NULL",
        "hu::HUGEINT = 1",
        "i32 = '5'",
        "i8 = 300",
    ),
    "<>": ("i8 <> i64", "f8 <> f8", "s <> t", "t != 'abc'", "d18 <> 0", "ts <> da", "iv <> INTERVAL 1 DAY", "bl <> bl"),
    "<": (
        "i8 < u8",
        "f8 < f4",
        "s < t",
        "s < 'b'",
        "d4 < d38",
        "da < DATE '1990-01-01'",
        "bo < true",
        "iv < INTERVAL 1 MONTH",
        "ti < TIME '12:00:00'",
    ),
    "<=": ("u64 <= i64", "f4 <= 0.1", "t <= s", "d15 <= 1.25", "ts_ns <= ts", "bl <= 'b'::BLOB"),
    ">": (
        "i16 > 3",
        "3 > i16",
        "hu::HUGEINT > i64",
        "f8 > 'nan'::DOUBLE",
        "t > 'ä'",
        "da > '1990-01-01'",
        "ts_s > ts_ms",
    ),
    ">=": ("i32 >= -1", "f8 >= f8", "s >= s", "d38 >= d4", "iv >= iv", "bo >= false"),
    "IS DISTINCT FROM": (
        "i32 IS DISTINCT FROM i16",
        "s IS DISTINCT FROM t",
        "f8 IS DISTINCT FROM NULL",
        "d38 IS DISTINCT FROM d4",
        "iv IS DISTINCT FROM iv",
        "bo IS DISTINCT FROM NULL",
    ),
    "IS NOT DISTINCT FROM": (
        "i32 IS NOT DISTINCT FROM i16",
        "s IS NOT DISTINCT FROM 'a'",
        "t IS NOT DISTINCT FROM t",
        "f4 IS NOT DISTINCT FROM f8",
        "NULL IS NOT DISTINCT FROM NULL",
        "bl IS NOT DISTINCT FROM bl",
    ),
    "AND": ("bo AND i32 > 0", "bo AND NULL", "bo AND false", "NULL AND NULL", "i32 AND bo", "bo AND i32 > 0 AND s = t"),
    "OR": ("bo OR i32 > 0", "bo OR NULL", "bo OR true", "bo OR i32 > 0 OR s = t", "(bo OR i8 > 0) AND (bo OR i8 < 5)"),
    "NOT": ("NOT bo", "NOT i32 > 0", "NOT (bo AND i32 > 0)", "NOT (bo OR s = t)", "NOT NULL", "NOT f8 > 1"),
}

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")

DECIMALS = ("d4", "d15", "d18", "d38", "hu", "d4::DECIMAL(38,1)", "d15::DECIMAL(38,30)")

MATRICES: dict[str, list[str]] = {
    **{
        operator: [f"{a} {operator} {b}" for a, b in product(NUMBERS, NUMBERS)]
        for operator in ("+", "-", "*", "/", "//", "%")
    },
    **{
        operator: [
            f"{a} {operator} {b}"
            for a, b in (*product(("bo", *NUMBERS), repeat=2), *product(DECIMALS, repeat=2), *product(TIMES, repeat=2))
        ]
        for operator in COMPARISONS
    },
    "literals": [
        f"{a} {o} {b}"
        for o in ("+", "-", "*", "/", "//", "%")
        for a in NUMBERS
        for b in ("1", "2.5", "-3", "0", "1e0", "300", "NULL")
    ],
}

FAILING = (
    "SELECT i8 + 120::TINYINT FROM plain",
    "SELECT u8 - 10::UTINYINT FROM plain",
    "SELECT i64 * 9223372036854775807 FROM plain",
    "SELECT hu::HUGEINT * 170141183460469231731687303715884105727 FROM plain",
    "SELECT d38 + 9999999999999999999999999999.9999999999 FROM edge",
    "SELECT -i8 FROM edge",
    "SELECT i32 // i16 FROM plain",
    "SELECT i32 % 0 FROM plain",
    "SELECT d4 % 0::HUGEINT FROM plain",
    "SELECT 9223372036854775807 + 1::BIGINT",
    "SELECT 1 // 0",
    "SELECT da + true FROM plain",
    "SELECT iv * iv FROM plain",
)


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case], compiled=("plain", "edge"))  # `edge` needs two words where `plain` needs one


@pytest.mark.parametrize("operator", MATRICES)
@pytest.mark.parametrize("table", ["plain", "edge"])
def test_every_pair_of_types(operator: str, table: str) -> None:
    """Interpreted: the pairs that DuckDB answers in one query, each other one must fail too."""
    pairs = MATRICES[operator]
    failing = [e for e in pairs if expected(select([e], table)).table is None]
    assert_expressions_agree([e for e in pairs if e not in failing], table, ("interpreted",))
    for e in failing:
        assert_fails(select([e], table), ("interpreted",))


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
