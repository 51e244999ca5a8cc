"""The comparison of two results, on differences made by hand."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pytest

from headrace.tpch.comparison import difference


def table(**columns: object) -> pa.Table:
    return pa.table(columns)


def test_equal() -> None:
    one = table(a=[1, 2, None], b=["x", None, "y"], c=[1.5, math.nan, None])
    assert difference(one, one) is None
    assert difference(one, one, order=(0,)) is None


def test_no_rows() -> None:
    empty = table(a=pa.array([], pa.int64()))
    assert difference(empty, empty, order=(0,), limit=10) is None
    assert difference(empty, table(a=[1])) == "0 rows, expected 1"


def test_names() -> None:
    assert difference(table(a=[1]), table(b=[1])) == "columns ['a'], expected ['b']"
    assert difference(table(a=[1]), table(A=[1])) is not None


def test_repeated_names() -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    other = pa.Table.from_arrays([pa.array([1]), pa.array([3])], names=["a", "a"])
    assert difference(twice, twice) is None
    assert difference(twice, other) == "row 0: a is 2, expected 3"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (pa.int32(), pa.int64()),
        (pa.decimal128(15, 2), pa.decimal128(16, 2)),
        (pa.float32(), pa.float64()),
        (pa.string(), pa.binary()),
        (pa.timestamp("us"), pa.timestamp("ns")),
    ],
)
def test_types_differ(ours: pa.DataType, theirs: pa.DataType) -> None:
    found = difference(table(a=pa.array([None], ours)), table(a=pa.array([None], theirs)))
    assert found == f"column a has the type {ours}, expected {theirs}"


@pytest.mark.parametrize(
    "alike",
    [(pa.string(), pa.large_string(), pa.string_view()), (pa.binary(), pa.large_binary(), pa.binary_view())],
)
def test_forms_of_text_are_one_type(alike: tuple[pa.DataType, ...]) -> None:
    first, *others = (table(a=pa.array([b"x", None], pa.binary()).cast(t)) for t in alike)
    for other in others:
        assert difference(first, other) is None
        assert difference(other, first) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (1, 2),
        (None, 0),
        ("", None),
        (Decimal("1.10"), Decimal("1.11")),
        (datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)),
        (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 0, 0, 0, 1)),
        (datetime.time(1), datetime.time(2)),
        (True, False),
        (1.0, None),
        (1.0, math.nan),
        (math.inf, -math.inf),
        (1.0, 1.0 + 1e-8),
    ],
)
def test_values_differ(ours: object, theirs: object) -> None:
    t = pa.array([theirs if ours is None else ours]).type
    a, b = table(v=pa.array([ours], t)), table(v=pa.array([theirs], t))
    for order in ((), (0,)):
        assert difference(a, b, order) is not None
        assert difference(b, a, order) is not None


@pytest.mark.parametrize("value", [1.0, 1e300, -1e-300, 123456.789])
def test_floats_within_the_tolerance(value: float) -> None:
    near = value * (1 + 5e-10)
    for order in ((), (0,)):
        assert difference(table(v=[value]), table(v=[near]), order) is None
    assert difference(table(v=[0.0]), table(v=[-0.0])) is None
    assert difference(table(v=[math.nan, math.inf]), table(v=[math.inf, math.nan])) is None


def test_nanoseconds_count() -> None:
    t = pa.timestamp("ns")
    one, other = (table(v=pa.array([value], pa.int64()).cast(t)) for value in (1, 2))
    assert difference(one, one) is None
    assert difference(one, other) == "row 0: v is 1, expected 2"


def test_without_order_any_order_will_do() -> None:
    assert difference(table(a=[1, 2, 2], b=["x", "y", "z"]), table(a=[2, 1, 2], b=["z", "x", "y"])) is None
    assert difference(table(a=[1, 1, 2]), table(a=[1, 2, 2])) == "rows 0 to 2: a is 1, expected 2"


def test_order_is_checked() -> None:
    found = difference(table(a=[2, 1]), table(a=[1, 2]), order=(0,))
    assert found == "row 0, ORDER BY column a: 2, expected 1"


def test_descending_order_and_nulls_are_as_expected() -> None:
    theirs = table(a=[3, 1, None])
    assert difference(theirs, theirs, order=(0,)) is None
    assert difference(table(a=[None, 3, 1]), theirs, order=(0,)) is not None


def test_ties_are_a_multiset() -> None:
    theirs = table(k=[1, 1, 2], v=["a", "b", "c"])
    assert difference(table(k=[1, 1, 2], v=["b", "a", "c"]), theirs, order=(0,)) is None
    found = difference(table(k=[1, 1, 2], v=["b", "b", "c"]), theirs, order=(0,))
    assert found == "rows 0 to 1: v is 'b', expected 'a'"
    assert difference(table(k=[1, 1, 2], v=["a", "c", "b"]), theirs, order=(0,)) is not None


def test_order_of_the_inner_key_is_checked() -> None:
    theirs = table(k=[1, 1], v=["a", "b"])
    assert difference(table(k=[1, 1], v=["b", "a"]), theirs, order=(0, 1)) is not None


def test_ties_cut_by_limit_count_by_their_key_only() -> None:
    theirs = table(k=[1, 2, 2], v=["a", "b", "c"])
    other = table(k=[1, 2, 2], v=["a", "x", "b"])
    assert difference(other, theirs, order=(0,), limit=3) is None
    assert difference(other, theirs, order=(0,), limit=4) is not None
    assert difference(other, theirs, order=(0,)) is not None
    assert difference(table(k=[1, 2, 3], v=["a", "b", "c"]), theirs, order=(0,), limit=3) is not None
    assert difference(table(k=[1, 2, 2], v=["z", "b", "c"]), theirs, order=(0,), limit=3) is not None


def test_ties_cut_by_offset_count_by_their_key_only() -> None:
    theirs = table(k=[1, 1, 2], v=["a", "b", "c"])
    assert difference(table(k=[1, 1, 2], v=["x", "b", "c"]), theirs, order=(0,), offset=2) is None
    assert difference(table(k=[1, 1, 2], v=["x", "b", "c"]), theirs, order=(0,)) is not None
    assert difference(table(k=[1, 1, 2], v=["a", "b", "x"]), theirs, order=(0,), offset=2) is not None


def test_ties_of_nearly_equal_floats() -> None:
    near = 1.0 + 1e-12
    assert difference(table(k=[1.0, near], v=[1, 2]), table(k=[near, 1.0], v=[2, 1]), order=(0,)) is None


def test_floats_in_a_multiset_pair_by_tolerance() -> None:
    # Sorted by their floats the rows do not pair up; matched one by one they do.
    ours = table(a=[1.0, 1.0 + 4e-10], b=[9.0, 5.0])
    theirs = table(a=[1.0 + 2e-10, 1.0 + 1e-10], b=[9.0, 5.0])
    assert difference(ours, theirs) is None
    assert difference(ours, table(a=[1.0, 1.0], b=[9.0, 6.0])) is not None


def test_intervals_and_nested_values() -> None:
    interval = pa.array([(1, 2, 3), None], pa.month_day_nano_interval())
    lists = pa.array([[1, 2], None])
    structs = pa.array([{"x": 1}, {"x": None}])
    one = table(i=interval, l=lists, s=structs)
    assert difference(one, one) is None
    assert difference(one, table(i=interval, l=pa.array([[1, 3], None]), s=structs)) is not None


def test_chunks_do_not_matter() -> None:
    whole = table(a=[1, 2, 3])
    assert difference(pa.concat_tables([whole.slice(0, 1), whole.slice(1)]), whole, order=(0,)) is None
