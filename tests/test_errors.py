"""Errors as a user meets them: the right class, a message that names the thing, a place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace
from headrace.connection import Connection


@pytest.fixture
def con() -> Iterator[Connection]:
    with headrace.connect(execution="interpreted") as connection:
        connection.execute("CREATE TABLE trades (price INTEGER, symbol VARCHAR)")
        yield connection


@pytest.mark.parametrize(
    ("text", "kind", "at", "words"),
    [
        ("SELEC 1", headrace.ProgrammingError, "SELEC", "syntax error"),
        ("SELECT price,, symbol FROM trades", headrace.ProgrammingError, ", symbol", "syntax error"),
        ("SELECT 'open FROM trades", headrace.ProgrammingError, "'open", "syntax error"),
        ("SELECT * FROM trade", headrace.ProgrammingError, "trade", "trades"),
        ("SELECT\n  prise\nFROM trades", headrace.ProgrammingError, "prise", "price"),
        ("SELECT t.price FROM trades", headrace.ProgrammingError, "t.price", "t"),
        ("SELECT nosuch(price) FROM trades", headrace.Error, "nosuch", "nosuch"),
        ("SELECT price + symbol FROM trades", headrace.Error, "price + symbol", ""),
        (
            "INSERT INTO trades SELECT price FROM trades",
            headrace.ProgrammingError,
            "trades SELECT",
            "2 values",
        ),
        ("UPDATE trades SET price = 1", headrace.NotSupportedError, "UPDATE", "UPDATE"),
        (
            "SELECT price FROM trades UNION SELECT 1; SELECT price, FROM",
            headrace.Error,
            None,
            "",
        ),
    ],
)
def test_place_and_class(con: Connection, text: str, kind: type[headrace.Error], at: str | None, words: str) -> None:
    with pytest.raises(kind) as caught:
        con.execute(text)
    error = caught.value
    assert words in str(error)
    if at is not None:
        assert error.sql == text
        assert error.position is not None
        assert text.index(at) <= error.position <= text.index(at) + len(at)


def test_caret(con: Connection) -> None:
    with pytest.raises(headrace.ProgrammingError) as caught:
        con.execute("SELECT price,\n       prise\nFROM trades")
    lines = str(caught.value).splitlines()
    assert lines[1:4] == ["line 2, column 8:", "         prise", "         ^"]
    assert caught.value.line_and_column == (2, 8)
    assert lines[4] == 'hint: did you mean "price"?'


def test_the_second_statement_is_placed_in_the_whole_text(con: Connection) -> None:
    with pytest.raises(headrace.ProgrammingError) as caught:
        con.execute("SELECT price FROM trades;\nSELECT prise FROM trades")
    assert caught.value.line_and_column == (2, 8)


@pytest.mark.parametrize(
    ("name", "content", "kind", "words"),
    [
        ("missing.parquet", None, headrace.OperationalError, "missing.parquet"),
        ("missing.csv", None, headrace.OperationalError, "missing.csv"),
        ("none*.parquet", None, headrace.OperationalError, "none*.parquet"),
        ("empty.parquet", b"", headrace.DatabaseError, "empty.parquet"),
        ("text.parquet", b"this is no parquet file at all", headrace.DatabaseError, "text.parquet"),
        ("unknown.xyz", b"1", headrace.ProgrammingError, "read_parquet"),
    ],
)
def test_bad_files(
    con: Connection, tmp_path: Path, name: str, content: bytes | None, kind: type[headrace.Error], words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(kind) as caught:
        con.execute(f"SELECT * FROM '{tmp_path / name}'")
    assert words in str(caught.value)


def test_truncated_parquet(con: Connection, tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    pq.write_table(pa.table({"n": range(10_000)}), path)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(headrace.DatabaseError, match=r"cut\.parquet"):
        con.execute(f"SELECT * FROM '{path}'")


def test_directory(con: Connection, tmp_path: Path) -> None:
    folder = tmp_path / "d.parquet"
    folder.mkdir()
    with pytest.raises(headrace.OperationalError, match="is a directory"):
        con.execute(f"SELECT * FROM '{folder}'")


def test_bad_csv_row(con: Connection, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,2\n3,4,5\n")
    with pytest.raises(headrace.DatabaseError, match=r"bad\.csv"):
        con.execute(f"SELECT * FROM '{path}'")


def test_data_errors(con: Connection) -> None:
    con.register("n", pa.table({"a": pa.array([2**31 - 1], pa.int32()), "t": ["word"]}))
    with pytest.raises(headrace.DataError):
        con.execute("SELECT a + a FROM n")
    with pytest.raises(headrace.DataError):
        con.execute("SELECT CAST(t AS INTEGER) FROM n")


def test_a_defect_is_an_internal_error(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise KeyError("no such register")

    monkeypatch.setattr(con._open().executor, "run", fail)
    with pytest.raises(headrace.InternalError, match="please report it") as caught:
        con.execute("SELECT price FROM trades")
    assert "no such register" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(MemoryError(), headrace.OperationalError), (RecursionError(), headrace.NotSupportedError)],
)
def test_faults_of_the_process(
    con: Connection, monkeypatch: pytest.MonkeyPatch, fault: Exception, kind: type[headrace.Error]
) -> None:
    def fail(*_arguments: object) -> None:
        raise fault

    monkeypatch.setattr(con._open().executor, "run", fail)
    with pytest.raises(kind):
        con.execute("SELECT price FROM trades")


def test_deep_nesting_is_refused(con: Connection) -> None:
    depth = 20_000
    with pytest.raises(headrace.Error):
        con.execute(f"SELECT {'(' * depth}price{')' * depth} FROM trades")
