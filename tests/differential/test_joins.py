"""Joins against DuckDB: kinds, conditions, key types, NULLs, duplicates, empty sides, and several tables."""

from __future__ import annotations

import pytest

from differential.relations import check, check_all, check_some

KEYS = ("ki", "kl", "ku", "kt", "kd", "km", "kc", "kw", "kf", "kg", "kb", "kx", "kv")


@pytest.mark.parametrize("key", KEYS)
def test_key_types(key: str) -> None:
    check_all(
        [
            f"SELECT l.id, r.id, l.{key}, r.n FROM l JOIN r ON l.{key} = r.{key}",
            f"SELECT l.id, l.n, r.id, r.{key}, r.v FROM l LEFT JOIN r ON l.{key} = r.{key} AND r.v > 0",
        ]
    )


@pytest.mark.parametrize(
    "condition",
    [
        "l.ks = r.ki",
        "l.ki = r.kl",
        "l.kl = r.ku",
        "l.ki = r.kc",
        "l.kc = r.kw",
        "l.ki = r.kw",
        "l.kl = r.kw",
        "l.ki = r.kf",
        "l.kg = r.kf",
        "l.kc = r.kf",
        "l.kd = r.km",
        "l.kb = (r.ki > 2)",
        "l.ki + 1 = r.ki * 2",
        "upper(l.kt) = upper(r.kt)",
        "l.kt = substring(r.n, 1, 0)",
        "l.kt || 'x' = r.kt || 'x'",
        "CASE WHEN l.ki > 3 THEN NULL ELSE l.ki END = r.ki",
    ],
)
def test_mixed_and_computed_keys(condition: str) -> None:
    check(f"SELECT l.id, r.id FROM l JOIN r ON {condition}", ("interpreted",))
    check(f"SELECT l.id, l.n, r.id, r.kt FROM l LEFT JOIN r ON {condition} WHERE l.id < 40")


def test_several_keys() -> None:
    check_some(
        [
            "SELECT l.id, r.id FROM l JOIN r ON l.ki = r.ki AND l.kt = r.kt",
            "SELECT l.id, r.id, r.kc FROM l LEFT JOIN r ON l.kd = r.kd AND l.kb = r.kb AND l.kc = r.kc",
            "SELECT l.id, r.id FROM l JOIN r ON l.kf = r.kf AND l.kw = r.kw",
            "SELECT l.id, p.z FROM l JOIN pairs p ON l.ki = p.a AND l.kt = p.b",
            "SELECT p.z, l.id, l.n FROM pairs p LEFT JOIN l ON l.ki = p.a AND l.kt = p.b AND l.v <> 7",
            "SELECT l.id, r.id FROM l JOIN r ON l.kt IS NOT DISTINCT FROM r.kt AND l.ki = r.ki",
            "SELECT l.id, r.id FROM l JOIN r ON l.ki IS NOT DISTINCT FROM r.ki",
            "SELECT l.id, d.label FROM l JOIN dense d ON l.ki = d.k AND l.v > d.up",
            "SELECT l.id, d.label FROM l JOIN dense d ON l.ki = d.k AND l.ks = d.up",
        ],
        every=2,
    )


def test_unique_build_sides() -> None:
    """Keys without repeats: a whole dense table, one with gaps, text."""
    check_some(
        [
            "SELECT l.id, d.label, d.up FROM l JOIN dense d ON l.ki = d.k",
            "SELECT l.id, d.label, d.up FROM l LEFT JOIN dense d ON l.ki = d.k",
            "SELECT l.id, d.label FROM l JOIN dense d ON l.kl = d.k",
            "SELECT l.id, d.label FROM l LEFT JOIN dense d ON l.kl = d.k",
            "SELECT l.id, d.label FROM l LEFT JOIN dense d ON l.kw = d.k",
            "SELECT l.id, d.label FROM l JOIN dense d ON l.kw = d.k",
            "SELECT l.id, d.label FROM l LEFT JOIN dense d ON l.ki = d.k AND d.label <> 'name 1'",
            "SELECT l.id, d.label FROM l LEFT JOIN (SELECT * FROM dense WHERE up > 2) d ON l.ki = d.k",
            "SELECT l.id, d.label FROM l JOIN (SELECT * FROM dense WHERE up > 2 OR label IS NULL) d ON l.ki = d.k",
            "SELECT l.id, s.label, s.amount FROM l JOIN sparse s ON l.ki = s.k",
            "SELECT l.id, s.label, s.amount FROM l LEFT JOIN sparse s ON l.kl = s.k AND s.amount > 0",
            "SELECT l.id, s.amount FROM l LEFT JOIN sparse s ON l.kw = s.k",
            "SELECT l.id, s.amount FROM l JOIN sparse s ON l.kw = s.k",
            "SELECT l.id, w.size FROM l JOIN words w ON l.kt = w.k",
            "SELECT l.id, w.size, w.k FROM l LEFT JOIN words w ON l.kt = w.k AND w.size <> l.v",
            "SELECT count(*) FROM l JOIN sparse s ON l.ki = s.k",
        ],
        every=2,
    )


def test_conditions_without_keys() -> None:
    check_some(
        [
            "SELECT l.id, r.id FROM l JOIN r ON l.v < r.v AND l.ki > r.ki + 4",
            "SELECT l.id, r.id FROM l LEFT JOIN r ON l.v < r.v - 60",
            "SELECT l.id, d.k FROM l JOIN dense d ON l.v BETWEEN d.k AND d.up",
            "SELECT l.id, d.k, d.label FROM l LEFT JOIN dense d ON l.v BETWEEN d.k AND d.up",
            "SELECT l.id, r.id FROM l JOIN r ON l.ki = r.ki OR l.kt = r.kt",
            "SELECT l.id, r.id FROM l JOIN r ON l.ki = r.ki AND (l.v > r.v OR r.v IS NULL) AND l.n <> r.n",
            "SELECT l.id, r.id FROM l LEFT JOIN r ON l.ki = r.ki AND (l.v > r.v OR r.v IS NULL)",
            "SELECT l.id, r.id FROM l LEFT JOIN r ON l.ki = r.ki AND l.v > 10",
            "SELECT l.id, r.id FROM l LEFT JOIN r ON false",
            "SELECT l.id, r.id FROM l JOIN r ON NULL",
            "SELECT count(*) FROM l LEFT JOIN r ON true",
            "SELECT l.id, r.id FROM l LEFT JOIN r ON l.v = 7",
            "SELECT l.id, r.id FROM l JOIN r ON l.ki <> r.ki WHERE l.id < 9 AND r.id < 9",
        ],
        every=2,
    )


def test_kinds() -> None:
    check_some(
        [
            "SELECT l.id, d.k FROM l, dense d",
            "SELECT l.id, d.k FROM l, dense d WHERE l.ki = d.k AND d.label LIKE '%1'",
            "SELECT l.id, d.k FROM l CROSS JOIN dense d WHERE l.id < 3",
            "SELECT l.id, l.n, d.k, d.label FROM l RIGHT JOIN dense d ON l.ki = d.k",
            "SELECT l.id, d.k FROM l RIGHT OUTER JOIN dense d ON l.ki = d.k AND l.v > 0",
            "SELECT ki, count(*) FROM l JOIN r USING (ki) GROUP BY ki",
            "SELECT * FROM (SELECT ki, kt, id AS a FROM l) JOIN (SELECT ki, kt, id AS b FROM r) USING (ki, kt)",
            "SELECT * FROM (SELECT ki, id AS a FROM l) LEFT JOIN (SELECT ki, id AS b FROM r) USING (ki)",
            "SELECT * FROM (SELECT ki, id AS a FROM l) RIGHT JOIN (SELECT ki, id AS b FROM r) USING (ki)",
            "SELECT * FROM (SELECT ki, kt, id AS a FROM l) NATURAL JOIN (SELECT kt, ki, id AS b FROM r)",
            "SELECT * FROM (SELECT ki, id AS a FROM l) NATURAL LEFT JOIN (SELECT ki, id AS b FROM r)",
            "SELECT a.id, b.id FROM l a JOIN l b ON a.ki = b.ki AND a.id < b.id",
            "SELECT a.id, b.id, b.n FROM l a LEFT JOIN l b ON a.id = b.v",
            "SELECT a.k, b.label, c.label FROM dense a JOIN dense b ON a.up = b.k LEFT JOIN dense c ON b.up = c.k",
        ],
        every=2,
    )


def test_empty_sides() -> None:
    check_some(
        [
            "SELECT l.id, e.id FROM l JOIN nor e ON l.ki = e.ki",
            "SELECT l.id, e.id, e.n, e.kt, e.kw, e.kf, e.kv FROM l LEFT JOIN nor e ON l.ki = e.ki",
            "SELECT l.id, e.kt FROM l LEFT JOIN nor e ON l.kt = e.kt AND e.v > 3",
            "SELECT e.id, r.id FROM nol e LEFT JOIN r ON e.ki = r.ki",
            "SELECT e.id, r.id FROM nol e JOIN r ON e.kt = r.kt",
            "SELECT e.id, r.n FROM nol e RIGHT JOIN r ON e.kt = r.kt",
            "SELECT * FROM nol CROSS JOIN dense",
            "SELECT l.id, e.id FROM l CROSS JOIN nor e",
            "SELECT l.id, e.n FROM l LEFT JOIN nor e ON true",
            "SELECT count(*), count(e.id), sum(e.v), min(e.n) FROM l LEFT JOIN nor e ON l.ki = e.ki",
            "SELECT l.id, s.up FROM l LEFT JOIN (SELECT * FROM dense WHERE up > 1000) s ON l.ki = s.k",
        ],
        every=3,
    )


def test_many_tables() -> None:
    check_some(
        [
            "SELECT l.id, d.label, s.label FROM l JOIN dense d ON l.ki = d.k JOIN sparse s ON s.k = d.k",
            "SELECT l.id, r.id, d.label, w.size FROM l, r, dense d, words w"
            " WHERE l.ki = r.ki AND r.ki = d.k AND l.kt = w.k AND w.size < 4",
            "SELECT l.id, d.label, s.amount, w.size FROM l LEFT JOIN dense d ON l.ki = d.k"
            " LEFT JOIN sparse s ON d.up = s.k LEFT JOIN words w ON w.k = l.kt AND w.size > s.amount",
            "SELECT d.label, count(*), sum(l.v), sum(p.z), min(s.label) FROM l JOIN r ON l.ki = r.ki"
            " JOIN dense d ON d.k = r.ki JOIN pairs p ON p.a = d.k AND p.b = l.kt"
            " LEFT JOIN sparse s ON s.k = l.ki LEFT JOIN words w ON w.k = p.b GROUP BY d.label",
            "SELECT l.id, x.k, x.c FROM l LEFT JOIN (SELECT d.k, count(*) AS c FROM dense d JOIN r ON r.ki = d.k"
            " GROUP BY d.k) x ON x.k = l.ki",
            "SELECT l.id, x.label FROM l LEFT JOIN (dense d JOIN sparse s ON d.k = s.k) AS x(a, label, c,"
            " e, f, g) ON l.ki = x.a",
            "SELECT l.id, d.label, s.label FROM l LEFT JOIN (dense d JOIN sparse s ON d.k = s.k) ON l.ki = d.k",
            "SELECT l.id, d.k FROM l LEFT JOIN dense d ON l.ki = d.k WHERE d.k IS NULL",
            "SELECT l.id, d.k FROM l LEFT JOIN dense d ON l.ki = d.k WHERE d.label = 'name 1' OR l.id < 5",
            "SELECT l.id, d.k FROM l LEFT JOIN dense d ON l.ki = d.k WHERE coalesce(d.label, 'none') = 'none'",
            "SELECT l.id, d.c FROM l LEFT JOIN (SELECT k, 1 AS c, coalesce(label, 'no') AS e FROM dense)"
            " d ON l.ki = d.k"
            " WHERE d.c IS NULL OR d.e = 'no'",
        ],
        every=3,
    )
