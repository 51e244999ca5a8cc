"""Intervals from text: counts with units, a clock among them, `ago` after them."""

from __future__ import annotations

from headrace.kernels.interval import outside_32
from headrace.kernels.number_input import (
    end_without_blanks,
    is_digit,
    letters_at,
    packed,
    skip_blanks,
)
from headrace.kernels.primitives import (
    TextBytes,
    add_overflow,
    divide_i64,
    i64,
    load_u8,
    multiply_overflow,
    remainder_i64,
    u8,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.temporal_input import byte_at, scan_digits

Interval = tuple[int, int, int, int]

US, USEC, USECS = packed("us"), packed("usec"), packed("usecs")
MICROSECOND, MICROSECONDS = packed("microsecond"), packed("microseconds")
MS, MSEC, MSECS = packed("ms"), packed("msec"), packed("msecs")
MILLISECOND, MILLISECONDS = packed("millisecond"), packed("milliseconds")
S, SEC, SECS, SECOND, SECONDS = map(packed, ("s", "sec", "secs", "second", "seconds"))
M, MIN, MINS, MINUTE, MINUTES = map(packed, ("m", "min", "mins", "minute", "minutes"))
H, HR, HRS, HOUR, HOURS = map(packed, ("h", "hr", "hrs", "hour", "hours"))
D, DAY, DAYS = map(packed, ("d", "day", "days"))
W, WEEK, WEEKS = map(packed, ("w", "week", "weeks"))
MON, MONS, MONTH, MONTHS = map(packed, ("mon", "mons", "month", "months"))
QUARTER, QUARTERS = packed("quarter"), packed("quarters")
YR, YRS, YEAR, YEARS, SHORT_YEAR = map(packed, ("yr", "yrs", "year", "years", "y"))
DEC, DECS, DECADE, DECADES = map(packed, ("dec", "decs", "decade", "decades"))
CENT, CENTURY, CENTURIES, SHORT_CENTURY = map(packed, ("cent", "century", "centuries", "c"))
MIL, MILS, MILLENNIUM, MILLENNIA = map(packed, ("mil", "mils", "millennium", "millennia"))
AGO = packed("ago")


@body
def clock_unit(word: int) -> int:
    """The microseconds of a unit below a day; 0 for any other word."""
    if word == u64(US) or word == u64(USEC) or word == u64(USECS):
        return i64(1)
    if word == u64(MICROSECOND) or word == u64(MICROSECONDS):
        return i64(1)
    if word == u64(MS) or word == u64(MSEC) or word == u64(MSECS):
        return i64(1000)
    if word == u64(MILLISECOND) or word == u64(MILLISECONDS):
        return i64(1000)
    if word == u64(S) or word == u64(SEC) or word == u64(SECS) or word == u64(SECOND) or word == u64(SECONDS):
        return i64(1000000)
    if word == u64(M) or word == u64(MIN) or word == u64(MINS) or word == u64(MINUTE) or word == u64(MINUTES):
        return i64(60000000)
    if word == u64(H) or word == u64(HR) or word == u64(HRS) or word == u64(HOUR) or word == u64(HOURS):
        return i64(3600000000)
    return i64(0)


@body
def day_unit(word: int) -> int:
    """The days of a day or a week; 0 for any other word."""
    if word == u64(D) or word == u64(DAY) or word == u64(DAYS):
        return i64(1)
    return i64(7) if word == u64(W) or word == u64(WEEK) or word == u64(WEEKS) else i64(0)


@body
def month_unit(word: int) -> int:
    """The months of a month, quarter, year ...; 0 for any other word."""
    if word == u64(MON) or word == u64(MONS) or word == u64(MONTH) or word == u64(MONTHS):
        return i64(1)
    if word == u64(QUARTER) or word == u64(QUARTERS):
        return i64(3)
    if word == u64(SHORT_YEAR) or word == u64(YR) or word == u64(YRS) or word == u64(YEAR) or word == u64(YEARS):
        return i64(12)
    if word == u64(DEC) or word == u64(DECS) or word == u64(DECADE) or word == u64(DECADES):
        return i64(120)
    if word == u64(SHORT_CENTURY) or word == u64(CENT) or word == u64(CENTURY) or word == u64(CENTURIES):
        return i64(1200)
    if word == u64(MIL) or word == u64(MILS) or word == u64(MILLENNIUM) or word == u64(MILLENNIA):
        return i64(12000)
    return i64(0)


@body
def interval_of_unit(word: int, count: int, millionths: int) -> Interval:
    """(months, days, micros, failed) of a count and millionths of a unit, these in smaller units."""
    clock = clock_unit(word)
    if clock != i64(0):
        micros, overflow = multiply_overflow(count, clock)
        part = divide_i64(millionths * clock, i64(1000000))
        micros, beyond = add_overflow(micros, part)
        return i64(0), i64(0), micros, overflow | beyond
    days_each = day_unit(word)
    if days_each != i64(0):
        days, overflow = multiply_overflow(count, days_each)
        part = millionths * days_each
        days, beyond = add_overflow(days, divide_i64(part, i64(1000000)))
        micros = remainder_i64(part, i64(1000000)) * i64(86400)
        return i64(0), days, micros, overflow | beyond | outside_32(days)
    months_each = month_unit(word)
    if months_each == i64(0):
        return i64(0), i64(0), i64(0), u8(1)
    months, overflow = multiply_overflow(count, months_each)
    part = millionths * months_each
    if months_each > i64(3):
        # of years and more the nearest month
        part = divide_i64(part + i64(500000), i64(1000000)) * i64(1000000)
    months, beyond = add_overflow(months, divide_i64(part, i64(1000000)))
    part = remainder_i64(part, i64(1000000)) * i64(30)
    days = divide_i64(part, i64(1000000))
    micros = remainder_i64(part, i64(1000000)) * i64(86400)
    return months, days, micros, overflow | beyond | outside_32(months)


@body
def scan_millionths(a: TextBytes, n: int, k: int) -> tuple[int, int]:
    """The digits after a point as millionths, cut off: (millionths, end)."""
    value = i64(0)
    worth = i64(100000)
    while k < n and is_digit(load_u8(a, k)):
        value = value + i64(load_u8(a, k) - u64(48)) * worth
        worth = divide_i64(worth, i64(10))
        k = k + i64(1)
    return value, k


@body
def word_end(a: TextBytes, n: int, k: int) -> int:
    while k < n and (load_u8(a, k) | u64(32)) >= u64(97) and (load_u8(a, k) | u64(32)) <= u64(122):
        k = k + i64(1)
    return k


@body
def scan_hours(a: TextBytes, n: int, k: int, hours: int) -> tuple[int, int, int]:
    """What follows the hours of a clock, from its colon on: (micros, end, failed)."""
    minute, k, failed = scan_digits(a, n, k + i64(1), i64(2))
    second = i64(0)
    fraction = i64(0)
    if byte_at(a, n, k) == u64(58):
        second, k, missing = scan_digits(a, n, k + i64(1), i64(2))
        failed = failed | missing
        if byte_at(a, n, k) == u64(46):
            fraction, k = scan_millionths(a, n, k + i64(1))
    micros, overflow = multiply_overflow(hours, i64(3600000000))
    micros, beyond = add_overflow(micros, (minute * i64(60) + second) * i64(1000000) + fraction)
    return micros, k, failed | overflow | beyond | u8(minute > i64(59) or second > i64(59))


@body
def text_to_interval(a: TextBytes, n: int) -> Interval:
    n = end_without_blanks(a, n)
    k = skip_blanks(a, n, i64(0))
    months = i64(0)
    days = i64(0)
    micros = i64(0)
    if byte_at(a, n, k) == u64(64):
        k = skip_blanks(a, n, k + i64(1))
    failed = u8(k == n)
    terms = i64(0)
    clock = False
    while k < n and failed == u8(0):
        end = word_end(a, n, k)
        if end > k:
            # only `ago` stands without a count, and ends a text without a clock
            if letters_at(a, k, end) == u64(AGO) and end == n and terms > i64(0) and not clock:
                return i64(0) - months, i64(0) - days, i64(0) - micros, u8(0)
            return i64(0), i64(0), i64(0), u8(1)
        negative = load_u8(a, k) == u64(45)
        if negative:
            k = k + i64(1)
        count, k, failed = scan_digits(a, n, k, i64(18))
        m = i64(0)
        d = i64(0)
        u = i64(0)
        bad = u8(0)
        if byte_at(a, n, k) == u64(58):
            u, k, bad = scan_hours(a, n, k, count)
            clock = True
        else:
            millionths = i64(0)
            if byte_at(a, n, k) == u64(46):
                millionths, k = scan_millionths(a, n, k + i64(1))
            k = skip_blanks(a, n, k)
            end = word_end(a, n, k)
            word = letters_at(a, k, end)
            if end == k:
                # a bare number is seconds, where it is alone
                word = u64(SECOND)
                bad = u8(terms > i64(0) or k < n)
            m, d, u, wrong = interval_of_unit(word, count, millionths)
            bad = bad | wrong
            k = end
        failed = failed | bad
        if negative:
            m = i64(0) - m
            d = i64(0) - d
            u = i64(0) - u
        months = months + m
        days = days + d
        micros, overflow = add_overflow(micros, u)
        failed = failed | overflow | outside_32(months) | outside_32(days)
        terms = terms + i64(1)
        k = skip_blanks(a, n, k)
    return months, days, micros, failed
