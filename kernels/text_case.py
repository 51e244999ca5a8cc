"""upper and lower: code point by code point, as Unicode's simple mappings have it."""

from __future__ import annotations

from headrace.kernels.case_lower import lower_code
from headrace.kernels.case_upper import upper_code
from headrace.kernels.primitives import TextBytes, i64, load_u8, store_u8, text_new, u64
from headrace.kernels.registry import body
from headrace.kernels.text import function
from headrace.kernels.utf8 import code_at, size_at, size_of_code, store_code, written
from headrace.types import VARCHAR

Text = tuple[TextBytes, int]


@body
def is_plain(a: TextBytes, n: int) -> bool:
    """Whether a text is ASCII."""
    every = u64(0)
    for k in range(n):
        every = every | load_u8(a, i64(k))
    return every < u64(0x80)


@body
def upper_text(arena: object, a: TextBytes, n: int) -> Text:
    if is_plain(a, n):
        out = text_new(arena, n)
        for k in range(n):
            byte = load_u8(a, i64(k))
            store_u8(out, i64(k), byte - u64(32) if u64(0x61) <= byte <= u64(0x7A) else byte)
        return out, written(out, n)
    size = i64(0)
    k = i64(0)
    while k < n:
        size = size + size_of_code(upper_code(code_at(a, k)))
        k = k + size_at(a, k)
    out = text_new(arena, size)
    at = i64(0)
    k = i64(0)
    while k < n:
        at = store_code(out, at, upper_code(code_at(a, k)))
        k = k + size_at(a, k)
    return out, written(out, size)


@body
def lower_text(arena: object, a: TextBytes, n: int) -> Text:
    if is_plain(a, n):
        out = text_new(arena, n)
        for k in range(n):
            byte = load_u8(a, i64(k))
            store_u8(out, i64(k), byte + u64(32) if u64(0x41) <= byte <= u64(0x5A) else byte)
        return out, written(out, n)
    size = i64(0)
    k = i64(0)
    while k < n:
        size = size + size_of_code(lower_code(code_at(a, k)))
        k = k + size_at(a, k)
    out = text_new(arena, size)
    at = i64(0)
    k = i64(0)
    while k < n:
        at = store_code(out, at, lower_code(code_at(a, k)))
        k = k + size_at(a, k)
    return out, written(out, size)


function("upper ucase", (VARCHAR,), VARCHAR, upper_text, arena=True)
function("lower lcase", (VARCHAR,), VARCHAR, lower_text, arena=True)
