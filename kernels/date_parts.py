"""date_trunc and date_diff. Their part is a text that is read for each row, as it may be a column."""

from __future__ import annotations

from headrace.kernels.calendar import civil, days_of, floor_divide, iso_week, iso_weekday
from headrace.kernels.interval import join_ticks
from headrace.kernels.number_input import letters_at, packed
from headrace.kernels.primitives import (
    TextBytes,
    divide_i64,
    i64,
    multiply_overflow,
    subtract_overflow,
    u8,
    u64,
)
from headrace.kernels.registry import Overload, body, scalar
from headrace.kernels.temporal import date_of_micros
from headrace.types import BIGINT, DATE, NULL, TIMESTAMP, VARCHAR, SqlType

Types = tuple[SqlType, ...]

# the names of the parts as `letters_at` packs them; those of one line are one part
US, USEC, USECS, MICROSECOND, MICROSECONDS = map(packed, ("us", "usec", "usecs", "microsecond", "microseconds"))
MS, MSEC, MSECS, MILLISECOND, MILLISECONDS = map(packed, ("ms", "msec", "msecs", "millisecond", "milliseconds"))
S, SEC, SECS, SECOND, SECONDS, EPOCH = map(packed, ("s", "sec", "secs", "second", "seconds", "epoch"))
M, MIN, MINS, MINUTE, MINUTES = map(packed, ("m", "min", "mins", "minute", "minutes"))
H, HR, HRS, HOUR, HOURS = map(packed, ("h", "hr", "hrs", "hour", "hours"))
D, DAY, DAYS, DAYOFMONTH = map(packed, ("d", "day", "days", "dayofmonth"))
W, WEEK, WEEKS, WEEKOFYEAR = map(packed, ("w", "week", "weeks", "weekofyear"))
MON, MONS, MONTH, MONTHS = map(packed, ("mon", "mons", "month", "months"))
QUARTER, QUARTERS = map(packed, ("quarter", "quarters"))
Y, YR, YRS, YEAR, YEARS = map(packed, ("y", "yr", "yrs", "year", "years"))
ISOYEAR = packed("isoyear")
DEC, DECS, DECADE, DECADES = map(packed, ("dec", "decs", "decade", "decades"))
C, CENT, CENTURY, CENTURIES = map(packed, ("c", "cent", "century", "centuries"))
MIL, MILS, MILLENNIUM, MILLENNIA = map(packed, ("mil", "mils", "millennium", "millennia"))


@body
def clock_part(word: int) -> int:
    """The microseconds of a part below a day; 0 for any other word."""
    if word == u64(US) or word == u64(USEC) or word == u64(USECS):
        return i64(1)
    if word == u64(MICROSECOND) or word == u64(MICROSECONDS):
        return i64(1)
    if word == u64(MS) or word == u64(MSEC) or word == u64(MSECS):
        return i64(1000)
    if word == u64(MILLISECOND) or word == u64(MILLISECONDS):
        return i64(1000)
    if word == u64(S) or word == u64(SEC) or word == u64(SECS):
        return i64(1000000)
    if word == u64(SECOND) or word == u64(SECONDS) or word == u64(EPOCH):
        return i64(1000000)
    if word == u64(M) or word == u64(MIN) or word == u64(MINS) or word == u64(MINUTE) or word == u64(MINUTES):
        return i64(60000000)
    if word == u64(H) or word == u64(HR) or word == u64(HRS) or word == u64(HOUR) or word == u64(HOURS):
        return i64(3600000000)
    return i64(0)


@body
def year_part(word: int) -> int:
    """The years of a part that is made of years; 0 for any other word."""
    if word == u64(Y) or word == u64(YR) or word == u64(YRS) or word == u64(YEAR) or word == u64(YEARS):
        return i64(1)
    if word == u64(DEC) or word == u64(DECS) or word == u64(DECADE) or word == u64(DECADES):
        return i64(10)
    if word == u64(C) or word == u64(CENT) or word == u64(CENTURY) or word == u64(CENTURIES):
        return i64(100)
    if word == u64(MIL) or word == u64(MILS) or word == u64(MILLENNIUM) or word == u64(MILLENNIA):
        return i64(1000)
    return i64(0)


@body
def is_day(word: int) -> bool:
    return word == u64(D) or word == u64(DAY) or word == u64(DAYS) or word == u64(DAYOFMONTH)


@body
def is_week(word: int) -> bool:
    return word == u64(W) or word == u64(WEEK) or word == u64(WEEKS) or word == u64(WEEKOFYEAR)


@body
def is_month(word: int) -> bool:
    return word == u64(MON) or word == u64(MONS) or word == u64(MONTH) or word == u64(MONTHS)


@body
def is_quarter(word: int) -> bool:
    return word == u64(QUARTER) or word == u64(QUARTERS)


@body
def truncate_date(word: int, days: int) -> tuple[int, int]:
    """The first day of the day, week, month ... that a day lies in: (day, failed). Fails for other words."""
    if is_day(word):
        return days, u8(0)
    if is_week(word):
        return days - iso_weekday(days) + i64(1), u8(0)
    year, month, _ = civil(days)
    if is_month(word):
        return days_of(year, month, i64(1)), u8(0)
    if is_quarter(word):
        first = divide_i64(month - i64(1), i64(3)) * i64(3) + i64(1)
        return days_of(year, first, i64(1)), u8(0)
    years = year_part(word)
    if years != i64(0):
        return days_of(divide_i64(year, years) * years, i64(1), i64(1)), u8(0)
    if word == u64(ISOYEAR):
        iso_year, _ = iso_week(days)
        fourth = days_of(iso_year, i64(1), i64(4))
        return fourth - iso_weekday(fourth) + i64(1), u8(0)
    return days, u8(1)


@body
def date_trunc_of_date(a: TextBytes, n: int, days: int) -> tuple[int, int]:
    word = letters_at(a, i64(0), n)
    first = days
    failed = u8(0)
    if clock_part(word) == i64(0):
        first, failed = truncate_date(word, days)
    ticks, outside = join_ticks(first, i64(0), i64(86400000000))
    return ticks, failed | outside


@body
def date_trunc_of_timestamp(a: TextBytes, n: int, ticks: int) -> tuple[int, int]:
    word = letters_at(a, i64(0), n)
    date = date_of_micros(ticks)
    unit = clock_part(word)
    if unit != i64(0):
        clock = ticks - date * i64(86400000000)
        return ticks - (clock - divide_i64(clock, unit) * unit), u8(0)
    first, failed = truncate_date(word, date)
    start, outside = join_ticks(first, i64(0), i64(86400000000))
    return start, failed | outside


@body
def diff_of_dates(word: int, a: int, b: int) -> tuple[int, int]:
    """The borders of days, weeks, months ... that lie between two days: (count, failed)."""
    if is_day(word):
        return b - a, u8(0)
    if is_week(word):
        return divide_i64(b - a, i64(7)), u8(0)
    year_a, month_a, _ = civil(a)
    year_b, month_b, _ = civil(b)
    if is_month(word):
        return (year_b - year_a) * i64(12) + month_b - month_a, u8(0)
    if is_quarter(word):
        quarter_a = divide_i64(year_a * i64(12) + month_a - i64(1), i64(3))
        return divide_i64(year_b * i64(12) + month_b - i64(1), i64(3)) - quarter_a, u8(0)
    years = year_part(word)
    if years != i64(0):
        return divide_i64(year_b, years) - divide_i64(year_a, years), u8(0)
    if word == u64(ISOYEAR):
        iso_a, _ = iso_week(a)
        iso_b, _ = iso_week(b)
        return iso_b - iso_a, u8(0)
    return i64(0), u8(1)


@body
def date_diff_of_dates(p: TextBytes, n: int, a: int, b: int) -> tuple[int, int]:
    word = letters_at(p, i64(0), n)
    unit = clock_part(word)
    if unit != i64(0):
        count, failed = multiply_overflow(b - a, divide_i64(i64(86400000000), unit))
        if unit < i64(1000000):
            # parts of a second are counted on timestamps, which do not reach as far as dates
            _, before = join_ticks(a, i64(0), i64(86400000000))
            _, after = join_ticks(b, i64(0), i64(86400000000))
            failed = failed | before | after
        return count, failed
    return diff_of_dates(word, a, b)


@body
def date_diff_of_timestamps(p: TextBytes, n: int, a: int, b: int) -> tuple[int, int]:
    word = letters_at(p, i64(0), n)
    unit = clock_part(word)
    if unit == i64(1):
        return subtract_overflow(b, a)
    if unit != i64(0):
        return floor_divide(b, unit) - floor_divide(a, unit), u8(0)
    return diff_of_dates(word, date_of_micros(a), date_of_micros(b))


_FAILS = "the date part is not known, or the result is out of range"


def _moment(t: SqlType) -> SqlType | None:
    """DATE for dates, TIMESTAMP for timestamps of any unit and NULL."""
    if t == DATE:
        return t
    return TIMESTAMP if t.is_timestamp or t == NULL else None


@scalar("date_trunc", "datetrunc")
def date_trunc(arguments: Types) -> Overload | None:
    if len(arguments) != 2 or arguments[0] not in (VARCHAR, NULL):
        return None
    t = _moment(arguments[1])
    if t is None:
        return None
    row = date_trunc_of_date if t == DATE else date_trunc_of_timestamp
    return Overload((VARCHAR, t), TIMESTAMP, row, fails=_FAILS)


@scalar("date_diff", "datediff")
def date_diff(arguments: Types) -> Overload | None:
    if len(arguments) != 3 or arguments[0] not in (VARCHAR, NULL):
        return None
    a, b = map(_moment, arguments[1:])
    if a is None or b is None:
        return None
    if a == b == DATE:
        return Overload((VARCHAR, DATE, DATE), BIGINT, date_diff_of_dates, fails=_FAILS)
    return Overload((VARCHAR, TIMESTAMP, TIMESTAMP), BIGINT, date_diff_of_timestamps, fails=_FAILS)
