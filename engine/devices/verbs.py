"""The block verbs: what is done to whole arrays between pipelines, on the CPU.

Small inputs take NumPy, large ones a compiled loop (`cpu_verbs`); both give the same answer. Rows, positions
and groups are numbered from 0 in i64 arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headrace.devices import cpu_verbs
from headrace.devices.base import Pipeline, Source
from headrace.kernels import primitives

Array: TypeAlias = npt.NDArray[Any]
Words: TypeAlias = Array | Sequence[Any]
"""A key word of each row: an i64 or u64 array, or a list as interpreted code keeps it (texts as bytes)."""

COMPILE_FROM = 50_000  # rows

_MASK = (1 << 64) - 1


class Verbs:
    """The verbs, with `compiled` to turn a source into machine code; without it every input takes NumPy."""

    def __init__(self, compiled: Callable[[Source], Pipeline] | None = None, compile_from: int = COMPILE_FROM) -> None:
        self._compiled = compiled
        self._compile_from = compile_from

    def _loop(self, source: Source, rows: int) -> Pipeline | None:
        if self._compiled is None or rows < self._compile_from:
            return None
        return self._compiled(source)

    def popcount_prefix(self, bits: Array) -> Array:
        """How many bits are set before each word of a u64 bitmap (u32)."""
        counts: Array = np.bitwise_count(bits)
        prefix = np.zeros(len(bits), np.uint32)
        np.cumsum(counts[:-1], out=prefix[1:])
        return prefix

    def rank_of(self, keys: Array, base: int, bits: Array, prefix: Array) -> Array:
        """The position of each key (i64), whose bit key - base is set, among the set bits (i64)."""
        loop = self._loop(cpu_verbs.RANK_OF, len(keys))
        if loop is not None:
            out = np.empty(len(keys), np.int64)
            loop(0, len(keys), 1, keys, base, bits, prefix, out)
            return out
        at = (keys - base).astype(np.uint64)
        words = (at >> np.uint64(6)).astype(np.int64)
        below = (np.uint64(1) << (at & np.uint64(63))) - np.uint64(1)
        rank: Array = prefix[words].astype(np.int64) + np.bitwise_count(bits[words] & below)
        return rank

    def scatter(self, values: Array, positions: Array, size: int) -> Array:
        """An array of `size` zeros but for values[i] at positions[i]."""
        out = np.zeros(size, values.dtype)
        out[positions] = values
        return out

    def runs(self, groups: Array, count: int) -> tuple[Array, Array]:
        """The rows of each group together, ascending: (offsets i64[count + 1], rows i64[])."""
        offsets = np.zeros(count + 1, np.int64)
        loop = self._loop(cpu_verbs.PLACE_ROWS, len(groups))
        if loop is None or self._compiled is None:
            np.cumsum(np.bincount(groups, minlength=count), out=offsets[1:])
            return offsets, np.argsort(groups, kind="stable")
        counts = np.zeros(count, np.int64)
        self._compiled(cpu_verbs.COUNT_GROUPS)(0, len(groups), 1, groups, counts)
        np.cumsum(counts, out=offsets[1:])
        order = np.empty(len(groups), np.int64)
        loop(0, len(groups), 1, groups, offsets[:-1].copy(), order)
        return offsets, order

    def concatenate(self, parts: Sequence[Array]) -> Array:
        """One array of several of a type; of one part, the part itself."""
        if len(parts) == 1:
            return parts[0]
        joined: Array = np.concatenate(parts)
        return joined

    def gather_text(self, address: Words, length: Words) -> tuple[Array, Array]:
        """Copy texts into one buffer: (offsets i64[rows + 1], bytes u8[]).

        `address` are machine addresses (u64), or bytes-like objects that begin with their text; `length` in
        bytes.
        """
        lengths = np.asarray(length, np.int64)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        loop = self._loop(cpu_verbs.GATHER_TEXT, len(lengths))
        if loop is not None and isinstance(address, np.ndarray):
            data = np.empty(int(offsets[-1]), np.uint8)
            loop(0, len(lengths), 1, address, lengths, offsets, data)
            return offsets, data
        return offsets, np.frombuffer(b"".join(_texts(address, lengths)), np.uint8)

    def text_prefix(self, address: Array, length: Array) -> Array | None:
        """The first 8 bytes of each text as a number that orders like them (u64); None for few rows, where it
        does not pay."""
        loop = self._loop(cpu_verbs.TEXT_PREFIX, len(length))
        if loop is None:
            return None
        out = np.empty(len(length), np.uint64)
        loop(0, len(length), 1, address, length, out)
        return out

    def hash_build(self, keys: Sequence[Words], rows: int, texts: Sequence[int] = ()) -> tuple[Array, Array, Array]:
        """Number the groups of equal keys, and index the groups by the hash of their key.

        A key is one word of each of `keys`; a word whose place is in `texts` is an address and the next its
        length. Returns slots i32 (a power of two, at most half full; group numbers, -1 where empty: a key's
        group is in the first slot, from hash & (slots - 1) on and around, that holds its key; the hash is
        `hash_u64` of the first word, a text's word being its `text_hash`, then `hash_combine` with each next), the
        group of each row i64, numbered in order of first appearance, and the first row of each group i64.
        """
        places = frozenset(texts)
        arrays = [key for key in keys if isinstance(key, np.ndarray)]
        words = [{"i": "i64", "u": "u64"}[array.dtype.kind] for array in arrays]
        if len(arrays) < len(keys) or self._compiled is None or rows < self._compile_from:
            return _hash_build(keys, rows, places)
        mask = _slot_count(rows) - 1
        slots = np.full(mask + 1, -1, np.int32)
        groups, firsts = np.empty(rows, np.int64), np.empty(rows, np.int64)
        hashes, count = np.empty(rows, np.uint64), np.zeros(1, np.int64)
        build = self._compiled(cpu_verbs.hash_build(words, places))
        build(0, rows, 1, *arrays, mask, slots, groups, firsts, hashes, count)
        found = int(count[0])
        if _slot_count(found) <= len(slots) // 4:
            # Many rows a group: a table of the groups alone stays in the cache.
            slots = np.full(_slot_count(found), -1, np.int32)
            self._compiled(cpu_verbs.FILL_SLOTS)(0, found, 1, hashes, len(slots) - 1, slots)
        return slots, groups, firsts[:found].copy()


def _slot_count(groups: int) -> int:
    return max(8, 1 << (2 * max(groups, 1) - 1).bit_length())


def _texts(address: Words, length: Array) -> list[bytes]:
    if isinstance(address, np.ndarray):
        pairs = zip(address.tolist(), length.tolist(), strict=True)
        return [ctypes.string_at(a, n) if n else b"" for a, n in pairs]
    return [bytes(a[:n]) for a, n in zip(address, length.tolist(), strict=True)]


def _unsigned(key: Words) -> Array:
    if isinstance(key, np.ndarray):
        return key.astype(np.uint64, copy=False) if key.dtype.kind == "u" else key.astype(np.int64).view(np.uint64)
    return np.array([word & _MASK for word in key], np.uint64)


def _hash_build(keys: Sequence[Words], rows: int, texts: frozenset[int]) -> tuple[Array, Array, Array]:
    columns: list[Array] = []  # of each key part, a word that is equal where the part is
    hashes: Array = np.zeros(rows, np.uint64)
    place = 0
    while place < len(keys):
        if place in texts:
            strings = _texts(keys[place], np.asarray(keys[place + 1], np.int64))
            numbers: dict[bytes, int] = {}
            column = np.array([numbers.setdefault(text, len(numbers)) for text in strings], np.uint64)
            of_text = np.array([primitives.text_hash(text, len(text)) for text in numbers], np.uint64)
            part = of_text[column.astype(np.int64)] if rows else hashes
            place += 2
        else:
            part = column = _unsigned(keys[place])
            place += 1
        hashes = _hash_u64(part) if not columns else _hash_combine(hashes, part)
        columns.append(column)
    order = np.lexsort(columns)
    starts = np.zeros(rows, np.bool_)
    starts[:1] = True
    for column in columns:
        ordered = column[order]
        starts[1:] |= ordered[1:] != ordered[:-1]
    # Stable sorting puts the first row of a group first; groups are then renumbered by these rows.
    first_of_run = order[starts]
    number = np.empty(len(first_of_run), np.int64)
    appearance = np.argsort(first_of_run)
    number[appearance] = np.arange(len(first_of_run))
    groups = np.empty(rows, np.int64)
    groups[order] = number[np.cumsum(starts) - 1]
    firsts = first_of_run[appearance]
    slots = np.full(_slot_count(len(firsts)), -1, np.int32)
    fill_slots(hashes[firsts], slots)
    return slots, groups, firsts


def fill_slots(hashes: Array, slots: Array) -> None:
    """Enter the groups 0, 1, ... by their hashes into an empty open-addressing table (-1: free)."""
    mask = len(slots) - 1
    at = (hashes & np.uint64(mask)).astype(np.int64)
    waiting = np.arange(len(hashes))
    while len(waiting):
        free = slots[at] < 0
        slots[at[free]] = waiting[free]
        lost = slots[at] != waiting
        waiting, at = waiting[lost], (at[lost] + 1) & mask


def _hash_u64(x: Array) -> Array:
    """`hash_u64` of the kernels on arrays."""
    h = x + np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


def _hash_combine(h: Array, x: Array) -> Array:
    return _hash_u64(h * np.uint64(0x9E3779B97F4A7C15) + x)
