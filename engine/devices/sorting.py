"""Orders of rows by sort keys: a whole order, and the first k rows of one without sorting the rest.

Every key is first normalised to unsigned words whose plain order is the order wanted: descending keys are
reversed, NULLs get a place before or after all values, NaN is the largest number and -0.0 equals 0.0. Keys
whose ranges together leave room are packed into one word with the row number below them, so that one quick
sort of plain numbers is a stable sort of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

_TOP = np.uint64(1 << 63)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One sort key: `values` of any integer or float type, one a row; `nulls` is nonzero where a row is NULL.

    What `values` holds under a NULL does not matter. Wide numbers are two keys, (high signed, low unsigned),
    with the same flags and nulls.
    """

    values: Array
    descending: bool = False
    nulls: Array | None = None
    nulls_first: bool = False

    def take(self, rows: Array) -> OrderKey:
        nulls = None if self.nulls is None else self.nulls[rows]
        return OrderKey(self.values[rows], self.descending, nulls, self.nulls_first)


def sort_order(keys: Sequence[OrderKey], rows: int) -> Array:
    """The row numbers (i64) in the order of the keys, the first key first; equal rows keep their order."""
    normal = [found for found in map(_normalised, keys) if found is not None]
    if not normal or rows < 2:
        return np.arange(rows)
    packed, bits = _packed(normal)
    if packed is not None:
        return _stable(packed, bits, rows)
    words = [word for word, _ in normal]
    return np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0], kind="stable")


def top_k_order(keys: Sequence[OrderKey], rows: int, k: int) -> Array:
    """The first k of `sort_order`, without sorting the rows that cannot be among them."""
    if k <= 0:
        return np.arange(0)
    if rows <= 4 * k or rows < 1_000:
        return sort_order(keys, rows)[:k]
    for place, key in enumerate(keys):
        found = _normalised(key)
        if found is None:
            continue
        packed, _ = _packed([n for n in (found, *map(_normalised, keys[place + 1 :])) if n is not None])
        first = found[0] if packed is None else packed
        candidates = np.flatnonzero(first <= np.partition(first, k - 1)[k - 1])
        order = sort_order([later.take(candidates) for later in keys[place:]], len(candidates))
        return candidates[order[:k]]
    return np.arange(min(k, rows))


def _normalised(key: OrderKey) -> tuple[Array, int] | None:
    """The key as u64 words from 0 to the returned maximum; None where all rows are equal."""
    values = key.values
    nulls = None if key.nulls is None else np.asarray(key.nulls).astype(np.bool_)
    if nulls is not None and not nulls.any():
        nulls = None
    if values.dtype.kind == "f":
        words = _float_words(values.astype(np.float64, copy=False))
    elif values.dtype.kind == "i":
        words = values.astype(np.int64, copy=False).view(np.uint64) ^ _TOP
    else:
        words = values.astype(np.uint64, copy=False)
    seen = words if nulls is None else words[~nulls]
    if len(seen) == 0:
        return None
    low, high = int(seen.min()), int(seen.max())
    words = np.uint64(high) - words if key.descending else words - np.uint64(low)
    span = high - low
    if nulls is not None:
        # A span of all 2**64 words leaves none for NULL.
        if span == (1 << 64) - 1:
            words, span = _ranked(words, nulls)
        words = words + np.uint64(1) if key.nulls_first else words
        words = np.where(nulls, np.uint64(0 if key.nulls_first else span + 1), words)
        span += 1
    return (words, span) if span else None


def _ranked(words: Array, nulls: Array) -> tuple[Array, int]:
    """The words replaced by their places among the distinct ones, which need less room."""
    distinct, places = np.unique(np.where(nulls, words.min(), words), return_inverse=True)
    return places.astype(np.uint64), len(distinct) - 1


def _float_words(values: Array) -> Array:
    values = np.where(np.isnan(values), np.nan, values + 0.0)
    bits = values.view(np.uint64)
    # np.nan is a positive NaN, above infinity; negative numbers count down.
    return np.where(bits & _TOP != 0, ~bits, bits | _TOP)


def _packed(keys: Sequence[tuple[Array, int]]) -> tuple[Array | None, int]:
    """All keys in one u64 word each row, and how many bits it takes; None where 64 are too few."""
    bits = sum(span.bit_length() for _, span in keys)
    if bits > 64:
        return None, bits
    packed, _ = keys[0]
    for words, span in keys[1:]:
        packed = (packed << np.uint64(span.bit_length())) | words
    return packed, bits


def _stable(packed: Array, bits: int, rows: int) -> Array:
    row_bits = (rows - 1).bit_length()
    if bits + row_bits <= 64:
        numbered = (packed << np.uint64(row_bits)) | np.arange(rows, dtype=np.uint64)
        numbered.sort()
        return (numbered & np.uint64((1 << row_bits) - 1)).view(np.int64)
    return np.argsort(packed, kind="stable")
