"""Membership in a sorted list of constants, which can be of any length: binary search."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.kernels.comparison import compare_f64
from headrace.kernels.primitives import TextBytes, divide_i64, i64, text_compare, text_span, u8, u64
from headrace.kernels.registry import body


@body
def among_i64(values: Sequence[int], x: int) -> int:
    """Whether a whole number is among ascending i64 values (u8)."""
    low, high = i64(0), i64(len(values))
    while low < high:
        middle = divide_i64(low + high, i64(2))
        if values[u64(middle)] < x:
            low = middle + i64(1)
        else:
            high = middle
    return u8((low < i64(len(values))) and (values[u64(low)] == x))


@body
def among_wide(lows: Sequence[int], highs: Sequence[int], lo: int, hi: int) -> int:
    """Whether a wide number is among ascending wide values (u8)."""
    low, high = i64(0), i64(len(lows))
    while low < high:
        middle = divide_i64(low + high, i64(2))
        mlo, mhi = lows[u64(middle)], highs[u64(middle)]
        if (mhi < hi) or ((mhi == hi) and (mlo < lo)):
            low = middle + i64(1)
        else:
            high = middle
    return u8((low < i64(len(lows))) and (lows[u64(low)] == lo) and (highs[u64(low)] == hi))


@body
def among_f64(values: Sequence[float], x: float) -> int:
    """Whether a double is among values ascending in DuckDB's order, NaN last (u8)."""
    low, high = i64(0), i64(len(values))
    while low < high:
        middle = divide_i64(low + high, i64(2))
        if compare_f64(values[u64(middle)], x) < i64(0):
            low = middle + i64(1)
        else:
            high = middle
    return u8((low < i64(len(values))) and (compare_f64(values[u64(low)], x) == i64(0)))


@body
def among_texts(offsets: Sequence[int], data: TextBytes, a: TextBytes, n: int) -> int:
    """Whether a text is among texts in byte order, given as offsets and bytes (u8)."""
    count = i64(len(offsets)) - i64(1)
    low, high = i64(0), count
    while low < high:
        middle = divide_i64(low + high, i64(2))
        start, stop = offsets[u64(middle)], offsets[u64(middle + i64(1))]
        if text_compare(text_span(data, start, stop), stop - start, a, n) < i64(0):
            low = middle + i64(1)
        else:
            high = middle
    if low >= count:
        return u8(0)
    start, stop = offsets[u64(low)], offsets[u64(low + i64(1))]
    return u8(text_compare(text_span(data, start, stop), stop - start, a, n) == i64(0))
