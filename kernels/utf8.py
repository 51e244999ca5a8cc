"""UTF-8: the characters (code points) of a well-formed text given as (address, length in bytes)."""

from __future__ import annotations

from headrace.kernels.primitives import (
    TextBytes,
    i64,
    load_u8,
    shift_left_u64,
    shift_right_u64,
    store_u8,
    u64,
)
from headrace.kernels.registry import body


@body
def written(out: TextBytes, n: int) -> int:
    """The length to return beside fresh text: nothing is there to read when the arena was full."""
    return i64(0) if out == u64(0) else n  # type: ignore[comparison-overlap]


@body
def is_inside(byte: int) -> bool:
    """Whether a byte is a character's second, third or fourth."""
    return byte & u64(0xC0) == u64(0x80)


@body
def size_at(a: TextBytes, k: int) -> int:
    """The number of bytes of the character whose first byte is at k."""
    lead = load_u8(a, k)
    if lead < u64(0x80):
        return i64(1)
    if lead < u64(0xE0):
        return i64(2)
    return i64(3) if lead < u64(0xF0) else i64(4)


@body
def before(a: TextBytes, k: int) -> int:
    """The offset of the character that ends before offset k > 0."""
    k = k - i64(1)
    while k > i64(0) and is_inside(load_u8(a, k)):
        k = k - i64(1)
    return k


@body
def count_characters(a: TextBytes, n: int) -> int:
    count = i64(0)
    for k in range(n):
        if not is_inside(load_u8(a, i64(k))):
            count = count + i64(1)
    return count


@body
def skip_characters(a: TextBytes, n: int, start: int, count: int) -> int:
    """The offset `count` characters after offset `start`, at most n."""
    k = start
    while count > i64(0) and k < n:
        k = k + size_at(a, k)
        count = count - i64(1)
    return k if k < n else n


@body
def code_at(a: TextBytes, k: int) -> int:
    """The code point whose first byte is at k."""
    lead = load_u8(a, k)
    if lead < u64(0x80):
        return lead
    second = load_u8(a, k + i64(1)) & u64(0x3F)
    if lead < u64(0xE0):
        return shift_left_u64(lead & u64(0x1F), u64(6)) | second
    third = load_u8(a, k + i64(2)) & u64(0x3F)
    upper = shift_left_u64(second, u64(6)) | third
    if lead < u64(0xF0):
        return shift_left_u64(lead & u64(0x0F), u64(12)) | upper
    fourth = load_u8(a, k + i64(3)) & u64(0x3F)
    return shift_left_u64(lead & u64(0x07), u64(18)) | shift_left_u64(upper, u64(6)) | fourth


@body
def size_of_code(code: int) -> int:
    if code < u64(0x80):
        return i64(1)
    if code < u64(0x800):
        return i64(2)
    return i64(3) if code < u64(0x10000) else i64(4)


@body
def store_code(out: TextBytes, k: int, code: int) -> int:
    """Write a code point from offset k on; returns the offset after it."""
    if code < u64(0x80):
        store_u8(out, k, code)
        return k + i64(1)
    last = (code & u64(0x3F)) | u64(0x80)
    if code < u64(0x800):
        store_u8(out, k, shift_right_u64(code, u64(6)) | u64(0xC0))
        store_u8(out, k + i64(1), last)
        return k + i64(2)
    middle = (shift_right_u64(code, u64(6)) & u64(0x3F)) | u64(0x80)
    if code < u64(0x10000):
        store_u8(out, k, shift_right_u64(code, u64(12)) | u64(0xE0))
        store_u8(out, k + i64(1), middle)
        store_u8(out, k + i64(2), last)
        return k + i64(3)
    store_u8(out, k, shift_right_u64(code, u64(18)) | u64(0xF0))
    store_u8(out, k + i64(1), (shift_right_u64(code, u64(12)) & u64(0x3F)) | u64(0x80))
    store_u8(out, k + i64(2), middle)
    store_u8(out, k + i64(3), last)
    return k + i64(4)


@body
def is_space(code: int) -> bool:
    """The space separators of Unicode, which trim removes; tabs and line ends are none."""
    if code < u64(0x80):
        return code == u64(0x20)
    if code >= u64(0x2000) and code <= u64(0x200A):
        return True
    wide = code == u64(0x1680) or code == u64(0x202F) or code == u64(0x205F) or code == u64(0x3000)
    return wide or code == u64(0xA0)
