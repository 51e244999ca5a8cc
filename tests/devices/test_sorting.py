"""Orders by keys agree with Python's sort of the values, NULLs and NaN included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.devices.sorting import OrderKey, sort_order, top_k_order

RANDOM = np.random.default_rng(23)
ROWS = 3_000

COLUMNS = {
    "small": RANDOM.integers(-5, 6, ROWS),
    "codes": RANDOM.integers(0, 200, ROWS).astype(np.uint16),
    "dates": RANDOM.integers(8_000, 9_000, ROWS).astype(np.int32),
    "words": RANDOM.choice(np.array([0, 1, 2**63, 2**64 - 1], np.uint64), ROWS),
    "whole range": RANDOM.choice(np.array([-(2**63), -1, 0, 2**63 - 1]), ROWS),
    "floats": RANDOM.choice(np.array([0.0, -0.0, 1.5, -1e300, math.inf, -math.inf, math.nan, -math.nan]), ROWS),
    "singles": RANDOM.integers(-3, 3, ROWS).astype(np.float32) / 4,
    "one": np.full(ROWS, 7),
}
NULLS = RANDOM.random(ROWS) < 0.2


def rank(key: OrderKey, row: int) -> tuple[int, float]:
    if key.nulls is not None and key.nulls[row]:
        return (0 if key.nulls_first else 2), 0
    value = key.values[row].item()
    if isinstance(value, float):
        place = len(ORDERED) if math.isnan(value) else ORDERED[value + 0.0]
    else:
        place = value
    return 1, -place if key.descending else place


ORDERED = {value: k for k, value in enumerate([-math.inf, -1e300, *(n / 4 for n in range(-3, 3)), 1.5, math.inf])}


def expected(keys: list[OrderKey]) -> list[int]:
    return sorted(range(ROWS), key=lambda row: [rank(key, row) for key in keys])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nulls", [None, "first", "last"])
@pytest.mark.parametrize("name", COLUMNS)
def test_one_key(name: str, nulls: str | None, descending: bool) -> None:
    keys = [OrderKey(COLUMNS[name], descending, NULLS if nulls else None, nulls == "first")]
    order = expected(keys)
    assert sort_order(keys, ROWS).tolist() == order
    for k in (0, 1, 10, 700, ROWS + 1):
        assert top_k_order(keys, ROWS, k).tolist() == order[:k]


PAIRS = [
    ("small", "codes"),
    ("words", "floats"),
    ("one", "whole range"),
    ("floats", "dates"),
    ("small", "words"),
]


@pytest.mark.parametrize("names", [*PAIRS, ("codes", "small", "dates"), ("singles", "whole range", "small")])
def test_several_keys(names: tuple[str, ...]) -> None:
    keys = [
        OrderKey(COLUMNS[name], k == 1, (RANDOM.random(ROWS) < 0.1).astype(np.uint8) if k != 2 else None, k == 0)
        for k, name in enumerate(names)
    ]
    order = expected(keys)
    assert sort_order(keys, ROWS).tolist() == order
    for k in (1, 25, 700):
        assert top_k_order(keys, ROWS, k).tolist() == order[:k]


def test_nothing_to_sort() -> None:
    assert sort_order([], 3).tolist() == [0, 1, 2]
    assert sort_order([OrderKey(np.zeros(0))], 0).tolist() == []
    assert sort_order([OrderKey(np.zeros(4), nulls=np.ones(4, np.bool_))], 4).tolist() == [0, 1, 2, 3]
    assert top_k_order([], 5_000, 3).tolist() == [0, 1, 2]
