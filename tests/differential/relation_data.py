"""Seeded tables for joins, groups and orders: NULLs, duplicates and odd values in keys of every type."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from decimal import Decimal
from functools import cache

import numpy as np
import pyarrow as pa

LARGE = 300_000
"""Rows of the tables that take several morsels."""

_KEYS: dict[str, tuple[pa.DataType, Sequence[object]]] = {
    "ki": (pa.int32(), [None, *range(-3, 9)]),
    "ks": (pa.int16(), [None, *range(-3, 9)]),
    "kl": (pa.int64(), [None, -(2**63), -7, 0, 5, 2**40, 2**63 - 1]),
    "ku": (pa.uint64(), [None, 0, 5, 2**40, 2**63, 2**64 - 1]),
    "kt": (pa.string(), [None, "", "a", "b", "ab", "ä", "日本", "a longer text than the others"]),
    "kd": (pa.date32(), [None, *(datetime.date(2020, 2, 27) + datetime.timedelta(days=k) for k in range(5))]),
    "km": (
        pa.timestamp("us"),
        [None, *(datetime.datetime(2020, 2, 28) + datetime.timedelta(hours=12 * k) for k in range(4))],
    ),
    "kc": (pa.decimal128(9, 2), [None, *(Decimal(k) / 4 for k in range(-3, 6))]),
    "kw": (pa.decimal128(38, 4), [None, Decimal("0.5"), Decimal("-1.25"), Decimal(10) ** 30, -(Decimal(10) ** 30)]),
    "kf": (pa.float64(), [None, 0.0, -0.0, 0.25, -1.5, float("nan"), float("inf"), 5.0, 1e300]),
    "kg": (pa.float32(), [None, 0.0, -0.0, 0.25, -1.5, float("nan"), 5.0]),
    "kb": (pa.bool_(), [None, True, False]),
    "kx": (pa.binary(), [None, b"", b"a", b"\x00\xff"]),
    "kv": (pa.month_day_nano_interval(), [None, (0, 30, 0), (1, 0, 0), (0, 0, 3_600_000_000_000), (-2, 5, 0)]),
}


def _keyed(rows: int, seed: int, skip: int) -> pa.Table:
    """Keys drawn with repeats; `skip` leaves values out, so that two tables share only some."""
    rng = random.Random(seed)
    columns: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int32())}
    for name, (t, values) in _KEYS.items():
        kept = [v for k, v in enumerate(values) if v is None or k % skip or len(values) < 4]
        columns[name] = pa.array([rng.choice(kept) for _ in range(rows)], t)
    columns["v"] = pa.array([None if rng.random() < 0.2 else rng.randint(-50, 50) for _ in range(rows)], pa.int32())
    columns["w"] = pa.array([rng.uniform(-5, 5) for _ in range(rows)], pa.float64())
    columns["n"] = pa.array([f"{seed} row {k} {rng.randint(0, 99)}" for k in range(rows)], pa.string())
    return pa.table(columns)


def _parents() -> dict[str, pa.Table]:
    """Tables with a key that does not repeat: counting up from -3, with gaps, of text, and of two columns."""
    rng = random.Random(11)
    names = [None if k % 5 == 0 else f"name {k % 4}" for k in range(10)]
    gaps = [-3, 0, 1, 4, 100, 7]
    return {
        "dense": pa.table(
            {
                "k": pa.array(range(-3, 7), pa.int32()),
                "label": pa.array(names),
                "up": pa.array([None if k == 4 else rng.randint(-5, 9) for k in range(10)], pa.int32()),
            }
        ),
        "sparse": pa.table(
            {
                "k": pa.array(gaps, pa.int64()),
                "label": pa.array([f"gap {k}" for k in gaps]),
                "amount": pa.array([None, 1.5, 2.5, -1.0, 9.0, 0.0]),
            }
        ),
        "words": pa.table(
            {"k": pa.array(["b", "ä", "a", "zz", "", None]), "size": pa.array([1, 2, 3, 4, None, 6], pa.int64())}
        ),
        "pairs": pa.table(
            {
                "a": pa.array([k // 4 for k in range(12)], pa.int32()),
                "b": pa.array(["a", "b", "ab", "x"] * 3),
                "z": pa.array(range(12), pa.int32()),
            }
        ),
    }


def _ages() -> pa.Table:
    """Values that tie, for orders and limits."""
    rng = random.Random(5)
    rows = 90
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int32()),
            "a": pa.array([rng.choice([None, 1, 2, 3]) for _ in range(rows)], pa.int32()),
            "b": pa.array([rng.choice([None, "x", "X", "ä", "", "xx", "日"]) for _ in range(rows)]),
            "f": pa.array(
                [rng.choice([None, -0.0, 0.0, float("nan"), float("inf"), -float("inf"), 2.5]) for _ in range(rows)]
            ),
            "d": pa.array(
                [rng.choice([None, Decimal("1.10"), Decimal("-3.00"), Decimal("99.99")]) for _ in range(rows)],
                pa.decimal128(10, 2),
            ),
            "h": pa.array([rng.choice([None, 10**25, -(10**25), 0]) for _ in range(rows)], pa.decimal128(38, 0)),
            "u": pa.array([f"text {rng.randrange(10**6)}" for _ in range(rows)]),
        }
    )


@cache
def large() -> dict[str, pa.Table]:
    """Tables of several morsels: few and many groups, floats whose sum depends on the order, long text."""
    rng = np.random.default_rng(17)
    ids = np.arange(LARGE)
    some = rng.random(LARGE)
    few = np.array(["north", "south", "east", "west", ""])[rng.integers(0, 5, LARGE)]
    fact = {
        "id": pa.array(ids, pa.int64()),
        "g": pa.array(rng.integers(0, 7, LARGE), pa.int32(), mask=some < 0.05),
        "k": pa.array(rng.integers(0, 50_000, LARGE), pa.int32()),
        "far": pa.array(rng.integers(0, 40_000, LARGE) * 1_000_003, pa.int64(), mask=some > 0.97),
        "x": pa.array(rng.normal(0.0, 1e6, LARGE) + rng.random(LARGE) * 1e-6),
        "v": pa.array(rng.integers(-1000, 1000, LARGE), pa.int64(), mask=some > 0.9),
        "m": pa.array(rng.integers(0, 10**6, LARGE), pa.int32()),
        "t": pa.array(few),
        "u": pa.array([f"u{k}" for k in rng.integers(0, 30_000, LARGE)], mask=(some > 0.5) & (some < 0.52)),
    }
    keys = rng.permutation(60_000)[:5_000]
    parent = {
        "k": pa.array(np.concatenate([keys, keys[:1_000]]), pa.int32()),
        "name": pa.array([f"parent {k % 700}" for k in range(6_000)]),
        "y": pa.array(rng.integers(0, 100, 6_000), pa.int32()),
    }
    return {"fact": pa.table(fact), "parent": pa.table(parent)}


@cache
def relations() -> dict[str, pa.Table]:
    """Every small table by name; the same in every process."""
    left, right = _keyed(70, 1, 4), _keyed(50, 2, 3)
    return {
        "l": left,
        "r": right,
        "nol": left.slice(0, 0),
        "nor": right.slice(0, 0),
        "ties": _ages(),
        **_parents(),
    }
