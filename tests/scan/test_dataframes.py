"""pandas and polars frames as relations, with the types DuckDB gives them."""

from __future__ import annotations

import datetime
import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from headrace.decode import decode
from headrace.errors import NotSupportedError
from headrace.memory import Memory
from headrace.scan.arrow import MemoryRelation
from headrace.scan.dataframes import open_dataframe
from headrace.scan.sources import Sources


def opened(value: object) -> MemoryRelation:
    found = open_dataframe("t", value)
    assert found is not None
    return found


def rows(found: MemoryRelation) -> dict[str, list[object]]:
    names = [c.name for c in found.schema()]
    return {name: decode(column).to_pylist() for name, column in found.load(names, 1).items()}


def test_pandas_columns_are_those_of_duckdb() -> None:
    t = pd.DataFrame(
        {
            "i": [1, 2, 3],
            "small": np.array([1, 2, 3], np.int8),
            "unsigned": np.array([1, 2, 2**63], np.uint64),
            "f": [1.5, float("nan"), -1.0],
            "nullable": pd.array([1, None, 3], "Int32"),
            "text": ["a", None, "ü"],
            "object": pd.Series(["a", None, "b"], dtype=object),
            "flag": [True, False, True],
            "maybe": pd.array([True, None, False], "boolean"),
            "when": pd.to_datetime(["2020-01-01", None, "2021-02-03"]),
            "dates": pd.Series([datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1)], dtype=object),
            "blob": pd.Series([b"x", None, b"\xff"], dtype=object),
        }
    )
    t.index = pd.Index([7, 8, 9])
    found = opened(t)
    with duckdb.connect() as other:
        answer = other.sql("FROM t")
        types = dict(zip(answer.columns, map(str, answer.types), strict=True))
        assert {c.name: str(c.type) for c in found.schema()} == types
        assert rows(found) == answer.to_arrow_table().to_pydict()
    assert found.row_count() == 3


def test_pandas_values_of_other_kinds() -> None:
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["a", "b", None, "a"]),
            "amount": pd.Series([decimal.Decimal("1.25"), None, decimal.Decimal("2"), None], dtype=object),
            5: [1, 2, 3, 4],
        }
    )
    assert rows(opened(frame)) == {
        "category": ["a", "b", None, "a"],
        "amount": [decimal.Decimal("1.25"), None, decimal.Decimal("2.00"), None],
        "5": [1, 2, 3, 4],
    }


def test_pandas_columns_that_do_not_convert_harm_only_those_who_ask() -> None:
    frame = pd.DataFrame({"a": [1, 2], "mixed": pd.Series([1, "x"], dtype=object)})
    found = opened(frame)
    assert rows(found) == {"a": [1, 2]}
    with pytest.raises(NotSupportedError, match=r"'mixed'.*dtype object"):
        found.load(["mixed"], 1)


def test_a_pandas_frame_changed_in_place_gives_its_new_values_and_leaves_the_old_ones_alone() -> None:
    values = np.array([[2**40, 2.0], [3.0, 4.0]])
    frame = pd.DataFrame(values, columns=["a", "b"], copy=False)
    before = opened(frame).load(["a"], 1)["a"]
    values[0, 0] = -1.0
    assert rows(opened(frame))["a"] == [-1.0, 3.0]
    assert decode(before).to_pylist() == [2.0**40, 3.0]


def test_empty_frames() -> None:
    assert rows(opened(pd.DataFrame({"a": pd.Series([], dtype="int64"), "b": pd.Series([], dtype=object)}))) == {
        "a": [],
        "b": [],
    }
    assert rows(opened(pl.DataFrame({"a": []}, schema={"a": pl.String}))) == {"a": []}


def test_polars_columns_are_those_of_duckdb() -> None:
    t = pl.DataFrame(
        {
            "i": [1, None, 3],
            "u": pl.Series([1, 2, 3], dtype=pl.UInt8),
            "f": [1.5, None, -1.0],
            "text": ["a", None, "longer than twelve bytes ü"],
            "flag": [True, None, False],
            "day": [datetime.date(2020, 1, 1), None, datetime.date(1900, 1, 1)],
            "when": [datetime.datetime(2020, 1, 1, 2, 3, 4, 5), None, datetime.datetime(1900, 1, 1)],
            "blob": [b"x", None, b"\xff"],
            "amount": pl.Series([decimal.Decimal("1.25"), None, decimal.Decimal("2")], dtype=pl.Decimal(12, 2)),
        }
    )
    found = opened(t)
    with duckdb.connect() as other:
        answer = other.sql("FROM t")
        types = dict(zip(answer.columns, map(str, answer.types), strict=True))
        assert {c.name: str(c.type) for c in found.schema()} == types
        assert rows(found) == answer.to_arrow_table().to_pydict()


def test_other_polars_values() -> None:
    frame = pl.DataFrame(
        {
            "category": pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
            "choice": pl.Series(["x", None, "x", "y"], dtype=pl.Enum(["x", "y"])),
            "span": [datetime.timedelta(seconds=k) for k in range(4)],
            "at": [datetime.time(1, 2, 3, 4), None, None, None],
            "nothing": [None] * 4,
        }
    )
    found = rows(opened(frame))
    assert found["category"] == ["a", "b", None, "a"]
    assert found["choice"] == ["x", None, "x", "y"]
    assert found["span"] == [pa.MonthDayNano([0, 0, k * 10**9]) for k in range(4)]
    assert found["at"] == [datetime.time(1, 2, 3, 4), None, None, None]
    assert found["nothing"] == [None] * 4


def test_lazy_frames_and_series_of_polars() -> None:
    assert rows(opened(pl.LazyFrame({"a": [1, 2]}).filter(pl.col("a") > 1))) == {"a": [2]}
    assert rows(opened(pl.Series("s", [1, 2]))) == {"s": [1, 2]}


def test_other_objects_are_refused_by_their_type() -> None:
    sources = Sources(Memory(lambda: 10**9))
    with pytest.raises(NotSupportedError, match=r"t is a builtins.dict, which cannot be queried"):
        sources.open_object("t", {"a": np.array([1])})
    assert sources.open_object("t", pd.DataFrame({"a": [1]})).schema()[0].name == "a"
    assert sources.open_object("t", pa.table({"a": [1]})).schema()[0].name == "a"
