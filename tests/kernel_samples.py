"""Edge values of every type, as the texts that DuckDB casts them from."""

from __future__ import annotations

from itertools import product

from headrace.types import INTEGER_RANGES, Kind, SqlType

DOUBLES = (
    "0", "-0.0", "1", "-1", "0.5", "-0.5", "1.5", "2.5", "-2.5", "0.1", "1e-300", "5e-324", "1e15", "1e16",
    "-1e19", "127.5", "127.4", "255.5", "-128.5", "2147483647.5", "-2147483648.5", "9007199254740993",
    "9.223372036854775e18", "9.223372036854776e18", "1.8446744073709552e19", "1e38", "1.7e38",
    "1.7976931348623157e308", "3.4e38", "1e39", "-1e18", "12345678.9", "nan", "inf", "-inf", "123.456",
    "-99.995", "0.005", "2.675", "1e22", "16777217",
)  # fmt: skip
FLOATS = (
    "0", "-0.0", "1", "-1", "0.5", "1.5", "-2.5", "0.1", "1e-30", "1e10", "3.4e38", "-1e18", "12345678.9",
    "nan", "inf", "-inf", "123.456", "16777216", "2147483648", "-0.005", "99.995",
)  # fmt: skip


def integers(t: SqlType) -> tuple[str, ...]:
    low, high = INTEGER_RANGES[t.kind]
    near = [
        low,
        low + 1,
        low // 2,
        -1000,
        -128,
        -100,
        -7,
        -2,
        -1,
        0,
        1,
        2,
        3,
        7,
        10,
        99,
        100,
        127,
        250,
        255,
        256,
    ]
    near += [
        1000,
        32767,
        65535,
        10**9,
        2**31 - 1,
        2**31,
        2**32 - 1,
        3037000500,
        10**18,
        2**63 - 1,
        2**63,
        2**64 - 1,
    ]
    near += [
        2**64,
        10**20,
        10**37,
        high // 2,
        high // 2 + 1,
        high - 1,
        high,
        -(2**31),
        -(2**63),
        -(10**18) - 5,
    ]
    return tuple(str(v) for v in sorted({v for v in near if low <= v <= high}))


def decimals(t: SqlType) -> tuple[str, ...]:
    most = 10**t.precision - 1
    near = {
        0,
        1,
        4,
        5,
        6,
        9,
        10,
        45,
        50,
        95,
        99,
        100,
        150,
        250,
        10**t.scale,
        10**t.scale * 5 // 2,
        most,
        most // 2,
    }
    near |= {most - 5, most // 10 + 1, 9007199254740993, 16777217, 2**63 - 1, 2**64, 10**18}
    scaled = sorted({v for v in near | {-v for v in near} if abs(v) <= most})
    return tuple(
        f"{'-' if v < 0 else ''}{abs(v) // 10**t.scale}.{abs(v) % 10**t.scale:0{max(t.scale, 1)}}" for v in scaled
    )


DATES = (
    "1970-01-01", "1969-12-31", "2000-02-29", "1900-02-28", "1900-03-01", "0001-01-01", "9999-12-31",
    "2024-12-30", "2021-01-03", "2020-12-31", "1582-10-15", "0044-03-15 (BC)", "5877641-06-24 (BC)",
    "5881580-07-10", "1992-01-31", "2001-01-01", "1999-12-31", "2008-12-29", "2010-01-03", "1600-12-31",
    "0000-01-01", "2023-06-15",
)  # fmt: skip
TIMES = (
    "00:00:00",
    "23:59:59.999999",
    "12:34:56.5",
    "00:00:00.000001",
    "24:00:00",
    "11:59:59",
    "01:02:03.045",
)
_CLOCKS = ("00:00:00", "23:59:59.999999", "12:34:56.5", "00:00:00.000001", "13:30:30.123456")
TIMESTAMPS = (
    *(f"{d} {c}" for d, c in product(DATES[:11], _CLOCKS)),
    "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806", "1969-12-31 23:59:59.5",
    "1677-09-22 00:00:00",
)  # fmt: skip
NANOSECONDS = (*(t for t in TIMESTAMPS if "1700" < t[:4] < "2200"), "2000-01-01 00:00:00.123456789")
INTERVALS = (
    "0 days", "1 day", "-1 day", "1 month", "-1 month", "1 year", "13 months", "30 days", "31 days",
    "-30 days", "24 hours", "1 second", "-1 microsecond", "1 month 2 days 03:04:05.678901",
    "-1 month 15 days", "1000 years", "29 days 24 hours", "1 month -30 days", "720 hours", "100000 days",
    "-13 months 1 hour", "2 months",
)  # fmt: skip
TEXTS = (
    "", "a", "A", "abc", "ABC", "Hello, World", "  pad  ", "ä", "ÄÖÜß", "Ελλάδα", "Привет", "日本語", "😀",
    "a😀b", "é", "%", "_", "a%b", "a_b", "\\", "a\\b", "aaa", "abab", "x"*40, "\t tab\n", "0", "ñandú",
    "ŠšŽž", "naïve café",
)  # fmt: skip


def samples(t: SqlType) -> tuple[str, ...]:
    """Texts of edge values of type `t`."""
    if t.is_integer:
        return integers(t)
    if t.is_decimal:
        return decimals(t)
    return {
        Kind.BOOLEAN: ("true", "false"),
        Kind.DOUBLE: DOUBLES,
        Kind.FLOAT: FLOATS,
        Kind.DATE: DATES,
        Kind.TIME: TIMES,
        Kind.TIMESTAMP_S: TIMESTAMPS,
        Kind.TIMESTAMP_MS: TIMESTAMPS,
        Kind.TIMESTAMP: TIMESTAMPS,
        Kind.TIMESTAMP_NS: NANOSECONDS,
        Kind.INTERVAL: INTERVALS,
        Kind.VARCHAR: TEXTS,
        Kind.BLOB: ("", "a", "\\x00\\xFF", "abc", "\\xE4b"),
    }[t.kind]


def pairs(a: SqlType, b: SqlType, limit: int = 700) -> list[tuple[str, str]]:
    """Edge values of one type beside those of another; every n-th where there are more than `limit`."""
    found = list(product(samples(a), samples(b)))
    step = -(-len(found) // limit)
    return found[::step] if step % len(samples(b)) else found[:: step + 1]
