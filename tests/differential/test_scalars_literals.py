"""Literals, a column of each type, and parameters in every style."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

import headrace
from differential.data import COLUMNS
from differential.harness import EXECUTIONS, assert_agrees, assert_case, assert_expressions_agree, assert_fails, engine

CASES: dict[str, tuple[str, ...]] = {
    "numbers": (
        *("1", "-1", "2147483648", "99999999999999999999", "170141183460469231731687303715884105727", "1.10", "00012"),
        *(".5", "5.", "1e-3", "1.5e10", "1_000", "123456789012345678901234567890123456789.5", "0.1 + 0.2"),
    ),
    "text": ("'it''s'", "''", "'日本'", "E'a\\nb'", "'a' || 'b'"),
    "blobs": ("'\\xAA\\x00'::BLOB", "''::BLOB"),
    "booleans": ("true", "false", "TRUE AND NULL", "1::BOOLEAN"),
    "NULL": ("NULL", "NULL::INTEGER", "NULL + 1", "NULL || 'a'"),
    "dates": (
        "DATE '2000-01-01'",
        "TIME '12:34:56.789'",
        "TIMESTAMP '2000-01-01 01:02:03.456'",
        "TIMESTAMP_S '2000-01-01 01:02:03'",
        "TIMESTAMP_NS '2000-01-01 01:02:03.123456789'",
        "TIMESTAMP '1969-12-31 23:59:59.999999'",
    ),
    "intervals": (
        "INTERVAL 1 DAY",
        "INTERVAL '1 year 2 months 3 days 04:05:06.789'",
        "INTERVAL '1.5 months'",
        "INTERVAL 7 MILLISECONDS",
        "INTERVAL '1' DAY = INTERVAL '24' HOUR",
    ),
}

FAILING = (
    "SELECT DATE '2000-02-30'",
    "SELECT TIMESTAMP 'nonsense'",
    "SELECT TIME '25:00:00'",
    "SELECT INTERVAL 'abc'",
    "SELECT 'open",
    "SELECT 1 +",
)


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case])


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)


@pytest.mark.parametrize("column", COLUMNS)
def test_type(column: str) -> None:
    """The column itself, and as the result of a CASE, which keeps the type."""
    assert_case([column, f"CASE WHEN r % 2 = 0 THEN {column} END"], compiled=())


@pytest.mark.parametrize("table", ["edge", "one"])
def test_types_compiled(table: str) -> None:
    """All the types through one kernel."""
    assert_expressions_agree([f"CASE WHEN r % 2 = 0 THEN {column} END" for column in COLUMNS], table, ("compiled",))


VALUES: tuple[object, ...] = (
    *(None, True, 1, 2**40, -5, 1.5, float("inf"), Decimal("12.345"), "text", "日本", "", b"ab\x00"),
    *(datetime.date(2000, 1, 2), datetime.time(1, 2, 3, 4), datetime.datetime(2000, 1, 2, 3, 4, 5, 6)),
    datetime.timedelta(days=1, seconds=2),
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_parameter_values(value: object) -> None:
    assert_agrees("SELECT ? AS a", [value])
    assert_agrees("SELECT r, $1 AS a, $2 AS b FROM plain ORDER BY r", [value, 7], order=(0,))


STYLES: dict[str, tuple[str, Sequence[object] | Mapping[str, object]]] = {
    "?": ("SELECT r, i32 + ? AS a, s = ? AS b FROM plain WHERE i8 > ? ORDER BY r", [1, "abc", 0]),
    "$1": ("SELECT r, i32 + $2 AS a, s = $1 AS b, $2 AS c FROM plain ORDER BY r", ["abc", 1]),
    "$name": ("SELECT r, i32 + $plus AS a, s LIKE $pattern AS b FROM plain ORDER BY r", {"plus": 1, "pattern": "a%"}),
}


@pytest.mark.parametrize("style", STYLES)
def test_parameter_styles(style: str) -> None:
    sql, parameters = STYLES[style]
    assert_agrees(sql, parameters, order=(0,))


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_colon_name(execution: str) -> None:
    """`:name` means what `$name` means; DuckDB has no such style."""
    connection = engine(execution)
    ours = connection.sql("SELECT r, i32 + :plus AS a FROM plain ORDER BY r", {"plus": 1}).fetchall()
    assert ours == connection.sql("SELECT r, i32 + $plus AS a FROM plain ORDER BY r", {"plus": 1}).fetchall()


def test_parameters_are_values() -> None:
    assert_agrees("SELECT ? AS a", ["1; DROP TABLE plain --"])
    assert_agrees("SELECT r FROM plain WHERE s = ? ORDER BY r", ["' OR 1 = 1 --"], order=(0,))


@pytest.mark.parametrize("parameters", [[], [1, 2], {"a": 1}])
def test_wrong_parameters(parameters: Sequence[object] | Mapping[str, object]) -> None:
    with pytest.raises(headrace.Error):
        engine("interpreted").sql("SELECT ? AS a", parameters)
