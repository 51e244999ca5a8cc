"""Derived tables, CTEs, views, stars, VALUES, and statements on stored tables, against DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb
import pytest

import headrace
from differential.harness import EXECUTIONS
from differential.relation_data import relations
from differential.relations import check_error, check_refused, check_some
from headrace.tpch.comparison import difference

QUERIES = {
    "derived tables": [
        "SELECT x.k, x.c + 1 FROM (SELECT ki AS k, count(*) AS c FROM l GROUP BY ki) x WHERE x.c > 3",
        "SELECT * FROM (SELECT * FROM (SELECT id, v FROM l) WHERE v > 0) t(a, b) WHERE a < 50",
        "SELECT a.k, b.s FROM (SELECT DISTINCT ki AS k FROM l) a JOIN (SELECT ki, sum(v) AS s FROM r"
        " GROUP BY ki) b ON a.k = b.ki",
        "SELECT sum(s) FROM (SELECT kt, sum(w) AS s FROM l GROUP BY kt)",
        "SELECT u.z, count(*) FROM (SELECT upper(kt) AS z FROM l WHERE kt <> '') u GROUP BY u.z",
        "SELECT id + 0, v, v IS NULL FROM (SELECT id, v FROM l WHERE v IS NULL OR v > 5)",
        "FROM dense",
        "FROM dense SELECT label WHERE k > 0",
    ],
    "CTEs": [
        "WITH t AS (SELECT ki, count(*) AS c FROM l GROUP BY ki) SELECT a.ki, b.c FROM t a JOIN t b ON a.ki = b.ki",
        "WITH t AS (SELECT ki, count(*) AS c FROM l GROUP BY ki) SELECT * FROM t WHERE c = (3 + 2)",
        "WITH a AS (SELECT k, up FROM dense), b AS (SELECT k + 1 AS k, up FROM a) SELECT a.k, b.up FROM a"
        " LEFT JOIN b ON a.k = b.k",
        "WITH a(x, y) AS (SELECT id, v FROM l) SELECT x FROM a WHERE y > 40",
        "WITH dense AS (SELECT 1 AS k) SELECT * FROM dense",
        "WITH t AS (SELECT * FROM ties ORDER BY u, id LIMIT 10) SELECT a.id, b.id FROM t a, t b WHERE a.a = b.a",
        "SELECT * FROM (WITH t AS (SELECT 5 AS five) SELECT five, k FROM t, dense)",
        "WITH t AS (SELECT 1 AS a) SELECT * FROM (WITH t AS (SELECT 2 AS a) SELECT * FROM t) x, t",
    ],
    "stars": [
        "SELECT * FROM l",
        "SELECT l.*, d.label FROM l JOIN dense d ON l.ki = d.k",
        "SELECT * EXCLUDE (n, w) FROM l",
        "SELECT * EXCLUDE id FROM ties",
        "SELECT d.* EXCLUDE (up), s.* EXCLUDE k FROM dense d JOIN sparse s ON d.k = s.k",
        "SELECT *, k + 1 AS next FROM dense",
        "SELECT d.*, d.* FROM dense d",
        "SELECT count(*), count(d.k) FROM dense d",
    ],
    "VALUES and no FROM": [
        "SELECT 1, 'a', NULL, 2.50, DATE '2020-01-01', true",
        "SELECT 1 + 1 AS two, upper('x') AS x WHERE 1 = 1",
        "SELECT 1 AS one WHERE false",
        "VALUES (1, 'a'), (2, 'b'), (NULL, NULL)",
        "SELECT * FROM (VALUES (1, 'a', 1.5), (2, NULL, 22.25), (300, 'ccc', NULL)) t(a, b, c)",
        "SELECT t.a, count(*) FROM (VALUES (1), (2), (1)) t(a) GROUP BY t.a",
        "SELECT v.n, l.id FROM (VALUES (1, 'one'), (3, 'three')) v(k, n) JOIN l ON l.ki = v.k",
        "SELECT * FROM (VALUES ('2020-01-01'::DATE, INTERVAL 1 DAY, 10::HUGEINT, 1e10), (NULL, NULL, NULL, NULL))",
        "SELECT sum(a), max(b) FROM (VALUES (1, 2.5), (9223372036854775807, 3)) t(a, b)",
        "SELECT count(*) FROM (VALUES (1), (2)), (VALUES (3), (4), (5))",
        "SELECT * FROM (VALUES (1)) a(x) LEFT JOIN (VALUES (2)) b(y) ON x = y",
        "SELECT count(*), sum(x) FROM (SELECT 1 AS x)",
        "SELECT 5 AS a GROUP BY a",
    ],
    "filters": [
        "SELECT id FROM l WHERE v > 0 AND w < 0 AND kt IN ('a', 'b', '日本') AND n LIKE '%1%'",
        "SELECT id FROM l WHERE v BETWEEN -10 AND 10 OR kb",
        "SELECT id FROM l WHERE NOT (ki > 3 OR kt = 'a')",
        "SELECT id FROM l WHERE kt = upper(kt)",
        "SELECT id FROM l WHERE kt IN ('a', NULL) OR ki NOT IN (1, 2, 3)",
        "SELECT count(*) FROM l WHERE kf = 'NaN'::DOUBLE OR kf > 4",
        "SELECT id FROM l WHERE kd >= DATE '2020-02-29' AND kd < DATE '2020-02-28' + INTERVAL 3 DAY",
        "SELECT id FROM l WHERE 10 // v > 1 AND v <> 0 AND v IS NOT NULL",
        "SELECT id FROM l WHERE kl = 9223372036854775807 OR ku = 18446744073709551615 OR kw > 5",
        "SELECT count(*) FROM l WHERE NULL",
        "SELECT count(*) FROM l WHERE ki > ks",
    ],
}


@pytest.mark.parametrize("subject", QUERIES)
def test_queries(subject: str) -> None:
    check_some(QUERIES[subject], every=2)


def test_wrong_queries() -> None:
    for sql in (
        "SELECT nothing FROM l",
        "SELECT id FROM l JOIN r ON l.ki = r.ki",
        "SELECT ki, v FROM l GROUP BY ki",
        "SELECT sum(v) FROM l WHERE sum(v) > 1",
        "SELECT sum(sum(v)) FROM l",
        "SELECT * FROM absent",
        "SELECT ki FROM l ORDER BY 3",
        "SELECT * EXCLUDE (absent) FROM dense",
        "SELECT * FROM l JOIN r USING (absent)",
        "SELECT ki FROM l HAVING v > 1",
        "SELECT * FROM (VALUES (1), (2, 3))",
        "SELECT kt + 1 FROM l WHERE kt = 'a'",
    ):
        check_error(sql)


def test_refused() -> None:
    """What is not there yet is refused while the query is planned, and never answered wrongly."""
    for sql in (
        "SELECT id, row_number() OVER (ORDER BY id) FROM l",
        "SELECT ki, count(*) FROM l GROUP BY ROLLUP (ki)",
        "SELECT ki, count(*) FROM l GROUP BY GROUPING SETS ((ki), ())",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
        "SELECT DISTINCT ON (ki) ki, id FROM l",
        "SELECT id FROM l QUALIFY row_number() OVER (ORDER BY id) = 1",
        "SELECT * FROM l ASOF JOIN r ON l.ki >= r.ki",
        "SELECT unnest([1, 2])",
        "SELECT id FROM ties ORDER BY id LIMIT 50%",
        "SELECT * FROM l TABLESAMPLE 10%",
        "SELECT [1, 2, 3]",
        "SELECT {'a': 1}",
    ):
        check_refused(sql)


# ------------------------------------------------------------------------------------------ stored tables


@pytest.fixture(params=EXECUTIONS)
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[headrace.Connection, duckdb.DuckDBPyConnection]]:
    """Both engines, empty but for the registered tables `l` and `dense`."""
    ours, theirs = headrace.connect(execution=request.param), duckdb.connect()
    for name in ("l", "dense"):
        ours.register(name, relations()[name])
        theirs.register(name, relations()[name])
    yield ours, theirs
    ours.close()
    theirs.close()


def _both(pair: tuple[headrace.Connection, duckdb.DuckDBPyConnection], statements: Sequence[str]) -> None:
    """Run statements on both and compare what each of them answers."""
    ours, theirs = pair
    for sql in statements:
        expected = theirs.sql(sql)
        result = ours.sql(sql)
        if result.columns and not sql.startswith("DESCRIBE"):
            fault = difference(result.fetch_arrow_table(), expected.to_arrow_table())
            assert fault is None, f"{sql}\n{fault}"
        elif result.columns:
            rows = [row[:2] for row in result.fetchall()]
            assert rows == [row[:2] for row in expected.fetchall()], sql


def test_tables(pair: tuple[headrace.Connection, duckdb.DuckDBPyConnection]) -> None:
    _both(
        pair,
        [
            "CREATE TABLE t (a INTEGER, b VARCHAR, c DECIMAL(8, 2), d DATE, e DOUBLE, f BOOLEAN, g"
            " INTERVAL, h HUGEINT)",
            "SELECT * FROM t",
            "SELECT count(*), sum(a), min(b) FROM t",
            "INSERT INTO t VALUES (1, 'x', 1.5, '2020-01-01', 0.5, true, INTERVAL 2 DAY, 5), (2, NULL,"
            " -3, NULL, 1e300, NULL, NULL, -1)",
            "INSERT INTO t (b, a) VALUES ('only', 3)",
            "INSERT INTO t SELECT ki, kt, kc, kd, kf, kb, kv, kl FROM l WHERE id < 30",
            "SELECT * FROM t",
            "SELECT b, count(*), sum(a), max(c), min(d), sum(h) FROM t GROUP BY b",
            "CREATE TABLE u AS SELECT a, b, count(*) AS n, avg(e) AS m FROM t GROUP BY a, b",
            "SELECT t.a, u.n, u.m FROM t LEFT JOIN u ON t.a = u.a AND t.b = u.b",
            "INSERT INTO u SELECT a + 100, b || '!', n, m FROM u",
            "SELECT * FROM u",
            "CREATE OR REPLACE TABLE u AS SELECT * FROM dense",
            "SELECT * FROM u",
            "DESCRIBE t",
            "DESCRIBE SELECT sum(a), avg(c), min(b), count(*) FROM t",
            "CREATE TABLE IF NOT EXISTS u AS SELECT 1 AS z",
            "SELECT * FROM u",
            "DROP TABLE u",
            "DROP TABLE IF EXISTS u",
            "CREATE VIEW w AS SELECT a, sum(h) AS s FROM t GROUP BY a",
            "SELECT * FROM w WHERE a > 1",
            "SELECT x.a, y.s FROM w x JOIN w y ON x.a = y.a",
            "INSERT INTO t (a, h) VALUES (2, 170141183460469231731687303715884105727)",
            "SELECT a FROM w",
            "CREATE OR REPLACE VIEW w AS SELECT count(*) AS c FROM t",
            "SELECT * FROM w",
            "DROP VIEW w",
        ],
    )
    ours, theirs = pair
    assert [r[0] for r in ours.sql("SHOW TABLES").fetchall()] == ["dense", "l", "t"]
    for sql in (
        "SELECT * FROM w",
        "SELECT * FROM u",
        "DROP TABLE u",
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE t (a INTEGER)",
    ):
        with pytest.raises(duckdb.Error):
            theirs.execute(sql)
        with pytest.raises(headrace.Error) as raised:
            ours.execute(sql)
        assert not isinstance(raised.value, (headrace.InternalError, headrace.NotSupportedError)), sql
