"""round, floor, ceil and trunc of all numbers: half away from zero, integers and decimals exactly."""

from __future__ import annotations

from collections.abc import (
    Callable,
)

from headrace.kernels.arithmetic import (
    range_constants,
)
from headrace.kernels.decimal import (
    divide_power_of_ten,
    magnitude_wide,
    multiply_power_of_ten_wide,
    negate_wide,
    outside_wide,
    power_of_ten,
    round_half_up,
    round_half_up_wide,
    wide_constants,
)
from headrace.kernels.primitives import (
    add_wide,
    ceil_f64,
    divide_f64,
    divide_i64,
    f32,
    f64,
    floor_f64,
    i64,
    is_infinite,
    is_nan,
    multiply_overflow,
    power_f64,
    remainder_i64,
    round_f64,
    truncate_f64,
    u8,
    u64,
)
from headrace.kernels.registry import (
    Body,
    Overload,
    body,
    scalar,
)
from headrace.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    NULL,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    SqlType,
    decimal,
    is_wide,
)

Types = tuple[SqlType, ...]

# ---- bodies


@body
def same_i64(a: int) -> int:
    return a


@body
def same_wide(lo: int, hi: int) -> tuple[int, int]:
    return lo, hi


@body
def round_double(a: float) -> float:
    """Half away from zero."""
    return round_f64(a)


@body
def round_float(a: float) -> float:
    return f32(round_f64(f64(a)))


@body
def product_error(a: float, b: float) -> float:
    """a * b minus what a * b rounds to, exactly, for products far from overflow (Dekker, 1971)."""
    ta = a * f64(134217729.0)
    ahi = ta - (ta - a)
    alo = a - ahi
    tb = b * f64(134217729.0)
    bhi = tb - (tb - b)
    blo = b - bhi
    return ((ahi * bhi - a * b) + ahi * blo + alo * bhi) + alo * blo


@body
def round_product(a: float, b: float) -> float:
    """a * b to a whole number, half away from zero, as if the product were exact."""
    p = a * b
    r = round_f64(p)
    if r - p == f64(0.5) and product_error(a, b) < f64(0.0):
        return r - f64(1.0)
    if p - r == f64(0.5) and product_error(a, b) > f64(0.0):
        return r + f64(1.0)
    return r


@body
def round_digits_double(a: float, digits: int) -> float:
    """To a number of digits after the point (before it, where negative), by scaling with a power of ten."""
    if digits < i64(0):
        scale = power_f64(f64(10.0), f64(i64(0) - digits))
        if is_infinite(scale) and a - a == f64(0.0):
            return f64(0.0)
        r = round_f64(divide_f64(a, scale)) * scale
        if is_nan(r) or is_infinite(r):
            return a
        return r
    scale = power_f64(f64(10.0), f64(digits))
    r = divide_f64(round_product(a, scale), scale)
    if is_nan(r) or is_infinite(r):
        return a
    return r


@body
def round_digits_float(a: float, digits: int) -> float:
    return f32(round_digits_double(f64(a), digits))


@body
def round_digits_small(a: int, digits: int, least: int, most: int) -> tuple[int, int]:
    """Whole numbers to tens, hundreds ...: half away from zero; fails where the result leaves the type."""
    if digits >= i64(0):
        return a, u8(0)
    if digits < i64(-18):
        # 10**19 / 2 is within i64, so a halfway value may still round up, and then leaves every type
        far = digits == i64(-19) and (a >= i64(5000000000000000000) or a <= i64(-5000000000000000000))
        return i64(0), u8(far)
    unit = i64(power_of_ten(i64(0) - digits))
    rest = remainder_i64(a, unit)
    half = divide_i64(unit, i64(2))
    quotient = divide_i64(a, unit)
    if rest >= half:
        quotient = quotient + i64(1)
    if rest <= i64(0) - half:
        quotient = quotient - i64(1)
    r, overflow = multiply_overflow(quotient, unit)
    return r, overflow | u8(r < least or r > most)


@body
def round_digits_wide(lo: int, hi: int, digits: int, llo: int, lhi: int, mlo: int, mhi: int) -> tuple[int, int, int]:
    if digits >= i64(0):
        return lo, hi, u8(0)
    places = i64(0) - digits
    if places > i64(38):
        return u64(0), i64(0), u8(0)
    xlo, xhi = magnitude_wide(lo, hi)
    # half of 10**places is 5 * 10**(places - 1)
    hlo, hhi, _ = multiply_power_of_ten_wide(u64(5), i64(0), places - i64(1))
    slo, shi, _ = add_wide(xlo, i64(xhi), hlo, hhi)
    qlo, qhi = divide_power_of_ten(slo, u64(shi), places)
    rlo, rhi, overflow = multiply_power_of_ten_wide(qlo, i64(qhi), places)
    if hi < i64(0):
        rlo, rhi = negate_wide(rlo, rhi)
    return rlo, rhi, overflow | outside_wide(rlo, rhi, llo, lhi, mlo, mhi)


@body
def round_decimal_small(a: int, unit: int) -> int:
    return round_half_up(a, unit)


@body
def round_decimal_wide(lo: int, hi: int, digits: int, hlo: int, hhi: int) -> tuple[int, int]:
    return round_half_up_wide(lo, hi, digits, hlo, hhi)


@body
def round_whole_small(a: int, digits: int, unit: int, scale: int) -> int:
    """A decimal of `scale` digits to 10**-digits, digits <= 0, as a number without digits after the point."""
    if i64(0) - digits + scale > i64(18):
        return i64(0)
    tens = i64(power_of_ten(i64(0) - digits))
    return round_half_up(a, unit * tens) * tens


@body
def floor_decimal_small(a: int, unit: int) -> int:
    q = divide_i64(a, unit)
    return q - i64(a < i64(0) and remainder_i64(a, unit) != i64(0))


@body
def ceil_decimal_small(a: int, unit: int) -> int:
    q = divide_i64(a, unit)
    return q + i64(a > i64(0) and remainder_i64(a, unit) != i64(0))


@body
def truncate_decimal_small(a: int, unit: int) -> int:
    return divide_i64(a, unit)


@body
def truncate_decimal_wide(lo: int, hi: int, digits: int) -> tuple[int, int]:
    xlo, xhi = magnitude_wide(lo, hi)
    qlo, qhi = divide_power_of_ten(xlo, xhi, digits)
    if hi < i64(0):
        return negate_wide(qlo, i64(qhi))
    return qlo, i64(qhi)


@body
def floor_decimal_wide(lo: int, hi: int, digits: int) -> tuple[int, int]:
    qlo, qhi = truncate_decimal_wide(lo, hi, digits)
    blo, bhi, _ = multiply_power_of_ten_wide(qlo, qhi, digits)
    if hi < i64(0) and (blo != lo or bhi != hi):
        rlo, rhi, _ = add_wide(qlo, qhi, u64(0xFFFFFFFFFFFFFFFF), i64(-1))
        return rlo, rhi
    return qlo, qhi


@body
def ceil_decimal_wide(lo: int, hi: int, digits: int) -> tuple[int, int]:
    qlo, qhi = truncate_decimal_wide(lo, hi, digits)
    blo, bhi, _ = multiply_power_of_ten_wide(qlo, qhi, digits)
    if hi >= i64(0) and (blo != lo or bhi != hi):
        rlo, rhi, _ = add_wide(qlo, qhi, u64(1), i64(0))
        return rlo, rhi
    return qlo, qhi


@body
def floor_double(a: float) -> float:
    return floor_f64(a)


@body
def ceil_double(a: float) -> float:
    return ceil_f64(a)


@body
def truncate_double(a: float) -> float:
    return truncate_f64(a)


@body
def floor_float(a: float) -> float:
    return f32(floor_f64(f64(a)))


@body
def ceil_float(a: float) -> float:
    return f32(ceil_f64(f64(a)))


@body
def truncate_float(a: float) -> float:
    return f32(truncate_f64(f64(a)))


# ---- declarations

_WIDER = {UTINYINT: BIGINT, USMALLINT: BIGINT, UINTEGER: BIGINT, UBIGINT: HUGEINT, NULL: BIGINT}


def _same(t: SqlType) -> Overload:
    return Overload((t,), t, same_wide if is_wide(t) else same_i64)


def _half(digits: int) -> tuple[tuple[str, int], ...]:
    return (("i64", digits), *wide_constants(10**digits // 2))


@scalar("round")
def round_whole(arguments: Types) -> Overload | None:
    if len(arguments) != 1:
        return None
    t = _WIDER.get(arguments[0], arguments[0])
    if t.is_float:
        return Overload((t,), t, round_double if t == DOUBLE else round_float)
    if t.is_integer:
        return _same(t)
    return _decimal(t, round_decimal_small, round_decimal_wide, _half) if t.is_decimal else None


def _decimal(t: SqlType, small: Body, wide: Body, constants: Callable[[int], tuple[tuple[str, int], ...]]) -> Overload:
    """A decimal to a whole number of as many digits; `constants` are those of the wide body."""
    result = decimal(t.precision, 0)
    if t.scale == 0:
        return _same(t)
    if is_wide(t):
        return Overload((t,), result, wide, constants=constants(t.scale))
    return Overload((t,), result, small, constants=(("i64", 10**t.scale),))


@scalar("round")
def round_digits(arguments: Types) -> Overload | None:
    """round(number, digits). For decimals the digits decide the result's type: see `round_decimal`."""
    if len(arguments) != 2 or not (arguments[1] == NULL or _fits_integer(arguments[1])):
        return None
    t = _WIDER.get(arguments[0], arguments[0])
    if t.is_float:
        return Overload((t, INTEGER), t, round_digits_double if t == DOUBLE else round_digits_float)
    if not t.is_integer:
        return None
    wide = is_wide(t)
    return Overload(
        (t, INTEGER),
        t,
        round_digits_wide if wide else round_digits_small,
        fails=f"overflow in round of a {t} value",
        constants=range_constants(t),
    )


def _fits_integer(t: SqlType) -> bool:
    return t.is_integer and not is_wide(t) and t not in (BIGINT, UINTEGER)


def round_decimal(t: SqlType, digits: int) -> SqlType:
    """The type of round(x, digits) for x of a decimal type and a constant number of digits.

    From 0 digits up the function is the cast to this type; for fewer it is `round_tens(x, digits)`.
    """
    return t if digits >= t.scale else decimal(t.precision, max(digits, 0))


@scalar("round_tens")
def round_tens(arguments: Types) -> Overload | None:
    """round(decimal, digits) for digits <= 0."""
    if len(arguments) != 2 or not arguments[0].is_decimal or not _fits_integer(arguments[1]):
        return None
    t = arguments[0]
    if is_wide(t):
        return None
    constants = (("i64", 10**t.scale), ("i64", t.scale))
    return Overload((t, INTEGER), decimal(t.precision, 0), round_whole_small, constants=constants)


def _to_whole(double: Body, single: Body, small: Body, wide: Body) -> Callable[[Types], Overload | None]:
    """floor and ceil: whole decimals for decimals, floating numbers for all others."""

    def resolver(arguments: Types) -> Overload | None:
        if len(arguments) != 1:
            return None
        t = arguments[0]
        if t.is_decimal:
            return _decimal(t, small, wide, lambda digits: (("i64", digits),))
        if t == FLOAT:
            return Overload((t,), t, single)
        return Overload((DOUBLE,), DOUBLE, double) if t.is_numeric or t == NULL else None

    return resolver


scalar("floor")(_to_whole(floor_double, floor_float, floor_decimal_small, floor_decimal_wide))
scalar("ceil", "ceiling")(_to_whole(ceil_double, ceil_float, ceil_decimal_small, ceil_decimal_wide))
_truncate = _to_whole(truncate_double, truncate_float, truncate_decimal_small, truncate_decimal_wide)


@scalar("trunc")
def truncate(arguments: Types) -> Overload | None:
    if len(arguments) == 1 and (arguments[0].is_integer or arguments[0] == NULL):
        return _same(BIGINT if arguments[0] == NULL else arguments[0])
    return _truncate(arguments)
