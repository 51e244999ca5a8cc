"""Which kind of relation a function or a file name opens."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headrace.errors import Error, NotSupportedError, ProgrammingError
from headrace.memory import Memory
from headrace.scan.csv import CsvRelation
from headrace.scan.parquet import ParquetRelation
from headrace.scan.sources import Sources


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "plain")
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.txt").write_text("a\n1\n")
    return Sources(Memory(lambda: 10**9))


@pytest.mark.parametrize(
    ("function", "name", "kind"),
    [
        ("read_parquet", "t.parquet", ParquetRelation),
        ("READ_PARQUET", "plain", ParquetRelation),
        ("parquet_scan", "*.parquet", ParquetRelation),
        ("file", "t.parquet", ParquetRelation),
        ("file", "*.parquet", ParquetRelation),
        ("read_csv", "t.txt", CsvRelation),
        ("read_csv_auto", "t.csv", CsvRelation),
        ("file", "t.csv", CsvRelation),
    ],
)
def test_kinds(sources: Sources, tmp_path: Path, function: str, name: str, kind: type) -> None:
    found = sources.open_files(function, [str(tmp_path / name)], {})
    assert isinstance(found, kind)
    assert [c.name for c in found.schema()] == ["a"]
    assert set(found.load(["a"], 1)) == {"a"}


def test_lists_of_files(sources: Sources, tmp_path: Path) -> None:
    found = sources.open_files("read_parquet", [[str(tmp_path / "t.parquet"), str(tmp_path / "plain")]], {})
    assert found.row_count() == 2
    assert found.name.endswith("t.parquet and 1 more")


@pytest.mark.parametrize(
    ("function", "arguments", "options", "kind", "words"),
    [
        ("read_parquet", [], {}, ProgrammingError, "takes a path, or a list of paths"),
        ("read_parquet", [5], {}, ProgrammingError, "takes a path, or a list of paths"),
        ("read_parquet", [[]], {}, ProgrammingError, "takes a path, or a list of paths"),
        ("read_parquet", ["t.parquet"], {"union_by_name": True}, NotSupportedError, "union_by_name"),
        ("read_json", ["t.json"], {}, NotSupportedError, "read_json"),
        ("file", ["t.txt"], {}, ProgrammingError, "what kind of file"),
    ],
)
def test_what_makes_no_sense(
    sources: Sources,
    function: str,
    arguments: list[object],
    options: dict[str, object],
    kind: type[Error],
    words: str,
) -> None:
    with pytest.raises(kind, match=words):
        sources.open_files(function, arguments, options)
