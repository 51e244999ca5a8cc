"""Floating numbers from digits, rounded correctly, and as the shortest digits that give the number back.

Both rest on powers of five of 128 bits, made by repeated squaring. Such a power is exact to 5**55; beyond,
and for negative exponents, it is right to 110 bits, so that a product's rounding is known unless it lies
within one part in 2**55 of a half. Where it does, the caller is told, and no wrong number comes out.
"""

from __future__ import annotations

from headrace.kernels.decimal import power_of_ten
from headrace.kernels.primitives import (
    bits_float,
    divide_u64,
    f64,
    float_bits,
    i64,
    leading_zeros_u64,
    multiply_u64,
    remainder_u64,
    shift_left_u64,
    shift_right_u64,
    u8,
    u64,
    wrap_add_u64,
)
from headrace.kernels.registry import body


@body
def multiply_high(ahi: int, alo: int, bhi: int, blo: int) -> tuple[int, int]:
    """The upper 128 bits of a product of 128-bit numbers, at most a few units too small."""
    top_lo, top_hi = multiply_u64(ahi, bhi)
    _, left = multiply_u64(ahi, blo)
    _, right = multiply_u64(alo, bhi)
    middle = wrap_add_u64(left, right)
    carry = u64(1) if middle < left else u64(0)
    lo = wrap_add_u64(top_lo, middle)
    if lo < middle:
        carry = carry + u64(1)
    return wrap_add_u64(top_hi, carry), lo


@body
def multiply_exactly(ahi: int, alo: int, bhi: int, blo: int) -> tuple[int, int, int]:
    """The product of 128-bit fractions with their top bits set: (high, low, 1 for one bit short)."""
    hi, lo = multiply_high(ahi, alo, bhi, blo)
    if alo == u64(0) and blo == u64(0):
        lo, hi = multiply_u64(ahi, bhi)
    if hi >= u64(0x8000000000000000):
        return hi, lo, i64(0)
    return shift_left_u64(hi, u64(1)) | shift_right_u64(lo, u64(63)), shift_left_u64(lo, u64(1)), i64(1)


@body
def power_of_five(q: int) -> tuple[int, int, int]:
    """5**q as (high, low, exponent): (high, low) as a fraction in [1/2, 1) times 2**exponent."""
    base_hi = u64(0xA000000000000000)
    base_lo = u64(0)
    base_exponent = i64(3)
    left = q
    if q < i64(0):
        base_hi = u64(0xCCCCCCCCCCCCCCCC)
        base_lo = u64(0xCCCCCCCCCCCCCCCD)
        base_exponent = i64(-2)
        left = i64(0) - q
    hi = u64(0x8000000000000000)
    lo = u64(0)
    exponent = i64(1)
    bits = u64(left)
    while bits != u64(0):
        if bits & u64(1) != u64(0):
            hi, lo, short = multiply_exactly(hi, lo, base_hi, base_lo)
            exponent = exponent + base_exponent - short
        bits = shift_right_u64(bits, u64(1))
        if bits != u64(0):
            base_hi, base_lo, short = multiply_exactly(base_hi, base_lo, base_hi, base_lo)
            base_exponent = base_exponent + base_exponent - short
    return hi, lo, exponent


@body
def power_of_two(k: int) -> float:
    """2.0**k, -1074 <= k <= 1023."""
    if k >= i64(-1022):
        return bits_float(shift_left_u64(u64(k + i64(1023)), u64(52)))
    return bits_float(shift_left_u64(u64(1), u64(k + i64(1074))))


@body
def round_fraction(hi: int, lo: int, top: int, exact: bool, bits: int, least: int) -> tuple[float, int]:
    """(high, low) / 2**127 times 2**top, rounded half to even to `bits` bits: (double, 1 if certain).

    Numbers whose top bit is below 2**least have fewer bits, as single or double precision has it.
    """
    keep = bits
    if top < least:
        keep = bits - (least - top)
    if keep < i64(0):
        return f64(0.0), u8(1)
    if top > i64(1023):
        return bits_float(u64(0x7FF0000000000000)), u8(1)
    kept = u64(0)
    if keep > i64(0):
        kept = shift_right_u64(hi, u64(i64(64) - keep))
    half = shift_left_u64(u64(1), u64(i64(63) - keep))
    rest = hi & (half | (half - u64(1)))
    certain = u8(1)
    margin = u64(0x100000)
    if not exact:
        near_above = rest == half and lo < margin
        near_below = rest + u64(1) == half and lo > u64(0xFFFFFFFFFFFFFFFF) - margin
        certain = u8(not (near_above or near_below))
    up = rest > half or (rest == half and (lo > u64(0) or kept & u64(1) == u64(1)))
    if up:
        kept = kept + u64(1)
    return f64(kept) * power_of_two(top - keep + i64(1)), certain


@body
def float_of_digits(w: int, q: int, bits: int, least: int) -> tuple[float, int]:
    """w * 10**q for a u64 w: the nearest double of `bits` bits, and 1 where that is certain."""
    if w == u64(0) or q < i64(-400):
        return f64(0.0), u8(1)
    if q > i64(400):
        return bits_float(u64(0x7FF0000000000000)), u8(1)
    zeros = leading_zeros_u64(w)
    whi, wlo, exponent = power_of_five(q)
    hi, lo, short = multiply_exactly(shift_left_u64(w, zeros), u64(0), whi, wlo)
    # w's fraction has the exponent 64 - zeros, and 10**q is 5**q * 2**q
    top = exponent + (i64(64) - i64(zeros)) + q - short - i64(1)
    # a product of 64 bits and a power of at most 64 bits is exact; so is a quotient by a power that divides w
    exact = q >= i64(0) and q <= i64(27)
    r, certain = round_fraction(hi, lo, top, exact, bits, least)
    if certain == u8(0) and q < i64(0) and q >= i64(-27):
        divisor = u64(1)
        for _ in range(i64(0) - q):
            divisor = divisor * u64(5)
        if remainder_u64(w, divisor) == u64(0):
            quotient = divide_u64(w, divisor)
            zeros = leading_zeros_u64(quotient)
            top = i64(63) - i64(zeros) + q
            return round_fraction(shift_left_u64(quotient, zeros), u64(0), top, True, bits, least)
    return r, certain


@body
def decimal_exponent(x: float) -> int:
    """About floor(log10(x)) of a positive double: this or one less."""
    binary = i64(shift_right_u64(float_bits(x), u64(52))) - i64(1023)
    if binary == i64(-1023):  # below the normal numbers the top bit is that of the fraction
        binary = i64(-1011) - i64(leading_zeros_u64(float_bits(x)))
    # log10(2) is 78913 / 2**18, rounded down; the sum is made positive so that shifting rounds down
    scaled = (binary + i64(1100)) * i64(78913) + i64(262144)
    return i64(shift_right_u64(u64(scaled), u64(18))) - i64(332)


@body
def digits_of_float(x: float, count: int) -> tuple[int, int]:
    """A positive double to `count` <= 17 significant digits: (digits as u64, exponent of the last digit)."""
    bits = float_bits(x)
    fraction = bits & u64(0xFFFFFFFFFFFFF)
    binary = i64(shift_right_u64(bits, u64(52)))
    if binary == i64(0):
        binary = i64(1)
    else:
        fraction = fraction | u64(0x10000000000000)
    zeros = leading_zeros_u64(fraction)
    most = power_of_ten(count)
    last = decimal_exponent(x) - count + i64(1)
    while True:
        # x * 10**-last as a 128-bit fraction; its top bit stands for 2**top
        phi, plo, exponent = power_of_five(i64(0) - last)
        hi, lo, short = multiply_exactly(shift_left_u64(fraction, zeros), u64(0), phi, plo)
        top = (binary - i64(1075)) + (i64(64) - i64(zeros)) + exponent - last - short - i64(1)
        # the digits are below 2**57, so that the bits after the point are at the end of the high word
        digits = shift_right_u64(hi, u64(i64(63) - top))
        rest = shift_left_u64(shift_left_u64(hi, u64(top)), u64(1))
        half = u64(0x8000000000000000)
        if rest > half or (rest == half and (lo > u64(0) or digits & u64(1) == u64(1))):
            digits = digits + u64(1)
        if digits < most:
            return digits, last
        last = last + i64(1)


@body
def shortest_digits(x: float, bits: int, least: int, fewest: int) -> tuple[int, int]:
    """The fewest digits that give back a positive number of `bits` bits: (digits, exponent of the last).

    Up to `fewest` digits every decimal is told from every other, so that this many are tried first, then up
    to three more; zeros at the end are dropped. Numbers of fewer bits are tried from one digit on.
    """
    count = fewest
    if x < power_of_two(least):
        count = i64(1)
    digits, last = digits_of_float(x, count)
    while True:
        back, _ = float_of_digits(digits, last, bits, least)
        if back == x:
            break
        # the next number below a power of two is only half as far as the one above: a decimal above may be it
        if back < x:
            above, _ = float_of_digits(digits + u64(1), last, bits, least)
            if above == x:
                digits = digits + u64(1)
                break
        if count == fewest + i64(3):
            break
        count = count + i64(1)
        digits, last = digits_of_float(x, count)
    while digits != u64(0) and remainder_u64(digits, u64(10)) == u64(0):
        digits = divide_u64(digits, u64(10))
        last = last + i64(1)
    return digits, last
