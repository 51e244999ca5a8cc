"""The row bodies of + - * // %, unary minus, abs and sign.

In their names `exact` cannot overflow, `small` is a range within i64, `large` is i64 itself; the rest is
128-bit. Where a body returns one word more than its result has, that is 1 for a row without an answer.
"""

from __future__ import annotations

from headrace.kernels.decimal import (
    divide_wide,
    negate_wide,
    outside_wide,
    remainder_wide,
    widen,
)
from headrace.kernels.primitives import (
    add_overflow,
    add_wide,
    divide_f64,
    divide_i64,
    f32,
    f64,
    i64,
    is_nan,
    multiply_64,
    multiply_overflow,
    multiply_wide,
    remainder_f64,
    remainder_i64,
    subtract_overflow,
    subtract_wide,
    u8,
    u64,
)
from headrace.kernels.registry import body


@body
def add_exact(a: int, b: int) -> int:
    return a + b


@body
def subtract_exact(a: int, b: int) -> int:
    return a - b


@body
def multiply_exact(a: int, b: int) -> int:
    return a * b


@body
def add_small(a: int, b: int, least: int, most: int) -> tuple[int, int]:
    r = a + b
    return r, u8(r < least or r > most)


@body
def subtract_small(a: int, b: int, least: int, most: int) -> tuple[int, int]:
    r = a - b
    return r, u8(r < least or r > most)


@body
def multiply_small(a: int, b: int, least: int, most: int) -> tuple[int, int]:
    r, overflow = multiply_overflow(a, b)
    return r, overflow | u8(r < least or r > most)


@body
def add_large(a: int, b: int) -> tuple[int, int]:
    return add_overflow(a, b)


@body
def subtract_large(a: int, b: int) -> tuple[int, int]:
    return subtract_overflow(a, b)


@body
def multiply_large(a: int, b: int) -> tuple[int, int]:
    return multiply_overflow(a, b)


@body
def add_huge(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    return add_wide(alo, ahi, blo, bhi)


@body
def subtract_huge(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    return subtract_wide(alo, ahi, blo, bhi)


@body
def multiply_huge(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    return multiply_wide(alo, ahi, blo, bhi)


@body
def add_ubigint(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    rlo, rhi, _ = add_wide(alo, ahi, blo, bhi)
    return rlo, rhi, u8(rhi != i64(0))


@body
def subtract_ubigint(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    rlo, rhi, _ = subtract_wide(alo, ahi, blo, bhi)
    return rlo, rhi, u8(rhi != i64(0))


@body
def multiply_ubigint(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    rlo, rhi, overflow = multiply_wide(alo, ahi, blo, bhi)
    return rlo, rhi, overflow | u8(rhi != i64(0))


@body
def add_exact_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int]:
    rlo, rhi, _ = add_wide(alo, ahi, blo, bhi)
    return rlo, rhi


@body
def subtract_exact_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int]:
    rlo, rhi, _ = subtract_wide(alo, ahi, blo, bhi)
    return rlo, rhi


@body
def multiply_exact_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int]:
    rlo, rhi, _ = multiply_wide(alo, ahi, blo, bhi)
    return rlo, rhi


@body
def add_to_wide(a: int, b: int) -> tuple[int, int]:
    """Two decimals of at most 18 digits: the sum fits i64, the result type has 19."""
    return widen(a + b)


@body
def subtract_to_wide(a: int, b: int) -> tuple[int, int]:
    return widen(a - b)


@body
def multiply_to_wide(a: int, b: int) -> tuple[int, int]:
    return multiply_64(a, b)


@body
def add_wide_ranged(
    alo: int, ahi: int, blo: int, bhi: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int]:
    rlo, rhi, overflow = add_wide(alo, ahi, blo, bhi)
    return rlo, rhi, overflow | outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


@body
def subtract_wide_ranged(
    alo: int, ahi: int, blo: int, bhi: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int]:
    rlo, rhi, overflow = subtract_wide(alo, ahi, blo, bhi)
    return rlo, rhi, overflow | outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


@body
def multiply_wide_ranged(
    alo: int, ahi: int, blo: int, bhi: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int]:
    rlo, rhi, overflow = multiply_wide(alo, ahi, blo, bhi)
    return rlo, rhi, overflow | outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


@body
def add_double(a: float, b: float) -> float:
    return a + b


@body
def subtract_double(a: float, b: float) -> float:
    return a - b


@body
def multiply_double(a: float, b: float) -> float:
    return a * b


@body
def add_float(a: float, b: float) -> float:
    return f32(a + b)


@body
def subtract_float(a: float, b: float) -> float:
    return f32(a - b)


@body
def multiply_float(a: float, b: float) -> float:
    return f32(a * b)


@body
def divide_double(a: float, b: float) -> float:
    return divide_f64(a, b)


@body
def divide_float(a: float, b: float) -> float:
    return f32(divide_f64(f64(a), f64(b)))


@body
def integer_divide_double(a: float, b: float) -> tuple[float, int]:
    """`//` of floating numbers divides without truncating, but fails for a zero divisor."""
    return divide_f64(a, b), u8(b == f64(0.0))


@body
def integer_divide_float(a: float, b: float) -> tuple[float, int]:
    return f32(divide_f64(f64(a), f64(b))), u8(b == f32(0.0))


@body
def integer_divide_small(a: int, b: int, least: int) -> tuple[int, int]:
    """Fails for a zero divisor and where `least` / -1 leaves the type."""
    if b == i64(0):
        return i64(0), u8(1)
    if b == i64(-1):
        if a == least:
            return i64(0), u8(1)
        return i64(0) - a, u8(0)
    return divide_i64(a, b), u8(0)


@body
def integer_divide_huge(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    zero = blo == u64(0) and bhi == i64(0)
    by_minus_one = blo == u64(0xFFFFFFFFFFFFFFFF) and bhi == i64(-1)
    least = alo == u64(0) and u64(ahi) == u64(0x8000000000000000)
    if zero or (by_minus_one and least):
        return u64(0), i64(0), u8(1)
    qlo, qhi = divide_wide(alo, ahi, blo, bhi)
    return qlo, qhi, u8(0)


@body
def modulo_small(a: int, b: int) -> tuple[int, int]:
    if b == i64(0):
        return i64(0), u8(1)
    if b == i64(-1):
        return i64(0), u8(0)
    return remainder_i64(a, b), u8(0)


@body
def modulo_huge(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    if blo == u64(0) and bhi == i64(0):
        return u64(0), i64(0), u8(1)
    rlo, rhi = remainder_wide(alo, ahi, blo, bhi)
    return rlo, rhi, u8(0)


@body
def modulo_double(a: float, b: float) -> float:
    return remainder_f64(a, b)


@body
def modulo_double_checked(a: float, b: float) -> tuple[float, int]:
    return remainder_f64(a, b), u8(b == f64(0.0))


@body
def modulo_float(a: float, b: float) -> float:
    return f32(remainder_f64(f64(a), f64(b)))


@body
def negate_exact(a: int) -> int:
    return i64(0) - a


@body
def negate_small(a: int, least: int, most: int) -> tuple[int, int]:
    r, overflow = subtract_overflow(i64(0), a)
    return r, overflow | u8(r < least or r > most)


@body
def negate_huge(lo: int, hi: int) -> tuple[int, int, int]:
    return subtract_wide(u64(0), i64(0), lo, hi)


@body
def negate_ubigint(lo: int, hi: int) -> tuple[int, int, int]:
    return lo, hi, u8(lo != u64(0))


@body
def negate_double(a: float) -> float:
    return -a


@body
def absolute_exact(a: int) -> int:
    if a < i64(0):
        return i64(0) - a
    return a


@body
def absolute_small(a: int, least: int) -> tuple[int, int]:
    if a == least:
        return a, u8(1)
    if a < i64(0):
        return i64(0) - a, u8(0)
    return a, u8(0)


@body
def absolute_exact_wide(lo: int, hi: int) -> tuple[int, int]:
    if hi < i64(0):
        return negate_wide(lo, hi)
    return lo, hi


@body
def absolute_huge(lo: int, hi: int) -> tuple[int, int, int]:
    if hi < i64(0):
        return subtract_wide(u64(0), i64(0), lo, hi)
    return lo, hi, u8(0)


@body
def absolute_double(a: float) -> float:
    if a < f64(0.0):
        return -a
    return a + f64(0.0)  # the zero's sign is dropped


@body
def absolute_float(a: float) -> float:
    if a < f32(0.0):
        return -a
    return a + f32(0.0)


@body
def sign_small(a: int) -> int:
    return i64(a > i64(0)) - i64(a < i64(0))


@body
def sign_wide(lo: int, hi: int) -> int:
    if hi < i64(0):
        return i64(-1)
    return i64(hi > i64(0) or lo != u64(0))


@body
def sign_double(a: float) -> int:
    """0 for zeros and for not-a-number."""
    if is_nan(a):
        return i64(0)
    return i64(a > f64(0.0)) - i64(a < f64(0.0))
