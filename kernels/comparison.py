"""Comparisons. The code generator spells them out on the words; here are their types and the orders it needs.

Whole numbers, dates, times and BOOLEAN compare as their words, text as its bytes. Floating numbers have a
total order in which not-a-number equals itself and is greater than everything, and -0.0 equals 0.0. Intervals
compare after 30 days are taken as a month and 24 hours as a day.
"""

from __future__ import annotations

from headrace.kernels.coercion import comparison_type
from headrace.kernels.primitives import divide_i64, f64, i64, is_nan, remainder_i64, u8
from headrace.kernels.registry import Nulls, Overload, body, scalar
from headrace.types import BOOLEAN, SqlType

Types = tuple[SqlType, ...]


@body
def compare_i64(a: int, b: int) -> int:
    """-1, 0 or 1."""
    return i64(a > b) - i64(a < b)


@body
def compare_f64(a: float, b: float) -> int:
    """-1, 0 or 1 in the total order of floating numbers."""
    if a < b:
        return i64(-1)
    if a > b:
        return i64(1)
    # equal, or one of them is not a number
    return i64(is_nan(a)) - i64(is_nan(b))


@body
def equal_f64(a: float, b: float) -> int:
    return u8(a == b or (a != a and b != b))


@body
def less_f64(a: float, b: float) -> int:
    return u8(a < b or (b != b and a == a))


@body
def less_equal_f64(a: float, b: float) -> int:
    return u8(a <= b or b != b)


@body
def compare_f32(a: float, b: float) -> int:
    """As `compare_f64`, for single precision."""
    return compare_f64(f64(a), f64(b))


@body
def whole_days(days: int, micros: int) -> int:
    """The days of an interval, with whole days taken out of its microseconds."""
    return days + divide_i64(micros, i64(86400000000))


@body
def normal_months(months: int, days: int, micros: int) -> int:
    """The months of an interval, with whole months taken out of its days."""
    return months + divide_i64(whole_days(days, micros), i64(30))


@body
def normal_days(days: int, micros: int) -> int:
    """The days left beside `normal_months`."""
    return remainder_i64(whole_days(days, micros), i64(30))


@body
def normal_micros(micros: int) -> int:
    """The microseconds left beside `normal_days`."""
    return remainder_i64(micros, i64(86400000000))


@body
def compare_interval(am: int, ad: int, au: int, bm: int, bd: int, bu: int) -> int:
    """-1, 0 or 1, on (months, days, micros)."""
    order = compare_i64(normal_months(am, ad, au), normal_months(bm, bd, bu))
    if order != i64(0):
        return order
    order = compare_i64(normal_days(ad, au), normal_days(bd, bu))
    if order != i64(0):
        return order
    return compare_i64(normal_micros(au), normal_micros(bu))


def _compared(arguments: Types, nulls: Nulls) -> Overload | None:
    if len(arguments) != 2:
        return None
    t = comparison_type(*arguments)
    return None if t is None else Overload((t, t), BOOLEAN, nulls=nulls)


@scalar("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
def comparison(arguments: Types) -> Overload | None:
    return _compared(arguments, Nulls.STRICT)


@scalar("is_distinct", "is_not_distinct")
def distinction(arguments: Types) -> Overload | None:
    """IS [NOT] DISTINCT FROM: NULL is a value like others, and the result is never NULL."""
    return _compared(arguments, Nulls.SPECIAL)
