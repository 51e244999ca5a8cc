"""The type objects and value constructors of PEP 249."""

from __future__ import annotations

import datetime
from datetime import date as Date
from datetime import datetime as Timestamp
from datetime import time as Time

from headrace.types import Kind, SqlType

Binary = bytes

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Date",
    "DateFromTicks",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "TypeObject",
]


class TypeObject:
    """A family of SQL types; equal to the type code of every column whose type belongs to it."""

    def __init__(self, name: str, *kinds: Kind) -> None:
        self.name = name
        self.kinds = frozenset(kinds)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SqlType):
            return other.kind in self.kinds
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"headrace.{self.name}"


STRING = TypeObject("STRING", Kind.VARCHAR)
BINARY = TypeObject("BINARY", Kind.BLOB)
NUMBER = TypeObject(
    "NUMBER",
    Kind.BOOLEAN,
    Kind.TINYINT,
    Kind.SMALLINT,
    Kind.INTEGER,
    Kind.BIGINT,
    Kind.UTINYINT,
    Kind.USMALLINT,
    Kind.UINTEGER,
    Kind.UBIGINT,
    Kind.HUGEINT,
    Kind.FLOAT,
    Kind.DOUBLE,
    Kind.DECIMAL,
)
DATETIME = TypeObject(
    "DATETIME",
    Kind.DATE,
    Kind.TIME,
    Kind.TIMESTAMP_S,
    Kind.TIMESTAMP_MS,
    Kind.TIMESTAMP,
    Kind.TIMESTAMP_NS,
    Kind.INTERVAL,
)
ROWID = TypeObject("ROWID")


def DateFromTicks(ticks: float) -> datetime.date:
    """The local date of a number of seconds since the epoch."""
    return Date.fromtimestamp(ticks)


def TimeFromTicks(ticks: float) -> datetime.time:
    """The local time of day of a number of seconds since the epoch."""
    return Timestamp.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """The local date and time of a number of seconds since the epoch."""
    return Timestamp.fromtimestamp(ticks)
