"""Arrow -> Column -> Arrow for every type, and what a column can be asked on the way."""

from __future__ import annotations

import datetime
import decimal
import random
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace import types
from headrace.column import Column, column_from_words, constant_column, null_column, pack
from headrace.decode import decode
from headrace.encode import column_type, encode
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.encodings.text import Text
from headrace.encodings.wide import Wide
from headrace.errors import DataError, NotSupportedError
from headrace.statistics import BLOCK, Statistics, prove_unique
from headrace.types import to_arrow

Make = Callable[[random.Random], object]

EPOCH = datetime.datetime(1970, 1, 1)


def whole(low: int, high: int) -> Make:
    return lambda r: r.choice([low, high, r.randint(low, high), r.randint(max(low, -5), min(high, 5))])


def moment(unit: int) -> Make:
    return lambda r: EPOCH + datetime.timedelta(microseconds=r.randint(-(10**15), 10**15) // unit * unit)


def digits(precision: int, scale: int) -> Make:
    limit = 10**precision - 1
    context = decimal.Context(prec=80)
    return lambda r: decimal.Decimal(r.choice([limit, -limit, r.randint(-limit, limit), 0])).scaleb(-scale, context)


def clock(unit: int) -> Make:
    return lambda r: (
        datetime.datetime.min + datetime.timedelta(microseconds=r.randrange(86_400 * 10**6) // unit * unit)
    ).time()


def words_of(r: random.Random) -> str:
    return "".join(r.choice("abcäöü€𝄞 ") for _ in range(r.choice([0, 1, 3, 12, 13, 40])))


def blob_of(r: random.Random) -> bytes:
    return r.randbytes(r.choice([0, 1, 7, 30]))


def interval_of(r: random.Random) -> pa.MonthDayNano:
    return pa.MonthDayNano([r.randint(-99, 99), r.randint(-99, 99), r.randint(-(10**9), 10**9) * 1000])


CASES: dict[str, tuple[pa.DataType, Make]] = {
    "bool": (pa.bool_(), lambda r: r.random() < 0.5),
    "int8": (pa.int8(), whole(-(2**7), 2**7 - 1)),
    "int16": (pa.int16(), whole(-(2**15), 2**15 - 1)),
    "int32": (pa.int32(), whole(-(2**31), 2**31 - 1)),
    "int64": (pa.int64(), whole(-(2**63), 2**63 - 1)),
    "uint8": (pa.uint8(), whole(0, 2**8 - 1)),
    "uint16": (pa.uint16(), whole(0, 2**16 - 1)),
    "uint32": (pa.uint32(), whole(0, 2**32 - 1)),
    "uint64": (pa.uint64(), whole(0, 2**64 - 1)),
    "uint64 that fits i64": (pa.uint64(), whole(0, 2**63 - 1)),
    "float16": (pa.float16(), lambda r: float(np.float16(r.uniform(-9, 9)))),
    "float32": (pa.float32(), lambda r: float(np.float32(r.uniform(-9, 9)))),
    "float64": (pa.float64(), lambda r: r.choice([r.uniform(-9, 9), float("inf"), -0.0, 1e308])),
    "decimal32": (pa.decimal32(7, 2), digits(7, 2)),
    "decimal64": (pa.decimal64(17, 3), digits(17, 3)),
    "decimal(15,2)": (pa.decimal128(15, 2), digits(15, 2)),
    "decimal(38,5) small": (pa.decimal128(38, 5), digits(12, 5)),
    "decimal(38,0)": (pa.decimal128(38, 0), digits(38, 0)),
    "decimal256": (pa.decimal256(38, 4), digits(38, 4)),
    "date32": (
        pa.date32(),
        lambda r: datetime.date(1970, 1, 1) + datetime.timedelta(r.randint(-99999, 99999)),
    ),
    "date64": (
        pa.date64(),
        lambda r: datetime.date(1970, 1, 1) + datetime.timedelta(r.randint(-99999, 99999)),
    ),
    "time32[s]": (pa.time32("s"), clock(10**6)),
    "time32[ms]": (pa.time32("ms"), clock(1000)),
    "time64[us]": (pa.time64("us"), clock(1)),
    "time64[ns]": (pa.time64("ns"), clock(1)),
    "timestamp[s]": (pa.timestamp("s"), moment(10**6)),
    "timestamp[ms]": (pa.timestamp("ms"), moment(1000)),
    "timestamp[us]": (pa.timestamp("us"), moment(1)),
    "timestamp[ns]": (pa.timestamp("ns"), moment(1)),
    "interval": (pa.month_day_nano_interval(), interval_of),
    "string": (pa.string(), words_of),
    "large_string": (pa.large_string(), words_of),
    "string_view": (pa.string_view(), words_of),
    "binary": (pa.binary(), blob_of),
    "large_binary": (pa.large_binary(), blob_of),
    "binary_view": (pa.binary_view(), blob_of),
    "fixed_size_binary": (pa.binary(5), lambda r: r.randbytes(5)),
}


def values_of(case: str, rows: int, nulls: float, distinct: int | None, seed: int) -> list[object]:
    r = random.Random(f"{case} {seed}")
    make = CASES[case][1]
    pool = [make(r) for _ in range(distinct or max(1, rows))]
    return [None if r.random() < nulls else r.choice(pool) for _ in range(rows)]


def shown(array: pa.Array) -> list[object]:
    """As Python values; NaN aside, equal lists mean equal arrays."""
    return [v.as_py() if v.is_valid else None for v in array]


def comparable(values: list[object], t: pa.DataType) -> list[object]:
    """Values as they come out: nanoseconds are of a class of their own."""
    if pa.types.is_timestamp(t) and t.unit == "ns":
        return shown(pa.array(values, t))
    return values


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rows", [0, 1, 2, 9, 700])
@pytest.mark.parametrize(("nulls", "distinct"), [(0.0, None), (0.3, None), (1.0, None), (0.2, 1), (0.0, 3)])
def test_round_trip(case: str, rows: int, nulls: float, distinct: int | None) -> None:
    t = CASES[case][0]
    values = values_of(case, rows, nulls, distinct, rows)
    array = pa.array(values, t)
    column = encode(array)
    check(column, comparable(values, t))
    # The same rows from a window of a longer array, and from chunks.
    longer = pa.array([*values_of(case, 11, 0.5, None, 1), *values, *values_of(case, 3, 0.5, None, 2)], t)
    check(encode(longer.slice(11, rows)), comparable(values, t))
    cut = rows // 3
    check(encode(pa.chunked_array([array.slice(0, cut), array.slice(cut)])), comparable(values, t))


def check(column: Column, values: list[object]) -> None:
    rows = len(values)
    assert column.rows == rows
    nulls = sum(v is None for v in values)
    assert column.statistics.null_count == nulls
    assert (column.validity is None) == (nulls == 0)
    result = decode(column)
    assert result.type == to_arrow(column.type)
    assert result.null_count == nulls
    result.validate(full=True)
    assert shown(result) == values
    r = random.Random(rows)
    for _ in range(3):
        start = r.randint(0, rows)
        stop = r.randint(start, rows)
        assert shown(decode(column, slice(start, stop))) == values[start:stop]
        assert shown(decode(column.slice(start, stop))) == values[start:stop]
        ids = [r.randrange(-1, rows) for _ in range(r.choice([0, 1, 20]))]
        wanted = [None if k < 0 else values[k] for k in ids]
        assert shown(decode(column, np.array(ids, np.int64))) == wanted
        assert shown(decode(column.take(np.array(ids, np.int64)))) == wanted
        mask = np.array([k >= 0 for k in ids], np.bool_)
        indirect = Indirect(np.array([max(k, 0) for k in ids], np.uint32), column)
        if rows:
            owner = Column(column.type, len(ids), indirect, pack(mask), Statistics(len(ids)))
            assert shown(decode(owner)) == wanted


@pytest.mark.parametrize("rows", [0, 1, 500])
@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int64()])
@pytest.mark.parametrize("value", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.int32()])
def test_dictionary_arrays(rows: int, index: pa.DataType, value: pa.DataType) -> None:
    r = random.Random(rows)
    pool: list[object] = [1, 2, 2, None, 9] if value == pa.int32() else ["a", "b", "b", None, "unused"]
    if value == pa.binary():
        pool = [v.encode() if isinstance(v, str) else v for v in pool]
    indices = [None if r.random() < 0.2 else r.randrange(4) for _ in range(rows)]
    array = pa.DictionaryArray.from_arrays(pa.array(indices, index), pa.array(pool, value))
    check(encode(array), [None if k is None else pool[k] for k in indices])


def test_chunks_of_different_dictionaries_share_one() -> None:
    first = pa.array(["x", "y", None]).dictionary_encode()
    second = pa.array(["y", "z", "x"]).dictionary_encode()
    column = encode(pa.chunked_array([first, second, first]))
    check(column, ["x", "y", None, "y", "z", "x", "x", "y", None])
    assert isinstance(column.encoding, Dictionary)
    assert column.encoding.values.strings == ["x", "y", "z"]


def test_null_type_is_a_column_of_integer_nulls() -> None:
    column = encode(pa.nulls(3))
    assert column.type == types.INTEGER
    check(column, [None] * 3)


@pytest.mark.parametrize(
    ("array", "micros"),
    [
        (pa.array([1, None, -2], pa.duration("s")), [10**6, None, -2 * 10**6]),
        (pa.array([1, None, -2], pa.duration("ms")), [10**3, None, -2000]),
        (pa.array([1, None, -2], pa.duration("us")), [1, None, -2]),
        (pa.array([1001, None, -2999], pa.duration("ns")), [1, None, -2]),
    ],
)
def test_durations_are_intervals(array: pa.Array, micros: list[int | None]) -> None:
    column = encode(array)
    assert column.type == types.INTERVAL
    assert shown(decode(column)) == [None if m is None else pa.MonthDayNano([0, 0, m * 1000]) for m in micros]


def test_a_duration_that_overflows_is_refused() -> None:
    with pytest.raises(DataError, match="does not fit an INTERVAL"):
        encode(pa.array([2**62], pa.duration("s")))


def test_time_of_day_finer_than_microseconds_is_refused() -> None:
    with pytest.raises(NotSupportedError, match="nanoseconds"):
        encode(pa.array([1001], pa.time64("ns")))


def test_text_that_is_no_utf8_is_refused_and_allowed_in_blobs() -> None:
    offsets, data = pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")
    bad = pa.Array.from_buffers(pa.string(), 1, [None, offsets, data])
    with pytest.raises(DataError, match="UTF-8"):
        encode(bad)
    with pytest.raises(DataError, match="UTF-8"):
        encode(pa.DictionaryArray.from_arrays(pa.array([0]), bad))
    check(encode(pa.array([b"\xff\xfe"])), [b"\xff\xfe"])


@pytest.mark.parametrize(
    "t",
    [
        pa.list_(pa.int32()),
        pa.struct([("a", pa.int32())]),
        pa.timestamp("us", tz="UTC"),
        pa.decimal256(50, 2),
        pa.decimal128(10, -2),
        pa.dictionary(pa.int8(), pa.list_(pa.int8())),
        pa.uuid(),
    ],
)
def test_types_without_sql_type_are_refused(t: pa.DataType) -> None:
    with pytest.raises(NotSupportedError):
        column_type(t)


@given(
    values=st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9), max_size=40),
    scale=st.sampled_from([1, 100, 86_400_000_000]),
)
@settings(max_examples=200, deadline=None)
def test_any_integers(values: list[int | None], scale: int) -> None:
    kept = [v if v is None else v // scale * scale for v in values]
    kept = [v if v is None or v >= -(2**63) else -(2**63) // scale * scale + scale for v in kept]
    column = encode(pa.array(kept, pa.int64()))
    check(column, list(kept))
    seen = [v for v in kept if v is not None]
    if seen:
        assert (column.statistics.minimum, column.statistics.maximum) == (min(seen), max(seen))
        assert prove_unique(column) == (len(set(seen)) == len(seen))
    assert column.statistics.sorted == (len(seen) == len(kept) and seen == sorted(seen))


@given(st.lists(st.none() | st.integers(-(2**127), 2**127 - 1) | st.integers(-9, 9), max_size=20))
@settings(max_examples=100, deadline=None)
def test_any_hugeints(values: list[int | None]) -> None:
    words = b"".join((v or 0).to_bytes(16, "little", signed=True) for v in values)
    mask = np.array([v is not None for v in values], np.bool_)
    bitmap = pa.py_buffer(np.packbits(mask, bitorder="little"))
    array = pa.Array.from_buffers(pa.decimal128(38, 0), len(values), [bitmap, pa.py_buffer(words)])
    column = encode(array, types.HUGEINT)
    fits = all(v is None or -(2**63) <= v < 2**63 for v in values)
    assert isinstance(column.encoding, Wide) != fits
    result = decode(column)
    out = np.frombuffer(result.buffers()[1], np.int64).reshape(-1, 2)
    for k, v in enumerate(values):
        assert result[k].is_valid == (v is not None)
        if v is not None:
            assert int(out[k, 1]) * 2**64 + int(out[k, 0].view(np.uint64)) == v


def test_nan_is_the_greatest_value() -> None:
    column = encode(pa.array([1.0, float("nan"), -2.0, None]))
    assert column.statistics.minimum == -2.0
    assert np.isnan(column.statistics.maximum)
    assert decode(column).equals(pa.array([1.0, None, -2.0, None])) is False
    assert np.isnan(decode(column)[1].as_py())


def test_block_bounds_leave_nulls_out() -> None:
    values = np.arange(2 * BLOCK + 10) + 1000
    mask = np.zeros(len(values), np.bool_)
    mask[BLOCK : 2 * BLOCK] = True
    column = encode(pa.array(values, mask=mask))
    statistics = column.statistics
    assert statistics.block_minimum is not None
    assert statistics.block_maximum is not None
    assert statistics.block_minimum.tolist() == [1000, 2**63 - 1, 1000 + 2 * BLOCK]
    assert statistics.block_maximum.tolist() == [1000 + BLOCK - 1, -(2**63), 1000 + 2 * BLOCK + 9]


@pytest.mark.parametrize("gap", [0, 200_000])
def test_uniqueness_is_proved_beyond_any_sample(gap: int) -> None:
    values = np.random.default_rng(1).permutation(50_000) * (1 + gap)
    assert prove_unique(encode(pa.array(values)))
    values[49_999] = values[7]
    column = encode(pa.array(values))
    assert column.statistics.unique is None
    assert not prove_unique(column)
    assert column.statistics.unique is False


def test_strictly_increasing_values_are_unique_at_once() -> None:
    assert encode(pa.array([1, 5, 9])).statistics.unique is True
    assert encode(pa.array([1, 5, 5])).statistics.unique is False
    assert encode(pa.array([1, None, 5])).statistics.sorted is False


def test_columns_from_words() -> None:
    validity = np.array([0b101], np.uint8)
    check(column_from_words(types.INTEGER, [np.array([7, 99, -7])], validity), [7, None, -7])
    check(column_from_words(types.BOOLEAN, [np.array([1, 0, 1], np.uint8)]), [True, False, True])
    check(column_from_words(types.DOUBLE, [np.array([1.5, 2.5])]), [1.5, 2.5])
    low, high = np.array([5, 2**64 - 1], np.uint64), np.array([0, -1], np.int64)
    check(column_from_words(types.decimal(38, 0), [low, high]), [decimal.Decimal(5), decimal.Decimal(-1)])
    check(column_from_words(types.HUGEINT, [np.array([5, -1])]), [decimal.Decimal(5), decimal.Decimal(-1)])
    text = [np.array([0, 2, 2, 3]), np.frombuffer(b"abc", np.uint8)]
    check(column_from_words(types.VARCHAR, text, validity), ["ab", None, "c"])
    values = TextValues(np.array([0, 1, 2]), np.frombuffer(b"xy", np.uint8))
    check(column_from_words(types.VARCHAR, [np.array([1, 0], np.uint8)], dictionary=values), ["y", "x"])
    parts = [np.array([1]), np.array([2]), np.array([3])]
    check(column_from_words(types.INTERVAL, parts), [pa.MonthDayNano([1, 2, 3000])])
    unseen = column_from_words(types.BIGINT, [np.array([1, 2])], observe=False)
    assert unseen.statistics.minimum is None
    assert unseen.rows == 2


@pytest.mark.parametrize(
    ("t", "value", "expected"),
    [
        (types.INTEGER, 5, 5),
        (types.BOOLEAN, True, True),
        (types.HUGEINT, 10**30, decimal.Decimal(10**30)),
        (types.decimal(9, 2), 150, decimal.Decimal("1.50")),
        (types.DATE, 1, datetime.date(1970, 1, 2)),
        (types.FLOAT, 0.5, 0.5),
        (types.VARCHAR, "hé", "hé"),
        (types.BLOB, b"\x00\xff", b"\x00\xff"),
        (types.INTERVAL, (1, 2, 3), pa.MonthDayNano([1, 2, 3000])),
        (types.VARCHAR, None, None),
        (types.NULL, None, None),
    ],
)
@pytest.mark.parametrize("rows", [0, 1, 9])
def test_constant_columns(t: types.SqlType, value: object, expected: object, rows: int) -> None:
    check(constant_column(t, value, rows), [expected] * rows)


def test_null_columns_answer_ids_without_rows() -> None:
    empty = null_column(types.VARCHAR, 0)
    assert shown(decode(empty, np.array([-1, -1]))) == [None, None]
    assert shown(decode(empty.take(np.array([-1, -1])))) == [None, None]


def test_bytes_held() -> None:
    assert encode(pa.array([5] * 1000)).nbytes == 0
    assert encode(pa.array(range(1000))).nbytes == 2000
    assert encode(pa.array([*range(1000), None])).nbytes == 2002 + 126
    short = encode(pa.array([f"{k:04}" for k in range(1000)]))
    assert isinstance(short.encoding, Text)
    assert short.nbytes == 8 * 1001 + 4000


def test_owned_columns_do_not_see_later_writes() -> None:
    source = np.array([1, 2**40, 3])
    shared, own = encode(pa.array(source)), encode(pa.array(source), own=True)
    source[0] = 77
    assert shown(decode(own)) == [1, 2**40, 3]
    assert isinstance(shared.encoding, FrameOfReference)


def test_a_constant_is_found_under_nulls() -> None:
    column = encode(pa.array([None, 4, None, 4]))
    assert isinstance(column.encoding, Constant)
    check(column, [None, 4, None, 4])
