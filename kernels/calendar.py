"""The proleptic Gregorian calendar on days since 1970-01-01, and the splitting of ticks into days and time.

Years before 1 are 0, -1, ...: year 0 is 1 BC.
"""

from __future__ import annotations

from headrace.kernels.primitives import divide_i64, i64, remainder_i64
from headrace.kernels.registry import body


@body
def floor_divide(a: int, b: int) -> int:
    """a / b rounded down, b > 0."""
    q = divide_i64(a, b)
    return q - i64(a < i64(0) and q * b != a)


@body
def floor_remainder(a: int, b: int) -> int:
    """a - b * floor(a / b), b > 0."""
    r = remainder_i64(a, b)
    return r + (b if r < i64(0) else i64(0))


@body
def civil(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day."""
    # eras of 400 years that begin on March 1, so that the leap day ends a year
    shifted = days + i64(719468)
    era = floor_divide(shifted, i64(146097))
    in_era = shifted - era * i64(146097)
    leaps = in_era - divide_i64(in_era, i64(1460)) + divide_i64(in_era, i64(36524)) - divide_i64(in_era, i64(146096))
    in_year_of_era = divide_i64(leaps, i64(365))
    in_year = in_era - (
        i64(365) * in_year_of_era + divide_i64(in_year_of_era, i64(4)) - divide_i64(in_year_of_era, i64(100))
    )
    from_march = divide_i64(i64(5) * in_year + i64(2), i64(153))
    day = in_year - divide_i64(i64(153) * from_march + i64(2), i64(5)) + i64(1)
    month = from_march + i64(3)
    year = in_year_of_era + era * i64(400)
    if month > i64(12):
        return year + i64(1), month - i64(12), day
    return year, month, day


@body
def days_of(year: int, month: int, day: int) -> int:
    """The day of a valid (year, month, day)."""
    y = year - i64(month <= i64(2))
    era = floor_divide(y, i64(400))
    in_era = y - era * i64(400)
    from_march = month + (i64(-3) if month > i64(2) else i64(9))
    in_year = divide_i64(i64(153) * from_march + i64(2), i64(5)) + day - i64(1)
    days = in_era * i64(365) + divide_i64(in_era, i64(4)) - divide_i64(in_era, i64(100)) + in_year
    return era * i64(146097) + days - i64(719468)


@body
def is_leap(year: int) -> bool:
    by_100 = remainder_i64(year, i64(100)) == i64(0)
    return remainder_i64(year, i64(4)) == i64(0) and (not by_100 or remainder_i64(year, i64(400)) == i64(0))


@body
def days_in_month(year: int, month: int) -> int:
    if month == i64(2):
        return i64(29) if is_leap(year) else i64(28)
    if month == i64(4) or month == i64(6) or month == i64(9) or month == i64(11):
        return i64(30)
    return i64(31)


@body
def is_date(year: int, month: int, day: int) -> bool:
    """Whether the three make a date within DATE's range."""
    if month < i64(1) or month > i64(12) or day < i64(1) or day > days_in_month(year, month):
        return False
    if year < i64(-5877641) or year > i64(5881580):
        return False
    days = days_of(year, month, day)
    return days >= i64(-2147483646) and days <= i64(2147483646)


@body
def add_months(days: int, months: int) -> int:
    """The same day of the month some months on, or that month's last."""
    if months == i64(0):
        return days
    year, month, day = civil(days)
    count = year * i64(12) + month - i64(1) + months
    y = floor_divide(count, i64(12))
    m = count - y * i64(12) + i64(1)
    last = days_in_month(y, m)
    return days_of(y, m, day if day < last else last)


@body
def iso_weekday(days: int) -> int:
    """Monday 1 ... Sunday 7."""
    return floor_remainder(days + i64(3), i64(7)) + i64(1)


@body
def iso_week(days: int) -> tuple[int, int]:
    """(ISO year, ISO week): weeks begin on Monday, the first is that of the year's first Thursday."""
    thursday = days - iso_weekday(days) + i64(4)
    year, _, _ = civil(thursday)
    return year, divide_i64(thursday - days_of(year, i64(1), i64(1)), i64(7)) + i64(1)
