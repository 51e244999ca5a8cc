"""Results as Python values, texts and frames, compared with DuckDB's."""

from __future__ import annotations

import datetime
from decimal import Decimal

import duckdb
import pandas
import pyarrow as pa
import pytest

from headrace.frames import unique_names
from headrace.result import BLOCK_ROWS, Result, RowReader
from headrace.table_text import render_table
from headrace.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    INTERVAL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    UBIGINT,
    VARCHAR,
    SqlType,
    decimal,
)
from headrace.value_text import value_texts

VALUES: list[tuple[SqlType, list[str]]] = [
    (BOOLEAN, ["true", "false"]),
    (INTEGER, ["0", "-2147483648", "2147483647"]),
    (UBIGINT, ["18446744073709551615"]),
    (HUGEINT, ["0", "-1", "170141183460469231731687303715884105727"]),
    (decimal(10, 2), ["0", "-0.05", "12345678.90"]),
    (decimal(38, 10), ["0.0000000001", "-1234567890123456789012345678.0123456789"]),
    (DOUBLE, ["0", "-0.0", "1e15", "1e16", "1e-5", "0.1", "inf", "-inf", "nan", "5e-324", "123456789.123"]),
    (FLOAT, ["0.1", "16777217", "1e10", "123456.7", "3.4028235e38", "inf"]),
    (DATE, ["1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31", "2000-02-29"]),
    (DATE, ["2000-01-01", "12000-01-01", "infinity", "-infinity", "0044-03-15 (BC)", "0001-12-31 (BC)"]),
    (TIME, ["00:00:00", "23:59:59.999999", "10:00:00.5"]),
    (TIME, ["12:00:00", "24:00:00"]),
    (TIMESTAMP_S, ["2020-01-02 03:04:05", "1969-12-31 23:59:59"]),
    (TIMESTAMP_MS, ["2020-01-02 03:04:05.678", "0001-01-01 00:00:00"]),
    (TIMESTAMP, ["2020-01-02 03:04:05.6789", "9999-12-31 23:59:59.999999"]),
    (TIMESTAMP, ["infinity", "-infinity", "12000-01-01 10:00:00", "0044-03-15 (BC) 10:00:00"]),
    (TIMESTAMP_NS, ["2020-01-01 00:00:00.000000001", "1969-12-31 23:59:59.999999999", "2020-01-01"]),
    (INTERVAL, ["0 seconds", "1 month 2 days 3 seconds", "-25 months -3 days", "-1 microsecond"]),
    (INTERVAL, ["13 months -1 day 1 second", "100 hours", "-3.5 seconds", "1 year 1 day"]),
    (VARCHAR, ["", "text", "näïve 数"]),
    (BLOB, [r"ab\x00\xFF\x27z", r"\x5C\x22 ~\x7F", ""]),
]
IDS = [f"{t}-{v[0]}" for t, v in VALUES]


def both(sql_type: SqlType, texts: list[str]) -> tuple[Result, str]:
    """A column of the values and a NULL, and the DuckDB query that makes the same."""
    rows = ", ".join(f"('{t}'::{sql_type})" for t in texts)
    query = f"SELECT x FROM (VALUES {rows}, (NULL)) AS t(x)"
    with duckdb.connect() as con:
        table = con.sql(query).to_arrow_table()
    return Result(table, [sql_type]), query


@pytest.mark.parametrize(("sql_type", "texts"), VALUES, ids=IDS)
def test_python_values_are_duckdbs(sql_type: SqlType, texts: list[str]) -> None:
    result, query = both(sql_type, texts)
    with duckdb.connect() as con:
        expected = con.execute(query).fetchall()
    assert repr(result.fetchall()) == repr(expected)


@pytest.mark.parametrize(("sql_type", "texts"), VALUES, ids=IDS)
def test_texts_are_those_of_a_cast(sql_type: SqlType, texts: list[str]) -> None:
    result, query = both(sql_type, texts)
    with duckdb.connect() as con:
        expected = [row[0] for row in con.execute(f"SELECT x::VARCHAR FROM ({query})").fetchall()]
    assert value_texts(result.fetch_arrow_table().column(0), sql_type) == expected


@pytest.mark.parametrize("nulls", [False, True])
def test_pandas_columns_have_duckdbs_types(nulls: bool) -> None:
    types = {
        "a": BOOLEAN,
        "b": INTEGER,
        "c": UBIGINT,
        "d": HUGEINT,
        "e": decimal(10, 2),
        "f": DOUBLE,
        "g": DATE,
        "h": TIME,
        "i": TIMESTAMP_S,
        "j": TIMESTAMP_NS,
        "k": INTERVAL,
        "l": VARCHAR,
    }
    samples = {
        "BOOLEAN": "true",
        "DATE": "2020-01-01",
        "TIME": "10:00:00",
        "INTERVAL": "1 month 2 days 3 seconds",
    }
    columns = []
    for name, t in types.items():
        sample = samples.get(str(t), "2020-01-01" if t.is_timestamp else "7")
        columns.append(f"CASE WHEN {'i = 1' if nulls else 'true'} THEN '{sample}'::{t} END AS {name}")
    with duckdb.connect() as con:
        relation = con.sql(f"SELECT {', '.join(columns)} FROM range(3) AS r(i)")
        expected = relation.df()
        result = Result(relation.to_arrow_table(), list(types.values()))
    frame = result.df()
    assert {n: str(t) for n, t in frame.dtypes.items()} == {n: str(t) for n, t in expected.dtypes.items()}
    for name in types:
        ours = [None if pandas.isna(v) else v for v in frame[name]]
        assert ours == [None if pandas.isna(v) else v for v in expected[name]], name


def test_frames_of_repeated_names_and_no_rows() -> None:
    table = pa.table([pa.array([1], pa.int32()), pa.array([2], pa.int32())], names=["a", "a"])
    result = Result(table, [INTEGER, INTEGER])
    assert list(result.df().columns) == ["a", "a_1"]
    assert result.pl().columns == ["a", "a_1"]
    assert result.columns == ["a", "a"]
    assert len(Result(table.slice(1), [INTEGER, INTEGER]).df()) == 0
    assert unique_names(["a", "a_1", "a", "a"]) == ["a", "a_1", "a_2", "a_3"]


def test_polars_intervals_are_durations() -> None:
    result, _ = both(INTERVAL, ["1 month 3 seconds"])
    assert result.pl()["x"].to_list() == [datetime.timedelta(days=30, seconds=3), None]


def test_a_result_is_an_arrow_stream() -> None:
    result, _ = both(decimal(10, 2), ["1.50"])
    assert pa.table(result).equals(result.fetch_arrow_table())
    assert result.fetch_record_batch(1).read_all().equals(result.fetch_arrow_table())
    with duckdb.connect() as con:
        assert con.sql("SELECT * FROM result").fetchall() == [(Decimal("1.50"),), (None,)]


def test_description_and_shape() -> None:
    result, _ = both(decimal(10, 2), ["1.50"])
    assert result.description == [("x", decimal(10, 2), None, None, 10, 2, None)]
    assert result.shape == (2, 1)
    assert len(result) == 2
    assert list(result) == [(Decimal("1.50"),), (None,)]


def test_a_reader_moves_through_blocks() -> None:
    rows = BLOCK_ROWS * 2 + 5
    result = Result(pa.table({"x": pa.array(range(rows), pa.int64())}), [BIGINT])
    reader = RowReader(result)
    assert [reader.one() for _ in range(3)] == [(0,), (1,), (2,)]
    assert reader.many(BLOCK_ROWS) == [(i,) for i in range(3, BLOCK_ROWS + 3)]
    assert reader.one() == (BLOCK_ROWS + 3,)
    assert reader.many(0) == []
    assert reader.many(-1) == []
    assert reader.rest().fetchall() == [(i,) for i in range(BLOCK_ROWS + 4, rows)]
    assert reader.one() is None
    assert reader.many(5) == []
    assert reader.rest().fetchall() == []


def test_table_of_text() -> None:
    table = pa.table({"n": pa.array([1, None], pa.int64()), "name": ["a\nb", None]})
    assert render_table(table, [BIGINT, VARCHAR]).splitlines() == [
        "┌────────┬─────────┐",
        "│   n    │  name   │",
        "│ bigint │ varchar │",
        "├────────┼─────────┤",
        "│      1 │ a\\nb    │",
        "│   NULL │ NULL    │",
        "└────────┴─────────┘",
        "2 rows",
    ]


def test_long_tables_show_both_ends() -> None:
    table = pa.table({"n": pa.array(range(100), pa.int64())})
    lines = render_table(table, [BIGINT]).splitlines()
    assert lines[-1] == "100 rows (40 shown)"
    assert [line.strip("│ ") for line in lines[4:-2]] == [
        *map(str, range(20)),
        *"···",
        *map(str, range(80, 100)),
    ]
    assert len(render_table(table, [BIGINT], rows=None).splitlines()) == 106


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_wide_tables_fit(width: int) -> None:
    table = pa.table({f"column{i}": ["x" * (i * 3), "数" * i] for i in range(12)})
    lines = render_table(table, [VARCHAR] * 12, width=width).splitlines()
    assert all(len(line) + line.count("数") <= max(width, 27) for line in lines[:-1])
    assert ("columns" in lines[-1]) == (width < 120)


def test_no_columns() -> None:
    assert repr(Result.empty()) == "(no columns)"
    assert Result.empty().fetchall() == []
