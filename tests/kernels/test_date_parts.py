"""date_trunc and date_diff against DuckDB."""

from __future__ import annotations

from itertools import product

import pytest

from headrace.kernels.registry import resolve
from headrace.types import DATE, TIMESTAMP, VARCHAR, SqlType
from kernel_oracle import FAILED, Oracle, run, sql_name
from kernel_samples import samples

PARTS = (
    "microsecond", "us", "milliseconds", "ms", "second", "secs", "epoch", "minute", "m", "hour", "hrs",
    "day", "d", "dayofmonth", "week", "weekofyear", "month", "MON", "quarter", "year", "yr", "isoyear",
    "decade", "century", "c", "millennium", "mils",
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("t", [DATE, TIMESTAMP], ids=sql_name)
def test_date_trunc(oracle: Oracle, t: SqlType) -> None:
    rows = list(product(PARTS, samples(t)))
    oracle.check(resolve("date_trunc", (VARCHAR, t)), "date_trunc(a, b)", rows)


@pytest.mark.parametrize("t", [DATE, TIMESTAMP], ids=sql_name)
def test_date_diff(oracle: Oracle, t: SqlType) -> None:
    values = samples(t)[:: len(samples(t)) // 11]
    rows = list(product(PARTS, values, values))
    oracle.check(resolve("date_diff", (VARCHAR, t, t)), "date_diff(a, b, c)", rows)


def test_unknown_parts_fail() -> None:
    for name, arguments in (("date_trunc", (VARCHAR, DATE)), ("date_diff", (VARCHAR, DATE, DATE))):
        overload = resolve(name, arguments)
        assert overload is not None
        assert run(overload, (b"fortnight", *[0] * (len(arguments) - 1))) == FAILED
