"""Every overload that the registry declares over a spread of types, for tests that walk all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from headrace.kernels import functions, registry
from headrace.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    INTERVAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    VARCHAR,
    decimal,
)  # fmt: skip

DECLARED = functions.DECLARED

TYPES = (
    BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, HUGEINT, FLOAT,
    DOUBLE, decimal(4, 1), decimal(9, 2), decimal(18, 3), decimal(18, 18), decimal(30, 5), decimal(38, 0),
    decimal(38, 38), DATE, TIME, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP, TIMESTAMP_NS, INTERVAL, VARCHAR, BLOB,
)  # fmt: skip
FEW = (INTEGER, BIGINT, HUGEINT, DOUBLE, decimal(9, 2), DATE, VARCHAR)


def scalars() -> Iterator[tuple[str, registry.Overload]]:
    """(name, overload) of every function for no, one and two arguments of any type, and three of a few."""
    for name in registry.SCALARS:
        for count, types in ((0, TYPES), (1, TYPES), (2, TYPES), (3, FEW)):
            for arguments in product(types, repeat=count):
                found = registry.resolve(name, arguments)
                if found is not None:
                    yield f"{name}({', '.join(map(str, arguments))})", found


def casts() -> Iterator[tuple[str, registry.Overload]]:
    for source, target in product(TYPES, repeat=2):
        found = registry.cast(source, target)
        if found is not None:
            yield f"CAST({source} AS {target})", found


def overloads() -> Iterator[tuple[str, registry.Overload]]:
    yield from scalars()
    yield from casts()
