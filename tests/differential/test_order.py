"""ORDER BY, LIMIT and OFFSET against DuckDB: keys of every type, NULL placement, ties, cuts."""

from __future__ import annotations

import pytest

from differential.relations import check_all, check_cut, check_some

KEYS = ("ki", "kl", "ku", "kt", "kd", "km", "kc", "kw", "kf", "kg", "kb", "kx", "kv", "n")


@pytest.mark.parametrize("direction", ["", "DESC", "ASC NULLS FIRST", "DESC NULLS FIRST", "DESC NULLS LAST"])
def test_key_types(direction: str) -> None:
    queries = [f"SELECT id, {key} FROM l ORDER BY {key} {direction}, id" for key in KEYS]
    check_all(queries, ("interpreted",))
    if direction == "DESC":
        check_all(queries, ("compiled",))


def test_order() -> None:
    check_some(
        [
            "SELECT * FROM ties ORDER BY id DESC",
            "SELECT id, a AS k FROM ties ORDER BY k, 1",
            "SELECT a, b, id FROM ties ORDER BY 2 DESC, 1 NULLS FIRST, 3",
            "SELECT id FROM ties ORDER BY a, b, f, d, h, u, id",
            "SELECT id, u FROM ties ORDER BY length(b) DESC NULLS LAST, a * -1, id",
            "SELECT id FROM ties ORDER BY a IS NULL, a % 2, b = 'x', id",
            "SELECT a + 1 AS a, id FROM ties ORDER BY a, id",
            "SELECT a, count(*) FROM ties GROUP BY a ORDER BY count(*), a",
            "SELECT a, b, count(*) AS c FROM ties GROUP BY ALL ORDER BY ALL",
            "SELECT a FROM ties ORDER BY ALL DESC",
            "SELECT DISTINCT a, b FROM ties ORDER BY b, a",
            "SELECT id, d FROM ties ORDER BY d + h DESC, id",
            "SELECT id FROM (SELECT * FROM ties ORDER BY u) ORDER BY f DESC, id",
            "SELECT id, b FROM ties ORDER BY upper(b), b, id",
            "SELECT id, CASE WHEN a = 1 THEN 'one' END AS c FROM ties ORDER BY c, id",
            "SELECT 1 AS x FROM ties ORDER BY x",
            "SELECT id FROM ties ORDER BY 'constant', id",
            "SELECT b, max(u) AS m FROM ties GROUP BY b ORDER BY m DESC",
            "SELECT t.id FROM ties t ORDER BY t.u, t.id",
        ],
        every=2,
    )


def test_limit() -> None:
    check_some(
        [
            "SELECT id, u FROM ties ORDER BY u, id LIMIT 5",
            "SELECT id, f FROM ties ORDER BY f DESC, id LIMIT 7 OFFSET 4",
            "SELECT id FROM ties ORDER BY b NULLS FIRST, a DESC, id LIMIT 20",
            "SELECT id FROM ties ORDER BY id LIMIT 0",
            "SELECT id FROM ties ORDER BY id LIMIT 1000",
            "SELECT id FROM ties ORDER BY id LIMIT 3 OFFSET 1000",
            "SELECT id FROM ties ORDER BY id OFFSET 85",
            "SELECT id FROM ties LIMIT 4",
            "SELECT id FROM ties LIMIT 4 OFFSET 88",
            "SELECT id FROM ties OFFSET 80",
            "SELECT id FROM ties LIMIT 0",
            "SELECT id FROM ties WHERE a = 2 LIMIT 3 OFFSET 2",
            "SELECT id, u FROM (SELECT * FROM ties ORDER BY u DESC LIMIT 9) ORDER BY id",
            "SELECT count(*), sum(id), max(u) FROM (SELECT * FROM ties ORDER BY u LIMIT 9)",
            "SELECT count(*) FROM (SELECT id FROM ties LIMIT 9 OFFSET 3)",
            "SELECT a, count(*) FROM (SELECT * FROM ties LIMIT 50) GROUP BY a ORDER BY a LIMIT 2",
            "SELECT t.id, l.n FROM (SELECT id FROM ties ORDER BY u LIMIT 12) t JOIN l ON l.id = t.id ORDER BY t.id",
            "SELECT t.id, x.n FROM ties t LEFT JOIN (SELECT * FROM l ORDER BY n LIMIT 12) x ON x.id ="
            " t.id ORDER BY t.id",
            "SELECT id FROM ties WHERE a > 1 ORDER BY d DESC NULLS LAST, u LIMIT 6",
            "SELECT kt, sum(v) AS s FROM l GROUP BY kt ORDER BY s DESC, kt LIMIT 3",
            "SELECT l.id, r.id FROM l JOIN r ON l.ki = r.ki ORDER BY l.n, r.n LIMIT 10",
            "SELECT sum(id) FROM ties LIMIT 5",
            "SELECT id FROM ties ORDER BY id LIMIT 2 + 1",
            "SELECT first(id), last(id) FROM (SELECT id FROM ties ORDER BY u)",
            "SELECT a, first(id), last(u) FROM (SELECT * FROM ties ORDER BY u DESC) GROUP BY a",
            "SELECT id FROM nol ORDER BY kt, n LIMIT 5",
        ],
        every=2,
    )


def test_ties_that_limit_cuts() -> None:
    """Of equal rows any may be kept: the sort keys have to agree."""
    check_cut("SELECT a, id FROM ties ORDER BY a LIMIT 10", (0,), 10)
    check_cut("SELECT b, id FROM ties ORDER BY b DESC LIMIT 30 OFFSET 7", (0,), 30, 7)
    check_cut("SELECT f, b, u FROM ties ORDER BY f, b LIMIT 17", (0, 1), 17)


def test_source_order() -> None:
    """Rows that nothing reorders come as they are stored, here and there."""
    check_all(
        [
            "SELECT row_number FROM (SELECT id AS row_number, n FROM l WHERE v > 0) LIMIT 10",
            "SELECT l.id, d.label FROM l JOIN dense d ON l.ki = d.k LIMIT 20",
        ]
    )
