"""Hashes of keys: one 64-bit word mixed to 64 bits, and hashes combined over the words of a key.

The mixer is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
"""

from __future__ import annotations

from headrace.kernels.primitives import float_bits, shift_right_u64, u64, wrap_add_u64, wrap_multiply_u64
from headrace.kernels.registry import body


@body
def hash_u64(x: int) -> int:
    """Mix one word so that every bit of it moves every bit of the hash."""
    h = wrap_add_u64(x, u64(0x9E3779B97F4A7C15))
    h = wrap_multiply_u64(h ^ shift_right_u64(h, u64(30)), u64(0xBF58476D1CE4E5B9))
    h = wrap_multiply_u64(h ^ shift_right_u64(h, u64(27)), u64(0x94D049BB133111EB))
    return h ^ shift_right_u64(h, u64(31))


@body
def hash_combine(h: int, x: int) -> int:
    """The hash of a key whose words so far hash to `h`, with one more word."""
    return hash_u64(wrap_add_u64(wrap_multiply_u64(h, u64(0x9E3779B97F4A7C15)), x))


@body
def key_bits(x: float) -> int:
    """A double as a key word: -0.0 is 0.0, and every NaN is the same."""
    if x != x:
        return u64(0x7FF8000000000000)
    if x == 0.0:
        return u64(0)
    return float_bits(x)
