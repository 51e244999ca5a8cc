"""Text functions that measure, cut, join and rewrite. Characters are code points; positions count from 1."""

from __future__ import annotations

from headrace.kernels.primitives import (
    TextBytes,
    i64,
    multiply_overflow,
    text_at,
    text_copy,
    text_find,
    text_new,
    u8,
    u64,
)
from headrace.kernels.registry import Body, Nulls, Overload, body, scalar
from headrace.kernels.utf8 import (
    before,
    code_at,
    count_characters,
    is_space,
    size_at,
    size_of_code,
    skip_characters,
    store_code,
    written,
)
from headrace.types import BIGINT, BLOB, INTEGER, NULL, VARCHAR, SqlType, is_wide

Types = tuple[SqlType, ...]
Text = tuple[TextBytes, int]

# ---- bodies: measuring


@body
def length_of_text(a: TextBytes, n: int) -> int:
    return count_characters(a, n)


@body
def bytes_of_text(a: TextBytes, n: int) -> int:
    return n


@body
def bits_of_text(a: TextBytes, n: int) -> int:
    return n * i64(8)


@body
def first_code(a: TextBytes, n: int) -> int:
    """The code point of the first character; 0 for empty text."""
    return i64(code_at(a, i64(0))) if n > i64(0) else i64(0)


@body
def first_code_or_none(a: TextBytes, n: int) -> int:
    """As `first_code`, but -1 for empty text."""
    return i64(code_at(a, i64(0))) if n > i64(0) else i64(-1)


# ---- bodies: cutting (the result lies within the argument)


@body
def within_32_bits(value: int) -> int:
    """The value, at most as far from zero as a text can reach."""
    if value > i64(4294967296):
        return i64(4294967296)
    return value if value > i64(-4294967296) else i64(-4294967296)


@body
def substring_of_length(a: TextBytes, n: int, start: int, length: int) -> Text:
    """From a position on; a negative one counts from the end, a negative length goes backwards.

    Position 0 is one before the first character. What lies before the text uses up the length.
    """
    size = count_characters(a, n)
    first = within_32_bits(start)
    first = size + first if first < i64(0) else first - i64(1)
    stop = first + within_32_bits(length)
    if stop < first:
        first, stop = stop, first
    first = first if first > i64(0) else i64(0)
    stop = stop if stop < size else size
    if stop <= first:
        return a, i64(0)
    begin = skip_characters(a, n, i64(0), first)
    end = skip_characters(a, n, begin, stop - first)
    return text_at(a, begin), end - begin


@body
def substring_to_end(a: TextBytes, n: int, start: int) -> Text:
    first = start - i64(1)
    if start <= i64(0):
        first = i64(0)
    if start < i64(0):
        size = count_characters(a, n)
        first = size + start if start > i64(0) - size else i64(0)
    begin = skip_characters(a, n, i64(0), first)
    return text_at(a, begin), n - begin


@body
def left_of_text(a: TextBytes, n: int, count: int) -> Text:
    """The first characters; a negative count is that many left out at the end."""
    keep = count
    if count < i64(0):
        keep = count_characters(a, n) + count
    return a, skip_characters(a, n, i64(0), keep)


@body
def right_of_text(a: TextBytes, n: int, count: int) -> Text:
    """The last characters; a negative count is that many left out at the beginning."""
    size = count_characters(a, n)
    skip = size - count
    if count < i64(0):
        skip = i64(0) - count if count > i64(0) - size else size
    begin = skip_characters(a, n, i64(0), skip)
    return text_at(a, begin), n - begin


@body
def spaces_before(a: TextBytes, n: int) -> int:
    k = i64(0)
    while k < n and is_space(code_at(a, k)):
        k = k + size_at(a, k)
    return k


@body
def end_without_spaces(a: TextBytes, begin: int, n: int) -> int:
    while n > begin:
        k = before(a, n)
        if not is_space(code_at(a, k)):
            return n
        n = k
    return n


@body
def trim_spaces(a: TextBytes, n: int) -> Text:
    begin = spaces_before(a, n)
    return text_at(a, begin), end_without_spaces(a, begin, n) - begin


@body
def trim_spaces_left(a: TextBytes, n: int) -> Text:
    begin = spaces_before(a, n)
    return text_at(a, begin), n - begin


@body
def trim_spaces_right(a: TextBytes, n: int) -> Text:
    return a, end_without_spaces(a, i64(0), n)


@body
def is_among(code: int, b: TextBytes, m: int) -> bool:
    """Whether a code point is one of a text's characters."""
    k = i64(0)
    while k < m:
        if code_at(b, k) == code:
            return True
        k = k + size_at(b, k)
    return False


@body
def members_before(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    k = i64(0)
    while k < n and is_among(code_at(a, k), b, m):
        k = k + size_at(a, k)
    return k


@body
def end_without_members(a: TextBytes, begin: int, n: int, b: TextBytes, m: int) -> int:
    while n > begin:
        k = before(a, n)
        if not is_among(code_at(a, k), b, m):
            return n
        n = k
    return n


@body
def trim_members(a: TextBytes, n: int, b: TextBytes, m: int) -> Text:
    begin = members_before(a, n, b, m)
    return text_at(a, begin), end_without_members(a, begin, n, b, m) - begin


@body
def trim_members_left(a: TextBytes, n: int, b: TextBytes, m: int) -> Text:
    begin = members_before(a, n, b, m)
    return text_at(a, begin), n - begin


@body
def trim_members_right(a: TextBytes, n: int, b: TextBytes, m: int) -> Text:
    return a, end_without_members(a, i64(0), n, b, m)


# ---- bodies: making new text


@body
def concatenate(arena: object, a: TextBytes, n: int, b: TextBytes, m: int) -> Text:
    out = text_new(arena, n + m)
    text_copy(out, i64(0), a, n)
    text_copy(out, n, b, m)
    return out, written(out, n + m)


@body
def replace_text(arena: object, a: TextBytes, n: int, b: TextBytes, m: int, c: TextBytes, q: int) -> Text:
    """Every b in a becomes c, from left to right; an empty b is found nowhere."""
    if m == i64(0):
        return a, n
    count = i64(0)
    at = text_find(a, n, b, m, i64(0))
    while at >= i64(0):
        count = count + i64(1)
        at = text_find(a, n, b, m, at + m)
    if count == i64(0):
        return a, n
    size = n + count * (q - m)
    out = text_new(arena, size)
    source = i64(0)
    target = i64(0)
    for _ in range(count):
        at = text_find(a, n, b, m, source)
        text_copy(out, target, text_at(a, source), at - source)
        target = target + (at - source)
        text_copy(out, target, c, q)
        target = target + q
        source = at + m
    text_copy(out, target, text_at(a, source), n - source)
    return out, written(out, size)


@body
def repeat_text(arena: object, a: TextBytes, n: int, count: int) -> tuple[TextBytes, int, int]:
    """Fails where the result would be longer than 2**31 - 1 bytes."""
    times = count if count > i64(0) else i64(0)
    size, overflow = multiply_overflow(n, times)
    if overflow or size > i64(2147483647):
        return a, i64(0), u8(1)
    if n == i64(0):
        times = i64(0)
    out = text_new(arena, size)
    for k in range(times):
        text_copy(out, i64(k) * n, a, n)
    return out, written(out, size), u8(0)


@body
def is_combining(code: int) -> bool:
    """Whether a character may belong to the one before it; from U+0300 on all but some common scripts may."""
    if code < u64(0x300) or (code >= u64(0x370) and code < u64(0x483)):
        return False
    if code >= u64(0x48A) and code < u64(0x590):
        return False
    if code >= u64(0x3041) and code < u64(0x3097):
        return False
    if code >= u64(0x30A1) and code < u64(0x30FB):
        return False
    return code < u64(0x4E00) or code > u64(0x9FFF)


@body
def reverse_text(arena: object, a: TextBytes, n: int) -> tuple[TextBytes, int, int]:
    """Fails for text with characters that may combine with others: there code points are not characters."""
    out = text_new(arena, n)
    k = i64(0)
    while k < n:
        code = code_at(a, k)
        size = size_at(a, k)
        if is_combining(code) or (code == u64(13) and size < n):
            return out, i64(0), u8(1)
        store_code(out, n - k - size, code)
        k = k + size
    return out, written(out, n), u8(0)


@body
def pad_bytes(b: TextBytes, m: int, count: int) -> int:
    """The bytes of `count` characters of b, repeated."""
    characters = count_characters(b, m)
    whole = i64(0)
    while count >= characters:
        whole = whole + m
        count = count - characters
    return whole + skip_characters(b, m, i64(0), count)


@body
def store_padding(out: TextBytes, at: int, stop: int, b: TextBytes, m: int) -> int:
    """Fill out[at:stop] with b, repeated."""
    while at < stop:
        part = m if m < stop - at else stop - at
        text_copy(out, at, b, part)
        at = at + part
    return at


@body
def pad_left(arena: object, a: TextBytes, n: int, count: int, b: TextBytes, m: int) -> tuple[TextBytes, int, int]:
    """To `count` characters by b, repeated, in front; longer text is cut. Fails for an empty b."""
    size = count_characters(a, n)
    if count <= size:
        return a, skip_characters(a, n, i64(0), count), u8(0)
    if m == i64(0):
        return a, i64(0), u8(1)
    padding = pad_bytes(b, m, count - size)
    out = text_new(arena, n + padding)
    store_padding(out, i64(0), padding, b, m)
    text_copy(out, padding, a, n)
    return out, written(out, n + padding), u8(0)


@body
def pad_right(arena: object, a: TextBytes, n: int, count: int, b: TextBytes, m: int) -> tuple[TextBytes, int, int]:
    """As `pad_left`, at the end."""
    size = count_characters(a, n)
    if count <= size:
        return a, skip_characters(a, n, i64(0), count), u8(0)
    if m == i64(0):
        return a, i64(0), u8(1)
    padding = pad_bytes(b, m, count - size)
    out = text_new(arena, n + padding)
    text_copy(out, i64(0), a, n)
    store_padding(out, n, n + padding, b, m)
    return out, written(out, n + padding), u8(0)


@body
def character_of_code(arena: object, code: int) -> tuple[TextBytes, int, int]:
    """Fails for what is no Unicode character."""
    valid = code >= i64(0) and code <= i64(0x10FFFF) and (code < i64(0xD800) or code > i64(0xDFFF))
    size = size_of_code(u64(code)) if valid else i64(0)
    out = text_new(arena, size)
    if valid:
        store_code(out, i64(0), u64(code))
    return out, written(out, size), u8(not valid)


# ---- declarations


def texts(arguments: Types, *parameters: SqlType) -> bool:
    """Whether the arguments fit: VARCHAR takes text, BIGINT and INTEGER whole numbers, and NULL fits all."""
    return len(arguments) == len(parameters) and all(
        t in (NULL, p) or (p in (BIGINT, INTEGER) and t.is_integer and (p == BIGINT or not is_wide(t)))
        for t, p in zip(arguments, parameters, strict=True)
    )


def function(
    names: str,
    parameters: Types,
    result: SqlType,
    row: Body,
    *,
    arena: bool = False,
    fails: str | None = None,
) -> None:
    """Declare a function of fixed parameters, under one or more names."""

    def resolver(arguments: Types) -> Overload | None:
        if not texts(arguments, *parameters):
            return None
        return Overload(parameters, result, row, arena=arena, fails=fails)

    scalar(*names.split())(resolver)


function("length len char_length character_length", (VARCHAR,), BIGINT, length_of_text)
function("strlen", (VARCHAR,), BIGINT, bytes_of_text)
function("octet_length", (BLOB,), BIGINT, bytes_of_text)
function("bit_length", (VARCHAR,), BIGINT, bits_of_text)
function("ascii", (VARCHAR,), INTEGER, first_code)
function("unicode ord", (VARCHAR,), INTEGER, first_code_or_none)
function("substring substr", (VARCHAR, BIGINT, BIGINT), VARCHAR, substring_of_length)
function("substring substr", (VARCHAR, BIGINT), VARCHAR, substring_to_end)
function("left", (VARCHAR, BIGINT), VARCHAR, left_of_text)
function("right", (VARCHAR, BIGINT), VARCHAR, right_of_text)
function("trim", (VARCHAR,), VARCHAR, trim_spaces)
function("ltrim", (VARCHAR,), VARCHAR, trim_spaces_left)
function("rtrim", (VARCHAR,), VARCHAR, trim_spaces_right)
function("trim", (VARCHAR, VARCHAR), VARCHAR, trim_members)
function("ltrim", (VARCHAR, VARCHAR), VARCHAR, trim_members_left)
function("rtrim", (VARCHAR, VARCHAR), VARCHAR, trim_members_right)
function("replace", (VARCHAR, VARCHAR, VARCHAR), VARCHAR, replace_text, arena=True)
function("repeat", (VARCHAR, BIGINT), VARCHAR, repeat_text, arena=True, fails="the repeated text is too long")
function("reverse", (VARCHAR,), VARCHAR, reverse_text, arena=True,
         fails="reverse is not supported for text with characters that may combine")  # fmt: skip
function("lpad", (VARCHAR, INTEGER, VARCHAR), VARCHAR, pad_left, arena=True, fails="there is nothing to pad with")
function("rpad", (VARCHAR, INTEGER, VARCHAR), VARCHAR, pad_right, arena=True, fails="there is nothing to pad with")
function("chr", (INTEGER,), VARCHAR, character_of_code, arena=True, fails="the number is no Unicode character")


def castable(t: SqlType) -> bool:
    """Whether a value of the type becomes text by itself beside || or in concat()."""
    return t.kind.value != "BLOB"


@scalar("concat_operator")
def concatenation(arguments: Types) -> Overload | None:
    """a || b: both BLOB, or both made VARCHAR."""
    if len(arguments) != 2:
        return None
    if BLOB in arguments:
        if not all(t in (BLOB, NULL) for t in arguments):
            return None
        return Overload((BLOB, BLOB), BLOB, concatenate, arena=True)
    return Overload((VARCHAR, VARCHAR), VARCHAR, concatenate, arena=True)


@scalar("concat")
def concat(arguments: Types) -> Overload | None:
    """concat(...): everything as VARCHAR, NULL as empty text; spelled with `concatenate`."""
    if not arguments or not all(map(castable, arguments)):
        return None
    return Overload((VARCHAR,) * len(arguments), VARCHAR, nulls=Nulls.SPECIAL, arena=True)
