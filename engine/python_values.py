"""Arrow columns as Python values, the way DuckDB's Python client gives them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from headrace.types import TICKS_PER_SECOND, Kind, SqlType
from headrace.value_text import clock_text, date_text, timestamp_text

if TYPE_CHECKING:
    import pyarrow as pa

INFINITE_DATE = 2**31 - 1  # days; DATE 'infinity', and with a minus '-infinity'
INFINITE_TIMESTAMP = 2**63 - 1  # ticks; the same for TIMESTAMP

_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_DAY = datetime.date.min.toordinal() - _EPOCH.toordinal()
_LAST_DAY = datetime.date.max.toordinal() - _EPOCH.toordinal()
_MICROSECONDS_A_DAY = 86_400 * 10**6


def python_values(column: pa.ChunkedArray, sql_type: SqlType) -> list[object]:
    """One Python value a row, None for NULL.

    Whole numbers are int, DECIMAL is Decimal, BOOLEAN bool, FLOAT and DOUBLE float, VARCHAR str, BLOB bytes,
    DATE date, TIME time, every TIMESTAMP datetime (nanoseconds cut off), INTERVAL timedelta with months of 30
    days. A date, time or timestamp that Python's types cannot hold is given as its text, the infinities as
    the least and greatest value.
    """
    kind = sql_type.kind
    if kind is Kind.HUGEINT:
        return [None if v is None else int(v) for v in column.to_pylist()]
    if kind is Kind.INTERVAL:
        return [None if v is None else _timedelta(*v) for v in column.to_pylist()]
    if kind is Kind.DATE:
        return _dates(column)
    if kind is Kind.TIME:
        return _times(column)
    if sql_type.is_timestamp:
        return _timestamps(column, kind)
    values: list[object] = column.to_pylist()
    return values


def _timedelta(months: int, days: int, nanoseconds: int) -> datetime.timedelta:
    return datetime.timedelta(days=months * 30 + days, microseconds=nanoseconds // 1000)


def _within(column: pa.ChunkedArray, least: int, greatest: int) -> bool:
    import pyarrow.compute as pc

    bounds = pc.min_max(column)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    return low is None or (low >= least and high <= greatest)


def _dates(column: pa.ChunkedArray) -> list[object]:
    import pyarrow as pa

    days = column.cast(pa.int32())
    if _within(days, _FIRST_DAY, _LAST_DAY):
        values: list[object] = column.to_pylist()
        return values
    return [None if v is None else _date(v) for v in days.to_pylist()]


def _date(days: int) -> datetime.date | str:
    if abs(days) == INFINITE_DATE:
        return datetime.date.max if days > 0 else datetime.date.min
    if _FIRST_DAY <= days <= _LAST_DAY:
        return datetime.date.fromordinal(_EPOCH.toordinal() + days)
    return date_text(days)


def _times(column: pa.ChunkedArray) -> list[object]:
    import pyarrow as pa

    ticks = column.cast(pa.int64())
    if _within(ticks, 0, _MICROSECONDS_A_DAY - 1):
        values: list[object] = column.to_pylist()
        return values
    # 24:00:00 is a TIME that Python's time does not know.
    return [
        None if v is None else clock_text(v, 10**6) if v >= _MICROSECONDS_A_DAY else _time(v) for v in ticks.to_pylist()
    ]


def _time(microseconds: int) -> datetime.time:
    return (_EPOCH + datetime.timedelta(microseconds=microseconds)).time()


def _timestamps(column: pa.ChunkedArray, kind: Kind) -> list[object]:
    import pyarrow as pa

    ticks = column.cast(pa.int64())
    per_second = TICKS_PER_SECOND[kind]
    if kind is not Kind.TIMESTAMP_NS and _within(
        ticks, _FIRST_DAY * 86_400 * per_second, (_LAST_DAY + 1) * 86_400 * per_second - 1
    ):
        values: list[object] = column.to_pylist()
        return values
    return [None if v is None else _timestamp(v, per_second) for v in ticks.to_pylist()]


def _timestamp(ticks: int, per_second: int) -> datetime.datetime | str:
    if abs(ticks) == INFINITE_TIMESTAMP:
        return datetime.datetime.max if ticks > 0 else datetime.datetime.min
    if per_second > 10**6:
        divisor = per_second // 10**6
        microseconds = abs(ticks) // divisor * (1 if ticks >= 0 else -1)
    else:
        microseconds = ticks * (10**6 // per_second)
    try:
        return _EPOCH + datetime.timedelta(microseconds=microseconds)
    except OverflowError:
        return timestamp_text(ticks, per_second)
