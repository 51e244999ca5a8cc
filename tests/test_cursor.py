"""The cursor of PEP 249."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pyarrow as pa
import pytest

import headrace
from headrace.cursor import Cursor
from headrace.types import INTEGER, decimal


@pytest.fixture
def cursor() -> Iterator[Cursor]:
    with headrace.connect(execution="interpreted") as con:
        con.execute("CREATE TABLE t (a INTEGER, b VARCHAR, d DECIMAL(10, 2))")
        rows = [(i, f"text {i}", i / 2) for i in range(10)]
        con.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        yield con.cursor()


def test_fetching(cursor: Cursor) -> None:
    assert cursor.execute("SELECT a FROM t") is cursor
    assert cursor.rowcount == 10
    assert cursor.fetchone() == (0,)
    assert cursor.fetchmany() == [(1,)]
    cursor.arraysize = 2
    assert cursor.fetchmany() == [(2,), (3,)]
    assert cursor.fetchmany(3) == [(4,), (5,), (6,)]
    assert cursor.fetchall() == [(7,), (8,), (9,)]
    assert cursor.fetchone() is None
    assert cursor.fetchmany() == []
    assert cursor.fetchall() == []


def test_iteration(cursor: Cursor) -> None:
    cursor.execute("SELECT a FROM t WHERE a < 3")
    assert next(cursor) == (0,)
    assert list(cursor) == [(1,), (2,)]
    assert [row for row in cursor.execute("SELECT a FROM t WHERE a = 5")] == [(5,)]  # noqa: C416


def test_description(cursor: Cursor) -> None:
    assert cursor.description is None
    cursor.execute("SELECT a, b, d FROM t")
    assert cursor.description == [
        ("a", INTEGER, None, None, None, None, None),
        ("b", headrace.STRING, None, None, None, None, None),
        ("d", decimal(10, 2), None, None, 10, 2, None),
    ]
    codes = [column[1] for column in cursor.description]
    assert codes == [headrace.NUMBER, headrace.STRING, headrace.NUMBER]
    assert codes[0] != headrace.DATETIME
    assert headrace.STRING != headrace.BINARY


def test_statements_without_rows(cursor: Cursor) -> None:
    cursor.execute("CREATE TABLE u (a INTEGER)")
    assert cursor.description is None
    assert cursor.rowcount == -1
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall, cursor.fetch_arrow_table, cursor.df):
        with pytest.raises(headrace.InterfaceError, match="no rows"):
            fetch()
    with pytest.raises(headrace.InterfaceError, match="no rows"):
        iter(cursor)
    cursor.execute("INSERT INTO u SELECT a FROM t WHERE a < 4")
    assert cursor.description is None
    assert cursor.rowcount == 4


def test_a_failure_leaves_no_rows(cursor: Cursor) -> None:
    cursor.execute("SELECT a FROM t")
    with pytest.raises(headrace.ProgrammingError):
        cursor.execute("SELECT no_such_column FROM t")
    assert cursor.description is None
    with pytest.raises(headrace.InterfaceError):
        cursor.fetchall()


def test_parameters(cursor: Cursor) -> None:
    assert cursor.execute("SELECT a FROM t WHERE a = ? OR b = ?", (1, "text 2")).fetchall() == [(1,), (2,)]
    assert cursor.execute("SELECT a FROM t WHERE a = $1 OR a = $1 + 1", [3]).fetchall() == [(3,), (4,)]
    assert cursor.execute("SELECT a FROM t WHERE a = $n", {"n": 3}).fetchall() == [(3,)]
    assert cursor.execute("SELECT a FROM t WHERE a = :n", {"n": 3}).fetchall() == [(3,)]
    assert cursor.execute("SELECT a FROM t WHERE b = ?", ["x' OR 'a' = 'a"]).fetchall() == []


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT a FROM t WHERE a = ?", []),
        ("SELECT a FROM t WHERE a = ?", None),
        ("SELECT a FROM t WHERE a = ?", [1, 2]),
        ("SELECT a FROM t", [1]),
        ("SELECT a FROM t WHERE a = $n", {}),
        ("SELECT a FROM t WHERE a = $n", {"n": 1, "m": 2}),
        ("SELECT a FROM t WHERE a = $n", [1]),
        ("SELECT a FROM t WHERE b = ?", "text"),
    ],
)
def test_wrong_parameters(cursor: Cursor, text: str, parameters: object) -> None:
    with pytest.raises(headrace.ProgrammingError):
        cursor.execute(text, parameters)  # type: ignore[arg-type]


def test_text_must_be_a_str(cursor: Cursor) -> None:
    with pytest.raises(headrace.InterfaceError, match="not bytes"):
        cursor.execute(b"SELECT 1")  # type: ignore[arg-type]


def test_other_forms_take_what_is_left(cursor: Cursor) -> None:
    cursor.execute("SELECT a FROM t WHERE a < 4")
    assert cursor.fetchone() == (0,)
    table = cursor.fetch_arrow_table()
    assert table.equals(pa.table({"a": pa.array([1, 2, 3], pa.int32())}))
    assert cursor.fetchall() == []
    cursor.execute("SELECT a FROM t WHERE a < 4")
    assert [len(b) for b in cursor.fetch_record_batch(3)] == [3, 1]
    cursor.execute("SELECT a FROM t WHERE a < 4")
    assert cursor.df()["a"].tolist() == [0, 1, 2, 3]
    cursor.execute("SELECT a FROM t WHERE a < 4")
    assert cursor.pl()["a"].to_list() == [0, 1, 2, 3]
    cursor.execute("SELECT a FROM t WHERE a < 4")
    assert pa.table(cursor).column("a").to_pylist() == [0, 1, 2, 3]
    with pytest.raises(headrace.InterfaceError):
        cursor.execute("SELECT a FROM t").fetch_record_batch(0)


def test_the_whole_result_stays_at_hand(cursor: Cursor) -> None:
    cursor.execute("SELECT a FROM t WHERE a < 2").fetchall()
    assert cursor.result is not None
    assert cursor.result.fetchall() == [(0,), (1,)]


def test_sizes_are_ignored(cursor: Cursor) -> None:
    cursor.setinputsizes([10, None])
    cursor.setoutputsize(100)
    cursor.setoutputsize(100, 1)


def test_closed_cursor(cursor: Cursor) -> None:
    cursor.execute("SELECT a FROM t")
    cursor.close()
    cursor.close()
    for use in (
        cursor.fetchone,
        cursor.fetchmany,
        cursor.fetchall,
        cursor.fetch_arrow_table,
        cursor.__enter__,
        lambda: cursor.execute("SELECT 1"),
        lambda: cursor.executemany("SELECT ?", [[1]]),
        lambda: cursor.connection,
        lambda: cursor.setinputsizes([]),
    ):
        with pytest.raises(headrace.InterfaceError, match="the cursor is closed"):
            use()


def test_context_manager_and_connection(cursor: Cursor) -> None:
    con = cursor.connection
    with con.cursor() as other:
        assert other.connection is con
    with pytest.raises(headrace.InterfaceError):
        other.execute("SELECT 1")


def test_constructors() -> None:
    assert headrace.Date(2020, 1, 2) == datetime.date(2020, 1, 2)
    assert headrace.Time(3, 4, 5) == datetime.time(3, 4, 5)
    assert headrace.Timestamp(2020, 1, 2, 3, 4, 5) == datetime.datetime(2020, 1, 2, 3, 4, 5)
    assert headrace.Binary(b"x") == b"x"
    now = 1_600_000_000.0
    assert headrace.DateFromTicks(now) == datetime.date.fromtimestamp(now)
    assert headrace.TimestampFromTicks(now) == datetime.datetime.fromtimestamp(now)
    assert headrace.TimeFromTicks(now) == datetime.datetime.fromtimestamp(now).time()
    assert repr(headrace.ROWID) == "headrace.ROWID"
