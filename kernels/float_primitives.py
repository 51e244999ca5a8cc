"""Floating-point primitives: Python's arithmetic where it would raise, with the answers of IEEE 754 and of C.

Part of `headrace.kernels.primitives`, from where bodies import them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

__all__ = [  # noqa: RUF022
    "absolute_f64",
    "acos_f64",
    "acosh_f64",
    "asin_f64",
    "asinh_f64",
    "atan2_f64",
    "atan_f64",
    "atanh_f64",
    "cbrt_f64",
    "ceil_f64",
    "copysign_f64",
    "cos_f64",
    "cosh_f64",
    "divide_f64",
    "exp_f64",
    "floor_f64",
    "is_infinite",
    "is_nan",
    "ln_f64",
    "log10_f64",
    "log2_f64",
    "power_f64",
    "remainder_f64",
    "round_even_f64",
    "round_f64",
    "sin_f64",
    "sinh_f64",
    "sqrt_f64",
    "tan_f64",
    "tanh_f64",
    "truncate_f64",
]

FLOATS: dict[str, Callable[..., object]] = {}

_WHOLE = 2.0**52  # from here on every double is a whole number


def _float(function: Function) -> Function:
    FLOATS[function.__name__] = function
    return function


@_float
def divide_f64(a: float, b: float) -> float:
    """a / b; by zero an infinity, or NaN."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


@_float
def remainder_f64(a: float, b: float) -> float:
    """What is left of a after whole multiples of b, with the sign of a; NaN by zero and for infinite a."""
    if b == 0.0 or math.isinf(a):
        return math.nan
    return math.fmod(a, b)


@_float
def is_nan(x: float) -> int:
    """Whether x is not a number (u8)."""
    return 1 if x != x else 0


@_float
def is_infinite(x: float) -> int:
    """Whether x is one of the infinities (u8)."""
    return 1 if math.isinf(x) else 0


@_float
def absolute_f64(x: float) -> float:
    """x without its sign."""
    return abs(x)


@_float
def copysign_f64(x: float, sign: float) -> float:
    """The size of x with the sign of `sign`, which may be a zero."""
    return math.copysign(x, sign)


@_float
def floor_f64(x: float) -> float:
    """The largest whole number that is not above x."""
    return math.copysign(float(math.floor(x)), x) if abs(x) < _WHOLE else x


@_float
def ceil_f64(x: float) -> float:
    """The smallest whole number that is not below x."""
    return math.copysign(float(math.ceil(x)), x) if abs(x) < _WHOLE else x


@_float
def truncate_f64(x: float) -> float:
    """x without its fraction."""
    return math.copysign(float(int(x)), x) if abs(x) < _WHOLE else x


@_float
def round_even_f64(x: float) -> float:
    """The nearest whole number, of two the even one."""
    return math.copysign(float(round(x)), x) if abs(x) < _WHOLE else x


@_float
def round_f64(x: float) -> float:
    """The nearest whole number, of two the one further from zero."""
    if not abs(x) < _WHOLE:
        return x
    whole = int(x)
    if abs(x - whole) >= 0.5:
        whole += 1 if x > 0 else -1
    return math.copysign(float(whole), x)


@_float
def sqrt_f64(x: float) -> float:
    """The square root; NaN below zero."""
    return math.sqrt(x) if x >= 0.0 else math.nan


@_float
def cbrt_f64(x: float) -> float:
    """The cube root."""
    return math.cbrt(x)


@_float
def exp_f64(x: float) -> float:
    """e to the power x; infinity beyond the range."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _logarithm(function: Callable[[float], float], x: float) -> float:
    if x > 0.0:
        return function(x)
    return -math.inf if x == 0.0 else math.nan


@_float
def ln_f64(x: float) -> float:
    """The natural logarithm; minus infinity of zero, NaN below."""
    return _logarithm(math.log, x)


@_float
def log10_f64(x: float) -> float:
    """The logarithm to base 10; minus infinity of zero, NaN below."""
    return _logarithm(math.log10, x)


@_float
def log2_f64(x: float) -> float:
    """The logarithm to base 2; minus infinity of zero, NaN below."""
    return _logarithm(math.log2, x)


@_float
def power_f64(x: float, y: float) -> float:
    """x to the power y, as C's pow: NaN for a fractional power of a negative number, infinities at a pole."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.copysign(math.inf, x) if math.fmod(y, 2.0) in (1.0, -1.0) else math.inf
    except ValueError:
        if x != 0.0:
            return math.nan
        return math.copysign(math.inf, x) if math.fmod(y, 2.0) == -1.0 else math.inf


def _defined(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except ValueError:
        return math.nan


@_float
def sin_f64(x: float) -> float:
    """The sine; NaN of an infinity."""
    return _defined(math.sin, x)


@_float
def cos_f64(x: float) -> float:
    """The cosine; NaN of an infinity."""
    return _defined(math.cos, x)


@_float
def tan_f64(x: float) -> float:
    """The tangent; NaN of an infinity."""
    return _defined(math.tan, x)


@_float
def asin_f64(x: float) -> float:
    """The arcsine; NaN outside -1 .. 1."""
    return _defined(math.asin, x)


@_float
def acos_f64(x: float) -> float:
    """The arccosine; NaN outside -1 .. 1."""
    return _defined(math.acos, x)


@_float
def atan_f64(x: float) -> float:
    """The arctangent."""
    return math.atan(x)


@_float
def atan2_f64(y: float, x: float) -> float:
    """The angle of the point (x, y)."""
    return math.atan2(y, x)


@_float
def sinh_f64(x: float) -> float:
    """The hyperbolic sine; an infinity beyond the range."""
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


@_float
def cosh_f64(x: float) -> float:
    """The hyperbolic cosine; infinity beyond the range."""
    try:
        return math.cosh(x)
    except OverflowError:
        return math.inf


@_float
def tanh_f64(x: float) -> float:
    """The hyperbolic tangent."""
    return math.tanh(x)


@_float
def asinh_f64(x: float) -> float:
    """The inverse hyperbolic sine."""
    return math.asinh(x)


@_float
def acosh_f64(x: float) -> float:
    """The inverse hyperbolic cosine; NaN below 1."""
    return _defined(math.acosh, x)


@_float
def atanh_f64(x: float) -> float:
    """The inverse hyperbolic tangent; an infinity at -1 and 1, NaN outside."""
    if abs(x) == 1.0:
        return math.copysign(math.inf, x)
    return _defined(math.atanh, x)
