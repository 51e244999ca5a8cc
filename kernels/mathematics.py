"""Roots, powers, logarithms, trigonometry, and the choice of the greatest or least argument.

Floating functions give what IEEE gives, infinities and not-a-number, and never fail.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
)

from headrace.kernels.coercion import (
    common_type_of,
)
from headrace.kernels.primitives import (
    acos_f64,
    acosh_f64,
    asin_f64,
    asinh_f64,
    atan2_f64,
    atan_f64,
    atanh_f64,
    cbrt_f64,
    ceil_f64,
    cos_f64,
    cosh_f64,
    divide_f64,
    exp_f64,
    f32,
    f64,
    floor_f64,
    is_infinite,
    is_nan,
    ln_f64,
    log2_f64,
    log10_f64,
    power_f64,
    remainder_f64,
    sin_f64,
    sinh_f64,
    sqrt_f64,
    tan_f64,
    tanh_f64,
    u8,
)
from headrace.kernels.registry import (
    Body,
    Nulls,
    Overload,
    body,
    scalar,
)
from headrace.kernels.rounding import round_decimal as round_decimal
from headrace.types import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    NULL,
    SqlType,
)

Types = tuple[SqlType, ...]

# ---- bodies


@body
def square_root(x: float) -> float:
    return sqrt_f64(x)


@body
def cube_root(x: float) -> float:
    return cbrt_f64(x)


@body
def exponential(x: float) -> float:
    return exp_f64(x)


@body
def natural_logarithm(x: float) -> float:
    return ln_f64(x)


@body
def logarithm_2(x: float) -> float:
    return log2_f64(x)


@body
def logarithm_10(x: float) -> float:
    return log10_f64(x)


@body
def logarithm(base: float, x: float) -> float:
    return divide_f64(log10_f64(x), log10_f64(base))


@body
def power(x: float, y: float) -> float:
    return power_f64(x, y)


@body
def floored_remainder(x: float, y: float) -> float:
    """The remainder with the sign of the divisor, unlike that of `%`."""
    r = remainder_f64(x, y)
    if r != f64(0.0) and (r < f64(0.0)) != (y < f64(0.0)):
        return r + y
    return r


@body
def floored_remainder_float(x: float, y: float) -> float:
    return f32(floored_remainder(f64(x), f64(y)))


@body
def sine(x: float) -> float:
    return sin_f64(x)


@body
def cosine(x: float) -> float:
    return cos_f64(x)


@body
def tangent(x: float) -> float:
    return tan_f64(x)


@body
def cotangent(x: float) -> float:
    return divide_f64(f64(1.0), tan_f64(x))


@body
def arc_sine(x: float) -> float:
    return asin_f64(x)


@body
def arc_cosine(x: float) -> float:
    return acos_f64(x)


@body
def arc_tangent(x: float) -> float:
    return atan_f64(x)


@body
def arc_tangent_2(y: float, x: float) -> float:
    return atan2_f64(y, x)


@body
def hyperbolic_sine(x: float) -> float:
    return sinh_f64(x)


@body
def hyperbolic_cosine(x: float) -> float:
    return cosh_f64(x)


@body
def hyperbolic_tangent(x: float) -> float:
    return tanh_f64(x)


@body
def area_sine(x: float) -> float:
    return asinh_f64(x)


@body
def area_cosine(x: float) -> float:
    return acosh_f64(x)


@body
def area_tangent(x: float) -> float:
    return atanh_f64(x)


@body
def degrees(x: float) -> float:
    return x * divide_f64(f64(180.0), f64(3.141592653589793))


@body
def radians(x: float) -> float:
    return x * divide_f64(f64(3.141592653589793), f64(180.0))


@body
def pi() -> float:
    return f64(3.141592653589793)


@body
def even(x: float) -> float:
    """The next even whole number away from zero."""
    r = ceil_f64(x)
    if x < f64(0.0):
        r = -ceil_f64(-x)
    if floor_f64(r * f64(0.5)) * f64(2.0) != r:
        if x >= f64(0.0):
            return r + f64(1.0)
        return r - f64(1.0)
    return r


@body
def test_nan(x: float) -> int:
    return is_nan(x)


@body
def test_infinite(x: float) -> int:
    return is_infinite(x)


@body
def test_finite(x: float) -> int:
    return u8(x - x == f64(0.0))


# ---- declarations


def _doubles(count: int, row: Body, result: SqlType = DOUBLE) -> Callable[[Types], Overload | None]:
    """A function of `count` doubles, to which every number is cast."""

    def resolver(arguments: Types) -> Overload | None:
        if len(arguments) != count or not all(t.is_numeric or t == NULL for t in arguments):
            return None
        return Overload((DOUBLE,) * count, result, row)

    return resolver


scalar("pi")(_doubles(0, pi))
scalar("sqrt")(_doubles(1, square_root))
scalar("cbrt")(_doubles(1, cube_root))
scalar("exp")(_doubles(1, exponential))
scalar("ln")(_doubles(1, natural_logarithm))
scalar("log2")(_doubles(1, logarithm_2))
scalar("log10", "log")(_doubles(1, logarithm_10))
scalar("log")(_doubles(2, logarithm))
scalar("power", "pow")(_doubles(2, power))


@scalar("fmod")
def floored(arguments: Types) -> Overload | None:
    """A FLOAT beside a FLOAT and no DOUBLE."""
    if len(arguments) != 2 or not all(t.is_numeric or t == NULL for t in arguments):
        return None
    if FLOAT in arguments and DOUBLE not in arguments:
        return Overload((FLOAT, FLOAT), FLOAT, floored_remainder_float)
    return Overload((DOUBLE, DOUBLE), DOUBLE, floored_remainder)


scalar("sin")(_doubles(1, sine))
scalar("cos")(_doubles(1, cosine))
scalar("tan")(_doubles(1, tangent))
scalar("cot")(_doubles(1, cotangent))
scalar("asin")(_doubles(1, arc_sine))
scalar("acos")(_doubles(1, arc_cosine))
scalar("atan")(_doubles(1, arc_tangent))
scalar("atan2")(_doubles(2, arc_tangent_2))
scalar("sinh")(_doubles(1, hyperbolic_sine))
scalar("cosh")(_doubles(1, hyperbolic_cosine))
scalar("tanh")(_doubles(1, hyperbolic_tangent))
scalar("asinh")(_doubles(1, area_sine))
scalar("acosh")(_doubles(1, area_cosine))
scalar("atanh")(_doubles(1, area_tangent))
scalar("degrees")(_doubles(1, degrees))
scalar("radians")(_doubles(1, radians))
scalar("even")(_doubles(1, even))
scalar("isnan")(_doubles(1, test_nan, BOOLEAN))
scalar("isinf")(_doubles(1, test_infinite, BOOLEAN))
scalar("isfinite")(_doubles(1, test_finite, BOOLEAN))


@scalar("greatest", "least")
def extreme(arguments: Types) -> Overload | None:
    """The greatest or least argument that is not NULL, in the order that comparisons use."""
    t = common_type_of(arguments)
    if not arguments or t is None:
        return None
    return Overload((t,) * len(arguments), t, nulls=Nulls.SPECIAL)
