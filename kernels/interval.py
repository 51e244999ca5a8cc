"""Arithmetic of dates, times and timestamps with whole days and with intervals."""

from __future__ import annotations

from headrace.kernels.calendar import add_months, floor_divide, floor_remainder
from headrace.kernels.primitives import (
    add_overflow,
    i64,
    multiply_overflow,
    remainder_i64,
    subtract_overflow,
    u8,
)
from headrace.kernels.registry import Body, Overload, body, scalar
from headrace.types import (
    BIGINT,
    DATE,
    HUGEINT,
    INTEGER,
    INTERVAL,
    NULL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NS,
    TINYINT,
    UBIGINT,
    USMALLINT,
    UTINYINT,
    SqlType,
)

Types = tuple[SqlType, ...]
Interval = tuple[int, int, int, int]

_DAY = 86_400_000_000  # microseconds
_SMALL = (TINYINT, SMALLINT, INTEGER, UTINYINT, USMALLINT)  # what a DATE takes as a number of days


@body
def outside_32(a: int) -> int:
    """1 where a value leaves 32 bits, as the months and days of an interval must not."""
    return u8(a < i64(-2147483648) or a > i64(2147483647))


@body
def outside_dates(days: int) -> int:
    """1 beyond the last days on either side that DATE has; the two next ones stand for infinity."""
    return u8(days < i64(-2147483646) or days > i64(2147483646))


@body
def add_days(days: int, count: int) -> tuple[int, int]:
    r = days + count
    return r, outside_dates(r)


@body
def add_days_first(count: int, days: int) -> tuple[int, int]:
    r = days + count
    return r, outside_dates(r)


@body
def subtract_days(days: int, count: int) -> tuple[int, int]:
    r = days - count
    return r, outside_dates(r)


@body
def difference_of_dates(a: int, b: int) -> int:
    return a - b


@body
def join_ticks(days: int, ticks: int, day: int) -> tuple[int, int]:
    """The timestamp some ticks after a day began, `day` ticks long; fails outside of the timestamps."""
    # from the side of the epoch, so that only the result can leave the words
    whole = days + i64(days < i64(0))
    start, overflow = multiply_overflow(whole, day)
    r, beyond = add_overflow(start, ticks - (day if days < i64(0) else i64(0)))
    # the greatest word and its negative stand for infinity
    most = i64(9223372036854775807)
    return r, overflow | beyond | u8(r >= most or r <= i64(0) - most)


@body
def move_ticks(ticks: int, months: int, days: int, micros: int, day: int, scale: int) -> tuple[int, int]:
    """A timestamp plus an interval: months first, then days, then the clock."""
    date = floor_divide(ticks, day)
    clock, overflow = multiply_overflow(micros, scale)
    total, beyond = add_overflow(clock, ticks - date * day)
    moved = add_months(date, months) + days + floor_divide(total, day)
    r, outside = join_ticks(moved, floor_remainder(total, day), day)
    return r, overflow | beyond | outside


@body
def add_interval(ticks: int, months: int, days: int, micros: int, day: int, scale: int) -> tuple[int, int]:
    return move_ticks(ticks, months, days, micros, day, scale)


@body
def add_interval_first(months: int, days: int, micros: int, ticks: int, day: int, scale: int) -> tuple[int, int]:
    return move_ticks(ticks, months, days, micros, day, scale)


@body
def subtract_interval(ticks: int, months: int, days: int, micros: int, day: int, scale: int) -> tuple[int, int]:
    negative, overflow = subtract_overflow(i64(0), micros)
    r, outside = move_ticks(ticks, i64(0) - months, i64(0) - days, negative, day, scale)
    return r, overflow | outside


@body
def add_interval_to_date(days: int, months: int, more: int, micros: int) -> tuple[int, int]:
    moved = add_months(days, months) + more
    r, outside = join_ticks(moved, micros, i64(86400000000))
    return r, outside | outside_dates(moved)


@body
def add_date_to_interval(months: int, more: int, micros: int, days: int) -> tuple[int, int]:
    return add_interval_to_date(days, months, more, micros)


@body
def subtract_interval_from_date(days: int, months: int, more: int, micros: int) -> tuple[int, int]:
    negative, overflow = subtract_overflow(i64(0), micros)
    r, outside = add_interval_to_date(days, i64(0) - months, i64(0) - more, negative)
    return r, overflow | outside


@body
def add_interval_to_time(time: int, months: int, days: int, micros: int) -> int:
    """The clock, around midnight; days and months do not move it."""
    return floor_remainder(time + remainder_i64(micros, i64(86400000000)), i64(86400000000))


@body
def add_time_to_interval(months: int, days: int, micros: int, time: int) -> int:
    return add_interval_to_time(time, months, days, micros)


@body
def subtract_interval_from_time(time: int, months: int, days: int, micros: int) -> int:
    return floor_remainder(time - remainder_i64(micros, i64(86400000000)), i64(86400000000))


@body
def add_time_to_date(days: int, time: int) -> tuple[int, int]:
    return join_ticks(days, time, i64(86400000000))


@body
def add_date_to_time(time: int, days: int) -> tuple[int, int]:
    return join_ticks(days, time, i64(86400000000))


@body
def difference_of_timestamps(a: int, b: int) -> tuple[int, int, int]:
    """Days of 24 hours and microseconds, of one sign."""
    day = i64(86400000000)
    date_a = floor_divide(a, day)
    date_b = floor_divide(b, day)
    days = date_a - date_b
    micros = (a - date_a * day) - (b - date_b * day)
    if days > i64(0) and micros < i64(0):
        return i64(0), days - i64(1), micros + day
    if days < i64(0) and micros > i64(0):
        return i64(0), days + i64(1), micros - day
    return i64(0), days, micros


@body
def add_intervals(am: int, ad: int, au: int, bm: int, bd: int, bu: int) -> Interval:
    months = am + bm
    days = ad + bd
    micros, overflow = add_overflow(au, bu)
    return months, days, micros, overflow | outside_32(months) | outside_32(days)


@body
def subtract_intervals(am: int, ad: int, au: int, bm: int, bd: int, bu: int) -> Interval:
    months = am - bm
    days = ad - bd
    micros, overflow = subtract_overflow(au, bu)
    return months, days, micros, overflow | outside_32(months) | outside_32(days)


@body
def negate_interval(months: int, days: int, micros: int) -> Interval:
    negative, overflow = subtract_overflow(i64(0), micros)
    m = i64(0) - months
    d = i64(0) - days
    return m, d, negative, overflow | outside_32(m) | outside_32(d)


@body
def multiply_interval(months: int, days: int, micros: int, factor: int) -> Interval:
    m, bad_months = multiply_overflow(months, factor)
    d, bad_days = multiply_overflow(days, factor)
    u, bad_micros = multiply_overflow(micros, factor)
    return m, d, u, bad_months | bad_days | bad_micros | outside_32(m) | outside_32(d) | outside_32(factor)


@body
def multiply_interval_first(factor: int, months: int, days: int, micros: int) -> Interval:
    return multiply_interval(months, days, micros, factor)


# ---- declarations

_RANGE = "the date and time are not in the range of timestamps"
_DATE_RANGE = "the date is out of range"
_MICROSECONDS = (("i64", _DAY), ("i64", 1))
_NANOSECONDS = (("i64", _DAY * 1000), ("i64", 1000))


def _ticks(t: SqlType) -> SqlType:
    """The timestamp type in which an interval is added: nanoseconds stay, the others become microseconds."""
    return t if t == TIMESTAMP_NS else TIMESTAMP


@scalar("add", "date_add")
def add_temporal(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    a, b = arguments
    row: Body
    if a == DATE and (b in _SMALL or b == NULL):
        return Overload((DATE, INTEGER), DATE, add_days, fails=_DATE_RANGE)
    if b == DATE and (a in _SMALL or a == NULL):
        return Overload((INTEGER, DATE), DATE, add_days_first, fails=_DATE_RANGE)
    if {a, b} == {DATE, TIME}:
        row = add_time_to_date if a == DATE else add_date_to_time
        return Overload((a, b), TIMESTAMP, row, fails=_RANGE)
    if INTERVAL not in arguments:
        return None
    if a == b:
        return Overload((a, b), INTERVAL, add_intervals, fails="overflow in addition of INTERVAL values")
    other = b if a == INTERVAL else a
    if other == DATE:
        row = add_interval_to_date if a == DATE else add_date_to_interval
        return Overload((a, b), TIMESTAMP, row, fails=_RANGE)
    if other == TIME:
        return Overload((a, b), TIME, add_interval_to_time if a == TIME else add_time_to_interval)
    if not other.is_timestamp:
        return None
    t = _ticks(other)
    constants = _NANOSECONDS if t == TIMESTAMP_NS else _MICROSECONDS
    if a == INTERVAL:
        return Overload((INTERVAL, t), t, add_interval_first, fails=_RANGE, constants=constants)
    return Overload((t, INTERVAL), t, add_interval, fails=_RANGE, constants=constants)


@scalar("subtract")
def subtract_temporal(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    a, b = arguments
    if a == DATE and b in _SMALL:
        return Overload((DATE, INTEGER), DATE, subtract_days, fails=_DATE_RANGE)
    if a == DATE and b == DATE:
        return Overload((DATE, DATE), BIGINT, difference_of_dates)
    if all(t == DATE or t.is_timestamp for t in arguments):
        return Overload((TIMESTAMP, TIMESTAMP), INTERVAL, difference_of_timestamps)
    if b != INTERVAL:
        return None
    if a == INTERVAL:
        fails = "overflow in subtraction of INTERVAL values"
        return Overload((a, b), INTERVAL, subtract_intervals, fails=fails)
    if a == DATE:
        return Overload((a, b), TIMESTAMP, subtract_interval_from_date, fails=_RANGE)
    if a == TIME:
        return Overload((a, b), TIME, subtract_interval_from_time)
    if not a.is_timestamp:
        return None
    constants = _NANOSECONDS if a == TIMESTAMP_NS else _MICROSECONDS
    return Overload((_ticks(a), b), _ticks(a), subtract_interval, fails=_RANGE, constants=constants)


@scalar("multiply")
def multiply_temporal(arguments: Types) -> Overload | None:
    """An interval by a whole number. Other factors are not declared."""
    if len(arguments) != 2 or INTERVAL not in arguments:
        return None
    other = arguments[1] if arguments[0] == INTERVAL else arguments[0]
    if not other.is_integer or other in (HUGEINT, UBIGINT):
        return None
    fails = "overflow in multiplication of an INTERVAL value"
    if arguments[0] == INTERVAL:
        return Overload((INTERVAL, BIGINT), INTERVAL, multiply_interval, fails=fails)
    return Overload((BIGINT, INTERVAL), INTERVAL, multiply_interval_first, fails=fails)


@scalar("negate")
def negate_temporal(arguments: Types) -> Overload | None:
    if arguments != (INTERVAL,):
        return None
    return Overload((INTERVAL,), INTERVAL, negate_interval, fails="overflow in negation of an INTERVAL value")
