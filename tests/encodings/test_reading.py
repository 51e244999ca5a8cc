"""The text that each encoding emits, evaluated as Python, gives the values; forms tell texts apart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from headrace.column import Column, constant_column
from headrace.encode import encode
from headrace.types import HUGEINT, INTEGER

NAMES = {"i64": int, "u64": int, "text_span": lambda data, start, stop: bytes(data[start:stop])}


def read(column: Column, row: int) -> tuple[object, ...]:
    encoding = column.encoding
    arrays = tuple(f"a{k}" for k in range(len(encoding.arrays())))
    parameters = tuple(f"p{k}" for k in range(len(encoding.parameters())))
    scope: dict[str, object] = dict(zip(arrays, (a.tolist() for a in encoding.arrays()), strict=True))
    scope.update(zip(parameters, encoding.parameters(), strict=True))
    scope["i"] = row
    texts = encoding.read(arrays, parameters, "i")
    return tuple(eval(text, {**NAMES, **scope}) for text in texts)


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([0, 255, 7], "frame:uint8"),
        ([1000, 1255, 1007], "frame:uint8+base"),
        ([-128, 127, 0], "frame:uint8+base"),
        ([0, 25_500, 700], "frame:uint8*divisor"),
        ([-100, 25_400, 700], "frame:uint8*divisor+base"),
        ([7, 25_507, 707], "frame:uint8*divisor+base"),
        ([0, 65_535, 7], "frame:uint16"),
        ([0, 2**32 - 1, 7], "frame:uint32"),
        ([5 * 10**9, 5 * 10**9 + 70_001, 5 * 10**9 + 7], "frame:uint32+base"),
        ([0, 2**32, 7], "frame:int64"),
        ([-(2**63), 2**63 - 1, 7], "frame:int64"),
        ([0, 86_400_000_000 * 40_000, 86_400_000_000], "frame:uint16*divisor"),
        ([9, 9, 9], "constant"),
    ],
)
def test_whole_numbers(values: list[int], form: str) -> None:
    column = encode(pa.array(values, pa.int64()))
    assert column.encoding.form == form
    assert [read(column, k) for k in range(3)] == [(v,) for v in values]


def test_divisor_and_base_are_trivial_where_they_save_no_width() -> None:
    column = encode(pa.array([100, 200, 250]))
    assert column.encoding.form == "frame:uint8"
    assert column.encoding.parameters() == (0, 1)


def test_the_divisor_holds_for_every_row_beyond_the_sample() -> None:
    values = np.arange(100_000) * 100
    assert encode(pa.array(values)).encoding.form == "frame:uint32"
    values %= 20_000
    assert encode(pa.array(values)).encoding.form == "frame:uint8*divisor"
    values[51_234] += 1
    column = encode(pa.array(values))
    assert column.encoding.form == "frame:uint16"
    assert read(column, 51_234) == (values[51_234],)


def test_divisors_of_chunks_meet() -> None:
    chunks = [pa.array([0, 600, 1200]), pa.array([400, 400]), pa.array([None, 25_000])]
    column = encode(pa.chunked_array(chunks))
    assert column.encoding.parameters() == (0, 200)
    apart = encode(pa.chunked_array([pa.array([0, 60_000]), pa.array([7, 60_007])]))
    assert [read(apart, k) for k in range(4)] == [(0,), (60_000,), (7,), (60_007,)]


def test_a_divisor_fits_a_machine_word() -> None:
    column = encode(pa.chunked_array([pa.array([-(2**62), None]), pa.array([2**63 - 1, 2**63 - 1])]))
    assert column.encoding.form == "frame:int64"
    assert read(column, 2) == (2**63 - 1,)


def test_nulls_hold_zero() -> None:
    column = encode(pa.array([1000, None, 1200]))
    assert [a.tolist() for a in column.encoding.arrays()] == [[0, 0, 200]]
    wide = encode(pa.array([2**40, None]))
    assert [a.tolist() for a in wide.encoding.arrays()] == [[2**40, 0]] or wide.encoding.form == "constant"
    text = encode(pa.array(["x" * 9, None, *map(str, range(999))]))
    assert read(text, 1) == (b"", 0)


def test_wide_numbers() -> None:
    assert read(constant_column(HUGEINT, -(2**100), 2), 1) == (0, -(2**36))
    assert read(constant_column(INTEGER, -3, 2), 1) == (-3,)


def test_text_and_dictionary() -> None:
    many = [f"name {k}" for k in range(600)]
    text = encode(pa.array(many))
    assert text.encoding.form == "text"
    assert read(text, 599) == (b"name 599", 8)
    few = encode(pa.array(["b", "a", "b"] * 200))
    assert few.encoding.form == "dictionary:uint8"
    assert [read(few, k) for k in range(3)] == [(0,), (1,), (0,)]


def test_floats_and_intervals() -> None:
    assert read(encode(pa.array([1.5, 2.5])), 1) == (2.5,)
    assert encode(pa.array([1.5], pa.float32())).encoding.form == "floats:float32"
    column = encode(pa.array([pa.MonthDayNano([1, -2, 3000])]))
    assert read(column, 0) == (1, -2, 3)
