"""Columns made longer hold what one column over all rows would hold."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.decode import decode
from headrace.encode import encode
from headrace.extend import extend

whole = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 300), max_size=12)
text = st.lists(st.none() | st.text(max_size=3), max_size=12)
floats = st.lists(st.none() | st.floats(allow_nan=False), max_size=12)


@given(
    st.sampled_from([(pa.int64(), whole), (pa.string(), text), (pa.float64(), floats)]).flatmap(
        lambda case: st.tuples(st.just(case[0]), st.lists(case[1], min_size=1, max_size=4))
    )
)
@settings(max_examples=300, deadline=None)
def test_extended_is_encoded_whole(case: tuple[pa.DataType, list[list[object]]]) -> None:
    t, runs = case
    column = encode(pa.array(runs[0], t))
    for run in runs[1:]:
        column = extend(column, pa.array(run, t))
    values = [v for run in runs for v in run]
    assert decode(column).to_pylist() == values
    straight = encode(pa.array(values, t)).statistics
    seen = column.statistics
    assert (seen.rows, seen.null_count) == (straight.rows, straight.null_count)
    assert (seen.minimum, seen.maximum, seen.sorted) == (straight.minimum, straight.maximum, straight.sorted)


@pytest.mark.parametrize(
    ("first", "added", "form"),
    [
        ([0, 200], [100, 255], "frame:uint8"),
        ([0, 200], [257], "frame:uint16"),
        ([1000, 1200], [1255], "frame:uint8+base"),
        ([1000, 1200], [999], "frame:uint8+base"),
        ([0, 20_000, 100], [500], "frame:uint8*divisor"),
        ([0, 20_000, 100], [501], "frame:uint16"),
        ([5, 5], [5], "constant"),
        ([5, 5], [6], "frame:uint8"),
    ],
)
def test_the_frame_stays_while_values_fit(first: list[int], added: list[int], form: str) -> None:
    column = extend(encode(pa.array(first)), pa.array(added))
    assert column.encoding.form == form
    assert decode(column).to_pylist() == first + added


def test_wide_values_widen_the_column() -> None:
    column = extend(encode(pa.array([1, 2], pa.uint64())), pa.array([2**64 - 1, None], pa.uint64()))
    assert column.encoding.form == "wide"
    assert decode(column).to_pylist() == [1, 2, 2**64 - 1, None]


def test_many_texts_leave_the_dictionary() -> None:
    column = extend(encode(pa.array(["a", "b"])), pa.array([str(k) for k in range(400)]))
    assert column.encoding.form == "text"
    assert decode(column).to_pylist() == ["a", "b", *(str(k) for k in range(400))]


def test_intervals() -> None:
    one, two = pa.MonthDayNano([1, 2, 3000]), pa.MonthDayNano([0, 0, 0])
    column = extend(encode(pa.array([one])), pa.array([None, two], pa.month_day_nano_interval()))
    assert decode(column).to_pylist() == [one, None, two]
