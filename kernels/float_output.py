"""Floating numbers as text: the shortest digits that give the number back, plain or with an exponent."""

from __future__ import annotations

from headrace.kernels.decimal import power_of_ten
from headrace.kernels.float_text import shortest_digits
from headrace.kernels.primitives import (
    TextBytes,
    divide_u64,
    f64,
    float_bits,
    i64,
    is_infinite,
    is_nan,
    remainder_u64,
    shift_right_u64,
    text_new,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.text_output import count_digits, put_byte, put_digits, put_number, put_sign
from headrace.kernels.utf8 import written

Text = tuple[TextBytes, int]


@body
def put_zeros(out: TextBytes, at: int, count: int) -> int:
    for _ in range(count):
        at = put_byte(out, at, u64(48))
    return at


@body
def put_float(out: TextBytes, at: int, digits: int, last: int) -> int:
    """digits * 10**last: from 10**-4 to below 10**16 plain, with at least one digit after the point."""
    count = count_digits(digits)
    first = last + count - i64(1)  # the exponent of the first digit
    if first < i64(-4) or first >= i64(16):
        unit = power_of_ten(count - i64(1))
        at = put_number(out, at, divide_u64(digits, unit))
        if count > i64(1):
            at = put_byte(out, at, u64(46))
            at = put_digits(out, at, remainder_u64(digits, unit), count - i64(1))
        at = put_byte(out, at, u64(0x65))
        at = put_byte(out, at, u64(45) if first < i64(0) else u64(43))
        size = u64(i64(0) - first) if first < i64(0) else u64(first)
        width = count_digits(size)
        return put_digits(out, at, size, width if width > i64(2) else i64(2))
    if last >= i64(0):
        at = put_zeros(out, put_number(out, at, digits), last)
        return put_byte(out, put_byte(out, at, u64(46)), u64(48))
    if first >= i64(0):
        unit = power_of_ten(i64(0) - last)
        at = put_byte(out, put_number(out, at, divide_u64(digits, unit)), u64(46))
        return put_digits(out, at, remainder_u64(digits, unit), i64(0) - last)
    at = put_byte(out, put_byte(out, at, u64(48)), u64(46))
    at = put_zeros(out, at, i64(-1) - first)
    return put_number(out, at, digits)


@body
def put_any_float(out: TextBytes, x: float, bits: int, least: int, fewest: int) -> int:
    """A number of `bits` bits, its sign and the special values."""
    negative = shift_right_u64(float_bits(x), u64(63)) != u64(0)
    at = put_sign(out, i64(0), negative)
    if is_nan(x):
        return put_byte(out, put_byte(out, put_byte(out, at, u64(0x6E)), u64(0x61)), u64(0x6E))
    if is_infinite(x):
        return put_byte(out, put_byte(out, put_byte(out, at, u64(0x69)), u64(0x6E)), u64(0x66))
    if x == f64(0.0):
        return put_float(out, at, u64(0), i64(0))
    digits, last = shortest_digits(-x if negative else x, bits, least, fewest)
    return put_float(out, at, digits, last)


@body
def double_to_text(arena: object, x: float) -> Text:
    out = text_new(arena, i64(25))
    at = put_any_float(out, x, i64(53), i64(-1022), i64(15))
    return out, written(out, at)


@body
def float_to_text(arena: object, x: float) -> Text:
    out = text_new(arena, i64(25))
    at = put_any_float(out, f64(x), i64(24), i64(-126), i64(6))
    return out, written(out, at)
