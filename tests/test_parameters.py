"""Parameters in every spelling and place, typed literals followed by casts, and texts that are no text."""

from __future__ import annotations

import pytest

import headrace


@pytest.fixture(scope="module")
def connection() -> headrace.Connection:
    return headrace.connect(execution="interpreted")


@pytest.mark.parametrize(
    ("sql", "parameters", "rows"),
    [
        ("SELECT $1+$1", [2], [(4,)]),
        ("SELECT $a+$b, $a", {"a": 1, "b": 2}, [(3, 1)]),
        ("SELECT :a, :a + 1, (:a)", {"a": 1}, [(1, 2, 1)]),
        ("SELECT coalesce($1,$2)", [None, 3], [(3,)]),
        ("SELECT * FROM (VALUES($1,$2)) t WHERE 1 IN ($1,$2)", [1, 2], [(1, 2)]),
        ("SELECT 1 WHERE 1=:a AND 2 > :a", {"a": 1}, [(1,)]),
        ('SELECT ?::INTEGER + 1, \'$1\', $$a$1$$, "x" FROM (SELECT 5 AS "x")', ["41"], [(42, "$1", "a$1", 5)]),
        ("SELECT $t$x$1,$2$t$, -- $1,$2\n 7", None, [("x$1,$2", 7)]),
        ("SELECT 1::INTEGER::VARCHAR", None, [("1",)]),
    ],
)
def test_spellings(
    connection: headrace.Connection, sql: str, parameters: object, rows: list[tuple[object, ...]]
) -> None:
    assert connection.execute(sql, parameters).fetchall() == rows


def test_a_cast_follows_a_typed_literal(connection: headrace.Connection) -> None:
    sql = """SELECT DATE '2020-01-01'::VARCHAR, TIMESTAMP '2020-01-01 01:00'::DATE, DATE '2020-01-31'::TIMESTAMP,
        TIME '10:00'::VARCHAR, '5'::INTEGER"""
    (row,) = connection.execute(sql).fetchall()
    assert [str(value) for value in row] == ["2020-01-01", "2020-01-01", "2020-01-31 00:00:00", "10:00:00", "5"]


@pytest.mark.parametrize("parameters", [5, "text", b"bytes", 1.5])
def test_parameters_are_a_sequence(connection: headrace.Connection, parameters: object) -> None:
    with pytest.raises(headrace.ProgrammingError, match="sequence or a mapping"):
        connection.execute("SELECT ?", parameters)


def test_half_a_surrogate_pair(connection: headrace.Connection) -> None:
    with pytest.raises(headrace.DataError, match="surrogate"):
        connection.execute("SELECT ?", ["\ud800"])
    with pytest.raises(headrace.ProgrammingError, match="not Unicode"):
        connection.execute("SELECT '\ud800'")
