"""Casts among dates, times and timestamps against DuckDB."""

from __future__ import annotations

import duckdb
import pytest

from headrace.kernels.registry import cast
from headrace.types import DATE, INTERVAL, TIME, TIMESTAMP, TIMESTAMP_MS, TIMESTAMP_NS, TIMESTAMP_S, SqlType
from kernel_oracle import Oracle, sql_name
from kernel_samples import samples

TYPES = (DATE, TIME, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP, TIMESTAMP_NS, INTERVAL)
BETWEEN = (
    "1969-12-31 23:59:59.4999995", "1969-12-31 23:59:59.5", "1999-01-01 00:00:00.0005",
    "1999-01-01 00:00:01.5", "1969-12-31 23:59:59.9999995", "1969-12-31 23:59:58.0000005",
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("target", TYPES, ids=sql_name)
@pytest.mark.parametrize("source", TYPES, ids=sql_name)
def test_cast(oracle: Oracle, source: SqlType, target: SqlType) -> None:
    overload = cast(source, target)
    # the last half second before the end of time rounds up to a timestamp that cannot be read back
    known = [x for x in samples(source) if "294247" not in x]
    rows = [(x,) for x in (*known, *(BETWEEN if source.is_timestamp else ()))]
    if overload is not None:
        oracle.check(overload, f"CAST(a AS {sql_name(target)})", rows)
        return
    oracle.table((source,), rows)
    with pytest.raises(duckdb.Error, match="Unimplemented"):
        oracle.connection.execute(f"SELECT CAST(a AS {sql_name(target)}) FROM t").fetchall()
