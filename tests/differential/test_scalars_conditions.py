"""CASE and its kin, IN, BETWEEN, IS tests."""

from __future__ import annotations

import pytest

from differential.harness import assert_case, assert_fails

CASES: dict[str, tuple[str, ...]] = {
    "searched CASE": (
        "CASE WHEN i32 > 0 THEN 1 WHEN i32 < 0 THEN -1 ELSE 0 END",
        "CASE WHEN i32 > 0 THEN i32 END",
        "CASE WHEN bo THEN i8 ELSE i64 END",
        "CASE WHEN bo THEN i32 ELSE d15 END",
        "CASE WHEN bo THEN d4 WHEN NOT bo THEN d38 END",
        "CASE WHEN bo THEN u64 ELSE i64 END",
        "CASE WHEN bo THEN f4 ELSE f8 END",
        "CASE WHEN bo THEN da ELSE ts END",
        "CASE WHEN bo THEN upper(s) ELSE lower(t) END",
        "CASE WHEN bo THEN iv END",
        "CASE WHEN bo THEN bl ELSE NULL END",
        "CASE WHEN i32 <> 0 THEN 10 // i32 END",
        "CASE WHEN i32 > 3 THEN CASE WHEN i16 > 0 THEN 'a' ELSE 'b' END ELSE CASE WHEN i16 > 0 THEN 'c' END END",
        "CASE WHEN false THEN 1 // 0 ELSE 3 END",
    ),
    "simple CASE": (
        "CASE i32 WHEN 1 THEN s WHEN 2 THEN t ELSE 'z' END",
        "CASE s WHEN 'a' THEN 1 WHEN 'abc' THEN 2 END",
        "CASE s WHEN NULL THEN 1 ELSE 2 END",
        "CASE bo WHEN true THEN 'y' WHEN false THEN 'n' END",
        "CASE i32 % 2 WHEN 0 THEN d4 ELSE 1.25 END",
    ),
    "if": ("if(bo, 1, 2)", "if(i32 > 0, s, t)", "if(NULL, 1, 2)", "if(bo, i8, NULL)", "if(i32 > 0, d4, d15)"),
    "coalesce": (
        "coalesce(i32, 0)",
        "coalesce(i32, i16, i8, 0)",
        "coalesce(s, 'none')",
        "coalesce(s, t, 'x')",
        "coalesce(NULL, i8)",
        "coalesce(d4, d15)",
        "coalesce(hu::HUGEINT, 0)",
        "coalesce(f8, 0)",
        "coalesce(da, ts)",
        "coalesce(iv, INTERVAL 1 DAY)",
        "coalesce(NULL, NULL)",
        "coalesce(10 // nullif(i32, 0), -1)",
    ),
    "ifnull": ("ifnull(i32, 5)", "ifnull(s, t)", "ifnull(bo, false)", "ifnull(ti, TIME '01:00:00')"),
    "nullif": (
        "nullif(i32, 0)",
        "nullif(s, 'a')",
        "nullif(s, t)",
        "nullif(d4, d15)",
        "nullif(f8, f8)",
        "nullif(u64, i64)",
        "nullif(i32, NULL)",
        "nullif(NULL, 1)",
        "nullif(iv, iv)",
        "nullif(i32, 1.5)",
    ),
    "greatest": (
        "greatest(i32, i16)",
        "greatest(i32, i16, i8, u8, u16, u32, i64, 0)",
        "greatest(s, t)",
        "greatest(s, t, 'm')",
        "greatest(d4, d15, d38)",
        "greatest(f8, f4)",
        "greatest(da, ts)",
        "greatest(iv, iv)",
        "greatest(NULL, i32)",
        "greatest(bo, true)",
        "greatest(i32, 2.5)",
        "greatest(u64, hu::HUGEINT)",
    ),
    "least": (
        "least(i32, 0)",
        "least(i8, i64, u64)",
        "least(s, t)",
        "least(d4, 1.25)",
        "least(f8, 0)",
        "least(ts, ts_ns)",
        "least(i32, NULL, i16)",
        "least(NULL, NULL)",
        "least(bl, bl)",
    ),
    "IN": (
        "i32 IN (1, 2, 3)",
        "i32 IN (1, NULL)",
        "i32 IN (NULL)",
        "i32 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)",
        "i32 IN (i16, i8, 3)",
        "i32 IN (1.5, 2, 300)",
        "s IN ('a', 'abc', '%')",
        "s IN (t, 'a')",
        "t IN ('a', 'b', 'c', NULL)",
        "s IN ('', 'a', 'A', 'abc', 'ABC', 'ß', '12', 'zz', 'yy', 'xx')",
        "d4 IN (1, 2.5)",
        "f8 IN (0, 0.5, 1)",
        "da IN (DATE '2000-01-01', '1990-01-01')",
        "bo IN (true)",
        "hu::HUGEINT IN (1, 2)",
        "upper(s) IN ('A', 'ABC')",
        "d15 IN (d4::DECIMAL(38,1), 0.05)",
        "NULL IN (1, 2)",
        "'a' IN (s, t)",
    ),
    "NOT IN": (
        "i32 NOT IN (1, 2, 3)",
        "i32 NOT IN (1, NULL)",
        "s NOT IN ('a', 'abc')",
        "t NOT IN (s)",
        "u64 NOT IN (1, 2)",
        "iv NOT IN (INTERVAL 1 DAY, INTERVAL 1 MONTH)",
    ),
    "BETWEEN": (
        "i32 BETWEEN 1 AND 5",
        "i32 BETWEEN i8 AND i16",
        "i32 BETWEEN 5 AND 1",
        "i32 BETWEEN NULL AND 5",
        "5 BETWEEN i8 AND i32",
        "i8 BETWEEN -300 AND 300",
        "i32 BETWEEN 1.5 AND 2.5",
        "s BETWEEN 'a' AND 'b'",
        "t BETWEEN s AND 'z'",
        "d4 BETWEEN d15 AND d18",
        "f8 BETWEEN 0 AND f4",
        "da BETWEEN '1990-01-01' AND '2010-01-01'",
        "ts BETWEEN DATE '1990-01-01' AND TIMESTAMP '2010-01-01 01:02:03'",
        "iv BETWEEN INTERVAL 1 DAY AND INTERVAL 1 MONTH",
        "hu::HUGEINT BETWEEN 0 AND 10",
        "d4::DECIMAL(38,1) BETWEEN i8 AND d15",
    ),
    "NOT BETWEEN": (
        "i32 NOT BETWEEN 1 AND 5",
        "i32 NOT BETWEEN 1 AND NULL",
        "s NOT BETWEEN 'a' AND t",
        "ti NOT BETWEEN TIME '01:00:00' AND TIME '13:00:00'",
    ),
    "IS NULL": (
        "i32 IS NULL",
        "s IS NULL",
        "d38 IS NULL",
        "iv IS NULL",
        "(i32 + i8) IS NULL",
        "NULL IS NULL",
        "i32 ISNULL",
        "(s || t) IS NULL",
    ),
    "IS NOT NULL": (
        "i32 IS NOT NULL",
        "t IS NOT NULL",
        "f8 IS NOT NULL",
        "bl IS NOT NULL",
        "i32 NOTNULL",
        "CASE WHEN bo THEN 1 END IS NOT NULL",
    ),
    "IS TRUE": ("bo IS TRUE", "(i32 > 0) IS TRUE", "i32 IS TRUE", "bo IS NOT TRUE", "(s = t) IS NOT TRUE"),
    "IS FALSE": ("bo IS FALSE", "(i32 > 0) IS FALSE", "bo IS NOT FALSE", "NULL IS FALSE"),
}

FAILING = (
    "SELECT CASE WHEN bo THEN 1 ELSE 'a' END FROM plain",
    "SELECT CASE WHEN r >= 0 THEN 1 // 0 END FROM plain",
    "SELECT if(bo, 1) FROM plain",
    "SELECT i32 IN ('a', 'b') FROM plain",
    "SELECT nullif(i32) FROM plain",
    "SELECT greatest(i32, da) FROM plain",
    "SELECT da BETWEEN 1 AND 2 FROM plain",
)


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case])


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
