"""Columns of types that cannot be read: refused where they are named or starred, in nobody's way elsewhere."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace

TABLE = pa.table({"a": [1, 2], "l": [[1], [2, 3]], "when": pa.array([0, 1], pa.timestamp("us", "UTC"))})


@pytest.fixture(params=["registered", "parquet"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> headrace.Connection:
    connection = headrace.connect(execution="interpreted")
    if request.param == "registered":
        connection.register("t", TABLE)
    else:
        pq.write_table(TABLE, tmp_path / "t.parquet")
        connection.execute(f"CREATE OR REPLACE VIEW t AS FROM '{tmp_path}/t.parquet' SELECT a")
    return connection


def test_other_columns_are_read(connection: headrace.Connection) -> None:
    assert connection.execute("SELECT sum(a) FROM t").fetchall() == [(3,)]


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT * FROM t", "l"),
        ("SELECT t.* FROM t", "l"),
        ("SELECT l FROM t", "l"),
        ('SELECT t."when" FROM t', "when"),
    ],
)
def test_refused(sql: str, column: str) -> None:
    connection = headrace.connect(execution="interpreted")
    connection.register("t", TABLE)
    with pytest.raises(headrace.NotSupportedError, match=f'column "{column}" cannot be read') as caught:
        connection.execute(sql)
    assert caught.value.position is not None


def test_exclude_leaves_them_out() -> None:
    connection = headrace.connect(execution="interpreted")
    connection.register("t", TABLE)
    assert connection.execute('SELECT * EXCLUDE (l, "when") FROM t').fetchall() == [(1,), (2,)]


def test_files_refuse_them_too(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    connection = headrace.connect(execution="interpreted")
    with pytest.raises(headrace.NotSupportedError, match='column "l" cannot be read'):
        connection.execute(f"SELECT * FROM '{tmp_path}/t.parquet'")
