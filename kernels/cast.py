"""Casts among numbers and BOOLEAN: ranges, scales, rounding.

Whole numbers and decimals are scaled whole numbers; a cast multiplies by a power of ten or divides by one,
half away from zero, and fails where the result leaves the target. Floating numbers become whole ones by
rounding half to even, and decimals by rounding the scaled value half away from zero.
"""

from __future__ import annotations

from headrace.kernels.aggregate import wide_to_f64
from headrace.kernels.arithmetic import range_constants
from headrace.kernels.arithmetic_rows import multiply_exact
from headrace.kernels.decimal import (
    divide_power_of_ten,
    magnitude_wide,
    multiply_power_of_ten_wide,
    negate_wide,
    outside_wide,
    round_half_up,
    round_half_up_wide,
    wide_constants,
    widen,
)
from headrace.kernels.primitives import (
    absolute_f64,
    divide_f64,
    divide_i64,
    f32,
    f64,
    f64_to_i64,
    floor_f64,
    i64,
    is_infinite,
    is_nan,
    multiply_overflow,
    remainder_i64,
    round_even_f64,
    round_f64,
    subtract_wide,
    u8,
    u64,
    wrap_add_u64,
)
from headrace.kernels.registry import CASTS, Body, Overload, body
from headrace.kernels.rounding import same_i64, same_wide
from headrace.types import BOOLEAN, DOUBLE, SqlType, is_wide

Constants = tuple[tuple[str, int | float], ...]

# ---- bodies: whole numbers to whole numbers, by the number of words of source and target


@body
def same_u8(a: int) -> int:
    return a


@body
def same_float(a: float) -> float:
    return a


@body
def narrow(lo: int, hi: int) -> int:
    """(low, high) to i64, the value being known to fit."""
    return i64(lo)


@body
def fit_small(a: int, least: int, most: int) -> tuple[int, int]:
    return a, u8(a < least or a > most)


@body
def fit_large(a: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    lo, hi = widen(a)
    return lo, hi, outside_wide(lo, hi, llo, lhi, mlo, mhi)


@body
def fit_narrow(lo: int, hi: int, least: int, most: int) -> tuple[int, int]:
    a = i64(lo)
    _, bhi = widen(a)
    return a, u8(bhi != hi or a < least or a > most)


@body
def fit_wide(lo: int, hi: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    return lo, hi, outside_wide(lo, hi, llo, lhi, mlo, mhi)


@body
def scale_small(a: int, unit: int, least: int, most: int) -> tuple[int, int]:
    r, overflow = multiply_overflow(a, unit)
    return r, overflow | u8(r < least or r > most)


@body
def scale_large(a: int, digits: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    lo, hi = widen(a)
    return scale_wide(lo, hi, digits, llo, lhi, mlo, mhi)


@body
def scale_exact_large(a: int, digits: int) -> tuple[int, int]:
    """Where the target has room for every value of the source."""
    lo, hi = widen(a)
    rlo, rhi, _ = multiply_power_of_ten_wide(lo, hi, digits)
    return rlo, rhi


@body
def scale_exact_wide(lo: int, hi: int, digits: int) -> tuple[int, int]:
    rlo, rhi, _ = multiply_power_of_ten_wide(lo, hi, digits)
    return rlo, rhi


@body
def scale_narrow(lo: int, hi: int, digits: int, least: int, most: int) -> tuple[int, int]:
    rlo, rhi, overflow = multiply_power_of_ten_wide(lo, hi, digits)
    r, outside = fit_narrow(rlo, rhi, least, most)
    return r, overflow | outside


@body
def scale_wide(lo: int, hi: int, digits: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    rlo, rhi, overflow = multiply_power_of_ten_wide(lo, hi, digits)
    return rlo, rhi, overflow | outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


@body
def round_small(a: int, unit: int, least: int, most: int) -> tuple[int, int]:
    r = round_half_up(a, unit)
    return r, u8(r < least or r > most)


@body
def round_large(a: int, unit: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    lo, hi = widen(round_half_up(a, unit))
    return lo, hi, outside_wide(lo, hi, llo, lhi, mlo, mhi)


@body
def round_narrow(lo: int, hi: int, digits: int, half_lo: int, half_hi: int, least: int, most: int) -> tuple[int, int]:
    rlo, rhi = round_half_up_wide(lo, hi, digits, half_lo, half_hi)
    return fit_narrow(rlo, rhi, least, most)


@body
def round_wide(
    lo: int, hi: int, digits: int, half_lo: int, half_hi: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int]:
    rlo, rhi = round_half_up_wide(lo, hi, digits, half_lo, half_hi)
    return rlo, rhi, outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


# ---- bodies: BOOLEAN


@body
def boolean_to_small(a: int, unit: int) -> int:
    return i64(a) * unit


@body
def boolean_to_wide(a: int, digits: int) -> tuple[int, int]:
    return scale_exact_large(i64(a), digits)


@body
def boolean_or_fail_small(a: int) -> tuple[int, int]:
    """To a decimal with no digit before the point: only false fits."""
    return i64(0), u8(a)


@body
def boolean_or_fail_wide(a: int) -> tuple[int, int, int]:
    return u64(0), i64(0), u8(a)


@body
def boolean_to_double(a: int) -> float:
    return f64(a)


@body
def boolean_to_float(a: int) -> float:
    return f32(a)


@body
def small_to_boolean(a: int) -> int:
    return u8(a != i64(0))


@body
def wide_to_boolean(lo: int, hi: int) -> int:
    return u8(lo != u64(0) or hi != i64(0))


@body
def double_to_boolean(a: float) -> int:
    return u8(a != f64(0.0))


@body
def float_to_boolean(a: float) -> int:
    return u8(a != f32(0.0))


# ---- bodies: to floating numbers


@body
def small_to_double(a: int) -> float:
    return f64(a)


@body
def small_to_float(a: int) -> float:
    return f32(a)


@body
def wide_to_double(lo: int, hi: int) -> float:
    return wide_to_f64(lo, hi)


@body
def wide_to_float(lo: int, hi: int) -> float:
    return f32(wide_to_f64(lo, hi))


@body
def decimal_to_double(a: int, unit: int) -> float:
    """Exactly rounded up to 2**53; beyond, whole and fraction are converted apart."""
    if a >= i64(-9007199254740992) and a <= i64(9007199254740992):
        return divide_f64(f64(a), f64(unit))
    return f64(divide_i64(a, unit)) + divide_f64(f64(remainder_i64(a, unit)), f64(unit))


@body
def decimal_to_float(a: int, unit: int) -> float:
    return f32(decimal_to_double(a, unit))


@body
def split_decimal(lo: int, hi: int, digits: int) -> tuple[int, int, int, int]:
    """A wide decimal as its whole part and the rest, both 128-bit with the sign of the value."""
    xlo, xhi = magnitude_wide(lo, hi)
    qlo, qhi = divide_power_of_ten(xlo, xhi, digits)
    whole_lo = qlo
    whole_hi = i64(qhi)
    if hi < i64(0):
        whole_lo, whole_hi = negate_wide(qlo, i64(qhi))
    blo, bhi, _ = multiply_power_of_ten_wide(whole_lo, whole_hi, digits)
    rest_lo, rest_hi, _ = subtract_wide(lo, hi, blo, bhi)
    return whole_lo, whole_hi, rest_lo, rest_hi


@body
def decimal_wide_to_double(lo: int, hi: int, digits: int, unit: float) -> float:
    a = i64(lo)
    _, bhi = widen(a)
    if bhi == hi and a >= i64(-9007199254740992) and a <= i64(9007199254740992):
        return divide_f64(f64(a), unit)
    wlo, whi, rlo, rhi = split_decimal(lo, hi, digits)
    return wide_to_f64(wlo, whi) + divide_f64(wide_to_f64(rlo, rhi), unit)


@body
def decimal_wide_to_float(lo: int, hi: int, digits: int, unit: float) -> float:
    return f32(decimal_wide_to_double(lo, hi, digits, unit))


@body
def double_to_float(a: float) -> tuple[float, int]:
    """Fails where a finite number becomes infinite."""
    r = f32(a)
    return r, u8(is_infinite(f64(r)) != u8(0) and is_infinite(a) == u8(0))


@body
def float_to_double(a: float) -> float:
    return f64(a)


# ---- bodies: from floating numbers


@body
def f64_to_wide(x: float) -> tuple[int, int]:
    """A whole double within 128 bits as (low, high)."""
    size = absolute_f64(x)
    high = floor_f64(size * f64(5.421010862427522e-20))  # 2**-64, exact
    low = size - high * f64(18446744073709551616.0)
    lo = u64(0)
    if low >= f64(9223372036854775808.0):
        lo = u64(0x8000000000000000)
        low = low - f64(9223372036854775808.0)
    lo = wrap_add_u64(lo, u64(f64_to_i64(low)))
    if high >= f64(9223372036854775808.0):
        return u64(0), i64(u64(0x8000000000000000))  # -2**127, the only one
    if x < f64(0.0):
        return negate_wide(lo, f64_to_i64(high))
    return lo, f64_to_i64(high)


@body
def double_to_small(a: float, least: float, above: float) -> tuple[int, int]:
    """Half to even; fails for not-a-number and where the result is below `least` or not below `above`."""
    r = round_even_f64(a)
    if r >= least and r < above:
        return f64_to_i64(r), u8(0)
    return i64(0), u8(1)


@body
def double_to_wide(a: float, least: float, above: float) -> tuple[int, int, int]:
    r = round_even_f64(a)
    if r >= least and r < above:
        lo, hi = f64_to_wide(r)
        return lo, hi, u8(0)
    return u64(0), i64(0), u8(1)


@body
def double_to_decimal(a: float, unit: float, limit: float) -> tuple[int, int]:
    """Half away from zero; fails for not-a-number and from `limit` on."""
    r = round_f64(a * unit)
    if is_nan(r) == u8(0) and r > -limit and r < limit:
        return f64_to_i64(r), u8(0)
    return i64(0), u8(1)


@body
def double_to_decimal_wide(a: float, unit: float, limit: float) -> tuple[int, int, int]:
    r = round_f64(a * unit)
    if is_nan(r) == u8(0) and r > -limit and r < limit:
        lo, hi = f64_to_wide(r)
        return lo, hi, u8(0)
    return u64(0), i64(0), u8(1)


@body
def float_to_small(a: float, least: float, above: float) -> tuple[int, int]:
    return double_to_small(f64(a), least, above)


@body
def float_to_wide(a: float, least: float, above: float) -> tuple[int, int, int]:
    return double_to_wide(f64(a), least, above)


@body
def float_to_decimal(a: float, unit: float, limit: float) -> tuple[int, int]:
    return double_to_decimal(f64(a), unit, limit)


@body
def float_to_decimal_wide(a: float, unit: float, limit: float) -> tuple[int, int, int]:
    return double_to_decimal_wide(f64(a), unit, limit)


# ---- declarations


def _limits(t: SqlType) -> tuple[int, int]:
    limits = t.range
    assert limits is not None
    return limits


def out_of_range(target: SqlType) -> str:
    """The message of a cast whose result leaves the target type."""
    return f"the value is out of range for {target}"


def _exact(source: SqlType, target: SqlType) -> Overload | None:
    """Integers and decimals."""
    if not (source.is_exact and target.is_exact):
        return None
    shape = is_wide(source), is_wide(target)
    least, most = _limits(source)
    low, high = _limits(target)
    limits = range_constants(target)
    fails = out_of_range(target)
    up = target.scale - source.scale
    if up < 0:
        digits = -up
        unit = 10**digits
        bodies: dict[tuple[bool, bool], Body] = {
            (False, False): round_small,
            (False, True): round_large,
            (True, False): round_narrow,
            (True, True): round_wide,
        }
        half: Constants = (("i64", digits), *wide_constants(unit // 2))
        constants = half if shape[0] else (("i64", unit),)
        return Overload((source,), target, bodies[shape], fails=fails, constants=(*constants, *limits))
    fits = low <= least * 10**up and most * 10**up <= high
    if up == 0:
        kept: dict[tuple[bool, bool], tuple[Body, Body]] = {
            (False, False): (same_i64, fit_small),
            (False, True): (widen, fit_large),
            (True, False): (narrow, fit_narrow),
            (True, True): (same_wide, fit_wide),
        }
        exact, checked = kept[shape]
        if fits:
            return Overload((source,), target, exact)
        return Overload((source,), target, checked, fails=fails, constants=limits)
    scaled: dict[tuple[bool, bool], tuple[Body, Body]] = {
        (False, False): (multiply_exact, scale_small),
        (False, True): (scale_exact_large, scale_large),
        (True, False): (scale_narrow, scale_narrow),
        (True, True): (scale_exact_wide, scale_wide),
    }
    exact, checked = scaled[shape]
    factor: Constants = (("i64", up if True in shape else 10**up),)
    if fits and shape != (True, False):
        return Overload((source,), target, exact, constants=factor)
    if shape == (False, False) and up > 18:
        return None
    return Overload((source,), target, checked, fails=fails, constants=(*factor, *limits))


def _from_boolean(source: SqlType, target: SqlType) -> Overload | None:
    if source != BOOLEAN:
        return None
    if target == BOOLEAN:
        return Overload((source,), target, same_u8)
    if target.is_float:
        return Overload((source,), target, boolean_to_double if target == DOUBLE else boolean_to_float)
    if not target.is_exact:
        return None
    wide = is_wide(target)
    failing: Body
    if target.is_decimal and target.scale == target.precision:
        failing = boolean_or_fail_wide if wide else boolean_or_fail_small
        return Overload((source,), target, failing, fails=out_of_range(target))
    if wide:
        return Overload((source,), target, boolean_to_wide, constants=(("i64", target.scale),))
    return Overload((source,), target, boolean_to_small, constants=(("i64", 10**target.scale),))


def _to_boolean(source: SqlType, target: SqlType) -> Overload | None:
    if target != BOOLEAN or not source.is_numeric:
        return None
    if source.is_float:
        return Overload((source,), target, double_to_boolean if source == DOUBLE else float_to_boolean)
    return Overload((source,), target, wide_to_boolean if is_wide(source) else small_to_boolean)


def _to_float(source: SqlType, target: SqlType) -> Overload | None:
    if not target.is_float or not source.is_numeric:
        return None
    if source == target:
        return Overload((source,), target, same_float)
    if source.is_float:
        if target == DOUBLE:
            return Overload((source,), target, float_to_double)
        return Overload((source,), target, double_to_float, fails=out_of_range(target))
    double = target == DOUBLE
    if source.scale == 0:
        if is_wide(source):
            return Overload((source,), target, wide_to_double if double else wide_to_float)
        return Overload((source,), target, small_to_double if double else small_to_float)
    if is_wide(source):
        row: Body = decimal_wide_to_double if double else decimal_wide_to_float
        return Overload((source,), target, row, constants=(("i64", source.scale), ("f64", 10**source.scale)))
    row = decimal_to_double if double else decimal_to_float
    return Overload((source,), target, row, constants=(("i64", 10**source.scale),))


def _from_float(source: SqlType, target: SqlType) -> Overload | None:
    if not source.is_float or not target.is_exact:
        return None
    double, wide = source == DOUBLE, is_wide(target)
    row: Body
    if target.is_decimal:
        limits: Constants = (("f64", 10**target.scale), ("f64", 10**target.precision))
        if wide:
            row = double_to_decimal_wide if double else float_to_decimal_wide
        else:
            row = double_to_decimal if double else float_to_decimal
    else:
        least, most = _limits(target)
        limits = (("f64", least), ("f64", most + 1))
        if wide:
            row = double_to_wide if double else float_to_wide
        else:
            row = double_to_small if double else float_to_small
    return Overload((source,), target, row, fails=out_of_range(target), constants=limits)


CASTS.extend((_exact, _from_boolean, _to_boolean, _to_float, _from_float))
