"""Whole queries over every kind of source, against DuckDB: files, Arrow objects, data frames, caller's variables."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace
from differential.relation_data import relations
from headrace.tpch.comparison import difference

ROWS = 2_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet and CSV files; the Parquet ones have several row groups."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(3)
    for k in range(3):
        part = pa.table(
            {
                "id": pa.array(range(k * ROWS, (k + 1) * ROWS), pa.int64()),
                "g": pa.array(rng.integers(0, 5, ROWS), pa.int32(), mask=rng.random(ROWS) < 0.1),
                "t": pa.array([f"t{k}{v}" for v in rng.integers(0, 9, ROWS)]),
                "d": pa.array([Decimal(int(v)) / 100 for v in rng.integers(-999, 999, ROWS)], pa.decimal128(12, 2)),
                "x": pa.array(rng.normal(size=ROWS)),
                "day": pa.array(
                    [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(v)) for v in rng.integers(0, 99, ROWS)]
                ),
            }
        )
        pq.write_table(part, folder / f"part{k}.parquet", row_group_size=700)
        if k == 0:
            duckdb.sql("SELECT id, g, t, d, day FROM part").write_csv(str(folder / "part0.csv"))
    return folder


def _agree(sql: str, execution: str = "interpreted") -> None:
    with headrace.connect(execution=execution) as connection, duckdb.connect() as other:
        ours = connection.sql(sql).fetch_arrow_table()
        theirs = other.sql(sql).to_arrow_table()
    fault = difference(ours, theirs)
    assert fault is None, f"{sql}\n{execution}: {fault}"


@pytest.mark.parametrize(
    "source",
    [
        "read_parquet('{0}/part0.parquet')",
        "'{0}/part1.parquet'",
        "read_parquet(['{0}/part0.parquet', '{0}/part2.parquet'])",
        "read_parquet('{0}/part*.parquet')",
        "'{0}/*.parquet'",
    ],
)
def test_parquet(files: Path, source: str) -> None:
    source = source.format(files)
    for sql in (
        f"SELECT * FROM {source} WHERE id % 97 = 3",
        f"SELECT g, count(*), sum(d), min(t), max(day), avg(x) FROM {source} GROUP BY g",
        f"SELECT t, sum(id) FROM {source} WHERE day < DATE '2020-02-01' AND d > 0 GROUP BY t",
        f"SELECT count(*) FROM {source} a JOIN {source} b ON a.id = b.id + 1 AND a.t = b.t",
    ):
        _agree(sql)
    _agree(f"SELECT g, t, count(*), sum(d) FROM {source} GROUP BY g, t", "compiled")


def test_csv(files: Path) -> None:
    for sql in (
        f"SELECT * FROM read_csv('{files}/part0.csv')",
        f"SELECT g, count(*), sum(d), min(t), max(day) FROM '{files}/part0.csv' GROUP BY g",
        f"SELECT a.id, b.d FROM read_csv('{files}/part0.csv') a JOIN '{files}/part0.parquet' b ON a.id ="
        f" b.id AND b.g = a.g",
    ):
        _agree(sql)


def _pandas(table: pa.Table) -> object:
    return table.to_pandas(date_as_object=True)


@pytest.mark.parametrize(
    "make",
    [lambda t: t, lambda t: t.to_batches()[0], _pandas, polars.from_arrow],
    ids=["table", "batch", "pandas", "polars"],
)
def test_objects(make: Callable[[pa.Table], object]) -> None:
    """Registered under a name, and found as a variable of the caller."""
    frame = make(relations()["l"].select(["id", "ki", "kt", "kd", "kf", "n"]))
    for execution in ("interpreted", "compiled"):
        with headrace.connect(execution=execution) as ours, duckdb.connect() as theirs:
            ours.register("seen", frame)
            theirs.register("seen", pa.table(frame) if isinstance(frame, pa.RecordBatch) else frame)
            for name in ("seen", "frame") if not isinstance(frame, pa.RecordBatch) else ("seen",):
                for sql in (
                    f"SELECT kt, count(*), sum(ki), min(n), max(kd), max(kf) FROM {name} GROUP BY kt",
                    f"SELECT a.id, b.n FROM {name} a JOIN {name} b ON a.kt = b.kt AND a.ki = b.ki",
                ):
                    fault = difference(ours.sql(sql).fetch_arrow_table(), theirs.sql(sql).to_arrow_table())
                    assert fault is None, f"{sql}\n{fault}"


def test_reader() -> None:
    table = relations()["l"]
    with headrace.connect(execution="interpreted") as connection:
        connection.register("stream", table.to_reader(max_chunksize=13))
        assert connection.sql("SELECT count(*), sum(id) FROM stream").fetchall() == [(70, 2415)]


def test_odd_arrow_columns() -> None:
    """Chunks, slices, large and dictionary text whose dictionary repeats, and dictionaries that differ by chunk."""
    repeats = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None, 3, 1, 0, 4], pa.int8()), ["a", "b", "a", None, "b"]
    )
    chunks = pa.chunked_array(
        [pa.array(["x", "y"] * 2).dictionary_encode(), pa.array(["y", "z", None, "x"]).dictionary_encode()]
    )
    odd = pa.table(  # noqa: F841 - the queries find it by its name
        {
            "r": repeats,
            "c": chunks,
            "l": pa.array(["é", None, "b", "é", "", "b", "", None], pa.large_string()),
            "v": pa.array(["long enough not to be inlined", None, "b", "é"] * 2, pa.string_view()),
            "i": pa.array([9, 9, 1, 2, 3, None, 4, 5, 6, 7], pa.int32()).slice(2),
            "f": pa.chunked_array([pa.array([1.5, None]), pa.array([0.5, -1.0, 2.0, 2.0, None, 1.0])]),
            "b": pa.array([True] * 3 + [None, False, True, False, True] + [None]).slice(1),
        }
    )
    queries = [
        "SELECT r, count(*), sum(i) FROM odd GROUP BY r",
        "SELECT DISTINCT r FROM odd ORDER BY r",
        "SELECT count(DISTINCT r), count(DISTINCT c), count(DISTINCT l), count(DISTINCT v) FROM odd",
        "SELECT c, l, v, b, sum(f), min(v) FROM odd GROUP BY c, l, v, b",
        "SELECT a.i, b.i AS j FROM odd a JOIN odd b ON a.r = b.c OR a.r = b.l",
        "SELECT a.i, b.i AS j FROM odd a JOIN odd b ON a.r = b.l",
        "SELECT a.i, b.i AS j FROM odd a LEFT JOIN odd b ON a.r = b.r AND a.c = b.c",
        "SELECT * FROM odd WHERE r = 'a' OR r IN ('b', 'c') AND c <> 'x'",
        "SELECT i FROM odd WHERE r = c OR v = l",
        "SELECT i, r, upper(r) || c FROM odd ORDER BY r DESC, c, i",
        "SELECT b, count(*), bool_and(b), max(i) FROM odd GROUP BY b",
    ]
    for execution in ("interpreted", "compiled"):
        with headrace.connect(execution=execution) as connection, duckdb.connect() as other:
            for sql in queries:
                ours, theirs = connection.sql(sql).fetch_arrow_table(), other.sql(sql).to_arrow_table()
                theirs = theirs.cast(ours.schema)
                fault = difference(ours, theirs)
                assert fault is None, f"{sql}\n{execution}: {fault}"


def test_changed_in_place() -> None:
    """A frame changed between two identical queries gives new answers."""
    frame = pandas.DataFrame({"k": [1, 1, 2], "v": [10, 20, 30]})
    array = np.array([1, 2, 3, 4])
    table = pa.table({"n": array})  # noqa: F841 - the queries find it by its name
    for execution in ("interpreted", "compiled"):
        with headrace.connect(execution=execution) as connection:
            connection.register("named", frame)
            frame.loc[:, "v"] = [10, 20, 30]
            array[:] = [1, 2, 3, 4]
            sql = "SELECT k, sum(v) FROM {} GROUP BY k ORDER BY k"
            for source in ("frame", "named"):
                assert connection.sql(sql.format(source)).fetchall() == [(1, 30), (2, 30)]
            assert connection.sql("SELECT sum(n), max(n) FROM table").fetchall() == [(10, 4)]
            frame.loc[0, "v"] = 1_000_000
            frame.loc[2, "v"] = -5
            array[3] = 2**40
            for source in ("frame", "named"):
                assert connection.sql(sql.format(source)).fetchall() == [(1, 1_000_020), (2, -5)]
            assert connection.sql("SELECT sum(n), max(n) FROM table").fetchall() == [(6 + 2**40, 2**40)]


def test_a_footer_that_lies(tmp_path: Path) -> None:
    """Statistics of a Parquet footer may be wrong: no crash, no wrapped sum, no row lost or made up."""
    least, most = -0x0123456789ABCDEF, 0x7123456789ABCDEF
    values = [least, most, most, 5, 5, 6, most, 7]
    table = pa.table(
        {
            "v": pa.array(values, pa.int64()),
            "k": pa.array([0, 0x12345678, 1, 1, 0x12345678, 2, 3, -0x12345678], pa.int32()),
        }
    )
    path = tmp_path / "lies.parquet"
    pq.write_table(table, path, use_dictionary=False, compression="none")
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]
    for word, true, false in (("<q", least, 5), ("<q", most, 6), ("<i", 0x12345678, 3), ("<i", -0x12345678, 0)):
        wanted, lie = struct.pack(word, true), struct.pack(word, false)
        assert content.count(wanted, footer) >= 1
        content[footer:] = content[footer:].replace(wanted, lie)
    path.write_bytes(content)
    for execution in ("interpreted", "compiled"):
        with headrace.connect(execution=execution) as connection:
            connection.execute(f"CREATE VIEW lies AS SELECT * FROM '{path}'")
            connection.register("truth", table)
            for sql in (
                "SELECT sum(v), min(v), max(v), sum(v - 1), count(*) FROM {}",
                "SELECT k, count(*), sum(v) FROM {} GROUP BY k ORDER BY k",
                "SELECT v, count(*) FROM {} GROUP BY v ORDER BY v",
                "SELECT count(*) FROM {} WHERE v > 6",
                "SELECT k FROM {} WHERE k < 0 OR k > 3 ORDER BY k",
                "SELECT a.v, b.k FROM {0} a JOIN {0} b ON a.v = b.v ORDER BY a.v, b.k",
                "SELECT a.v, b.v FROM {0} a LEFT JOIN {0} b ON a.k = b.k ORDER BY a.v, b.v",
            ):
                expected = connection.sql(sql.format("truth")).fetchall()
                assert connection.sql(sql.format("lies")).fetchall() == expected, sql
            with pytest.raises(headrace.DataError):
                connection.sql("SELECT v * 2 FROM lies").fetchall()
