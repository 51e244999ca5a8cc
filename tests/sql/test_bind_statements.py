"""Statements other than SELECT."""

from __future__ import annotations

import pytest

from bind_catalog import bound, columns_of
from headrace.errors import DataError, NotSupportedError, ProgrammingError
from headrace.sql.expr import Literal
from headrace.sql.plan import Project
from headrace.sql.source import SourceColumn
from headrace.sql.statement import (
    CreateTable,
    CreateView,
    Describe,
    Drop,
    Explain,
    Insert,
    Query,
    SetOption,
    ShowTables,
    Statement,
    Transaction,
)
from headrace.types import INTEGER, decimal


def test_create_table_with_columns() -> None:
    statement = bound("CREATE OR REPLACE TABLE New (a INT, b DECIMAL(3, 2) NULL)")
    columns = (SourceColumn("a", INTEGER, True), SourceColumn("b", decimal(3, 2), True))
    assert statement == CreateTable("New", columns, None, replace=True)


def test_create_table_as() -> None:
    statement = bound("CREATE TABLE IF NOT EXISTS n AS SELECT a, NULL AS z, 1 AS a FROM t")
    assert isinstance(statement, CreateTable)
    assert statement.if_not_exists
    assert statement.query is not None
    assert columns_of(statement.query) == [("a", "INTEGER"), ("z", "INTEGER"), ("a_1", "INTEGER")]
    assert [c.name for c in statement.columns] == ["a", "z", "a_1"]


def test_create_view() -> None:
    assert bound("CREATE VIEW w(z) AS SELECT a, b FROM t") == CreateView("w", "SELECT a, b FROM t", ("z",))


def test_insert_casts_and_fills() -> None:
    statement = bound("INSERT INTO s (y, a) VALUES ('x', '5'), (NULL, 2)")
    assert isinstance(statement, Insert)
    assert columns_of(statement.plan) == [("a", "BIGINT"), ("x", "INTEGER"), ("y", "VARCHAR")]
    assert isinstance(statement.plan, Project)
    assert statement.plan.outputs[1][1] == Literal(None, INTEGER)
    selected = bound("INSERT INTO s SELECT a, b, c FROM t")
    assert isinstance(selected, Insert)
    assert columns_of(selected.plan) == columns_of(statement.plan)


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("DROP TABLE t", Drop("table", "t")),
        ("DROP VIEW IF EXISTS v", Drop("view", "v", True)),
        ("SHOW TABLES", ShowTables()),
        ("SET threads = 4", SetOption("threads", 4)),
        ("SET memory_limit TO '4GB'", SetOption("memory_limit", "4GB")),
        ("SET device = cuda", SetOption("device", "cuda")),
        ("SET integer_division = true", SetOption("integer_division", True)),
        ("BEGIN", Transaction("begin")),
        ("BEGIN TRANSACTION", Transaction("begin")),
        ("COMMIT", Transaction("commit")),
        ("ROLLBACK", Transaction("rollback")),
    ],
)
def test_small_statements(sql: str, statement: Statement) -> None:
    assert bound(sql) == statement


def test_describe_a_table_and_a_query() -> None:
    table = bound("DESCRIBE s")
    assert isinstance(table, Describe)
    assert [(c.name, str(c.type)) for c in table.columns] == [
        ("a", "BIGINT"),
        ("x", "INTEGER"),
        ("y", "VARCHAR"),
    ]
    query = bound("DESCRIBE SELECT a + 1 FROM s")
    assert isinstance(query, Describe)
    assert [c.name for c in query.columns] == ["(a + 1)"]


@pytest.mark.parametrize(("sql", "analyze"), [("EXPLAIN FROM s", False), ("EXPLAIN ANALYZE FROM s", True)])
def test_explain(sql: str, analyze: bool) -> None:
    statement = bound(sql)
    assert isinstance(statement, Explain)
    assert statement.analyze is analyze
    assert isinstance(statement.query, Query)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("INSERT INTO s (a, zz) VALUES (1, 2)", 'no column "zz"'),
        ("INSERT INTO s (a, A) VALUES (1, 2)", "named twice"),
        ("INSERT INTO s VALUES (1)", "takes 3 values"),
        ("INSERT INTO nothing VALUES (1)", 'no table "nothing"'),
        ("INSERT INTO v VALUES (1, 2)", "is a view"),
        ("CREATE TABLE n (a INT, A INT)", "two columns"),
        ("CREATE TABLE n (a foo)", "no type"),
        ("CREATE VIEW w AS SELECT zz FROM t", 'no column "zz"'),
        ("DESCRIBE nothing", 'no table "nothing"'),
    ],
)
def test_mistakes(sql: str, message: str) -> None:
    with pytest.raises(ProgrammingError, match=message) as caught:
        bound(sql)
    assert caught.value.position is not None


def test_inserted_text_must_be_a_value_of_the_column() -> None:
    with pytest.raises(DataError, match="Conversion Error"):
        bound("INSERT INTO s (a) VALUES ('x')")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE n (a INT NOT NULL)",
        "CREATE TABLE n (a INT PRIMARY KEY)",
        "CREATE TABLE n (a INT, CHECK (a > 1))",
        "CREATE TEMP TABLE n AS SELECT 1",
        "CREATE SCHEMA n",
        "CREATE INDEX i ON t (a)",
        "CREATE TABLE other.n (a INT)",
        "DROP TABLE t CASCADE",
        "DROP SCHEMA main",
        "INSERT OR REPLACE INTO s VALUES (1, 2, 'x')",
        "INSERT INTO s VALUES (1, 2, 'x') RETURNING a",
        "INSERT INTO s BY NAME SELECT 1 AS a",
        "EXPLAIN CREATE TABLE n AS SELECT 1",
        "SET VARIABLE x = 1",
    ],
)
def test_refusals(sql: str) -> None:
    with pytest.raises(NotSupportedError):
        bound(sql)
