"""Intervals from text: counts and units, with a clock among them, `ago` after them."""

from __future__ import annotations

from headrace.kernels.interval import outside_32
from headrace.kernels.number_input import end_without_blanks, is_blank, is_digit, letters_at, skip_blanks
from headrace.kernels.primitives import (
    TextBytes,
    add_overflow,
    divide_i64,
    i64,
    load_u8,
    multiply_overflow,
    remainder_i64,
    u8,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.temporal_input import byte_at, scan_digits

Interval = tuple[int, int, int, int]

MILLION = 1_000_000


def _pack(word: str) -> int:
    """A word as `letters_at` packs it."""
    packed = 0
    for letter in word:
        packed = packed << 5 | ord(letter) - 96
    return packed
