"""Dates, times and timestamps from text.

A time zone after a time is read and ignored, as a plain timestamp has none; named zones and infinity fail.
"""

from __future__ import annotations

from headrace.kernels.calendar import days_of, is_date
from headrace.kernels.cast_temporal import coarser_ticks
from headrace.kernels.interval import join_ticks
from headrace.kernels.number_input import end_without_blanks, is_digit, letters_at, packed, skip_blanks
from headrace.kernels.primitives import TextBytes, i64, load_u8, u8, u64
from headrace.kernels.registry import body
from headrace.kernels.temporal import date_of_micros

Scanned = tuple[int, int, int]

EPOCH, UTC, BC = packed("epoch"), packed("utc"), packed("bc")


@body
def byte_at(a: TextBytes, n: int, k: int) -> int:
    """Byte k, or 0 from the end on."""
    return load_u8(a, k) if k < n else u64(0)


@body
def scan_digits(a: TextBytes, n: int, k: int, most: int) -> Scanned:
    """Up to `most` digits from k on: (number, end, failed); fails for none."""
    value = i64(0)
    start = k
    while k < n and k - start < most and is_digit(load_u8(a, k)):
        value = value * i64(10) + i64(load_u8(a, k) - u64(48))
        k = k + i64(1)
    return value, k, u8(k == start)


@body
def scan_date(a: TextBytes, n: int, k: int) -> Scanned:
    r"""[-]Y-M-D from k on, with one of - / \ and space between, and (BC) after it: (days, end, failed)."""
    negative = byte_at(a, n, k) == u64(45)
    year, k, failed = scan_digits(a, n, k + i64(1) if negative else k, i64(7))
    separator = byte_at(a, n, k)
    known = separator == u64(45) or separator == u64(47) or separator == u64(0x5C) or separator == u64(32)
    month, k, no_month = scan_digits(a, n, k + i64(1), i64(2))
    if byte_at(a, n, k) != separator:
        known = False
    day, k, no_day = scan_digits(a, n, k + i64(1), i64(2))
    if failed | no_month | no_day | u8(not known) | u8(is_digit(byte_at(a, n, k))):
        return i64(0), k, u8(1)
    if negative:
        year = i64(0) - year
    opened = byte_at(a, n, k) == u64(32) and byte_at(a, n, k + i64(1)) == u64(40)
    closed = byte_at(a, n, k + i64(4)) == u64(41)
    if opened and closed and letters_at(a, k + i64(2), k + i64(4)) == u64(BC):
        year = i64(1) - year
        k = k + i64(5)
    if not is_date(year, month, day):
        return i64(0), k, u8(1)
    return days_of(year, month, day), k, u8(0)


@body
def scan_clock(a: TextBytes, n: int, k: int, per_second: int) -> Scanned:
    """H:M[:S[.fraction]] from k on: (ticks since midnight, end, failed). Digits below a tick are cut off."""
    hour, k, failed = scan_digits(a, n, k, i64(9))
    failed = failed | u8(byte_at(a, n, k) != u64(58))
    minute, k, no_minute = scan_digits(a, n, k + i64(1), i64(2))
    second = i64(0)
    fraction = i64(0)
    if byte_at(a, n, k) == u64(58):
        # the seconds may be missing after their colon
        second, k, _ = scan_digits(a, n, k + i64(1), i64(2))
        if byte_at(a, n, k) == u64(46):
            k = k + i64(1)
            worth = per_second
            while k < n and is_digit(load_u8(a, k)):
                # the worth of a digit is a power of ten, down to one tick
                next_worth = i64(0)
                if worth >= i64(10):
                    next_worth = tenth(worth)
                fraction = fraction + i64(load_u8(a, k) - u64(48)) * next_worth
                worth = next_worth
                k = k + i64(1)
    ticks = ((hour * i64(60) + minute) * i64(60) + second) * per_second + fraction
    late = hour > i64(24) or ticks > i64(86400) * per_second
    out = minute > i64(59) or second > i64(59) or late
    return ticks, k, failed | no_minute | u8(out)


@body
def tenth(worth: int) -> int:
    """A tenth of a power of ten up to 10**9."""
    smaller = i64(1)
    while smaller * i64(10) < worth:
        smaller = smaller * i64(10)
    return smaller


@body
def zone_end(a: TextBytes, n: int, k: int) -> int:
    """The end of Z, UTC after a space, or an offset such as +02:30 or -0130; k itself where there is none."""
    if byte_at(a, n, k) == u64(0x5A):
        return k + i64(1)
    start = k
    if byte_at(a, n, k) == u64(32):
        k = k + i64(1)
        if n - k == i64(3) and letters_at(a, k, n) == u64(UTC):
            return n
    if byte_at(a, n, k) != u64(43) and byte_at(a, n, k) != u64(45):
        return start
    _, end, _ = scan_digits(a, n, k + i64(1), i64(2))
    if end != k + i64(3):
        return start
    for _ in range(2):
        colon = i64(byte_at(a, n, end) == u64(58))
        _, more, missing = scan_digits(a, n, end + colon, i64(2))
        if missing == u8(0):
            end = more
    return end


@body
def parse_timestamp(a: TextBytes, n: int, day: int) -> tuple[int, int]:
    """A timestamp in ticks of which `day` make a day: (ticks, failed)."""
    stop = end_without_blanks(a, n)
    k = skip_blanks(a, stop, i64(0))
    if letters_at(a, k, stop) == u64(EPOCH):
        return i64(0), u8(0)
    days, k, failed = scan_date(a, stop, k)
    if failed != u8(0):
        return i64(0), u8(1)
    if k == stop:
        r, failed = join_ticks(days, i64(0), day)
        return r, failed | u8(k != n)
    letter = load_u8(a, k)
    if letter != u64(32) and letter != u64(0x54):
        return i64(0), u8(1)
    per_second = i64(1000000) if day == i64(86400000000) else i64(1000000000)
    ticks, k, failed = scan_clock(a, stop, skip_blanks(a, stop, k + i64(1)), per_second)
    if failed != u8(0) or zone_end(a, stop, k) != stop:
        return i64(0), u8(1)
    return join_ticks(days, ticks, day)


@body
def text_to_timestamp(a: TextBytes, n: int) -> tuple[int, int]:
    return parse_timestamp(a, n, i64(86400000000))


@body
def text_to_nanoseconds(a: TextBytes, n: int) -> tuple[int, int]:
    return parse_timestamp(a, n, i64(86400000000000))


@body
def text_to_coarse_timestamp(a: TextBytes, n: int, micros_each: int) -> tuple[int, int]:
    """To the nearest tick of so many microseconds."""
    ticks, failed = parse_timestamp(a, n, i64(86400000000))
    return coarser_ticks(ticks, micros_each), failed


@body
def text_to_date(a: TextBytes, n: int) -> tuple[int, int]:
    """A date; a time after it must be one, and changes nothing."""
    stop = end_without_blanks(a, n)
    k = skip_blanks(a, stop, i64(0))
    days, end, failed = scan_date(a, stop, k)
    if failed == u8(0) and end == stop:
        return days, u8(0)
    _, failed = parse_timestamp(a, n, i64(86400000000))
    # `epoch` is the only text without a date that gets here without a failure
    return i64(0) if letters_at(a, k, stop) == u64(EPOCH) else days, failed


@body
def text_to_time(a: TextBytes, n: int) -> tuple[int, int]:
    """A time, or the time of a timestamp."""
    stop = end_without_blanks(a, n)
    k = skip_blanks(a, stop, i64(0))
    ticks, end, failed = scan_clock(a, stop, k, i64(1000000))
    if failed == u8(0) and zone_end(a, stop, end) == stop:
        return ticks, u8(0)
    ticks, failed = parse_timestamp(a, n, i64(86400000000))
    return ticks - date_of_micros(ticks) * i64(86400000000), failed
