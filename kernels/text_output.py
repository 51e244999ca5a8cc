"""Numbers, dates and times as text.

Each `put_` function writes from an offset of fresh text on and returns the offset after.
"""

from __future__ import annotations

from headrace.kernels.calendar import civil
from headrace.kernels.decimal import divide_limbs, magnitude_wide
from headrace.kernels.primitives import (
    TextBytes,
    divide_i64,
    divide_u64,
    i64,
    load_u8,
    remainder_i64,
    remainder_u64,
    shift_right_u64,
    store_u8,
    text_new,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.temporal import date_of_micros, time_of_micros
from headrace.kernels.utf8 import written

Text = tuple[TextBytes, int]


@body
def count_digits(x: int) -> int:
    """The decimal digits of a u64; 1 for zero."""
    count = i64(1)
    while x >= u64(10):
        x = divide_u64(x, u64(10))
        count = count + i64(1)
    return count


@body
def put_digits(out: TextBytes, at: int, x: int, width: int) -> int:
    """A u64 in `width` digits, with zeros in front."""
    k = at + width
    while k > at:
        k = k - i64(1)
        store_u8(out, k, remainder_u64(x, u64(10)) + u64(48))
        x = divide_u64(x, u64(10))
    return at + width


@body
def put_number(out: TextBytes, at: int, x: int) -> int:
    return put_digits(out, at, x, count_digits(x))


@body
def put_byte(out: TextBytes, at: int, byte: int) -> int:
    store_u8(out, at, byte)
    return at + i64(1)


@body
def put_sign(out: TextBytes, at: int, negative: bool) -> int:
    return put_byte(out, at, u64(45)) if negative else at


@body
def magnitude(a: int) -> int:
    """|a| of an i64 as u64."""
    return u64(i64(0) - a) if a < i64(0) else u64(a)


@body
def put_wide(out: TextBytes, at: int, lo: int, hi: int) -> int:
    """An unsigned 128-bit number (two u64), nine digits at a time from the last ones on."""
    billion = u64(1000000000)
    lo1, hi1, part0 = divide_limbs(hi, lo, billion)
    lo2, hi2, part1 = divide_limbs(hi1, lo1, billion)
    if lo2 == u64(0) and hi2 == u64(0):
        return put_number(out, at, part1 * billion + part0)
    lo3, hi3, part2 = divide_limbs(hi2, lo2, billion)
    lo4, hi4, part3 = divide_limbs(hi3, lo3, billion)
    if lo4 == u64(0) and hi4 == u64(0):
        at = put_number(out, at, part3 * billion + part2)
    else:
        at = put_number(out, at, lo4)
        at = put_digits(out, at, part3 * billion + part2, i64(18))
    return put_digits(out, at, part1 * billion + part0, i64(18))


@body
def boolean_to_text(arena: object, a: int) -> Text:
    n = i64(4) if a else i64(5)
    # "true" or "fals" from its last byte to its first, and then the e of false
    letters = u64(0x65757274) if a else u64(0x736C6166)
    out = text_new(arena, n)
    for k in range(4):
        store_u8(out, i64(k), shift_right_u64(letters, u64(k) * u64(8)) & u64(255))
    if not a:
        store_u8(out, i64(4), u64(0x65))
    return out, written(out, n)


@body
def small_to_text(arena: object, a: int) -> Text:
    out = text_new(arena, i64(20))
    at = put_number(out, put_sign(out, i64(0), a < i64(0)), magnitude(a))
    return out, written(out, at)


@body
def wide_to_text(arena: object, lo: int, hi: int) -> Text:
    out = text_new(arena, i64(40))
    xlo, xhi = magnitude_wide(lo, hi)
    at = put_wide(out, put_sign(out, i64(0), hi < i64(0)), xlo, xhi)
    return out, written(out, at)


@body
def decimal_to_text(arena: object, a: int, unit: int, scale: int, leading: int) -> Text:
    """`leading` is 0 for a type without digits before the point, which then has no zero there either."""
    out = text_new(arena, i64(21))
    at = put_sign(out, i64(0), a < i64(0))
    size = magnitude(a)
    if leading != i64(0):
        at = put_number(out, at, divide_u64(size, u64(unit)))
    at = put_byte(out, at, u64(46))
    at = put_digits(out, at, remainder_u64(size, u64(unit)), scale)
    return out, written(out, at)


@body
def put_wide_digits(out: TextBytes, at: int, lo: int, hi: int, width: int) -> int:
    """The last `width` digits of an unsigned 128-bit number."""
    k = at + width
    while k > at:
        lo, hi, part = divide_limbs(hi, lo, u64(1000000000))
        first = k - i64(9) if k - i64(9) > at else at
        keep = u64(1)
        for _ in range(k - first):
            keep = keep * u64(10)
        put_digits(out, first, remainder_u64(part, keep), k - first)
        k = first
    return at + width


@body
def shift_digits(lo: int, hi: int, digits: int) -> tuple[int, int]:
    """An unsigned 128-bit number without its last digits."""
    while digits > i64(0):
        step = digits if digits < i64(9) else i64(9)
        unit = u64(1)
        for _ in range(step):
            unit = unit * u64(10)
        lo, hi, _ = divide_limbs(hi, lo, unit)
        digits = digits - step
    return lo, hi


@body
def decimal_wide_to_text(arena: object, lo: int, hi: int, scale: int, leading: int) -> Text:
    out = text_new(arena, i64(41))
    xlo, xhi = magnitude_wide(lo, hi)
    at = put_sign(out, i64(0), hi < i64(0))
    if leading != i64(0):
        wlo, whi = shift_digits(xlo, xhi, scale)
        at = put_wide(out, at, wlo, whi)
    at = put_byte(out, at, u64(46))
    at = put_wide_digits(out, at, xlo, xhi, scale)
    return out, written(out, at)


@body
def put_date(out: TextBytes, at: int, days: int) -> int:
    """YYYY-MM-DD, with (BC) after it for the years before 1."""
    year, month, day = civil(days)
    shown = u64(year) if year > i64(0) else u64(i64(1) - year)
    width = count_digits(shown)
    at = put_digits(out, at, shown, width if width > i64(4) else i64(4))
    at = put_byte(out, at, u64(45))
    at = put_digits(out, at, u64(month), i64(2))
    at = put_byte(out, at, u64(45))
    at = put_digits(out, at, u64(day), i64(2))
    if year <= i64(0):
        at = put_byte(out, at, u64(0x20))
        at = put_byte(out, at, u64(0x28))
        at = put_byte(out, at, u64(0x42))
        at = put_byte(out, at, u64(0x43))
        at = put_byte(out, at, u64(0x29))
    return at


@body
def put_fraction(out: TextBytes, at: int, x: int, width: int) -> int:
    """A point and `width` digits, without the zeros at the end; nothing for zero."""
    if x == u64(0):
        return at
    while remainder_u64(x, u64(10)) == u64(0):
        x = divide_u64(x, u64(10))
        width = width - i64(1)
    at = put_byte(out, at, u64(46))
    return put_digits(out, at, x, width)


@body
def put_clock(out: TextBytes, at: int, seconds: int, fraction: int, width: int) -> int:
    """HH:MM:SS with a fraction of `width` digits; the hours may have more than two."""
    hours = divide_u64(seconds, u64(3600))
    digits = count_digits(hours)
    at = put_digits(out, at, hours, digits if digits > i64(2) else i64(2))
    at = put_byte(out, at, u64(58))
    at = put_digits(out, at, remainder_u64(divide_u64(seconds, u64(60)), u64(60)), i64(2))
    at = put_byte(out, at, u64(58))
    at = put_digits(out, at, remainder_u64(seconds, u64(60)), i64(2))
    return put_fraction(out, at, fraction, width)


@body
def date_to_text(arena: object, days: int) -> Text:
    out = text_new(arena, i64(18))
    at = put_date(out, i64(0), days)
    return out, written(out, at)


@body
def time_to_text(arena: object, micros: int) -> Text:
    out = text_new(arena, i64(15))
    x = u64(micros)
    million = u64(1000000)
    at = put_clock(out, i64(0), divide_u64(x, million), remainder_u64(x, million), i64(6))
    return out, written(out, at)


@body
def timestamp_to_text(arena: object, ticks: int, micros_each: int) -> Text:
    """A timestamp in units of so many microseconds."""
    out = text_new(arena, i64(34))
    micros = ticks * micros_each
    at = put_byte(out, put_date(out, i64(0), date_of_micros(micros)), u64(0x20))
    clock = u64(time_of_micros(micros))
    million = u64(1000000)
    at = put_clock(out, at, divide_u64(clock, million), remainder_u64(clock, million), i64(6))
    return out, written(out, at)


@body
def nanoseconds_to_text(arena: object, ticks: int) -> Text:
    out = text_new(arena, i64(34))
    day = i64(86400000000000)
    days = divide_i64(ticks, day) - i64(remainder_i64(ticks, day) < i64(0))
    at = put_byte(out, put_date(out, i64(0), days), u64(0x20))
    clock = u64(ticks - days * day)
    billion = u64(1000000000)
    at = put_clock(out, at, divide_u64(clock, billion), remainder_u64(clock, billion), i64(9))
    return out, written(out, at)


@body
def put_unit(out: TextBytes, at: int, count: int, letters: int, size: int) -> int:
    """` 3 days`: a count other than 0 and its unit, `size` letters from the lowest byte; s but for 1, -1."""
    if count == i64(0):
        return at
    if at > i64(0):
        at = put_byte(out, at, u64(0x20))
    at = put_number(out, put_sign(out, at, count < i64(0)), magnitude(count))
    at = put_byte(out, at, u64(0x20))
    for k in range(size):
        at = put_byte(out, at, shift_right_u64(letters, u64(k) * u64(8)) & u64(255))
    if count != i64(1) and count != i64(-1):
        at = put_byte(out, at, u64(0x73))
    return at


@body
def interval_to_text(arena: object, months: int, days: int, micros: int) -> Text:
    out = text_new(arena, i64(80))
    at = put_unit(out, i64(0), divide_i64(months, i64(12)), u64(0x72616579), i64(4))
    at = put_unit(out, at, remainder_i64(months, i64(12)), u64(0x68746E6F6D), i64(5))
    at = put_unit(out, at, days, u64(0x796164), i64(3))
    if micros != i64(0) or at == i64(0):
        if at > i64(0):
            at = put_byte(out, at, u64(0x20))
        at = put_sign(out, at, micros < i64(0))
        size = magnitude(micros)
        million = u64(1000000)
        at = put_clock(out, at, divide_u64(size, million), remainder_u64(size, million), i64(6))
    return out, written(out, at)


@body
def is_shown(byte: int) -> bool:
    """Whether a byte of a blob is shown as the character it is."""
    plain = byte >= u64(32) and byte <= u64(126)
    return plain and byte != u64(0x22) and byte != u64(0x27) and byte != u64(0x5C)


@body
def put_hex(out: TextBytes, at: int, digit: int) -> int:
    return put_byte(out, at, digit + (u64(48) if digit < u64(10) else u64(55)))


@body
def blob_to_text(arena: object, a: TextBytes, n: int) -> Text:
    r"""Bytes as characters, or as \xHH."""
    size = i64(0)
    for k in range(n):
        size = size + (i64(1) if is_shown(load_u8(a, i64(k))) else i64(4))
    out = text_new(arena, size)
    at = i64(0)
    for k in range(n):
        byte = load_u8(a, i64(k))
        if is_shown(byte):
            at = put_byte(out, at, byte)
        else:
            at = put_byte(out, put_byte(out, at, u64(0x5C)), u64(0x78))
            at = put_hex(out, at, shift_right_u64(byte, u64(4)))
            at = put_hex(out, at, byte & u64(15))
    return out, written(out, size)
