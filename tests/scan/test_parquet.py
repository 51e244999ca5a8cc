"""Parquet files: what is read, what is refused and how, and what is never believed."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headrace import types
from headrace.decode import decode
from headrace.errors import DataError, Error, NotSupportedError, OperationalError
from headrace.memory import Memory
from headrace.scan import parquet
from headrace.scan.parquet import ParquetRelation


def memory() -> Memory:
    return Memory(lambda: 10**9)


def relation(*patterns: str | Path, cache: Memory | None = None) -> ParquetRelation:
    return ParquetRelation("t", [str(p) for p in patterns], cache or memory())


def rows(found: ParquetRelation, columns: Sequence[str] | None = None, threads: int = 1) -> dict[str, list[object]]:
    names = [c.name for c in found.schema()] if columns is None else columns
    return {name: decode(column).to_pylist() for name, column in found.load(names, threads).items()}


def mixed(count: int, seed: int = 0) -> pa.Table:
    r = np.random.default_rng(seed)
    absent = r.random(count) < 0.2
    words = np.array(["AIR", "RAIL", "SHIP", "ü"])
    return pa.table(
        {
            "id": pa.array(np.arange(count) + 5),
            "price": pa.array(r.integers(-(10**9), 10**9, count), mask=absent)
            .cast(pa.decimal128(19, 0))
            .cast(pa.decimal128(30, 2)),
            "mode": pa.array(words[r.integers(0, 4, count)], mask=absent),
            "text": pa.array([f"row {k} " + "x" * int(k % 5) for k in r.permutation(count)]),
            "day": pa.array(r.integers(0, 3000, count).astype(np.int32)).cast(pa.date32()),
            "ratio": pa.array(r.random(count), mask=absent),
            "flag": pa.array(r.random(count) < 0.5, mask=absent),
        }
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 1000, 70_000])
@pytest.mark.parametrize("dictionary", [True, False])
def test_what_was_written_is_read(tmp_path: Path, count: int, threads: int, dictionary: bool) -> None:
    table = mixed(count)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=9000, use_dictionary=dictionary)
    found = relation(tmp_path / "t.parquet")
    assert found.row_count() == count
    assert rows(found, threads=threads) == table.to_pydict()


def test_text_of_few_values_is_read_as_a_dictionary_and_other_text_is_not(tmp_path: Path) -> None:
    pq.write_table(mixed(30_000), tmp_path / "t.parquet", row_group_size=7000)
    columns = relation(tmp_path / "t.parquet").load(["mode", "text"], 2)
    assert columns["mode"].encoding.form == "dictionary:uint8"
    assert columns["text"].encoding.form == "text"


@pytest.mark.parametrize(
    "array",
    [
        pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("s")),
        pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("ms")),
        pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us")),
        pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("ns")),
        pa.array([datetime.timedelta(days=1)], pa.duration("ms")),
        pa.array([datetime.time(1, 2, 3)], pa.time32("ms")),
        pa.array([datetime.date(2020, 1, 1)], pa.date64()),
        pa.array([1.5], pa.float16()),
        pa.array([7], pa.uint8()),
        pa.array([2**64 - 1], pa.uint64()),
        pa.array([b"ab"], pa.binary(2)),
        pa.array([b"ab"], pa.binary()),
        pa.array(["ab"], pa.large_string()),
        pa.array(["ab"]).dictionary_encode(),
        pa.array([5]).dictionary_encode(),
    ],
    ids=lambda a: str(a.type),
)
def test_types_are_those_of_duckdb(tmp_path: Path, array: pa.Array) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"c": array}), path)
    found = relation(path)
    with duckdb.connect() as other:
        answer = other.sql(f"SELECT * FROM '{path}'")
        assert [str(c.type) for c in found.schema()] == [str(t) for t in answer.types]
        assert rows(found)["c"] == answer.to_arrow_table().column(0).to_pylist()


def test_int96_timestamps(tmp_path: Path) -> None:
    values = pa.array([datetime.datetime(1900, 5, 6, 7, 8, 9), None], pa.timestamp("us"))
    pq.write_table(pa.table({"c": values}), tmp_path / "t.parquet", use_deprecated_int96_timestamps=True)
    found = relation(tmp_path / "t.parquet")
    assert found.schema()[0].type == types.TIMESTAMP
    assert rows(found)["c"] == values.to_pylist()


def test_columns_that_cannot_be_read_harm_only_those_who_ask(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": [1],
            "nested": pa.array([[1, 2]]),
            "struct": pa.array([{"x": 1}]),
            "zoned": pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us", tz="UTC")),
            "id": pa.array([b"0123456789abcdef"], pa.uuid()),
            "b": ["x"],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = relation(tmp_path / "t.parquet")
    assert [c.name for c in found.schema()] == ["a", "b"]
    assert set(found.unsupported()) == {"nested", "struct", "zoned", "id"}
    assert "TIME ZONE" in found.unsupported()["zoned"]
    assert rows(found) == {"a": [1], "b": ["x"]}
    with pytest.raises(NotSupportedError, match=r"'zoned'.*TIME ZONE"):
        found.load(["zoned"], 1)
    with pytest.raises(NotSupportedError, match="'nope'"):
        found.load(["nope"], 1)


def test_several_files_follow_one_another(tmp_path: Path) -> None:
    for k in range(3):
        pq.write_table(pa.table({"a": [k, k], "b": [str(k), None]}), tmp_path / f"part{k}.parquet")
    expected = {"a": [0, 0, 1, 1, 2, 2], "b": ["0", None, "1", None, "2", None]}
    assert rows(relation(tmp_path / "part*.parquet")) == expected
    assert rows(relation(*(tmp_path / f"part{k}.parquet" for k in range(3)))) == expected


def test_several_files_must_agree(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [2], "a": [2]}), tmp_path / "2.parquet")
    assert rows(relation(tmp_path / "*.parquet")) == {"a": [1, 2], "b": [1, 2]}
    pq.write_table(pa.table({"a": ["x"], "b": [2]}), tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"'a' is BIGINT in .*1.parquet' and VARCHAR in .*2.parquet'"):
        relation(tmp_path / "*.parquet")
    pq.write_table(pa.table({"a": [2]}), tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"2.parquet' has no readable column 'b'"):
        relation(tmp_path / "*.parquet")


def test_a_column_may_be_null_in_any_file(tmp_path: Path) -> None:
    required = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    pq.write_table(pa.table({"a": [1]}, schema=required), tmp_path / "1.parquet")
    assert not relation(tmp_path / "1.parquet").schema()[0].nullable
    pq.write_table(pa.table({"a": [None]}, schema=pa.schema([("a", pa.int64())])), tmp_path / "2.parquet")
    assert relation(tmp_path / "*.parquet").schema()[0].nullable


class TestFaults:
    def raised(self, *patterns: str | Path) -> Error:
        with pytest.raises(Error) as caught:
            relation(*patterns).load(["a"], 1)
        assert type(caught.value) in (OperationalError, DataError)
        return caught.value

    def test_missing(self, tmp_path: Path) -> None:
        assert f"there is no file '{tmp_path}/no.parquet'" in str(self.raised(tmp_path / "no.parquet"))

    def test_nothing_matches(self, tmp_path: Path) -> None:
        assert "no file matches" in str(self.raised(tmp_path / "*.parquet"))

    def test_directory(self, tmp_path: Path) -> None:
        fault = self.raised(tmp_path)
        assert "is a directory" in str(fault)
        assert f"'{tmp_path}/*.parquet'" in str(fault)

    def test_empty(self, tmp_path: Path) -> None:
        (tmp_path / "t.parquet").touch()
        assert "is empty" in str(self.raised(tmp_path / "t.parquet"))

    def test_not_parquet(self, tmp_path: Path) -> None:
        (tmp_path / "t.parquet").write_text("a,b\n1,2\n" * 10)
        fault = self.raised(tmp_path / "t.parquet")
        assert "is not a Parquet file" in str(fault)
        assert "read_csv" in str(fault)

    @pytest.mark.parametrize("keep", [5, 100, -10])
    def test_truncated(self, tmp_path: Path, keep: int) -> None:
        pq.write_table(pa.table({"a": range(1000)}), tmp_path / "t.parquet")
        data = (tmp_path / "t.parquet").read_bytes()
        (tmp_path / "t.parquet").write_bytes(data[:keep])
        assert "damaged or cut short" in str(self.raised(tmp_path / "t.parquet"))

    def test_damaged_pages(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": range(1000)}), tmp_path / "t.parquet", use_dictionary=False)
        data = bytearray((tmp_path / "t.parquet").read_bytes())
        data[4:60] = b"\xff" * 56
        (tmp_path / "t.parquet").write_bytes(data)
        fault = self.raised(tmp_path / "t.parquet")
        assert "t.parquet" in str(fault)
        assert "damaged" in str(fault)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_permission(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
        (tmp_path / "t.parquet").chmod(0)
        assert "no permission" in str(self.raised(tmp_path / "t.parquet"))

    def test_text_that_is_no_utf8(self, tmp_path: Path) -> None:
        offsets, data = pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")
        bad = pa.Array.from_buffers(pa.string(), 1, [None, offsets, data])
        pq.write_table(pa.table({"a": bad}), tmp_path / "t.parquet")
        fault = self.raised(tmp_path / "t.parquet")
        assert "column 'a'" in str(fault)
        assert "UTF-8" in str(fault)

    def test_gone_or_changed_after_it_was_opened(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"a": [1]}), path)
        found = relation(path)
        pq.write_table(pa.table({"a": [1, 2]}), path)
        with pytest.raises(OperationalError, match="changed"):
            found.load(["a"], 1)
        path.unlink()
        with pytest.raises(OperationalError, match="there is no file"):
            found.load(["a"], 1)

    def test_memory(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": range(10_000)}), tmp_path / "t.parquet")
        with pytest.raises(OperationalError, match=r"out of memory: reading t needs .* of the limit of 1.0 KB"):
            relation(tmp_path / "t.parquet", cache=Memory(lambda: 1000)).load(["a"], 1)


def test_a_changed_file_has_another_version_and_other_values(tmp_path: Path) -> None:
    path, cache = tmp_path / "t.parquet", memory()
    pq.write_table(pa.table({"a": [1, 2, 3]}), path)
    before = relation(path, cache=cache)
    version = before.version
    assert rows(before) == {"a": [1, 2, 3]}
    assert before.version == version
    pq.write_table(pa.table({"a": [7, 8, 9]}), path)
    assert before.version != version
    assert rows(relation(path, cache=cache)) == {"a": [7, 8, 9]}


def test_a_new_file_of_a_glob_changes_the_version(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    found = relation(tmp_path / "*.parquet")
    version = found.version
    pq.write_table(pa.table({"a": [2]}), tmp_path / "2.parquet")
    assert found.version != version


def test_columns_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "t.parquet")
    cache = memory()
    first = relation(tmp_path / "t.parquet", cache=cache).load(["a"], 1)
    read: list[str] = []
    original = parquet._read

    def noted(file: object, part: object, column: object) -> object:
        read.append(column.name)  # type: ignore[attr-defined]
        return original(file, part, column)  # type: ignore[arg-type]

    monkeypatch.setattr(parquet, "_read", noted)
    again = relation(tmp_path / "t.parquet", cache=cache).load(["b", "a"], 1)
    assert read == ["b"]
    assert again["a"] is first["a"]


def lying(path: Path) -> None:
    """A file whose footer claims values between 1 and 2; in truth they lie between 5 and 10**15."""
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    honest = pa.table({"a": [1, 2]}, schema=schema)
    pq.write_table(honest, path, use_dictionary=False, compression="none", write_page_index=False)
    data = path.read_bytes()
    pages = (1).to_bytes(8, "little") + (2).to_bytes(8, "little")
    assert data.count(pages) == 1
    path.write_bytes(data.replace(pages, (10**15).to_bytes(8, "little") + (5).to_bytes(8, "little")))


def test_a_footer_that_lies_proves_nothing(tmp_path: Path) -> None:
    lying(tmp_path / "t.parquet")
    found = relation(tmp_path / "t.parquet")
    claimed = found.estimate("a")
    assert (claimed.minimum, claimed.maximum) == (1, 2)
    column = found.load(["a"], 1)["a"]
    assert (column.statistics.minimum, column.statistics.maximum) == (5, 10**15)
    assert not column.statistics.sorted
    assert decode(column).to_pylist() == [10**15, 5]


def test_estimates(tmp_path: Path) -> None:
    count = 20_000
    table = pa.table(
        {
            "key": np.arange(count),
            "group": np.arange(count) // 4,
            "few": np.arange(count) % 50 * 100,
            "word": [f"w{k % 7}" for k in range(count)],
            "many": [f"w{k}" for k in range(count)],
            "day": pa.array(np.arange(count, dtype=np.int32) % 100).cast(pa.date32()),
            "price": pa.array([None, *range(1, count)]).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=5000)
    found = relation(tmp_path / "t.parquet")
    key, group = found.estimate("key"), found.estimate("group")
    assert (key.minimum, key.maximum, key.distinct, key.unique, key.null_count) == (
        0,
        count - 1,
        count,
        True,
        0,
    )
    assert group.distinct == 5000
    assert not group.unique
    assert found.estimate("few").distinct == 50
    assert found.estimate("word").distinct == 7
    assert (found.estimate("word").minimum, found.estimate("word").maximum) == ("w0", "w6")
    assert found.estimate("many").distinct == count
    assert (found.estimate("day").minimum, found.estimate("day").maximum) == (0, 99)
    price = found.estimate("price")
    assert (price.minimum, price.maximum, price.null_count) == (100, 100 * (count - 1), 1)


def test_files_without_statistics_are_estimated_by_their_first_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 1, 2]}), tmp_path / "t.parquet", write_statistics=False)
    estimate = relation(tmp_path / "t.parquet").estimate("a")
    assert (estimate.minimum, estimate.maximum, estimate.null_count) == (None, None, None)
    assert estimate.distinct == 2


def test_names_that_occur_twice_are_not_guessed_at(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2], [3]], names=["a", "A", "b"]), tmp_path / "t.parquet")
    found = relation(tmp_path / "t.parquet")
    assert [c.name for c in found.schema()] == ["b"]
    assert "several columns" in found.unsupported()["a"]
