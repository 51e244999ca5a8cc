"""128-bit whole numbers as (low u64, high i64): order, sign, long division, powers of ten, rounding.

There is no 128-bit division on any device, so it is written out: limb by limb for divisors below 2**32, bit
by bit for the rest. Rounding is half away from zero, as for every decimal.
"""

from __future__ import annotations

from headrace.kernels.primitives import (
    add_wide,
    divide_i64,
    divide_u64,
    i64,
    multiply_wide,
    remainder_u64,
    shift_left_u64,
    shift_right_u64,
    subtract_wide,
    u8,
    u64,
    wrap_multiply_u64,
)
from headrace.kernels.registry import body


def wide_constants(value: int) -> tuple[tuple[str, int], tuple[str, int]]:
    """A 128-bit constant as the two constants (low u64, high i64) that a body takes."""
    return ("u64", value & (2**64 - 1)), ("i64", value >> 64)


@body
def widen(a: int) -> tuple[int, int]:
    """i64 to (low, high)."""
    high = i64(0)
    if a < i64(0):
        high = i64(-1)
    return u64(a), high


@body
def compare_wide(alo: int, ahi: int, blo: int, bhi: int) -> int:
    """-1, 0 or 1."""
    if ahi != bhi:
        if ahi < bhi:
            return i64(-1)
        return i64(1)
    if alo == blo:
        return i64(0)
    if alo < blo:
        return i64(-1)
    return i64(1)


@body
def negate_wide(lo: int, hi: int) -> tuple[int, int]:
    """-x; the least value stays itself."""
    rlo, rhi, _ = subtract_wide(u64(0), i64(0), lo, hi)
    return rlo, rhi


@body
def magnitude_wide(lo: int, hi: int) -> tuple[int, int]:
    """|x| as two unsigned words."""
    if hi < i64(0):
        rlo, rhi, _ = subtract_wide(u64(0), i64(0), lo, hi)
        return rlo, u64(rhi)
    return lo, u64(hi)


@body
def divide_limbs(hi: int, lo: int, divisor: int) -> tuple[int, int, int]:
    """An unsigned 128-bit value by a divisor below 2**32: (quotient low, high, remainder), all u64."""
    mask = u64(0xFFFFFFFF)
    q3 = divide_u64(shift_right_u64(hi, u64(32)), divisor)
    rest = remainder_u64(shift_right_u64(hi, u64(32)), divisor)
    part = shift_left_u64(rest, u64(32)) | (hi & mask)
    q2 = divide_u64(part, divisor)
    rest = remainder_u64(part, divisor)
    part = shift_left_u64(rest, u64(32)) | shift_right_u64(lo, u64(32))
    q1 = divide_u64(part, divisor)
    rest = remainder_u64(part, divisor)
    part = shift_left_u64(rest, u64(32)) | (lo & mask)
    q0 = divide_u64(part, divisor)
    rest = remainder_u64(part, divisor)
    return shift_left_u64(q1, u64(32)) | q0, shift_left_u64(q3, u64(32)) | q2, rest


@body
def divide_unsigned_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int, int]:
    """Unsigned long division, 0 < b <= 2**127: (quotient low, high, remainder low, high), all u64."""
    zero = u64(0)
    if ahi == zero and bhi == zero:
        return divide_u64(alo, blo), zero, remainder_u64(alo, blo), zero
    if bhi == zero and blo <= u64(0xFFFFFFFF):
        small_lo, small_hi, rest = divide_limbs(ahi, alo, blo)
        return small_lo, small_hi, rest, zero
    qlo = zero
    qhi = zero
    rlo = zero
    rhi = zero
    for k in range(128):
        step = u64(127) - u64(k)
        bit = shift_right_u64(alo, step & u64(63)) & u64(1)
        if step > u64(63):
            bit = shift_right_u64(ahi, step & u64(63)) & u64(1)
        rhi = shift_left_u64(rhi, u64(1)) | shift_right_u64(rlo, u64(63))
        rlo = shift_left_u64(rlo, u64(1)) | bit
        qhi = shift_left_u64(qhi, u64(1)) | shift_right_u64(qlo, u64(63))
        qlo = shift_left_u64(qlo, u64(1))
        if rhi > bhi or (rhi == bhi and rlo >= blo):
            dlo, dhi, _ = subtract_wide(rlo, i64(rhi), blo, i64(bhi))
            rlo = dlo
            rhi = u64(dhi)
            qlo = qlo | u64(1)
    return qlo, qhi, rlo, rhi


@body
def divide_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int]:
    """The truncating quotient; the caller has excluded b = 0 and the least value by -1."""
    xlo, xhi = magnitude_wide(alo, ahi)
    ylo, yhi = magnitude_wide(blo, bhi)
    qlo, qhi, _, _ = divide_unsigned_wide(xlo, xhi, ylo, yhi)
    if (ahi < i64(0)) != (bhi < i64(0)):
        return negate_wide(qlo, i64(qhi))
    return qlo, i64(qhi)


@body
def remainder_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int]:
    """The remainder with the sign of the dividend; the caller has excluded b = 0."""
    xlo, xhi = magnitude_wide(alo, ahi)
    ylo, yhi = magnitude_wide(blo, bhi)
    _, _, rlo, rhi = divide_unsigned_wide(xlo, xhi, ylo, yhi)
    if ahi < i64(0):
        return negate_wide(rlo, i64(rhi))
    return rlo, i64(rhi)


@body
def power_of_ten(k: int) -> int:
    """10**k as u64, 0 <= k <= 19."""
    result = u64(1)
    for _ in range(k):
        result = wrap_multiply_u64(result, u64(10))
    return result


@body
def divide_power_of_ten(lo: int, hi: int, digits: int) -> tuple[int, int]:
    """An unsigned 128-bit value by 10**digits, rounded down; the high words are u64."""
    while digits > i64(0):
        k = digits
        if k > i64(9):
            k = i64(9)
        qlo, qhi, _ = divide_limbs(hi, lo, power_of_ten(k))
        lo = qlo
        hi = qhi
        digits = digits - k
    return lo, hi


@body
def multiply_power_of_ten_wide(lo: int, hi: int, digits: int) -> tuple[int, int, int]:
    """x * 10**digits, 0 <= digits <= 38, with the overflow word."""
    overflow = u8(0)
    while digits > i64(0):
        k = digits
        if k > i64(18):
            k = i64(18)
        lo, hi, wrapped = multiply_wide(lo, hi, power_of_ten(k), i64(0))
        overflow = overflow | wrapped
        digits = digits - k
    return lo, hi, overflow


@body
def round_half_up(a: int, divisor: int) -> int:
    """a / divisor (a power of ten from 10 up), half away from zero; |a| + divisor / 2 fits i64."""
    half = divide_i64(divisor, i64(2))
    if a < i64(0):
        return divide_i64(a - half, divisor)
    return divide_i64(a + half, divisor)


@body
def round_half_up_wide(lo: int, hi: int, digits: int, half_lo: int, half_hi: int) -> tuple[int, int]:
    """x / 10**digits, half away from zero, for every x; (half_lo, half_hi) is 10**digits / 2."""
    xlo, xhi = magnitude_wide(lo, hi)
    # |x| + 10**38 / 2 stays below 2**128: right as an unsigned number even where it wraps as a signed one
    slo, shi, _ = add_wide(xlo, i64(xhi), half_lo, half_hi)
    qlo, qhi = divide_power_of_ten(slo, u64(shi), digits)
    if hi < i64(0):
        return negate_wide(qlo, i64(qhi))
    return qlo, i64(qhi)


@body
def outside_wide(lo: int, hi: int, least_lo: int, least_hi: int, most_lo: int, most_hi: int) -> int:
    """1 where x < least or x > most."""
    return u8(compare_wide(lo, hi, least_lo, least_hi) < i64(0) or compare_wide(lo, hi, most_lo, most_hi) > i64(0))
