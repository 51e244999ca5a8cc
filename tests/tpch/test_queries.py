"""The texts of the queries: they run, and what the suite declares about them is what they say."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from headrace.tpch.suite import SuiteError
from headrace.tpch.tpch import TPCH

EVERY_QUERY = pytest.mark.parametrize("query", TPCH.queries, ids=lambda query: query.name)


def test_there_are_22() -> None:
    assert [query.name for query in TPCH.queries] == [str(number) for number in range(1, 23)]


@EVERY_QUERY
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_texts_run_on_duckdb(oracle: duckdb.DuckDBPyConnection, query, seed: int | None) -> None:
    result = oracle.sql(TPCH.text(query, 0.01, seed)).to_arrow_table()
    if query.limit is not None:
        assert result.num_rows <= query.limit


@EVERY_QUERY
def test_declared_order_and_limit_are_the_text_s(oracle: duckdb.DuckDBPyConnection, query) -> None:
    text = TPCH.text(query, 0.01, None)
    tree = sqlglot.parse_one(text, dialect="duckdb")
    columns = oracle.sql(text).columns
    order, limit = tree.args.get("order"), tree.args.get("limit")
    declared = tuple(columns[k] for k in query.order)
    assert declared == tuple(key.this.name for key in (order.expressions if order else ()))
    assert query.limit == (int(limit.expression.name) if limit else None)


@EVERY_QUERY
def test_tables_named_are_the_tables_read(query) -> None:
    tree = sqlglot.parse_one(TPCH.text(query, 1, None), dialect="duckdb")
    named = {table.name for table in tree.find_all(exp.Table)} - {"revenue"}
    assert set(TPCH.tables_of([query])) == named


def test_validation_results_at_a_glance(oracle: duckdb.DuckDBPyConnection) -> None:
    rows = {query.name: oracle.sql(TPCH.text(query, 0.01, None)).to_arrow_table().num_rows for query in TPCH.queries}
    assert {name: rows[name] for name in ("1", "3", "4", "10", "12", "22")} == {
        "1": 4,
        "3": 10,
        "4": 5,
        "10": 20,
        "12": 2,
        "22": 7,
    }


@pytest.mark.parametrize("name", ["6", "06", "q6", "Q06", " 6 "])
def test_names_of_a_query(name: str) -> None:
    assert [query.name for query in TPCH.select([name])] == ["6"]


def test_selection_keeps_its_order_and_drops_repeats() -> None:
    assert [query.name for query in TPCH.select(["19", "6", "q19"])] == ["19", "6"]


@pytest.mark.parametrize("name", ["23", "0", "", "x", "1-3"])
def test_unknown_queries(name: str) -> None:
    with pytest.raises(SuiteError, match="TPC-H has no query"):
        TPCH.select([name])


def test_texts_differ_from_seed_to_seed() -> None:
    (query,) = TPCH.select(["6"])
    assert len(set(TPCH.texts(query, 1, 0, 40))) == 40


def test_texts_repeat_only_when_the_parameters_are_used_up() -> None:
    (query,) = TPCH.select(["18"])
    texts = TPCH.texts(query, 1, 0, 6)
    assert len(texts) == 6
    assert len(set(texts)) == 4
