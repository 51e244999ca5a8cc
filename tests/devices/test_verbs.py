"""Each block verb gives the same answer in its NumPy form and compiled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from device_texts import compiled
from headrace.devices.base import Pipeline, Source
from headrace.devices.verbs import Verbs
from headrace.kernels import hashing, primitives

LOADED: dict[Source, Pipeline] = {}


def keep(source: Source) -> Pipeline:
    if source not in LOADED:
        LOADED[source] = compiled(source)
    return LOADED[source]


FORMS = {"numpy": Verbs(), "compiled": Verbs(keep, compile_from=0)}


@pytest.fixture(params=FORMS)
def verbs(request: pytest.FixtureRequest) -> Verbs:
    return FORMS[request.param]


RANDOM = np.random.default_rng(11)


def test_rank_bitmap(verbs: Verbs) -> None:
    keys = RANDOM.permutation(5_000)[:900] - 2_500
    bits = np.zeros(80, np.uint64)
    for key in keys.tolist():
        bits[(key + 2_500) // 64] |= np.uint64(1 << (key + 2_500) % 64)
    prefix = verbs.popcount_prefix(bits)
    assert prefix.dtype == np.uint32
    assert prefix.tolist() == [int(np.bitwise_count(bits[:w]).sum()) for w in range(80)]
    np.testing.assert_array_equal(verbs.rank_of(keys, -2_500, bits, prefix), np.argsort(np.argsort(keys)))
    assert verbs.popcount_prefix(np.zeros(0, np.uint64)).tolist() == []


def test_scatter(verbs: Verbs) -> None:
    out = verbs.scatter(np.array([7, 8, 9], np.int32), np.array([4, 0, 2]), 6)
    assert out.tolist() == [8, 0, 9, 0, 7, 0]
    assert out.dtype == np.int32


@pytest.mark.parametrize("rows", [0, 1, 1_000])
def test_runs(verbs: Verbs, rows: int) -> None:
    groups = RANDOM.integers(0, 37, rows)
    offsets, order = verbs.runs(groups, 40)
    assert offsets.tolist() == [int((groups < g).sum()) for g in range(41)]
    np.testing.assert_array_equal(order, np.argsort(groups, kind="stable"))


def test_concatenate(verbs: Verbs) -> None:
    part = np.arange(3)
    assert verbs.concatenate([part]) is part
    assert verbs.concatenate([part, part[:1]]).tolist() == [0, 1, 2, 0]


TEXTS = [b"one", b"", b"two", b"one", b"three hundred", b"", b"one"]


def addresses(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Machine addresses and lengths of texts, and the buffer that must outlive them."""
    data = np.frombuffer(b"".join(texts) + b"\0", np.uint8)
    lengths = np.array([len(text) for text in texts], np.int64)
    starts = np.cumsum(lengths) - lengths
    return (data.ctypes.data + starts).astype(np.uint64), lengths, data


def test_gather_text(verbs: Verbs) -> None:
    address, length, _kept = addresses(TEXTS)
    offsets, data = verbs.gather_text(address, length)
    assert data.tobytes() == b"".join(TEXTS)
    assert offsets.tolist() == [0, *np.cumsum(length).tolist()]
    listed = verbs.gather_text([text + b"beyond" for text in TEXTS], [len(text) for text in TEXTS])
    assert listed[1].tobytes() == data.tobytes()
    empty = verbs.gather_text(address[:0], length[:0])
    assert (empty[0].tolist(), len(empty[1])) == ([0], 0)


def find(slots: np.ndarray, h: int, is_key: Sequence[bool]) -> int:
    """The group at which a probe ends."""
    s = h & (len(slots) - 1)
    while slots[s] >= 0 and not is_key[slots[s]]:
        s = (s + 1) & (len(slots) - 1)
    return int(slots[s])


def check_build(build: tuple[np.ndarray, np.ndarray, np.ndarray], keys: list[tuple[object, ...]]) -> None:
    slots, groups, firsts = build
    numbers: dict[tuple[object, ...], int] = {}
    assert groups.tolist() == [numbers.setdefault(key, len(numbers)) for key in keys]
    assert firsts.tolist() == [keys.index(key) for key in numbers]
    assert slots.dtype == np.int32
    assert 2 * len(numbers) <= len(slots) or len(slots) == 8
    assert sorted(slots[slots >= 0].tolist()) == list(range(len(numbers)))
    for key, number in numbers.items():
        parts = [primitives.text_hash(p, len(p)) if isinstance(p, bytes) else p & (2**64 - 1) for p in key]
        h = hashing.hash_u64(parts[0])
        for part in parts[1:]:
            h = hashing.hash_combine(h, part)
        assert find(slots, h, [other == key for other in numbers]) == number


@pytest.mark.parametrize("rows", [0, 1, 40, 2_000])
def test_hash_build_of_words(verbs: Verbs, rows: int) -> None:
    first = RANDOM.integers(-3, 4, rows) * (2**61)
    second = RANDOM.integers(0, 20, rows).astype(np.uint64) + np.uint64(2**63)
    check_build(verbs.hash_build((first,), rows), [(a,) for a in first.tolist()])
    keys = list(zip(first.tolist(), second.tolist(), strict=True))
    check_build(verbs.hash_build((first, second), rows), keys)
    check_build(verbs.hash_build((first.tolist(), second.tolist()), rows), keys)


def test_hash_build_of_texts(verbs: Verbs) -> None:
    address, length, _kept = addresses(TEXTS)
    number = np.array([1, 1, 1, 1, 1, 2, 2])
    check_build(verbs.hash_build((address, length), 7, (0,)), [(text,) for text in TEXTS])
    keys = list(zip(number.tolist(), TEXTS, strict=True))
    check_build(verbs.hash_build((number, address, length), 7, (1,)), keys)
    listed = [text + b"beyond" for text in TEXTS], [len(text) for text in TEXTS]
    check_build(verbs.hash_build((number.tolist(), *listed), 7, (1,)), keys)
