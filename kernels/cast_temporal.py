"""Casts among dates, times and timestamps of different units."""

from __future__ import annotations

from headrace.kernels.decimal import round_half_up
from headrace.kernels.interval import join_ticks
from headrace.kernels.primitives import i64, multiply_overflow, u8
from headrace.kernels.registry import CASTS, Overload, body
from headrace.kernels.rounding import same_i64
from headrace.kernels.temporal import date_of_micros, time_of_micros
from headrace.types import (
    DATE,
    INTERVAL,
    TICKS_PER_SECOND,
    TIME,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    SqlType,
)


@body
def same_interval(months: int, days: int, micros: int) -> tuple[int, int, int]:
    return months, days, micros


@body
def date_to_ticks(days: int, unit: int) -> tuple[int, int]:
    """The start of a day in units of so many microseconds; fails beyond the timestamps."""
    r, failed = join_ticks(days, i64(0), i64(86400000000))
    return round_half_up(r, unit) if unit > i64(1) else r, failed


@body
def date_to_nanoseconds(days: int) -> tuple[int, int]:
    return join_ticks(days, i64(0), i64(86400000000000))


@body
def finer_ticks(ticks: int, factor: int) -> tuple[int, int]:
    """Fails beyond the timestamps of the finer unit."""
    r, overflow = multiply_overflow(ticks, factor)
    most = i64(9223372036854775807)
    return r, overflow | u8(r >= most or r <= i64(0) - most)


@body
def coarser_ticks(ticks: int, divisor: int) -> int:
    """The nearest tick, halves away from the epoch."""
    if ticks > i64(9223372036854775807) - divisor or ticks < divisor - i64(9223372036854775807):
        # half a tick more would leave the words
        whole = ticks - (divisor if ticks > i64(0) else i64(0) - divisor)
        return round_half_up(whole, divisor) + (i64(1) if ticks > i64(0) else i64(-1))
    return round_half_up(ticks, divisor)


@body
def date_of_ticks(ticks: int, per_micro: int, micros_each: int) -> int:
    """The day of a timestamp, by way of its nearest microsecond."""
    if per_micro > i64(1):
        return date_of_micros(coarser_ticks(ticks, per_micro))
    return date_of_micros(ticks * micros_each)


@body
def time_of_ticks(ticks: int, per_micro: int, micros_each: int) -> int:
    if per_micro > i64(1):
        return time_of_micros(coarser_ticks(ticks, per_micro))
    return time_of_micros(ticks * micros_each)


_RANGE = "the date and time are not in the range of timestamps"


def _temporal(source: SqlType, target: SqlType) -> Overload | None:
    if source == target:
        if source == INTERVAL:
            return Overload((source,), target, same_interval)
        return Overload((source,), target, same_i64) if source in (DATE, TIME) or source.is_timestamp else None
    if source == DATE and target == TIMESTAMP_NS:
        return Overload((source,), target, date_to_nanoseconds, fails=_RANGE)
    if source == DATE and target.is_timestamp:
        unit = 10**6 // TICKS_PER_SECOND[target.kind]
        return Overload((source,), target, date_to_ticks, fails=_RANGE, constants=(("i64", unit),))
    if not source.is_timestamp:
        return None
    ticks = TICKS_PER_SECOND[source.kind]
    if target in (DATE, TIME):
        row = date_of_ticks if target == DATE else time_of_ticks
        constants = (("i64", max(1, ticks // 10**6)), ("i64", max(1, 10**6 // ticks)))
        return Overload((source,), target, row, constants=constants)
    if not target.is_timestamp or (source == TIMESTAMP_NS and target == TIMESTAMP_S):
        return None
    wanted = TICKS_PER_SECOND[target.kind]
    if wanted > ticks:
        return Overload((source,), target, finer_ticks, fails=_RANGE, constants=(("i64", wanted // ticks),))
    return Overload((source,), target, coarser_ticks, constants=(("i64", ticks // wanted),))


CASTS.append(_temporal)
