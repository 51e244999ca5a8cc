"""Seeded tables with a column of every type: NULL-rich, extreme, empty, one row, all NULL, repetitive, distinct."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache

import pyarrow as pa

MONTH_DAY_NANO = pa.month_day_nano_interval()

COLUMNS: dict[str, pa.DataType] = {
    "bo": pa.bool_(),
    "i8": pa.int8(),
    "i16": pa.int16(),
    "i32": pa.int32(),
    "i64": pa.int64(),
    "u8": pa.uint8(),
    "u16": pa.uint16(),
    "u32": pa.uint32(),
    "u64": pa.uint64(),
    "hu": pa.decimal128(38, 0),  # Arrow has no HUGEINT: queries say hu::HUGEINT
    "f4": pa.float32(),
    "f8": pa.float64(),
    "d4": pa.decimal128(4, 1),
    "d15": pa.decimal128(15, 2),
    "d18": pa.decimal128(18, 3),
    "d38": pa.decimal128(38, 10),
    "da": pa.date32(),
    "ti": pa.time64("us"),
    "ts_s": pa.timestamp("s"),
    "ts_ms": pa.timestamp("ms"),
    "ts": pa.timestamp("us"),
    "ts_ns": pa.timestamp("ns"),
    "iv": MONTH_DAY_NANO,
    "s": pa.string(),
    "t": pa.string(),
    "bl": pa.binary(),
}
"""The columns of every table, after `r`, the row's number. `s` has few distinct texts, `t` many."""

BITS = {"i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True)}
BITS |= {"u8": (8, False), "u16": (16, False), "u32": (32, False), "u64": (64, False)}
SCALES = {"hu": (38, 0), "d4": (4, 1), "d15": (15, 2), "d18": (18, 3), "d38": (38, 10)}
TICKS = {"ts_s": 1, "ts_ms": 10**3, "ts": 10**6, "ts_ns": 10**9}

WORDS = [
    "",
    "a",
    "A",
    "abc",
    "ABC",
    "abcabc",
    " pad ",
    "%",
    "_",
    "a%c",
    "a_c",
    "äöü",
    "ÄÖÜ",
    "日本語",
    "x🙂y",
    "ß",
    "12",
    "-7",
]
LETTERS = "abcABC xyz%_0123.äöüÄßéñ日本🙂"


def whole_limits(name: str) -> tuple[int, int]:
    """The least and greatest value of an integer column."""
    bits, signed = BITS[name]
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)


def _decimal(scaled: int, scale: int) -> Decimal:
    return Decimal(scaled).scaleb(-scale, None) if abs(scaled) < 10**28 else Decimal(f"{scaled}e-{scale}")


def moderate(name: str, rng: random.Random) -> object:
    """A value far from its type's limits, so that sums and products of a few of them fit."""
    if name == "bo":
        return rng.random() < 0.5
    if name in BITS:
        return rng.randint(-9, 9) if BITS[name][1] else rng.randint(0, 9)
    if name in SCALES:
        scale = SCALES[name][1]
        return _decimal(rng.choice([0, 5, -5, rng.randint(-99, 99), rng.randint(-999, 999)]), scale)
    if name in ("f4", "f8"):
        return rng.choice([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, rng.uniform(-10, 10), float(rng.randint(-9, 9))])
    if name == "da":
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=rng.randint(-40_000, 40_000))
    if name == "ti":
        return rng.choice([0, 86_399_999_999, rng.randrange(86_400_000_000)])
    if name in TICKS:
        seconds = rng.choice([0, -1, 951_782_400, rng.randint(-2_000_000_000, 4_000_000_000)])
        return seconds * TICKS[name] + rng.randrange(TICKS[name])
    if name == "iv":
        month = rng.choice([0, 0, 1, -1, 14, rng.randint(-30, 30)])
        day = rng.choice([0, 1, -1, 31, rng.randint(-99, 99)])
        return (month, day, rng.choice([0, 1, -1, rng.randint(-(10**11), 10**11)]) * 1000)
    if name == "s":
        return rng.choice(WORDS)
    if name == "t":
        return "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 12)))
    return bytes(rng.choice([0, 65, 97, 255]) for _ in range(rng.randint(0, 4)))


def extreme(name: str, rng: random.Random) -> object:
    """A value at or near a limit of its type."""
    if name in BITS:
        low, high = whole_limits(name)
        return rng.choice([low, low + 1, -1 if low else 1, 0, 1, high - 1, high])
    if name in SCALES:
        precision, scale = SCALES[name]
        limit = 10**precision - 1
        return _decimal(rng.choice([-limit, 1 - limit, -1, 0, 1, 5 * 10**scale // 10, limit - 1, limit]), scale)
    if name in ("f4", "f8"):
        wide = 3.4028234663852886e38 if name == "f4" else 1.7976931348623157e308
        tiny = 1.401298464324817e-45 if name == "f4" else 5e-324
        inf, nan = float("inf"), float("nan")
        return rng.choice(
            [0.0, -0.0, tiny, -tiny, wide, -wide, inf, -inf, nan, 2.0**31, 2.0**63, -(2.0**63), 0.1, 1e-7]
        )
    if name == "da":
        return rng.choice(
            [
                datetime.date(1, 1, 1),
                datetime.date(9999, 12, 31),
                datetime.date(1900, 2, 28),
                datetime.date(2000, 2, 29),
            ]
        )
    if name in TICKS:
        # within what every unit holds, so that casts between them fit
        return rng.choice([-9_000_000_000, -1, 0, 1, 9_000_000_000, 951_868_799]) * TICKS[name] + rng.choice(
            [0, TICKS[name] - 1]
        )
    if name == "iv":
        return rng.choice(
            [(0, 0, 0), (1, -30, 0), (0, 30, 0), (1, 0, 0), (-1, 0, 1000), (1200, 0, 0), (0, 0, 86_400_000_000_000)]
        )
    return moderate(name, rng)


def _rows(count: int, make: Callable[[str, random.Random], object], nulls: float, seed: int) -> pa.Table:
    rng = random.Random(seed)
    columns: dict[str, pa.Array] = {"r": pa.array(range(count), pa.int32())}
    for name, t in COLUMNS.items():
        values = [None if rng.random() < nulls else make(name, rng) for _ in range(count)]
        columns[name] = array(values, t)
    return pa.table(columns)


def array(values: Sequence[object], t: pa.DataType) -> pa.Array:
    """An Arrow array of a column's values; times and timestamps are given as ticks."""
    if pa.types.is_timestamp(t) or pa.types.is_time64(t):
        return pa.array(values, pa.int64()).cast(t)
    return pa.array(values, t)


def _repetitive(name: str, rng: random.Random) -> object:
    """One of three values, the first for nine rows of ten."""
    return moderate(name, random.Random(f"{name} {0 if rng.random() < 0.9 else rng.randint(1, 2)}"))


def _different(name: str, rng: random.Random) -> object:
    """Text that occurs once, of up to forty characters."""
    if name == "t":
        return "".join(rng.choice(LETTERS) for _ in range(rng.randint(6, 40)))
    return moderate(name, rng)


@cache
def tables() -> dict[str, pa.Table]:
    """Every table by name; the same in every process."""
    return {
        "plain": _rows(120, moderate, 0.25, 1),
        "edge": _rows(80, extreme, 0.2, 2),
        "empty": _rows(0, moderate, 0.0, 3),
        "one": _rows(1, moderate, 0.0, 4),
        "nothing": _rows(5, moderate, 1.0, 5),
        "same": _rows(150, _repetitive, 0.05, 6),
        "tall": _rows(600, _different, 0.0, 7),
    }
