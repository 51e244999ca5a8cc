"""The names that every device supplies in its own way; the plain-Python body here is what each of them means.

Row bodies and generated pipelines are written over these names. Interpreted they run as below, on Python
ints, floats, lists and bytes; a device that compiles replaces each by machine code with the same answers.
Unsigned words lie in 0 .. 2**64 - 1, signed ones in -2**63 .. 2**63 - 1, flags are 0 or 1; an argument
outside its word is the caller's fault. A wide number is two words, (low unsigned, high signed).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, MutableSequence, Sequence
from typing import TypeAlias, TypeVar

from headrace.kernels.float_primitives import *  # noqa: F403 - one module gives every primitive
from headrace.kernels.float_primitives import FLOATS

TextBytes: TypeAlias = bytes | bytearray | memoryview
Number = TypeVar("Number", int, float)
Function = TypeVar("Function", bound=Callable[..., object])

TILE = 2048

_MASK = 0xFFFF_FFFF_FFFF_FFFF
_MAX = 0x7FFF_FFFF_FFFF_FFFF
_MIN = -_MAX - 1
_MASK_128 = (1 << 128) - 1
_TOP_128 = 1 << 127
_HASH = 0x9E37_79B9_7F4A_7C15

PRIMITIVES: dict[str, Callable[..., object]] = dict(FLOATS)


class KernelFailure(Exception):
    """Interpreted code met a row without an answer: failure site `site` of the pipeline, at row `row`."""

    def __init__(self, site: int, row: int) -> None:
        super().__init__(site, row)
        self.site = site
        self.row = row


def primitive(function: Function) -> Function:
    """List a function among the primitives, under its own name."""
    PRIMITIVES[function.__name__] = function
    return function


# --- conversions


@primitive
def u8(x: int) -> int:
    """The low 8 bits; of a flag, 0 or 1."""
    return x & 0xFF


@primitive
def u64(x: int) -> int:
    """The same 64 bits, unsigned."""
    return x & _MASK


@primitive
def i64(x: int) -> int:
    """The same 64 bits, signed."""
    x = int(x)
    return x if _MIN <= x <= _MAX else _signed(x & _MASK)


@primitive
def f64(x: float) -> float:
    """The nearest double."""
    return float(x)


@primitive
def f32(x: float) -> float:
    """The nearest single-precision number, infinity beyond its range, in one rounding."""
    if type(x) is int and not -(1 << 53) <= x <= 1 << 53:
        # Keep 53 bits and make the last one sticky, so that the rounding below is the only one.
        shift = x.bit_length() - 53
        kept = x >> shift
        x = float((kept | (kept << shift != x)) << shift)
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


@primitive
def f64_to_i64(x: float) -> int:
    """`x` without its fraction; the caller has checked that it fits."""
    return int(x)


@primitive
def float_bits(x: float) -> int:
    """The 64 bits of a double, as an unsigned word."""
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


@primitive
def bits_float(x: int) -> float:
    """The double with these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<Q", x))[0])


def _signed(x: int) -> int:
    return x - (1 << 64) if x > _MAX else x


# --- 64-bit arithmetic


def _checked(exact: int) -> tuple[int, int]:
    if _MIN <= exact <= _MAX:
        return exact, 0
    return _signed(exact & _MASK), 1


@primitive
def add_overflow(a: int, b: int) -> tuple[int, int]:
    """a + b, wrapped, and whether it overflowed."""
    return _checked(a + b)


@primitive
def subtract_overflow(a: int, b: int) -> tuple[int, int]:
    """a - b, wrapped, and whether it overflowed."""
    return _checked(a - b)


@primitive
def multiply_overflow(a: int, b: int) -> tuple[int, int]:
    """a * b, wrapped, and whether it overflowed."""
    return _checked(a * b)


@primitive
def divide_i64(a: int, b: int) -> int:
    """a / b truncated toward zero; the caller has excluded b = 0 and the smallest number by -1."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


@primitive
def remainder_i64(a: int, b: int) -> int:
    """The remainder of `divide_i64`, with the sign of a; the caller has excluded the same pairs."""
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


@primitive
def divide_u64(a: int, b: int) -> int:
    """a / b of unsigned words, truncated; the caller has excluded b = 0."""
    return a // b


@primitive
def remainder_u64(a: int, b: int) -> int:
    """a modulo b of unsigned words; the caller has excluded b = 0."""
    return a % b


@primitive
def wrap_add_u64(a: int, b: int) -> int:
    """a + b modulo 2**64."""
    return (a + b) & _MASK


@primitive
def wrap_multiply_u64(a: int, b: int) -> int:
    """a * b modulo 2**64."""
    return (a * b) & _MASK


@primitive
def shift_left_u64(x: int, k: int) -> int:
    """x shifted up by k bits; 0 when k is 64 or more."""
    return (x << k) & _MASK if k < 64 else 0


@primitive
def shift_right_u64(x: int, k: int) -> int:
    """x shifted down by k bits, zeros coming in; 0 when k is 64 or more."""
    return x >> k if k < 64 else 0


@primitive
def popcount_u64(x: int) -> int:
    """How many bits are set (u64)."""
    return x.bit_count()


@primitive
def trailing_zeros_u64(x: int) -> int:
    """How many zeros lie below the lowest set bit (u64); 64 for 0."""
    return (x & -x).bit_length() - 1 if x else 64


@primitive
def leading_zeros_u64(x: int) -> int:
    """How many zeros lie above the highest set bit (u64); 64 for 0."""
    return 64 - x.bit_length()


# --- 128-bit arithmetic


def _wide(low: int, high: int) -> int:
    return (high << 64) | low


def _words(exact: int) -> tuple[int, int, int]:
    wrapped = exact & _MASK_128
    return wrapped & _MASK, _signed(wrapped >> 64), 0 if -_TOP_128 <= exact < _TOP_128 else 1


@primitive
def add_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    """The wide sum, wrapped: (low, high, overflowed)."""
    return _words(_wide(alo, ahi) + _wide(blo, bhi))


@primitive
def subtract_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    """The wide difference, wrapped: (low, high, overflowed)."""
    return _words(_wide(alo, ahi) - _wide(blo, bhi))


@primitive
def multiply_wide(alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
    """The wide product, wrapped: (low, high, overflowed)."""
    return _words(_wide(alo, ahi) * _wide(blo, bhi))


@primitive
def multiply_64(a: int, b: int) -> tuple[int, int]:
    """The full product of two signed words, (low, high)."""
    low, high, _ = _words(a * b)
    return low, high


@primitive
def multiply_u64(a: int, b: int) -> tuple[int, int]:
    """The full product of two unsigned words, both halves unsigned: (low, high)."""
    product = a * b
    return product & _MASK, product >> 64


# --- state shared by threads
# An array may be of any integer type, and of f64 for additions. What is added fits the array's type: sums
# that may not fit go through `accumulate_wide`.


@primitive
def accumulate(array: MutableSequence[Number], i: int, v: Number) -> None:
    """array[i] += v in the state of this thread (CPU) or of the whole grid (CUDA)."""
    array[i] += v


@primitive
def accumulate_min(array: MutableSequence[Number], i: int, v: Number) -> None:
    """array[i] becomes v where v is smaller; NaN is larger than any number."""
    old = array[i]
    if v < old or old != old:
        array[i] = v


@primitive
def accumulate_max(array: MutableSequence[Number], i: int, v: Number) -> None:
    """array[i] becomes v where v is larger; NaN is larger than any number."""
    if v > array[i] or v != v:
        array[i] = v


@primitive
def accumulate_wide(low: MutableSequence[int], high: MutableSequence[int], i: int, vlo: int, vhi: int) -> None:
    """Add a wide number to the wide number (low u64[i], high i64[i]), wrapping."""
    low[i], high[i], _ = _words(_wide(low[i], high[i]) + _wide(vlo, vhi))


@primitive
def atomic_add(array: MutableSequence[Number], i: int, v: Number) -> Number:
    """array[i] += v, indivisibly; returns what was there."""
    old = array[i]
    array[i] = old + v
    return old


@primitive
def atomic_min(array: MutableSequence[Number], i: int, v: Number) -> Number:
    """`accumulate_min`, indivisibly; returns what was there."""
    old = array[i]
    if v < old or old != old:
        array[i] = v
    return old


@primitive
def atomic_max(array: MutableSequence[Number], i: int, v: Number) -> Number:
    """`accumulate_max`, indivisibly; returns what was there."""
    old = array[i]
    if v > old or v != v:
        array[i] = v
    return old


@primitive
def atomic_or(array: MutableSequence[int], i: int, v: int) -> int:
    """array[i] |= v, indivisibly; returns what was there."""
    old = array[i]
    array[i] = old | v
    return old


@primitive
def atomic_cas(array: MutableSequence[int], i: int, old: int, new: int) -> int:
    """array[i] becomes `new` if it is `old`, indivisibly; returns what was there."""
    found = array[i]
    if found == old:
        array[i] = new
    return found


@primitive
def atomic_load(array: Sequence[int], i: int) -> int:
    """array[i], seeing all that was written before the value found here was published."""
    return array[i]


@primitive
def fence() -> None:
    """What this thread wrote before is seen by others before what it writes after."""


@primitive
def fail(bad: int, failed: int, site: int, row: int) -> int:
    """Note that `row` has no answer at `site` where `failed` is 1: the new value of the flag `bad` (u64)."""
    if failed:
        raise KernelFailure(site, row)
    return bad


# --- tiles and bitmaps


@primitive
def row_step(step: int) -> int:
    """`step` (u64), as the constant 1 on devices that always run neighbouring rows."""
    return step


@primitive
def tile_mask() -> list[int]:
    """Scratch for TILE u8 and the 8 that `mask_pad` may write beyond, contents arbitrary."""
    return [0] * (TILE + 8)


@primitive
def mask_pad(mask: MutableSequence[int], m: int) -> None:
    """Clear the bytes from mask[m] on to the end of its word; m is at most TILE."""
    for k in range(m, m + 8):
        mask[k] = 0


@primitive
def mask_word(mask: Sequence[int], k: int) -> int:
    """mask[k:k + 8] as one little-endian word (u64); k is a multiple of 8."""
    return int.from_bytes(bytes(mask[k : k + 8]), "little")


@primitive
def bit_u8(bitmap: Sequence[int], i: int) -> int:
    """Bit i of a bitmap of u8, lowest bit first (u8)."""
    return (bitmap[i >> 3] >> (i & 7)) & 1


@primitive
def bit_u64(bitmap: Sequence[int], i: int) -> int:
    """Bit i of a bitmap of u64, lowest bit first (u8)."""
    return (bitmap[i >> 6] >> (i & 63)) & 1


@primitive
def rank_at(bitmap: Sequence[int], prefix: Sequence[int], i: int) -> int:
    """How many bits below bit i are set in a bitmap of u64 (i64); prefix[w] is that count for bit 64 * w."""
    return prefix[i >> 6] + (bitmap[i >> 6] & ((1 << (i & 63)) - 1)).bit_count()


# --- text
# An address is interpreted a bytes-like object that begins at the text's first byte, compiled a machine
# address.


@primitive
def load_u8(a: TextBytes, k: int) -> int:
    """Byte k of the text at a (u64)."""
    return a[k]


@primitive
def load_u64(a: TextBytes, k: int) -> int:
    """Bytes k .. k + 7 of the text at a as one little-endian word (u64), all of them inside the text."""
    return int.from_bytes(a[k : k + 8], "little")


@primitive
def store_u8(a: TextBytes, k: int, b: int) -> None:
    """Write byte k of fresh text; nothing happens at address 0, which is what a full arena gives."""
    a[k] = b  # type: ignore[index]


@primitive
def text_at(a: TextBytes, k: int) -> TextBytes:
    """The address k bytes further (0 stays 0); fresh text stays writable through it."""
    return a[k:] if isinstance(a, bytes) else memoryview(a)[k:]


@primitive
def text_span(data: TextBytes, start: int, stop: int) -> TextBytes:
    """The address of data[start:stop], `data` being a column's u8 buffer."""
    return data[start:stop]


@primitive
def text_new(arena: object, n: int) -> bytearray:
    """The address of n fresh bytes; 0 when the arena is full.

    Compiled, the arena is a u64[4]: base address, capacity, used, unused. `used` grows even when it is full.
    Interpreted it is None, or a function that is told of long texts and raises where memory forbids them.
    """
    if arena is not None and n > 65536:
        arena(n)  # type: ignore[operator]
    return bytearray(n)


@primitive
def text_copy(target: TextBytes, at: int, a: TextBytes, n: int) -> None:
    """Copy n bytes from a to fresh text, from its byte `at` on; nothing happens at target address 0."""
    target[at : at + n] = a[:n]  # type: ignore[index]


@primitive
def text_equal(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    """Whether two texts are the same bytes (u8)."""
    return 1 if n == m and a[:n] == b[:m] else 0


@primitive
def text_compare(a: TextBytes, n: int, b: TextBytes, m: int) -> int:
    """-1, 0 or 1 by unsigned bytes, a prefix before what it begins."""
    left, right = bytes(a[:n]), bytes(b[:m])
    return (left > right) - (left < right)


@primitive
def text_hash(a: TextBytes, n: int) -> int:
    """A 64-bit hash of the bytes, the same on every device."""
    words = -(-n // 8)
    h = (n * _HASH) & _MASK
    for w in struct.unpack(f"<{words}Q", bytes(a[:n]).ljust(words * 8, b"\0")):
        h = ((h ^ w) * _HASH) & _MASK
        h ^= h >> 32
    return h


@primitive
def text_find(a: TextBytes, n: int, b: TextBytes, m: int, start: int) -> int:
    """The first byte offset from `start` on at which text b lies in text a, or -1."""
    return bytes(a[:n]).find(bytes(b[:m]), start)
