"""Finding text in text: contains, position, prefix and suffix, LIKE and ILIKE."""

from __future__ import annotations

from headrace.kernels.primitives import (
    TextBytes,
    i64,
    load_u8,
    text_at,
    text_equal,
    text_find,
    u8,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.text import function
from headrace.kernels.text_case import lower_text
from headrace.kernels.utf8 import before, count_characters, size_at
from headrace.types import BIGINT, BOOLEAN, VARCHAR

PERCENT = 0x25
UNDERSCORE = 0x5F


@body
def contains_text(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    return u8(text_find(a, n, b, m, i64(0)) >= i64(0))


@body
def starts_with_text(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    return text_equal(a, m, b, m) if m <= n else u8(0)


@body
def ends_with_text(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    return text_equal(text_at(a, n - m), m, b, m) if m <= n else u8(0)


@body
def position_of_text(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    """The position in characters of b in a; 0 where it is not."""
    at = text_find(a, n, b, m, i64(0))
    return count_characters(a, at) + i64(1) if at >= i64(0) else i64(0)


@body
def matches_here(a: TextBytes, n: int, k: int, p: TextBytes, start: int, stop: int) -> int:
    """Where p[start:stop], without a %, matches a from byte k on: the byte after the match; else -1."""
    j = start
    while j < stop:
        if k >= n:
            return i64(-1)
        wanted = load_u8(p, j)
        if wanted == u64(UNDERSCORE):
            k = k + size_at(a, k)
        elif wanted == load_u8(a, k):
            k = k + i64(1)
        else:
            return i64(-1)
        j = j + i64(1)
    return k


@body
def matches_end(a: TextBytes, n: int, k: int, p: TextBytes, start: int, stop: int) -> bool:
    """Whether p[start:stop], without a %, matches the end of a, not before byte k."""
    j = stop
    while j > start:
        if n <= k:
            return False
        j = j - i64(1)
        wanted = load_u8(p, j)
        if wanted == u64(UNDERSCORE):
            n = before(a, n)
        elif wanted == load_u8(a, n - i64(1)):
            n = n - i64(1)
        else:
            return False
    return n >= k


@body
def find_piece(a: TextBytes, n: int, k: int, p: TextBytes, start: int, stop: int) -> int:
    """The byte after the first match of p[start:stop] in a from byte k on; -1 where there is none."""
    plain = True
    for j in range(start, stop):
        if load_u8(p, i64(j)) == u64(UNDERSCORE):
            plain = False
    if plain:
        at = text_find(a, n, text_at(p, start), stop - start, k)
        return at + (stop - start) if at >= i64(0) else i64(-1)
    while k <= n:
        after = matches_here(a, n, k, p, start, stop)
        if after >= i64(0):
            return after
        if k == n:
            return i64(-1)
        k = k + size_at(a, k)
    return i64(-1)


@body
def next_percent(p: TextBytes, m: int, start: int) -> int:
    """The offset of the next % from `start` on; m where there is none."""
    j = start
    while j < m and load_u8(p, j) != u64(PERCENT):
        j = j + i64(1)
    return j


@body
def like_text(a: TextBytes, n: int, p: TextBytes, m: int) -> int:
    """LIKE without an escape: % is any text, _ one character. A piece between two % takes its first match."""
    stop = next_percent(p, m, i64(0))
    k = matches_here(a, n, i64(0), p, i64(0), stop)
    if k < i64(0):
        return u8(0)
    if stop == m:
        return u8(k == n)
    while True:
        start = stop + i64(1)
        stop = next_percent(p, m, start)
        if stop == m:
            return u8(matches_end(a, n, k, p, start, stop))
        if stop > start:
            k = find_piece(a, n, k, p, start, stop)
            if k < i64(0):
                return u8(0)


@body
def like_escaped(a: TextBytes, n: int, p: TextBytes, m: int, e: TextBytes, q: int) -> tuple[int, int]:
    """LIKE ... ESCAPE e: the byte after e stands for itself.

    Fails where e is longer than a byte and where the pattern ends with it.
    """
    if q == i64(0):
        return like_text(a, n, p, m), u8(0)
    if q > i64(1):
        return u8(0), u8(1)
    escape = load_u8(e, i64(0))
    k = i64(0)
    j = i64(0)
    back_j = i64(-1)  # after the last %
    back_k = i64(0)  # where its match ends so far
    while True:
        moved = False
        if j < m:
            wanted = load_u8(p, j)
            if wanted == escape:
                if j + i64(1) >= m:
                    return u8(0), u8(1)
                if k < n and load_u8(a, k) == load_u8(p, j + i64(1)):
                    j = j + i64(2)
                    k = k + i64(1)
                    moved = True
            elif wanted == u64(PERCENT):
                j = j + i64(1)
                back_j = j
                back_k = k
                moved = True
            elif k < n and wanted == u64(UNDERSCORE):
                j = j + i64(1)
                k = k + size_at(a, k)
                moved = True
            elif k < n and wanted == load_u8(a, k):
                j = j + i64(1)
                k = k + i64(1)
                moved = True
        elif k == n:
            return u8(1), u8(0)
        if not moved:
            if back_j < i64(0) or back_k >= n:
                return u8(0), u8(0)
            back_k = back_k + size_at(a, back_k)
            j = back_j
            k = back_k


@body
def ilike_text(arena: object, a: TextBytes, n: int, p: TextBytes, m: int) -> int:
    """LIKE on both texts in lower case."""
    x, i = lower_text(arena, a, n)
    y, j = lower_text(arena, p, m)
    return like_text(x, i, y, j)


@body
def ilike_escaped(arena: object, a: TextBytes, n: int, p: TextBytes, m: int, e: TextBytes, q: int) -> tuple[int, int]:
    x, i = lower_text(arena, a, n)
    y, j = lower_text(arena, p, m)
    return like_escaped(x, i, y, j, e, q)


_ESCAPE = "the escape must be one character, and the pattern must not end with it"

function("contains", (VARCHAR, VARCHAR), BOOLEAN, contains_text)
function("starts_with prefix ^@", (VARCHAR, VARCHAR), BOOLEAN, starts_with_text)
function("ends_with suffix", (VARCHAR, VARCHAR), BOOLEAN, ends_with_text)
function("strpos instr position", (VARCHAR, VARCHAR), BIGINT, position_of_text)
function("like", (VARCHAR, VARCHAR), BOOLEAN, like_text)
function("like", (VARCHAR, VARCHAR, VARCHAR), BOOLEAN, like_escaped, fails=_ESCAPE)
function("ilike", (VARCHAR, VARCHAR), BOOLEAN, ilike_text, arena=True)
function("ilike", (VARCHAR, VARCHAR, VARCHAR), BOOLEAN, ilike_escaped, arena=True, fails=_ESCAPE)
