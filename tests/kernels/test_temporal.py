"""Parts of dates and times, and their arithmetic, against DuckDB."""

from __future__ import annotations

from itertools import product

import pytest

from headrace.kernels.calendar import civil, days_of, iso_week, iso_weekday
from headrace.kernels.registry import resolve
from headrace.types import (
    DATE,
    INTEGER,
    INTERVAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    SqlType,
)  # fmt: skip
from kernel_oracle import Oracle, close, sql_name
from kernel_samples import pairs, samples

PARTS = (
    "year", "month", "day", "quarter", "decade", "century", "millennium", "era", "dayofweek", "isodow",
    "dayofyear", "week", "isoyear", "yearweek", "hour", "minute", "second", "millisecond", "microsecond",
    "epoch", "julian", "dayofmonth", "weekday", "weekofyear",
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("t", [DATE, TIME, TIMESTAMP, TIMESTAMP_NS, INTERVAL], ids=sql_name)
@pytest.mark.parametrize("part", PARTS)
def test_part(oracle: Oracle, part: str, t: SqlType) -> None:
    overload = resolve(part, (t,))
    if overload is None:
        with pytest.raises(Exception, match=r"No function matches|not recognized"):
            oracle.connection.execute(f"SELECT {part}(CAST('{samples(t)[0]}' AS {t}))").fetchall()
        return
    oracle.check(overload, f"{part}(a)", [(x,) for x in samples(t)])


@pytest.mark.parametrize("t", [TIMESTAMP_S, TIMESTAMP_MS], ids=sql_name)
def test_parts_of_other_timestamps_are_those_of_timestamp(t: SqlType) -> None:
    for part in PARTS:
        overload = resolve(part, (t,))
        assert overload is not None
        assert overload.arguments == (TIMESTAMP,)


ARITHMETIC = (
    ("add", "a + b", DATE, INTEGER), ("add", "a + b", INTEGER, DATE), ("add", "a + b", DATE, TIME),
    ("add", "a + b", TIME, DATE), ("add", "a + b", DATE, INTERVAL), ("add", "a + b", INTERVAL, DATE),
    ("add", "a + b", TIMESTAMP, INTERVAL), ("add", "a + b", INTERVAL, TIMESTAMP),
    ("add", "a + b", TIMESTAMP_NS, INTERVAL), ("add", "a + b", TIME, INTERVAL),
    ("add", "a + b", INTERVAL, TIME), ("add", "a + b", INTERVAL, INTERVAL),
    ("subtract", "a - b", DATE, INTEGER), ("subtract", "a - b", DATE, DATE),
    ("subtract", "a - b", TIMESTAMP, TIMESTAMP), ("subtract", "a - b", DATE, INTERVAL),
    ("subtract", "a - b", TIMESTAMP, INTERVAL), ("subtract", "a - b", TIMESTAMP_NS, INTERVAL),
    ("subtract", "a - b", TIME, INTERVAL), ("subtract", "a - b", INTERVAL, INTERVAL),
)  # fmt: skip


@pytest.mark.parametrize(("function", "expression", "a", "b"), ARITHMETIC)
def test_arithmetic(oracle: Oracle, function: str, expression: str, a: SqlType, b: SqlType) -> None:
    overload = resolve(function, (a, b))
    assert overload is not None
    assert overload.arguments == (a, b)
    oracle.check(overload, expression, pairs(a, b))


def test_intervals_by_whole_numbers(oracle: Oracle) -> None:
    rows = [(x, y) for x in samples(INTERVAL) for y in ("0", "1", "-1", "3", "-250", "30000")]
    oracle.check(resolve("multiply", (INTERVAL, SMALLINT)), "a * b", rows, (INTERVAL, SMALLINT))
    oracle.check(resolve("multiply", (SMALLINT, INTERVAL)), "a * b", [r[::-1] for r in rows], (SMALLINT, INTERVAL))
    oracle.check(resolve("negate", (INTERVAL,)), "-a", [(x,) for x in samples(INTERVAL)])


def test_every_day_of_a_century_and_days_far_away(oracle: Oracle) -> None:
    """The calendar, day by day."""
    oracle.connection.execute(
        "CREATE OR REPLACE TABLE days AS SELECT DATE '1890-01-01' + CAST(i AS INTEGER) AS a FROM range(40000) r(i)"
    )
    query = (
        "SELECT CAST(date_diff('day', DATE '1970-01-01', a) AS INTEGER), year(a), month(a), day(a), "
        "isodow(a), isoyear(a), week(a) FROM days"
    )
    for days, year, month, day, weekday, iso_year, week in oracle.connection.execute(query).fetchall():
        assert civil(days) == (year, month, day)
        assert days_of(year, month, day) == days
        assert (iso_weekday(days), iso_week(days)) == (weekday, (iso_year, week))


def test_dates_of_parts(oracle: Oracle) -> None:
    years, months = ("-5", "0", "1", "1900", "2000", "2023", "9999"), ("0", "1", "2", "4", "13")
    values = list(product(years, months, ("0", "1", "28", "29", "30", "31", "32")))
    oracle.check(resolve("make_date", (INTEGER,) * 3), "make_date(a, b, c)", values, (INTEGER,) * 3)


@pytest.mark.parametrize("t", [DATE, TIMESTAMP], ids=sql_name)
def test_last_day(oracle: Oracle, t: SqlType) -> None:
    oracle.check(resolve("last_day", (t,)), "last_day(a)", [(x,) for x in samples(t)], equal=close)
