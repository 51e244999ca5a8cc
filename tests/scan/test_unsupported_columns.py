"""Columns of types that cannot be read: refused where they are named or starred, in nobody's way elsewhere."""

from __future__ import annotations

import decimal
import io
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace
from headrace.shell.commands import run_command
from headrace.shell.session import Session

TABLE = pa.table(
    {
        "l": [[1], [2, 3]],
        "a": [1, 2],
        "s": [{"x": 1}, {"x": 2}],
        "when": pa.array([0, 1], pa.timestamp("us", "UTC")),
        "big": pa.array([decimal.Decimal(1), None], pa.decimal256(50, 2)),
    }
)
PLAIN = pa.table({"a": [1, 2], "l": [7, 8]})


def registered(_folder: Path) -> headrace.Connection:
    connection = headrace.connect(execution="interpreted")
    connection.register("t", TABLE)
    connection.register("plain", PLAIN)
    return connection


def in_a_frame(_folder: Path) -> headrace.Connection:
    connection = headrace.connect(execution="interpreted")
    connection.register("t", TABLE.drop_columns("big").append_column("big", TABLE["l"]).to_pandas())
    connection.register("plain", PLAIN)
    return connection


@pytest.fixture(params=[registered, in_a_frame])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> headrace.Connection:
    opened: Callable[[Path], headrace.Connection] = request.param
    return opened(tmp_path)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT sum(a) FROM t", [(3,)]),
        ("SELECT count(*) FROM t", [(2,)]),
        ('SELECT * EXCLUDE (l, s, "when", big) FROM t', [(1,), (2,)]),
        ("SELECT a FROM (t)", [(1,), (2,)]),
        ("SELECT * FROM (SELECT a FROM t) AS x (p)", [(1,), (2,)]),
        ("SELECT plain.* FROM plain JOIN t USING (a)", [(1, 7), (2, 8)]),
        ("SELECT a AS big FROM t ORDER BY big", [(1,), (2,)]),
    ],
)
def test_other_columns_are_read(connection: headrace.Connection, sql: str, rows: list[tuple[int, ...]]) -> None:
    assert sorted(connection.execute(sql).fetchall()) == rows


REFUSALS = [
    ("SELECT ^* FROM t", "l"),
    ("^FROM t", "l"),
    ("SELECT ^t.* FROM t", "l"),
    ("SELECT ^* EXCLUDE (l) FROM t", "s"),
    ("SELECT ^* REPLACE (1 AS a) FROM t", "l"),
    ("SELECT * FROM (SELECT ^* FROM t)", "l"),
    ("SELECT ^* FROM (t) AS x", "l"),
    ("SELECT ^* FROM plain JOIN t ON plain.a = t.a", "l"),
    ("CREATE TABLE copy AS SELECT ^* FROM t", "l"),
    ("CREATE VIEW copy AS SELECT ^* FROM t", "l"),
    ("DESCRIBE ^t", "l"),
    ("SELECT ^big FROM t", "big"),
    ("SELECT ^BIG FROM t", "big"),
    ('SELECT ^t."when" FROM t', "when"),
    ("SELECT a FROM t WHERE ^s IS NULL", "s"),
    ("SELECT count(^l) FROM t GROUP BY a", "l"),
    ("SELECT a FROM t ORDER BY ^l", "l"),
    ("SELECT ^s.x FROM t", "s"),
    ("SELECT p FROM t AS x (^p)", "l"),
    ("SELECT t.a FROM plain JOIN ^t USING (l)", "l"),
    ("SELECT t.a FROM plain NATURAL JOIN ^t", "l"),
]


@pytest.mark.parametrize(("marked", "column"), REFUSALS)
def test_refused_where_they_are_asked_for(connection: headrace.Connection, marked: str, column: str) -> None:
    sql = marked.replace("^", "")
    with pytest.raises(headrace.NotSupportedError, match=f'column "{column}" cannot be read: .') as caught:
        connection.execute(sql)
    assert caught.value.position == marked.index("^")


def test_the_type_is_named_and_the_hint_works(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    connection = registered(tmp_path)
    for source in ("t", f"'{tmp_path}/t.parquet'"):
        for column, kind in (("l", "list<"), ("s", "struct<"), ("big", "decimal256"), ('"when"', "WITH TIME ZONE")):
            with pytest.raises(headrace.NotSupportedError, match=kind):
                connection.execute(f"SELECT {column} FROM {source}")
        with pytest.raises(headrace.NotSupportedError) as caught:
            connection.execute(f"SELECT * EXCLUDE (s) FROM {source}")
        hint = (caught.value.hint or "").partition(" leaves")[0]
        assert hint == '* EXCLUDE (s, l, "when", big)'
        assert connection.execute(f"SELECT {hint} FROM {source}").fetchall() == [(1,), (2,)]


def test_a_name_that_another_table_has_too_is_ambiguous(connection: headrace.Connection) -> None:
    with pytest.raises(headrace.ProgrammingError, match='"l" is ambiguous') as caught:
        connection.execute("SELECT l FROM plain, t")
    assert caught.value.hint == "write plain.l or t.l"
    assert connection.execute("SELECT DISTINCT plain.l FROM plain, t ORDER BY ALL").fetchall() == [(7,), (8,)]


def test_a_reader_without_a_column_to_count() -> None:
    connection = headrace.connect(execution="interpreted")
    connection.register("r", TABLE.select(["l"]).to_reader())
    with pytest.raises(headrace.NotSupportedError, match='column "l" cannot be read'):
        connection.execute("SELECT count(*) FROM r")


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_table_without_columns(kind: str) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    nothing = {"pandas": pandas.DataFrame(), "polars": polars.DataFrame(), "arrow": pa.table({})}[kind]
    connection = headrace.connect(execution="interpreted")
    connection.register("nothing", nothing)
    for sql in ("SELECT * FROM nothing", "SELECT count(*) FROM nothing"):
        with pytest.raises(headrace.ProgrammingError, match='"nothing" has no columns') as caught:
            connection.execute(sql)
        assert caught.value.position == sql.index("nothing")


def test_the_shell_shows_them(connection: headrace.Connection) -> None:
    out = io.StringIO()
    assert run_command(Session(connection, out=out), ".schema t")
    assert "    a BIGINT\n    -- l cannot be read: columns of the Arrow type list<" in out.getvalue()
