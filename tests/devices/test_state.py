"""Accumulators, atomics, tiles and bitmaps: the same state interpreted and compiled; threads lose nothing."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from device_texts import compiled, dtype, interpreted, source

LOOP = "for i in range(start, stop, step):"


@pytest.mark.parametrize("word", ["u8", "u16", "u32", "i32", "i64", "u64", "f64", "f32"])
def test_accumulate(word: str) -> None:
    parameters = [("a", f"{word}[]"), ("s", f"{word}[]!")]
    lines = [
        LOOP,
        "    accumulate(s, i & u64(1), a[i])",
        "    accumulate_min(s, u64(2), a[i])",
        "    accumulate_max(s, u64(3), a[i])",
    ]
    kernel = source(parameters, lines, ["accumulate", "accumulate_min", "accumulate_max", "u64"])
    values = [3, 1, 9, 120, 7, 0, 2]
    state = np.array([0, 5, 100, 1], dtype(word))
    expected = state.tolist()
    compiled(kernel)(0, len(values), 1, np.array(values, state.dtype), state)
    interpreted(kernel)(0, len(values), 1, values, expected)
    assert state.tolist() == expected


def test_signed_and_unsigned_extremes() -> None:
    lines = [LOOP, "    accumulate_min(s, u64(0), a[i])", "    accumulate_max(s, u64(1), a[i])"]
    for word, values in (("i64", [5, -(2**63), 2**63 - 1, -1]), ("u64", [5, 2**64 - 1, 2**63])):
        kernel = source([("a", f"{word}[]"), ("s", f"{word}[]!")], lines, ["accumulate_min", "accumulate_max", "u64"])
        state = np.array([values[0]] * 2, dtype(word))
        compiled(kernel)(0, len(values), 1, np.array(values, state.dtype), state)
        assert state.tolist() == [min(values), max(values)]


@pytest.mark.parametrize("prefix", ["accumulate", "atomic"])
def test_not_a_number_is_the_largest(prefix: str) -> None:
    names = [f"{prefix}_min", f"{prefix}_max"]
    lines = [LOOP, f"    {names[0]}(s, u64(0), a[i])", f"    {names[1]}(s, u64(1), a[i])"]
    kernel = source([("a", "f64[]"), ("s", "f64[]!")], lines, [*names, "u64"])
    for values in ([math.nan, 2.0, math.inf], [math.nan], [1.0, -math.inf, 0.0]):
        state = [math.nan, -math.inf]
        array = np.array(state)
        interpreted(kernel)(0, len(values), 1, values, state)
        compiled(kernel)(0, len(values), 1, np.array(values), array)
        np.testing.assert_array_equal(array, np.array(state))


def test_wide_sums_carry() -> None:
    parameters = [("l", "u64[]"), ("h", "i64[]"), ("low", "u64[]!"), ("high", "i64[]!")]
    lines = [LOOP, "    accumulate_wide(low, high, u64(0), l[i], h[i])"]
    kernel = source(parameters, lines, ["accumulate_wide", "u64"])
    numbers = [2**64 - 1, 1, -1, 2**100, -(2**90) - 5, 2**63, -(2**63)]
    low, high = [n & (2**64 - 1) for n in numbers], [n >> 64 for n in numbers]
    sums = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    lists = [0], [0]
    compiled(kernel)(0, len(numbers), 1, np.array(low, np.uint64), np.array(high), *sums)
    interpreted(kernel)(0, len(numbers), 1, low, high, *lists)
    assert sums[0].tolist() == lists[0]
    assert sums[1].tolist() == lists[1]
    assert (lists[1][0] << 64) + lists[0][0] == sum(numbers)


def test_atomics_return_what_was_there() -> None:
    lines = [
        "r[0] = atomic_add(s, u64(0), i64(5))",
        "r[1] = atomic_min(s, u64(0), i64(-4))",
        "r[2] = atomic_max(s, u64(0), i64(3))",
        "r[3] = atomic_or(s, u64(0), i64(8))",
        "r[4] = atomic_cas(s, u64(0), i64(11), i64(1))",
        "r[5] = atomic_cas(s, u64(0), i64(11), i64(2))",
        "fence()",
        "r[6] = atomic_load(s, u64(0))",
    ]
    names = [
        "atomic_add",
        "atomic_min",
        "atomic_max",
        "atomic_or",
        "atomic_cas",
        "atomic_load",
        "fence",
        "i64",
        "u64",
    ]
    kernel = source([("s", "i64[]!"), ("r", "i64[]!")], lines, names)
    state, found = np.array([7]), np.zeros(7, np.int64)
    compiled(kernel)(0, 1, 1, state, found)
    lists = [7], [0] * 7
    interpreted(kernel)(0, 1, 1, *lists)
    assert found.tolist() == lists[1] == [7, 12, -4, 3, 11, 1, 1]
    assert state.tolist() == lists[0] == [1]


def test_two_threads_share_a_table() -> None:
    """Open addressing by compare-and-swap, shared sums, extremes and a bitmap: threads lose nothing."""
    parameters = [("k", "u64[]"), ("slots", "i64[]!"), ("s", "i64[]!"), ("f", "f64[]!"), ("bits", "u64[]!")]
    lines = [
        LOOP,
        "    at = wrap_multiply_u64(k[i], u64(11400714819323198485)) & u64(4095)",
        "    row = i64(i)",
        "    found = i64(-2)",
        "    while found != i64(-1) and found != row:",
        "        found = atomic_cas(slots, at, i64(-1), row)",
        "        if found != i64(-1):",
        "            if k[u64(found)] == k[i]:",
        "                found = row",
        "            else:",
        "                at = (at + u64(1)) & u64(4095)",
        "    atomic_add(s, u64(0), i64(k[i]))",
        "    atomic_min(s, u64(1), i64(k[i]))",
        "    atomic_add(f, u64(0), f64(k[i]))",
        "    atomic_max(f, u64(1), f64(k[i]))",
        "    atomic_or(bits, shift_right_u64(k[i], u64(6)), shift_left_u64(u64(1), k[i] & u64(63)))",
    ]
    names = ["wrap_multiply_u64", "atomic_cas", "atomic_add", "atomic_min", "atomic_max", "atomic_or"]
    kernel = source(parameters, lines, [*names, "shift_left_u64", "shift_right_u64", "u64", "i64", "f64"])
    run = compiled(kernel)
    keys = np.random.default_rng(3).integers(5, 1500, 400_000).astype(np.uint64)
    slots, sums = np.full(4096, -1), np.array([0, 10**9])
    floats, bits = np.array([0.0, -1.0]), np.zeros(32, np.uint64)
    half = len(keys) // 2
    workers = [
        threading.Thread(target=run, args=(lo, hi, 1, keys, slots, sums, floats, bits))
        for lo, hi in ((0, half), (half, len(keys)))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    kept = keys[slots[slots >= 0]]
    assert sorted(kept.tolist()) == sorted(set(keys.tolist()))
    assert sums.tolist() == [int(keys.sum()), int(keys.min())]
    assert floats.tolist() == [float(keys.sum()), float(keys.max())]
    assert np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).tolist() == sorted(set(keys.tolist()))


def test_tile_mask_and_bitmaps() -> None:
    """Rows chosen into a mask and walked by words; the last tile is not full."""
    parameters = [("bytes", "u8[]"), ("words", "u64[]"), ("prefix", "u32[]"), ("r", "i64[]!")]
    lines = [
        "step = row_step(step)",
        "mask = tile_mask()",
        "for t in range(u64(start), u64(stop), step * u64(TILE)):",
        "    m = min(u64(TILE), u64(stop) - t)",
        "    for k in range(u64(0), m):",
        "        i = t + k * step",
        "        mask[k] = bit_u8(bytes, i) & bit_u64(words, i)",
        "    mask_pad(mask, m)",
        "    for w in range(u64(0), m, u64(8)):",
        "        bits = mask_word(mask, w)",
        "        while bits != u64(0):",
        "            i = t + (w + shift_right_u64(trailing_zeros_u64(bits), u64(3))) * step",
        "            accumulate(r, i, rank_at(words, prefix, i) + i64(1))",
        "            bits &= bits - u64(1)",
    ]
    names = [
        "tile_mask",
        "mask_pad",
        "row_step",
        "TILE",
        "bit_u8",
        "bit_u64",
        "mask_word",
        "trailing_zeros_u64",
        "rank_at",
        "accumulate",
    ]
    kernel = source(parameters, lines, [*names, "shift_right_u64", "u64", "i64", "u8"])
    random = np.random.default_rng(5)
    rows = 4099
    first, second = random.integers(0, 2, (2, rows + 56)).astype(np.uint8)
    byte_map = np.packbits(first, bitorder="little")
    word_map = np.packbits(second, bitorder="little").view(np.uint64)
    prefix = np.concatenate([[0], np.cumsum([int(w).bit_count() for w in word_map])[:-1]]).astype(np.uint32)
    expected = np.where(first & second, np.cumsum(second) - second + 1, 0)[:rows]
    found, listed = np.zeros(rows, np.int64), [0] * rows
    compiled(kernel)(0, rows, 1, byte_map, word_map, prefix, found)
    interpreted(kernel)(0, rows, 1, byte_map.tolist(), word_map.tolist(), prefix.tolist(), listed)
    np.testing.assert_array_equal(found, expected)
    assert listed == expected.tolist()
