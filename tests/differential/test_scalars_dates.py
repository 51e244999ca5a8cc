"""Dates, times, timestamps and intervals: arithmetic, parts, and functions."""

from __future__ import annotations

import pytest

from differential.harness import assert_case, assert_expressions_agree, assert_fails, expected, select

COLUMNS = ("da", "ti", "ts_s", "ts_ms", "ts", "ts_ns", "iv")
PARTS = (
    *("year", "month", "day", "hour", "minute", "second", "millisecond", "microsecond", "decade", "century"),
    *("millennium", "quarter", "week", "dow", "isodow", "doy", "isoyear", "yearweek", "epoch", "era", "julian"),
)
FUNCTIONS = (
    *("year", "month", "day", "dayofmonth", "hour", "minute", "second", "millisecond", "microsecond", "decade"),
    *("century", "millennium", "quarter", "week", "weekofyear", "dayofweek", "weekday", "isodow", "dayofyear"),
    *("isoyear", "yearweek", "era", "epoch", "julian", "last_day"),
)
INTERVALS = (
    *("INTERVAL 1 DAY", "INTERVAL '1' MONTH", "INTERVAL '1 year 2 months 3 days 04:05:06.789'", "INTERVAL (i16) DAY"),
    *("INTERVAL '90' DAY", "INTERVAL 36 HOUR", "INTERVAL '-5 seconds'", "INTERVAL 3 WEEKS", "INTERVAL 1 QUARTER", "iv"),
)

CASES: dict[str, tuple[str, ...]] = {
    "date arithmetic": ("da + 1", "1 + da", "da - i16", "da - da", "da + ti", "da + 1 + 1", "da - DATE '2000-01-01'"),
    "interval arithmetic": (
        *(f"{c} + INTERVAL '1 month 1 day 01:00:00'" for c in COLUMNS),
        *(f"{c} - iv" for c in COLUMNS),
        *(
            "DATE '2000-01-31' + INTERVAL 1 MONTH",
            "INTERVAL 1 DAY + da",
            "ts - ts",
            "ts_ns - ts_ns",
            "ts - da",
            "ti - iv",
        ),
        *("iv * 2", "2 * iv", "iv * i16", "-iv", "da - INTERVAL (i16) DAY", "ts + INTERVAL 1 YEAR - INTERVAL 1 DAY"),
    ),
    "EXTRACT": (
        *(f"extract({p} FROM {c})" for p in PARTS for c in ("da", "ts_ns")),
        *(f"extract({p} FROM {c})" for p in PARTS[3:8] for c in ("ti", "ts", "iv")),
    ),
    "date_part": (
        "date_part('year', da)",
        "date_part('hour', ts)",
        "datepart('month', ts_s)",
        "date_part('epoch', iv)",
    ),
    "parts by name": (
        "year(da)",
        "month(ts)",
        "day(ts_ns)",
        "dayofmonth(da)",
        "hour(ti)",
        "minute(ts)",
        "second(ts_ms)",
        "millisecond(ti)",
        "microsecond(ts_ns)",
        "decade(da)",
        "century(da)",
        "millennium(da)",
        "quarter(ts)",
        "week(da)",
        "weekofyear(da)",
        "dayofweek(da)",
        "weekday(ts)",
        "isodow(da)",
        "dayofyear(ts)",
        "isoyear(da)",
        "yearweek(da)",
        "era(da)",
        "epoch(ts)",
        "julian(da)",
    ),
    "last_day": ("last_day(da)", "last_day(ts)"),
    "make_date": ("make_date(2000, 1, 2)", "make_date(i16::BIGINT + 2000, 1, 2)", "make_date(NULL, 1, 1)"),
    "date_add": ("date_add(da, INTERVAL 1 DAY)", "date_add(ts, iv)"),
    "date_trunc": (
        *(f"date_trunc('{p}', {c})" for p, c in (("month", "ts"), ("year", "da"), ("week", "da"), ("hour", "ts_ns"))),
        "datetrunc('quarter', ts)",
    ),
    "date_diff": (
        "date_diff('day', da, ts::DATE)",
        "datediff('month', ts, ts_s::TIMESTAMP)",
        "date_diff('hour', ts, ts)",
    ),
    "INTERVAL": (*INTERVALS, "to_days(3)", "to_months(i32)", "to_years(1)", "to_hours(i64)"),
}

MATRICES: dict[str, list[str]] = {
    "parts": [f"extract({p} FROM {c})" for p in PARTS for c in COLUMNS],
    "functions": [f"{f}({c})" for f in FUNCTIONS for c in COLUMNS],
    "intervals": [f"{c} {o} {i}" for c in COLUMNS for o in "+-" for i in INTERVALS],
    "pairs": [f"{a} {o} {b}" for o in "+-" for a in COLUMNS for b in (*COLUMNS, "1", "i32", "NULL")],
}


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case])


@pytest.mark.parametrize("table", ["plain", "edge"])
@pytest.mark.parametrize("case", MATRICES)
def test_every_type(case: str, table: str) -> None:
    failing = [e for e in MATRICES[case] if expected(select([e], table)).table is None]
    assert_expressions_agree([e for e in MATRICES[case] if e not in failing], table, ("interpreted",))
    for e in failing:
        assert_fails(select([e], table), ("interpreted",))


FAILING = (
    "SELECT make_date(2001, 2, 29)",
    "SELECT DATE '5881580-07-10' + i32 FROM plain",
    "SELECT da + INTERVAL 1 FORTNIGHT FROM plain",
    "SELECT extract(nonsense FROM da) FROM plain",
    "SELECT da + da FROM plain",
    "SELECT year(s) FROM plain",
)


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
