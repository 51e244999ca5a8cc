"""CSV files: dialects, types and faults, against DuckDB's reading of the same file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

import headrace
from headrace.decode import decode
from headrace.errors import DataError, NotSupportedError, OperationalError, ProgrammingError
from headrace.memory import Memory
from headrace.scan.csv import CsvRelation
from headrace.scan.csv_options import dialect


def relation(path: Path | list[Path], options: Mapping[str, object] | None = None) -> CsvRelation:
    paths = [str(p) for p in (path if isinstance(path, list) else [path])]
    return CsvRelation("t", paths, dialect(options or {}), Memory(lambda: 10**9))


def rows(found: CsvRelation, threads: int = 1) -> dict[str, list[object]]:
    names = [c.name for c in found.schema()]
    return {name: decode(column).to_pylist() for name, column in found.load(names, threads).items()}


def same_as_duckdb(path: Path, options: Mapping[str, object], sql: str) -> None:
    found = relation(path, options)
    with duckdb.connect() as other:
        answer = other.sql(f"SELECT * FROM read_csv('{path}'{sql})")
        assert [(c.name, str(c.type)) for c in found.schema()] == list(
            zip(answer.columns, map(str, answer.types), strict=True)
        )
        expected = answer.to_arrow_table().to_pydict()
    assert repr(rows(found)) == repr(expected)
    assert repr(rows(relation(path, options), threads=2)) == repr(expected)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,x,2020-01-01\n2,,2020-01-02\n",
        "a|b\n1|true\n2|False\n",
        "a;b\n1;t\n2;F\n",
        "a\tb\n1.5\tx\n.5\ty\n",
        "a,b\n1e5,-3\n-1.5E-3,0\n",
        'a,b\n1,""\n2,y\n',
        'a,b\n1,"x, ""y"""\n2,"two\nlines"\n',
        "a,a\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\n007,x\n012,y\n",
        "a,b\n0,x\n-5,y\n",
        "a,b\n+5,x\n+6,y\n",
        "a,b\n9223372036854775807,x\n-9223372036854775808,y\n",
        "a,b\n9223372036854775808,x\n1,y\n",
        "a,b\n10:20:30,2020-01-01 10:20:30\n10:20:31.5,2020-01-01T00:00:00.123456\n",
        "a,b\n2020-01-01,x\n2020-01-02 03:04:05,y\n",
        "a,b\n2020-13-45,x\n2020-13-46,y\n",
        "a,b\n1,\n2,\n",
        "a,b\nNULL,NA\n1,nan\n",
        "a,b\n1,nan\n2,2.5\n",
        "a,b\n1,2\n\n3,4\n",
        "a,b\nyes,no\nno,yes\n",
        "a,b\ny,n\nn,y\n",
        "a,b\n1,2.5\n2.5,3\n",
        "a,b\n 5 , x \n 6 , y \n",
        "a,b\nü,€\n𝄞,ä\n",
        "a,b\n",
    ],
)
def test_as_duckdb_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    same_as_duckdb(path, {}, ", header = true")


@pytest.mark.parametrize(
    ("options", "sql"),
    [
        ({"header": False}, "header = false"),
        ({"nullstr": "NA"}, "nullstr = 'NA'"),
        ({"delim": "|"}, "delim = '|', header = true"),
        ({"names": ["p", "q"]}, "names = ['p', 'q']"),
        ({"names": ["p"]}, "names = ['p']"),
        ({"types": {"b": "DOUBLE"}}, "types = {'b': 'DOUBLE'}"),
        ({"types": ["DOUBLE", "VARCHAR"]}, "types = ['DOUBLE', 'VARCHAR']"),
        (
            {"columns": {"x": "INTEGER", "y": "DECIMAL(9,2)"}},
            "columns = {'x': 'INTEGER', 'y': 'DECIMAL(9,2)'}, header = true",
        ),
        ({"all_varchar": True}, "all_varchar = true, header = true"),
        ({"skip": 1, "header": False}, "skip = 1, header = false"),
    ],
)
def test_options(tmp_path: Path, options: dict[str, object], sql: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    same_as_duckdb(path, options, f", {sql}")


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"compression": "x"}, NotSupportedError, "no option 'compression'"),
        ({"delim": "ab"}, ProgrammingError, "one ASCII character"),
        ({"header": "perhaps"}, ProgrammingError, "true or false"),
        ({"skip": -1}, ProgrammingError, "number of lines"),
        ({"names": "x"}, ProgrammingError, "list of strings"),
        ({"columns": ["a"]}, ProgrammingError, "names a type for each column"),
        ({"types": {"a": "NONSENSE"}}, ProgrammingError, "no type 'NONSENSE'"),
        ({"types": {"a": "INTEGER[]"}}, NotSupportedError, "not supported"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words.replace("[", r"\[")):
        dialect(options)


def test_unknown_columns_in_types(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ProgrammingError, match="has no column 'x'"):
        relation(tmp_path / "t.csv", {"types": {"x": "INTEGER"}})
    with pytest.raises(DataError, match="columns names 1 columns, and the file has 2"):
        relation(tmp_path / "t.csv", {"columns": {"x": "INTEGER"}})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("3", r"line 30002 of '.*t.csv': expected 2 columns, got 1: 3"),
        ("3,4,5", r"line 30002 of '.*t.csv': expected 2 columns, got 3: 3,4,5"),
        ("x,5", r"line 30002 of '.*t.csv', column 1: no int64: invalid value 'x'"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, bad: str, words: str, threads: int) -> None:
    lines = ["a,b", *(f"{k},{k}" for k in range(200_000))]
    lines[30_001] = bad
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    options = {"types": {"a": "BIGINT"}}
    with pytest.raises(DataError, match=words):
        relation(path, options).load(["a", "b"], threads)


def test_values_that_do_not_fit_the_guess_name_line_and_cure(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "1\n" * 600_000 + "x\n")
    with pytest.raises(DataError, match="line 600002") as caught:
        relation(path).load(["a"], 2)
    assert "types=" in str(caught.value)


def test_faults_of_files(tmp_path: Path) -> None:
    with pytest.raises(OperationalError, match="there is no file"):
        relation(tmp_path / "no.csv")
    with pytest.raises(OperationalError, match="is a directory"):
        relation(tmp_path)
    (tmp_path / "empty.csv").touch()
    with pytest.raises(DataError, match="is empty"):
        relation(tmp_path / "empty.csv")
    (tmp_path / "latin.csv").write_bytes(b"a,b\n1,\xe4\n")
    with pytest.raises(DataError, match=r"line 2 of '.*latin.csv', column 2: .*UTF8"):
        relation(tmp_path / "latin.csv")
    (tmp_path / "t.csv").write_text("a\n1\n")
    found = relation(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    with pytest.raises(OperationalError, match="changed"):
        found.load(["a"], 1)


def test_files_follow_one_another_and_columns_are_kept(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("a,b\n2,y\n")
    found = relation([tmp_path / "*.csv"])
    assert rows(found) == {"a": [1, 2], "b": ["x", "y"]}
    assert found.load(["a"], 1)["a"] is found.load(["a"], 1)["a"]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert [c.name for c in relation(tmp_path / "t.csv").schema()] == ["a", "b"]
    assert rows(relation(tmp_path / "t.csv")) == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    "text",
    ["a,b\nc,d\n", "1,x\n2,y\n", "n,x\n2,y\n", "1,2\n", "a,b\n", "x,2020-01-01\ny,2020-01-02\n", ",2\n3,4\n"],
)
def test_headers_are_found_as_duckdb_finds_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    theirs = duckdb.sql(f"SELECT * FROM '{path}'")
    ours = headrace.connect(execution="interpreted").execute(f"SELECT * FROM '{path}'")
    assert [column[0] for column in ours.description or ()] == theirs.columns
    assert ours.fetchall() == theirs.fetchall()
