"""Which forms lowering chooses: how joins find their matches, how groups are kept, which filters become masks."""

from __future__ import annotations

import pyarrow as pa
import pytest

import headrace


@pytest.fixture(scope="module")
def connection() -> headrace.Connection:
    connection = headrace.connect(execution="interpreted")
    n = 4000
    connection.register(
        "fact",
        pa.table(
            {
                "id": pa.array(range(n), pa.int64()),
                "dim": pa.array([k % 100 + 1 for k in range(n)], pa.int64()),
                "sparse": pa.array([(k * 7919) % 40_000_000_000 for k in range(n)], pa.int64()),
                "name": pa.array([f"n{k % 7}" for k in range(n)]),
                "price": pa.array([k * 3 % 1000 for k in range(n)], pa.int64()),
                "maybe": pa.array([None if k % 5 == 0 else k % 3 for k in range(n)], pa.int64()),
            }
        ),
    )
    connection.register(
        "dim", pa.table({"key": pa.array(range(1, 101), pa.int64()), "label": [f"l{k % 9}" for k in range(100)]})
    )
    connection.register("gaps", pa.table({"key": pa.array([3, 9, 27, 81], pa.int64()), "label": list("abcd")}))
    connection.register(
        "many", pa.table({"key": pa.array([k % 10 for k in range(200)], pa.int64()), "x": list(range(200))})
    )
    return connection


def pipelines(connection: headrace.Connection, text: str) -> str:
    """The part of EXPLAIN about pipelines."""
    rows = connection.execute("EXPLAIN " + text).fetchall()
    return next(value for key, value in rows if key == "pipelines")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("SELECT sum(price) FROM fact JOIN dim ON dim = key WHERE label <> name", "look-up"),
        ("SELECT sum(price) FROM fact JOIN gaps ON dim = key", "build (rank, unique)"),
        ("SELECT sum(price) FROM fact JOIN many ON dim = key", "build (rank, runs)"),
        ("SELECT sum(price) FROM fact JOIN gaps ON name = label", "build (hash, runs)"),
        ("SELECT count(*) FROM gaps a, gaps b", "build (cross, runs)"),
        ("SELECT sum(price) FROM fact LEFT JOIN dim ON dim = key AND price > 3", "left"),
        ("SELECT sum(price) FROM fact", "aggregate (registers)"),
        ("SELECT name, sum(price) FROM fact GROUP BY name", "aggregate (dense 7 groups in 4 copies)"),
        ("SELECT maybe, count(*) FROM fact GROUP BY maybe", "aggregate (dense 4 groups in 4 copies)"),
        ("SELECT sparse, count(*) FROM fact GROUP BY sparse", "aggregate (hash)"),
        ("SELECT name, maybe, count(*) FROM fact GROUP BY ALL", "aggregate (dense 28 groups in 4 copies)"),
        ("SELECT sum(price) FROM fact WHERE price < 30 AND dim = 4", "filter (tile mask)"),
        ("SELECT sum(price) FROM fact WHERE price < 900", "filter (row by row)"),
    ],
)
def test_forms(connection: headrace.Connection, text: str, form: str) -> None:
    assert form in pipelines(connection, text)


def test_dependent_keys_are_carried(connection: headrace.Connection) -> None:
    """A key that is unique in its table determines the table's other columns."""
    text = "SELECT key, label, sum(price) FROM fact JOIN dim ON dim = key GROUP BY key, label"
    assert "by key, carrying label" in pipelines(connection, text)
    rows = connection.execute(text + " ORDER BY key LIMIT 2").fetchall()
    assert [row[:2] for row in rows] == [(1, "l0"), (2, "l1")]


def test_keys_that_determine_nothing_stay(connection: headrace.Connection) -> None:
    text = "SELECT dim, name, count(*) FROM fact GROUP BY dim, name"
    assert "carrying" not in pipelines(connection, text)
    assert len(connection.execute(text).fetchall()) == 700


def test_only_needed_columns_are_read(connection: headrace.Connection) -> None:
    assert "price" not in pipelines(connection, "SELECT count(name) FROM fact WHERE dim > 3")
