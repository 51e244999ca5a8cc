"""Casts among numbers and BOOLEAN against DuckDB."""

from __future__ import annotations

import pytest

from headrace.kernels.registry import cast
from headrace.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    SqlType,
    decimal,
)  # fmt: skip
from kernel_oracle import Oracle, close, same, sql_name
from kernel_samples import samples

TYPES = (
    BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, HUGEINT, FLOAT,
    DOUBLE, decimal(1, 0), decimal(1, 1), decimal(4, 1), decimal(9, 2), decimal(15, 2), decimal(18, 0),
    decimal(18, 18), decimal(19, 3), decimal(38, 0), decimal(38, 10), decimal(38, 38),
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("target", TYPES, ids=sql_name)
@pytest.mark.parametrize("source", TYPES, ids=sql_name)
def test_cast(oracle: Oracle, source: SqlType, target: SqlType) -> None:
    overload = cast(source, target)
    assert overload is not None
    assert overload.arguments == (source,)
    # powers of ten from 10**23 up are no doubles, and DuckDB divides by them with more bits than a double has
    equal = close if source.scale > 22 and target == DOUBLE else same
    oracle.check(overload, f"CAST(a AS {sql_name(target)})", [(x,) for x in samples(source)], equal=equal)
