"""Arrow objects of the caller as relations."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from headrace.decode import decode
from headrace.errors import DataError, NotSupportedError, OperationalError
from headrace.scan.arrow import MemoryRelation, open_arrow

TABLE = pa.table({"a": [1, 2, None], "b": ["x", None, "y"]})


def opened(value: object) -> MemoryRelation:
    found = open_arrow("t", value)
    assert found is not None
    return found


def rows(found: MemoryRelation, columns: Sequence[str] | None = None) -> dict[str, list[object]]:
    names = [c.name for c in found.schema()] if columns is None else columns
    return {name: decode(column).to_pylist() for name, column in found.load(names, 1).items()}


class Stream:
    """An exporter that knows nothing but the Arrow stream interface."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_tables_batches_datasets_and_streams(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    batch = TABLE.to_batches()[0]
    dataset = ds.dataset(tmp_path / "t.parquet")
    for value in (
        TABLE,
        batch,
        dataset,
        Stream(TABLE),
        TABLE.slice(0),
        pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)]),
    ):
        found = opened(value)
        assert [(c.name, str(c.type)) for c in found.schema()] == [("a", "BIGINT"), ("b", "VARCHAR")]
        assert rows(found) == TABLE.to_pydict()
        assert rows(found, ["b"]) == {"b": ["x", None, "y"]}
    assert opened(TABLE).row_count() == 3


def test_a_reader_is_read_once_and_says_so() -> None:
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())
    found, twin = opened(reader), opened(reader)
    assert rows(found, ["b"]) == {"b": ["x", None, "y"]}
    assert rows(found) == TABLE.to_pydict()
    with pytest.raises(OperationalError, match="only once"):
        rows(twin)
    with pytest.raises(OperationalError, match="only once"):
        opened(reader)


def test_a_stream_that_fails() -> None:
    def batches() -> object:
        yield TABLE.to_batches()[0]
        raise ValueError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(OperationalError, match=r"reading t failed.*gone"):
        rows(opened(reader))

    class Broken:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise RuntimeError("no rows today")

    with pytest.raises(OperationalError, match="does not give an Arrow stream: no rows today"):
        opened(Broken())


def test_versions_are_never_equal() -> None:
    found = opened(TABLE)
    assert found.version != found.version


def test_names_that_occur_twice_are_numbered_as_in_duckdb() -> None:
    t = pa.table([[1], [2], [3], [4]], names=["a", "A", "a_1", "b"])
    found = opened(t)
    with duckdb.connect() as other:
        assert [c.name.lower() for c in found.schema()] == [n.lower() for n in other.sql("FROM t").columns]
    assert list(rows(found).values()) == [[1], [2], [3], [4]]


def test_unsupported_columns_are_named_with_the_reason() -> None:
    found = opened(
        pa.table(
            {
                "a": [1],
                "l": [[1]],
                "z": pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us", tz="UTC")),
            }
        )
    )
    assert [c.name for c in found.schema()] == ["a"]
    assert set(found.unsupported()) == {"l", "z"}
    with pytest.raises(NotSupportedError, match=r"'z'.*TIME ZONE"):
        found.load(["a", "z"], 1)


def test_bad_values_name_the_column() -> None:
    with pytest.raises(DataError, match="column 'd' of t: a duration does not fit"):
        rows(opened(pa.table({"d": pa.array([2**62], pa.duration("s"))})))


def test_other_objects_are_none_of_ours() -> None:
    for value in ({"a": [1]}, [1], "t", 5, None, Stream):
        assert open_arrow("t", value) is None
