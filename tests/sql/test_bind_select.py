"""SELECT: names, aliases, stars, grouping, ordering, limits; columns as DuckDB describes them."""

from __future__ import annotations

import pytest

from bind_catalog import bound, columns_of, expected, plan_of
from headrace.errors import NotSupportedError, ProgrammingError
from headrace.sql.expr import Call, ColumnRef, Literal, walk
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Limit,
    Plan,
    Project,
    Scan,
    Sort,
    Values,
    expressions,
    walk_plan,
)
from headrace.sql.statement import Query

QUERIES = [
    "SELECT 1",
    "SELECT 1 AS x, 'a' y WHERE false",
    "FROM t",
    "FROM t SELECT a",
    "SELECT Mix, MIX, mix AS MiX FROM t",
    'SELECT "A", t."quoted Col", "select" FROM T',
    "SELECT a, a, a AS a FROM t",
    "SELECT *, a + 1 FROM t",
    "SELECT t.*, s.x FROM t, s",
    "SELECT * EXCLUDE (a, B) FROM t",
    "SELECT t.* EXCLUDE (a) FROM t, s",
    "SELECT * REPLACE (a + 1 AS A) FROM t",
    "SELECT a + 1 AS z, z * 2 AS y, y - 1 FROM t",
    "SELECT a AS b, b + 1 AS y FROM t",
    "SELECT a + 1 AS z FROM t WHERE z > 2",
    "SELECT a + 1 AS z, count(*) FROM t GROUP BY z HAVING z > 2",
    "SELECT sum(a) AS s, s + 1 FROM t HAVING s > 1",
    "SELECT sum(a) AS b FROM t GROUP BY b",
    "SELECT count(*) AS n, c FROM t GROUP BY 2 ORDER BY 1 DESC, c",
    "SELECT a, sum(b) FROM t GROUP BY ALL ORDER BY ALL DESC",
    "SELECT (a + b) * 2 AS w, count(*) FROM t GROUP BY a + b",
    "SELECT a, count(*) FROM t GROUP BY a ORDER BY sum(b)",
    "SELECT 1 AS x GROUP BY x",
    "SELECT count(*) FROM t GROUP BY ()",
    "SELECT DISTINCT a, b FROM t ORDER BY b",
    "SELECT a + 1 AS q FROM t ORDER BY q + 1, b",
    "SELECT a FROM t ORDER BY c || 'x' LIMIT 3 OFFSET 1",
    "SELECT max(a) FILTER (WHERE b > 1), count(DISTINCT c), avg(dec) FROM t",
    "WITH q AS (SELECT a, sum(b) AS s FROM t GROUP BY a), r(z) AS (SELECT s FROM q) SELECT z, a FROM r, q",
    "WITH t AS (SELECT 5 AS only) SELECT * FROM t",
    "SELECT * FROM (SELECT a, b FROM t) q(x) WHERE x > 1",
    "SELECT * FROM (SELECT 1 AS a, 2 AS a, 3 AS A) q",
    "SELECT * FROM (VALUES (1, 'a'), (2.5, NULL)) v(x, y)",
    "VALUES (1, 2), (3, 4)",
    "SELECT q FROM v WHERE q > 1",
    "SELECT t.a, q FROM t JOIN v ON t.a = v.a",
    "SELECT x.q, x.b FROM t AS x(q)",
    "SELECT * FROM t NATURAL JOIN s",
    "SELECT * FROM t LEFT JOIN s USING (a)",
    "SELECT * FROM t RIGHT JOIN s USING (A)",
    "SELECT a, t.a, s.a FROM t RIGHT JOIN s USING (a)",
    "SELECT * FROM t JOIN (v JOIN s USING (a)) ON t.b = v.q",
    "SELECT main.t.a FROM main.t",
    "((SELECT a FROM t))",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_columns_are_those_that_duckdb_describes(sql: str) -> None:
    described = expected(sql)
    assert described is not None
    assert columns_of(plan_of(sql)) == described


def nodes(plan: Plan) -> list[str]:
    return [type(n).__name__ for n in walk_plan(plan)]


@pytest.mark.parametrize("sql", QUERIES)
def test_every_reference_is_to_a_column_of_the_input(sql: str) -> None:
    from headrace.sql.plan import inputs

    for node in walk_plan(plan_of(sql)):
        ids = [f.id for f in node.schema()]
        assert len(set(ids)) == len(ids), node
        available = {f.id: f.type for x in inputs(node) for f in x.schema()}
        for e in expressions(node):
            for part in walk(e):
                if isinstance(part, ColumnRef):
                    assert available[part.id] == part.type


def test_the_nodes_stand_in_the_order_of_their_meaning() -> None:
    sql = "SELECT a, sum(b) AS s FROM t WHERE b > 0 GROUP BY a HAVING s > 1 ORDER BY s LIMIT 5"
    assert nodes(plan_of(sql)) == ["Limit", "Sort", "Project", "Filter", "Aggregate", "Filter", "Scan"]


def test_equal_aggregates_are_computed_once() -> None:
    sql = "SELECT sum(b), sum(b) + 1, sum(t.b) AS s, mean(b) FROM t HAVING sum(b) > 1 ORDER BY avg(b)"
    (aggregate,) = [n for n in walk_plan(plan_of(sql)) if isinstance(n, Aggregate)]
    assert [c.function for _, c in aggregate.aggregates] == ["sum", "avg"]


def test_min_and_max_ignore_distinct() -> None:
    (aggregate,) = [n for n in walk_plan(plan_of("SELECT max(DISTINCT a), max(a) FROM t")) if isinstance(n, Aggregate)]
    assert len(aggregate.aggregates) == 1
    assert not aggregate.aggregates[0][1].distinct


def test_an_alias_alone_in_order_by_wins_over_a_column_and_loses_inside_an_expression() -> None:
    by_alias = plan_of("SELECT -a AS b FROM t ORDER BY b")
    assert nodes(by_alias) == ["Sort", "Project", "Scan"]
    by_column = plan_of("SELECT -a AS b FROM t ORDER BY b + 0")
    assert nodes(by_column) == ["Project", "Sort", "Project", "Scan"]


def test_in_having_an_alias_hides_a_column_that_is_not_grouped() -> None:
    (having,) = [
        n for n in walk_plan(plan_of("SELECT sum(a) AS b FROM t GROUP BY c HAVING b > 1")) if isinstance(n, Filter)
    ]
    assert isinstance(having.predicate, Call)
    assert str(having.predicate.arguments[0].type) == "HUGEINT"


def test_hidden_sort_keys_are_dropped() -> None:
    plan = plan_of("SELECT a FROM t ORDER BY b NULLS FIRST, a DESC")
    assert columns_of(plan) == [("a", "INTEGER")]
    (sort,) = [n for n in walk_plan(plan) if isinstance(n, Sort)]
    assert [(k.descending, k.nulls_first) for k in sort.keys] == [(False, True), (True, False)]


@pytest.mark.parametrize(
    ("clause", "limit", "offset"),
    [
        ("LIMIT 3", 3, 0),
        ("LIMIT 3 OFFSET 4", 3, 4),
        ("OFFSET 4", None, 4),
        ("LIMIT '3'", 3, 0),
        ("LIMIT 1 + 2", 3, 0),
        ("LIMIT 0", 0, 0),
    ],
)
def test_limits(clause: str, limit: int | None, offset: int) -> None:
    plan = plan_of(f"SELECT a FROM t {clause}")
    assert isinstance(plan, Limit)
    assert (plan.limit, plan.offset) == (limit, offset)


def test_limit_null_and_limit_all_are_no_limit() -> None:
    assert not isinstance(plan_of("SELECT a FROM t LIMIT NULL"), Limit)
    assert not isinstance(plan_of("SELECT a FROM t LIMIT ALL"), Limit)


def test_each_use_of_a_cte_has_columns_of_its_own() -> None:
    plan = plan_of("WITH q AS (SELECT a FROM t) SELECT x.a, y.a FROM q x, q y WHERE x.a = y.a")
    scans = [n for n in walk_plan(plan) if isinstance(n, Scan)]
    assert len(scans) == 2
    assert not {f.id for f in scans[0].fields} & {f.id for f in scans[1].fields}


def test_select_without_from_is_one_row() -> None:
    plan = plan_of("SELECT 1 AS x")
    assert isinstance(plan, Project)
    assert plan.input == Values((), ((),))
    assert plan.outputs[0][1] == Literal(1, plan.outputs[0][0].type)


def test_positions_point_into_the_text() -> None:
    sql = "SELECT a + b FROM t WHERE upper(c) = 'X'"
    statement = bound(sql)
    assert isinstance(statement, Query)
    assert isinstance(statement.plan, Project)
    e = statement.plan.outputs[0][1]
    assert isinstance(e, Call)
    assert [x.position for x in e.arguments] == [sql.index("a +"), sql.index("b FROM")]


@pytest.mark.parametrize(
    ("sql", "message", "place"),
    [
        ("SELECT a, sum(b) FROM t", "must appear in GROUP BY", "a,"),
        ("SELECT b FROM t GROUP BY a", "must appear in GROUP BY", "b"),
        ("SELECT a FROM t HAVING a > 1", "must appear in GROUP BY", "a FROM"),
        ("SELECT a + sum(b) FROM t GROUP BY ALL", "must appear in GROUP BY", "a + sum"),
        ("SELECT a FROM t WHERE sum(a) > 1", "WHERE cannot contain aggregates", "sum"),
        ("SELECT count(*) AS c, a FROM t GROUP BY 1", "GROUP BY cannot contain aggregates", "count"),
        ("SELECT a FROM t GROUP BY 2", "position 2", "2"),
        ("SELECT a FROM t ORDER BY 3", "position 3", "3"),
        ("SELECT a FROM t ORDER BY 'x'", "no effect", "'x'"),
        ("SELECT a FROM t LIMIT -1", "negative", "1"),
        ("SELECT a FROM t LIMIT b", "no FROM", "b"),
        ("SELECT z + 1, a AS z FROM t", "before it is defined", "z + 1"),
        ("SELECT *", "needs a FROM", "*"),
        ("SELECT * EXCLUDE (zz) FROM t", "EXCLUDE", "zz"),
        ("SELECT * REPLACE (1 AS zz) FROM t", "REPLACE", None),
        ("SELECT t FROM t", "whole row", "t FROM"),
        ("SELECT a FROM t x, t y", "ambiguous", "a FROM"),
        ("SELECT * FROM t, t", "two items", None),
        ("SELECT * FROM tt", 'no table "tt"', "tt"),
        ("SELECT * FROM t NATURAL JOIN nation", "no common columns", None),
        ("SELECT * FROM t JOIN s USING (x)", "left side", None),
        ("SELECT * FROM (SELECT a FROM t) q(x, y)", "1 columns", None),
        ("SELECT * FROM (VALUES (1), (1, 2)) v", "differ in length", None),
        ("SELECT * FROM broken", 'in the view "broken"', "broken"),
        ("SELECT * FROM circle", "defined by itself", "circle"),
    ],
)
def test_mistakes_are_errors_with_a_place(sql: str, message: str, place: str | None) -> None:
    with pytest.raises(ProgrammingError, match=message) as caught:
        plan_of(sql)
    assert caught.value.position is not None
    if place is not None:
        assert caught.value.position == sql.index(place)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 2) SELECT * FROM r", "recursive"),
        ("SELECT a FROM t QUALIFY row_number() OVER () = 1", "QUALIFY"),
        ("SELECT a FROM t WINDOW w AS (ORDER BY a)", "WINDOW"),
        ("SELECT * FROM t USING SAMPLE 3", "SAMPLE"),
        ("SELECT * FROM t TABLESAMPLE 10%", "TABLESAMPLE"),
        ("SELECT DISTINCT ON (a) a FROM t", "DISTINCT ON"),
        ("SELECT DISTINCT a FROM t ORDER BY b", "DISTINCT does not select"),
        ("SELECT a FROM t GROUP BY ROLLUP (a)", "ROLLUP"),
        ("SELECT a FROM t GROUP BY GROUPING SETS ((a), ())", "GROUPING SETS"),
        ("SELECT * FROM t ASOF JOIN s USING (a)", "ASOF joins"),
        ("SELECT * FROM t POSITIONAL JOIN s", "POSITIONAL joins"),
        ("SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2))", "PIVOT"),
        ("SELECT * FROM range(10)", "table functions"),
        ("SELECT * FROM other.t", "schemas"),
        ("SELECT * RENAME (a AS z) FROM t", "RENAME"),
        ("SELECT * FROM t FOR UPDATE", "LOCKS"),
        ("SELECT a FROM t LIMIT 10%", "percent"),
        ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "FETCH"),
        ("SELECT a.x FROM t", "nested types"),
    ],
)
def test_clauses_are_refused_and_never_ignored(sql: str, message: str) -> None:
    with pytest.raises(NotSupportedError, match=message):
        plan_of(sql)
