"""The parts of dates, times, timestamps and intervals, and dates made of parts."""

from __future__ import annotations

from collections.abc import Callable

from headrace.kernels.calendar import (
    civil,
    days_in_month,
    days_of,
    floor_divide,
    floor_remainder,
    is_date,
    iso_week,
    iso_weekday,
)
from headrace.kernels.clock_parts import (
    century_of_interval,
    day_of_interval,
    decade_of_interval,
    epoch_of_interval,
    epoch_of_time,
    hour_of_interval,
    hour_of_time,
    microsecond_of_interval,
    microsecond_of_time,
    millennium_of_interval,
    millisecond_of_interval,
    millisecond_of_time,
    minute_of_interval,
    minute_of_time,
    month_of_interval,
    quarter_of_interval,
    second_of_interval,
    second_of_time,
    year_of_interval,
)
from headrace.kernels.primitives import (
    divide_f64,
    divide_i64,
    f64,
    i64,
    remainder_i64,
    u8,
)
from headrace.kernels.registry import Body, Overload, body, scalar
from headrace.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTERVAL,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NS,
    SqlType,
)

Types = tuple[SqlType, ...]

# ---- bodies: parts of a day


@body
def year_of_date(days: int) -> int:
    return civil(days)[0]


@body
def month_of_date(days: int) -> int:
    return civil(days)[1]


@body
def day_of_date(days: int) -> int:
    return civil(days)[2]


@body
def quarter_of_date(days: int) -> int:
    return divide_i64(civil(days)[1] + i64(2), i64(3))


@body
def decade_of_date(days: int) -> int:
    return divide_i64(civil(days)[0], i64(10))


@body
def century_of_year(year: int) -> int:
    """Year 1 begins the first century; the years before count -1, -2, ..."""
    if year > i64(0):
        return divide_i64(year - i64(1), i64(100)) + i64(1)
    return i64(0) - divide_i64(i64(0) - year, i64(100)) - i64(1)


@body
def century_of_date(days: int) -> int:
    return century_of_year(civil(days)[0])


@body
def millennium_of_date(days: int) -> int:
    year = civil(days)[0]
    if year > i64(0):
        return divide_i64(year - i64(1), i64(1000)) + i64(1)
    return i64(0) - divide_i64(i64(0) - year, i64(1000)) - i64(1)


@body
def era_of_date(days: int) -> int:
    return i64(1) if civil(days)[0] > i64(0) else i64(0)


@body
def day_of_week(days: int) -> int:
    """Sunday 0 ... Saturday 6."""
    return remainder_i64(iso_weekday(days), i64(7))


@body
def iso_day_of_week(days: int) -> int:
    return iso_weekday(days)


@body
def day_of_year(days: int) -> int:
    return days - days_of(civil(days)[0], i64(1), i64(1)) + i64(1)


@body
def week_of_date(days: int) -> int:
    return iso_week(days)[1]


@body
def iso_year_of_date(days: int) -> int:
    return iso_week(days)[0]


@body
def year_week_of_date(days: int) -> int:
    year, week = iso_week(days)
    return year * i64(100) + (week if year > i64(0) else i64(0) - week)


@body
def epoch_of_date(days: int) -> float:
    return f64(days * i64(86400))


@body
def julian_of_date(days: int) -> float:
    return f64(days + i64(2440588))


@body
def no_clock(days: int) -> int:
    """The hour, minute, second ... of a date."""
    return i64(0)


# ---- bodies: parts of a timestamp (microseconds since the epoch)


@body
def date_of_micros(ticks: int) -> int:
    return floor_divide(ticks, i64(86400000000))


@body
def time_of_micros(ticks: int) -> int:
    return floor_remainder(ticks, i64(86400000000))


@body
def year_of_timestamp(ticks: int) -> int:
    return civil(date_of_micros(ticks))[0]


@body
def month_of_timestamp(ticks: int) -> int:
    return civil(date_of_micros(ticks))[1]


@body
def day_of_timestamp(ticks: int) -> int:
    return civil(date_of_micros(ticks))[2]


@body
def quarter_of_timestamp(ticks: int) -> int:
    return quarter_of_date(date_of_micros(ticks))


@body
def decade_of_timestamp(ticks: int) -> int:
    return decade_of_date(date_of_micros(ticks))


@body
def century_of_timestamp(ticks: int) -> int:
    return century_of_date(date_of_micros(ticks))


@body
def millennium_of_timestamp(ticks: int) -> int:
    return millennium_of_date(date_of_micros(ticks))


@body
def era_of_timestamp(ticks: int) -> int:
    return era_of_date(date_of_micros(ticks))


@body
def day_of_week_of_timestamp(ticks: int) -> int:
    return day_of_week(date_of_micros(ticks))


@body
def iso_day_of_week_of_timestamp(ticks: int) -> int:
    return iso_weekday(date_of_micros(ticks))


@body
def day_of_year_of_timestamp(ticks: int) -> int:
    return day_of_year(date_of_micros(ticks))


@body
def week_of_timestamp(ticks: int) -> int:
    return iso_week(date_of_micros(ticks))[1]


@body
def iso_year_of_timestamp(ticks: int) -> int:
    return iso_week(date_of_micros(ticks))[0]


@body
def year_week_of_timestamp(ticks: int) -> int:
    return year_week_of_date(date_of_micros(ticks))


@body
def hour_of_timestamp(ticks: int) -> int:
    return hour_of_time(time_of_micros(ticks))


@body
def minute_of_timestamp(ticks: int) -> int:
    return minute_of_time(time_of_micros(ticks))


@body
def second_of_timestamp(ticks: int) -> int:
    return second_of_time(time_of_micros(ticks))


@body
def millisecond_of_timestamp(ticks: int) -> int:
    return millisecond_of_time(time_of_micros(ticks))


@body
def microsecond_of_timestamp(ticks: int) -> int:
    return microsecond_of_time(time_of_micros(ticks))


@body
def epoch_of_timestamp(ticks: int) -> float:
    return divide_f64(f64(ticks), f64(1000000.0))


@body
def julian_of_timestamp(ticks: int) -> float:
    fraction = divide_f64(f64(time_of_micros(ticks)), f64(86400000000.0))
    return julian_of_date(date_of_micros(ticks)) + fraction


# ---- bodies: dates


@body
def make_date_of_parts(year: int, month: int, day: int) -> tuple[int, int]:
    if is_date(year, month, day):
        return days_of(year, month, day), u8(0)
    return i64(0), u8(1)


@body
def last_day_of_date(days: int) -> tuple[int, int]:
    year, month, day = civil(days)
    last = days + days_in_month(year, month) - day
    return last, u8(last > i64(2147483646))


@body
def last_day_of_timestamp(ticks: int) -> tuple[int, int]:
    return last_day_of_date(date_of_micros(ticks))


@body
def hour_of_nanoseconds(ticks: int) -> int:
    return hour_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def minute_of_nanoseconds(ticks: int) -> int:
    return minute_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def second_of_nanoseconds(ticks: int) -> int:
    return second_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def millisecond_of_nanoseconds(ticks: int) -> int:
    return millisecond_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def microsecond_of_nanoseconds(ticks: int) -> int:
    return microsecond_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def epoch_of_nanoseconds(ticks: int) -> float:
    return epoch_of_timestamp(floor_divide(ticks, i64(1000)))


@body
def whole_microseconds(ticks: int) -> int:
    return floor_divide(ticks, i64(1000))


# ---- declarations

Parts = tuple[Body | None, Body | None, Body | None, Body | None]

_RANGE = "the date is out of range"

# for each part, the bodies for DATE, TIME, TIMESTAMP and INTERVAL
_PARTS: dict[str, Parts] = {
    "year": (year_of_date, None, year_of_timestamp, year_of_interval),
    "month": (month_of_date, None, month_of_timestamp, month_of_interval),
    "day": (day_of_date, None, day_of_timestamp, day_of_interval),
    "quarter": (quarter_of_date, None, quarter_of_timestamp, quarter_of_interval),
    "decade": (decade_of_date, None, decade_of_timestamp, decade_of_interval),
    "century": (century_of_date, None, century_of_timestamp, century_of_interval),
    "millennium": (millennium_of_date, None, millennium_of_timestamp, millennium_of_interval),
    "era": (era_of_date, None, era_of_timestamp, None),
    "dayofweek": (day_of_week, None, day_of_week_of_timestamp, None),
    "isodow": (iso_day_of_week, None, iso_day_of_week_of_timestamp, None),
    "dayofyear": (day_of_year, None, day_of_year_of_timestamp, None),
    "week": (week_of_date, None, week_of_timestamp, None),
    "isoyear": (iso_year_of_date, None, iso_year_of_timestamp, None),
    "yearweek": (year_week_of_date, None, year_week_of_timestamp, None),
    "hour": (no_clock, hour_of_time, hour_of_timestamp, hour_of_interval),
    "minute": (no_clock, minute_of_time, minute_of_timestamp, minute_of_interval),
    "second": (no_clock, second_of_time, second_of_timestamp, second_of_interval),
    "millisecond": (no_clock, millisecond_of_time, millisecond_of_timestamp, millisecond_of_interval),
    "microsecond": (no_clock, microsecond_of_time, microsecond_of_timestamp, microsecond_of_interval),
    "epoch": (epoch_of_date, epoch_of_time, epoch_of_timestamp, epoch_of_interval),
    "julian": (julian_of_date, None, julian_of_timestamp, None),
}

# What the clock shows of a TIMESTAMP_NS is cut to microseconds; its date is that of the rounded TIMESTAMP.
_OF_NANOSECONDS: dict[str, Body] = {
    "hour": hour_of_nanoseconds,
    "minute": minute_of_nanoseconds,
    "second": second_of_nanoseconds,
    "millisecond": millisecond_of_nanoseconds,
    "microsecond": microsecond_of_nanoseconds,
    "epoch": epoch_of_nanoseconds,
}

_OTHER_NAMES = {
    "day": ("dayofmonth",),
    "dayofweek": ("weekday",),
    "week": ("weekofyear",),
}


def _part(name: str, bodies: Parts) -> Callable[[Types], Overload | None]:
    result = DOUBLE if name in ("epoch", "julian") else BIGINT

    def resolver(arguments: Types) -> Overload | None:
        if len(arguments) != 1:
            return None
        if arguments[0] == TIMESTAMP_NS and name in _OF_NANOSECONDS:
            return Overload(arguments, result, _OF_NANOSECONDS[name])
        t = TIMESTAMP if arguments[0].is_timestamp or arguments[0] == NULL else arguments[0]
        row = dict(zip((DATE, TIME, TIMESTAMP, INTERVAL), bodies, strict=True)).get(t)
        return None if row is None else Overload((t,), result, row)

    return resolver


for _name, _bodies in _PARTS.items():
    scalar(_name, *_OTHER_NAMES.get(_name, ()))(_part(_name, _bodies))


@scalar("whole_microseconds")
def cut_to_microseconds(arguments: Types) -> Overload | None:
    """TIMESTAMP_NS -> TIMESTAMP rounded down, of which EXTRACT takes the part; the cast rounds to the nearest."""
    return Overload(arguments, TIMESTAMP, whole_microseconds) if arguments == (TIMESTAMP_NS,) else None


@scalar("make_date")
def make_date(arguments: Types) -> Overload | None:
    if len(arguments) != 3 or not all(t.is_integer or t == NULL for t in arguments):
        return None
    return Overload((BIGINT,) * 3, DATE, make_date_of_parts, fails=_RANGE)


@scalar("last_day")
def last_day(arguments: Types) -> Overload | None:
    if len(arguments) != 1:
        return None
    if arguments[0] in (DATE, NULL):
        return Overload((DATE,), DATE, last_day_of_date, fails=_RANGE)
    if not arguments[0].is_timestamp:
        return None
    return Overload((TIMESTAMP,), DATE, last_day_of_timestamp, fails=_RANGE)
