"""What the text primitives compile to: loops over bytes and unaligned words at machine addresses.

Each has the meaning of the primitive it stands for and is itself written over primitives only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.kernels.primitives import (
    i64,
    load_u8,
    load_u64,
    shift_left_u64,
    shift_right_u64,
    u8,
    u64,
    wrap_multiply_u64,
)

_HASH = 0x9E37_79B9_7F4A_7C15


def text_equal(a: Any, n: Any, b: Any, m: Any) -> Any:
    if n != m:
        return u8(0)
    k = i64(0)
    while k + i64(8) <= n:
        if load_u64(a, k) != load_u64(b, k):
            return u8(0)
        k += i64(8)
    while k < n:
        if load_u8(a, k) != load_u8(b, k):
            return u8(0)
        k += i64(1)
    return u8(1)


def text_compare(a: Any, n: Any, b: Any, m: Any) -> Any:
    shorter = i64(n) if n < m else i64(m)
    k = i64(0)
    while k + i64(8) <= shorter and load_u64(a, k) == load_u64(b, k):
        k += i64(8)
    while k < shorter:
        left = load_u8(a, k)
        right = load_u8(b, k)
        if left != right:
            return i64(-1) if left < right else i64(1)
        k += i64(1)
    return i64(n > m) - i64(n < m)


def text_hash(a: Any, n: Any) -> Any:
    h = wrap_multiply_u64(u64(n), u64(_HASH))
    k = i64(0)
    while k + i64(8) <= n:
        h = wrap_multiply_u64(h ^ load_u64(a, k), u64(_HASH))
        h ^= shift_right_u64(h, u64(32))
        k += i64(8)
    if k < n:
        last = u64(0)
        place = u64(0)
        while k < n:
            last |= shift_left_u64(load_u8(a, k), place)
            place += u64(8)
            k += i64(1)
        h = wrap_multiply_u64(h ^ last, u64(_HASH))
        h ^= shift_right_u64(h, u64(32))
    return h


def text_find(a: Any, n: Any, b: Any, m: Any, start: Any) -> Any:
    last = i64(n) - i64(m)
    k = i64(start)
    if m == i64(0):
        return k if k <= n else i64(-1)
    head = load_u8(b, i64(0))
    tail = load_u8(b, i64(m) - i64(1))
    while k <= last:
        if k + i64(31) <= last:
            # 32 places at once: the loop has a fixed length and no way out, so that it becomes vector code.
            hit = u8(0)
            for j in range(32):
                hit |= u8(load_u8(a, k + j) == head) & u8(load_u8(a, k + j + m - i64(1)) == tail)
            if hit == u8(0):
                k += i64(32)
                continue
        stop = last if last < k + i64(31) else k + i64(31)
        while k <= stop:
            if load_u8(a, k) == head and load_u8(a, k + m - i64(1)) == tail:
                j = i64(1)
                while j < m and load_u8(a, k + j) == load_u8(b, j):
                    j += i64(1)
                if j >= m:
                    return k
            k += i64(1)
    return i64(-1)


LOOPS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (text_equal, text_compare, text_hash, text_find)
}
