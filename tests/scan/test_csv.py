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
        "\n\na,b\n1,2\n",
        "a\n1\n\n2\n\n",
        '"a\nb",c\n1,2\n',
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
        ({"encoding": "latin-1"}, "encoding = 'latin-1'"),
        (
            {"columns": {"x": "VARCHAR", "y": "VARCHAR"}, "auto_detect": False},
            "columns = {'x': 'VARCHAR', 'y': 'VARCHAR'}, auto_detect = false",
        ),
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
        ({"encoding": "ebcdic"}, NotSupportedError, "no encoding 'ebcdic'"),
        ({"auto_detect": False}, ProgrammingError, "columns gives the names and types"),
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
    (tmp_path / "blank.csv").write_text("\n\n")
    with pytest.raises(DataError, match="no rows"):
        relation(tmp_path / "blank.csv")
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


HEADERS = [
    "a,b\nc,d\n",
    "1,x\n2,y\n",
    "n,x\n2,y\n",
    "1,2\n",
    "a,b\n",
    "x,1\n",
    "1\n2\n",
    "x,2020-01-01\ny,2020-01-02\n",
    "x,2020-01-01\ny,z\n",
    ",2\n3,4\n",
    ",x\n,y\n",
    ",\n1,y\n",
    "a,b\n1,\n2,\n",
    "5,b\n1,\n2,\n",
    "2020,2021\n1,2\n",
    "name,2020\nx,1\n",
    "1,a\n2.5,b\n",
    "1.5,a\n2,b\n",
    "2020-01-01,x\n2021-01-01 00:00:00,y\n",
    "12:00:00,x\n13:00:00,y\n",
    "true,x\nfalse,y\n",
    "1,x\ntrue,y\n",
    "99999999999999999999,x\n1,y\n",
    "007,x\n008,y\n",
    "+5,x\n6,y\n",
    "1;x\n2;y\n",
    '"1","x"\n2,y\n',
    '"a,b",x\n1,y\n',
    "\n\n1,x\n2,y\n",
    "1,x\r\n2,y\r\n",
    "-5\n\n",
]
OPTIONS = [
    "",
    ", names = ['p', 'q']",
    ", names = ['p']",
    ", all_varchar = true",
    ", types = {'p': 'VARCHAR'}, names = ['p']",
    ", header = true",
    ", header = false",
]


@pytest.fixture(scope="module")
def connection() -> headrace.Connection:
    return headrace.connect(execution="interpreted")


def both_ways(connection: headrace.Connection, sql: str) -> tuple[object, object]:
    """What Headrace and DuckDB answer: names and rows, or that they refuse."""
    answers: list[object] = []
    for ask in (connection.sql, duckdb.sql):
        try:
            found = ask(sql)
            answers.append((list(found.columns), found.fetchall()))
        except (headrace.Error, duckdb.Error):
            answers.append("refused")
    return answers[0], answers[1]


@pytest.mark.parametrize("text", HEADERS)
@pytest.mark.parametrize("options", OPTIONS)
def test_headers_are_found_as_duckdb_finds_them(
    tmp_path: Path, connection: headrace.Connection, text: str, options: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    ours, theirs = both_ways(connection, f"SELECT * FROM read_csv('{path}'{options})")
    assert ours == theirs


@pytest.mark.parametrize("types", ["'p': 'BIGINT', 'q': 'VARCHAR'", "'p': 'VARCHAR', 'q': 'VARCHAR'"])
@pytest.mark.parametrize("text", ["1,2\n3,4\n", "1,x\n2,y\n", "p,q\n1,x\n"])
def test_headers_where_all_columns_are_given(
    tmp_path: Path, connection: headrace.Connection, text: str, types: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    ours, theirs = both_ways(connection, f"SELECT * FROM read_csv('{path}', columns = {{{types}}})")
    assert ours == theirs


@pytest.mark.parametrize(
    "text", ["01/02/2020,x\n13/02/2020,y\n", "0x1,x\n0x2,y\n", "1/2/2020 10:00:00,x\n3/4/2020 11:00:00,y\n"]
)
def test_rows_of_forms_that_stay_text_are_no_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert [(c.name, str(c.type)) for c in relation(path).schema()] == [("column0", "VARCHAR"), ("column1", "VARCHAR")]
    assert rows(relation(path))["column1"] == ["x", "y"]


@pytest.mark.parametrize("second", ["2,y\n3,z\n", "b,a\ny,2\n", "a,c\n2,y\n"])
def test_further_files_with_another_header(tmp_path: Path, second: str) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text(second)
    with pytest.raises(DataError, match=r"2\.csv' begins with another line than '.*1\.csv'"):
        relation([tmp_path / "1.csv", tmp_path / "2.csv"])
    (tmp_path / "2.csv").write_text("")
    relation([tmp_path / "1.csv", tmp_path / "2.csv"])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("before", [0, 1, 300_000])
def test_files_that_are_not_utf8_name_the_line_and_a_cure_that_works(
    tmp_path: Path, connection: headrace.Connection, before: int, threads: int
) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * before + b"2,caf\xe9\n3,z\n")
    with pytest.raises(DataError, match=rf"line {before + 2} of '{path}': the byte 0xE9 is not UTF-8") as caught:
        relation(path).load(["a", "b"], threads)
    cure = (caught.value.hint or "").partition(": ")[2]
    assert connection.sql(f"SELECT max(b) FILTER (WHERE a = 2) FROM {cure}").fetchall() == [("café",)]


def test_files_in_utf16(tmp_path: Path, connection: headrace.Connection) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a;b\n1;€\n", encoding="utf-16")
    with pytest.raises(DataError, match=r"line 1 of '.*wide.csv': the file is UTF-16") as caught:
        relation(path)
    assert connection.sql(f"FROM {caught.value.hint}").fetchall() == [(1, "€")]
    (tmp_path / "odd.csv").write_bytes(b"a,b\n1,x")
    with pytest.raises(DataError, match=r"odd\.csv' is not utf-16"):
        relation(tmp_path / "odd.csv", {"encoding": "utf-16"})


def test_a_header_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"caf\xe9,b\n1,2\n")
    with pytest.raises(DataError, match=r"line 1 of '.*t.csv': the byte 0xE9"):
        relation(tmp_path / "t.csv")


def test_directories(tmp_path: Path, connection: headrace.Connection) -> None:
    for sql, ending in (("'{}'", "parquet"), ("read_parquet('{}')", "parquet"), ("read_csv('{}')", "csv")):
        with pytest.raises(OperationalError, match="is a directory") as caught:
            connection.sql(f"FROM {sql.format(tmp_path)}")
        assert caught.value.hint == f"name its files: '{tmp_path}/*.{ending}'"
        assert caught.value.position == 5
