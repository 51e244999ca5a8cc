"""CAST, `::` and TRY_CAST between every pair of types, and text as every type."""

from __future__ import annotations

import pytest

from differential.harness import (
    EXECUTIONS,
    assert_agrees,
    assert_case,
    assert_expressions_agree,
    assert_fails,
    expected,
    select,
)

COLUMNS = (
    *("bo", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "hu::HUGEINT", "f4", "f8", "d4", "d15", "d18", "d38"),
    *("da", "ti", "ts_s", "ts_ms", "ts", "ts_ns", "iv", "s", "t", "bl"),
)

TEXTS: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "f", "yes", "1", "0", "x", "", "TRUE", "on", "off", " true"),
    "TINYINT": ("127", "128", "-128", "-129", "1e2"),
    "SMALLINT": ("32767", "32768", "-1.5"),
    "INTEGER": (
        "12",
        "-7",
        " 12 ",
        "1.5",
        "2.5",
        "1e3",
        "abc",
        "",
        "99999999999",
        "0x1F",
        "1_000",
        "+5",
        "--5",
        "12a",
        "-0",
    ),
    "BIGINT": ("9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    "UTINYINT": ("255", "256", "-1"),
    "USMALLINT": ("65535", "65536"),
    "UINTEGER": ("4294967295", "4294967296"),
    "UBIGINT": ("18446744073709551615", "18446744073709551616", "-1"),
    "HUGEINT": ("170141183460469231731687303715884105727", "170141183460469231731687303715884105728"),
    "FLOAT": ("0.1", "1e39", "16777217", "abc"),
    "DOUBLE": ("1.5", "-0", "1e308", "1e309", "nan", "inf", "-Infinity", " 1.5 ", "abc", "1e-400", ".5", "5.", "0.1"),
    "DECIMAL(4,1)": ("1.25", "-1.25", "999.95", "999.94", "1e2", "abc", "", "1.", "0.05"),
    "DECIMAL(38,10)": (
        "1234567890123456789012345678.0123456789",
        "12345678901234567890123456789",
        "1e-10",
        "0.00000000005",
    ),
    "DATE": (
        "2000-01-01",
        "2000-1-1",
        "2000/01/01",
        "2000-02-30",
        "9999-12-31",
        " 2000-01-01 ",
        "2000-01-01x",
        "0044-03-15 (BC)",
        "epoch",
        "20000101",
        "",
    ),
    "TIME": ("12:34:56", "12:34", "1:2:3", "25:00:00", "12:34:56.789", "12:34:56.1234567", "abc", "00:00:00.000001"),
    "TIMESTAMP": (
        "2000-01-01 01:02:03",
        "2000-01-01",
        "2000-01-01T01:02:03.5",
        "2000-01-01 01:02:03.123456789",
        "2000-01-01 25:00:00",
        "1969-12-31 23:59:59.999999",
        "abc",
        "epoch",
    ),
    "TIMESTAMP_S": ("2000-01-01 01:02:03.7", "x"),
    "TIMESTAMP_MS": ("2000-01-01 01:02:03.0007", ""),
    "TIMESTAMP_NS": ("2000-01-01 01:02:03.123456789", "1600-01-01", "9999-01-01"),
    "INTERVAL": (
        "1 day",
        "1 year 2 months",
        "04:05:06",
        "-1 day 02:00:00",
        "abc",
        "",
        "1.5 days",
        "3 weeks 2 days",
        "00:00:01.5",
        "2 quarters",
        "5",
    ),
    "BLOB": ("abc", "\\xAA", "\\x", "\\xZZ", "ä", "a\\x41b"),
    "VARCHAR": ("abc", ""),
}
TYPES = tuple(TEXTS)
# one of the types that share a row body
COMPILED_TARGETS = (
    "BOOLEAN",
    "INTEGER",
    "DOUBLE",
    "DECIMAL(4,1)",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "INTERVAL",
    "BLOB",
)

CASES: dict[str, tuple[str, ...]] = {
    "CAST": (
        "CAST(i8 AS INTEGER)",
        "CAST(i32 AS DOUBLE)",
        "CAST(bo AS INTEGER)",
        "CAST(i16 AS DECIMAL(18,3))",
        "CAST(i8 AS BOOLEAN)",
        "CAST(d15 AS DECIMAL(38,10))",
        "CAST(ts AS DATE)",
        "CAST(da AS TIMESTAMP)",
        "CAST(ts AS TIME)",
        "CAST(i8 AS VARCHAR)",
    ),
    "::": (
        "i8::BIGINT",
        "d18::DOUBLE",
        "ts_s::TIMESTAMP_MS",
        "ts_ns::TIMESTAMP",
        "'abc'::BLOB",
        "bl::VARCHAR",
        "i32::HUGEINT::VARCHAR",
        "NULL::INTEGER",
        "'2000-01-01'::DATE",
        "d4::DECIMAL(38,10)",
    ),
    "TRY_CAST": (
        "TRY_CAST(i64 AS TINYINT)",
        "TRY_CAST(f8 AS INTEGER)",
        "TRY_CAST(d38 AS DECIMAL(4,1))",
        "TRY_CAST(s AS INTEGER)",
        "TRY_CAST(t AS DOUBLE)",
        "TRY_CAST(i32 AS UTINYINT)",
        "TRY_CAST(bo AS DATE)",
        "TRY_CAST('abc' AS DATE)",
        "TRY_CAST(hu::HUGEINT AS UBIGINT)",
    ),
    "to VARCHAR": tuple(f"{c}::VARCHAR" for c in COLUMNS),
    "to numbers": tuple(
        f"TRY_CAST({c} AS {t})"
        for c in ("d15", "f8", "f4", "d38", "hu::HUGEINT")
        for t in ("SMALLINT", "UBIGINT", "DECIMAL(18,3)")
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case], compiled=("plain", "edge"))  # `edge` needs two words where `plain` needs one


@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize("table", ["plain", "edge"])
def test_every_pair_of_types(target: str, table: str) -> None:
    """Interpreted: TRY_CAST in one query; each CAST that fails in DuckDB must fail, the others too in one query."""
    assert_expressions_agree([f"TRY_CAST({c} AS {target})" for c in COLUMNS], table, ("interpreted",))
    casts = [f"CAST({c} AS {target})" for c in COLUMNS]
    failing = [e for e in casts if expected(select([e], table)).table is None]
    assert_expressions_agree([e for e in casts if e not in failing], table, ("interpreted",))
    for e in failing:
        assert_fails(select([e], table), ("interpreted",))


@pytest.mark.parametrize("target", TYPES)
def test_text(target: str) -> None:
    """Text of a table and constant text, each with TRY_CAST, the constants with CAST too."""
    rows = ", ".join(f"({k}, '{text}')" for k, text in enumerate(TEXTS[target]))
    sql = f"SELECT k, TRY_CAST(x AS {target}) AS c FROM (VALUES {rows}) q(k, x) ORDER BY k"
    assert_agrees(sql, order=(0,), executions=EXECUTIONS if target in COMPILED_TARGETS else ("interpreted",))
    for text in TEXTS[target]:
        assert_agrees(f"SELECT CAST('{text}' AS {target}) AS c", executions=("interpreted",))


FAILING = (
    "SELECT CAST(i32 + 1000 AS TINYINT) FROM plain",
    "SELECT CAST(f8 AS INTEGER) FROM edge",
    "SELECT CAST(s AS INTEGER) FROM plain",
    "SELECT CAST(d38 AS DECIMAL(4,1)) FROM edge",
    "SELECT CAST(t AS DATE) FROM plain",
    "SELECT CAST(da AS INTEGER) FROM plain",
    "SELECT CAST(i8 AS nonsense) FROM plain",
    "SELECT i32::DECIMAL(1,0) + 1000::DECIMAL(1,0) FROM plain",
)


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
