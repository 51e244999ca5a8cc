"""GROUP BY, HAVING and DISTINCT against DuckDB: forms of group tables, key types, positions, aliases, ALL."""

from __future__ import annotations

import pytest

from differential.relations import check_all, check_some

KEYS = ("ki", "ks", "kl", "ku", "kt", "kd", "km", "kc", "kw", "kf", "kg", "kb", "kx", "kv", "n")


def test_key_types() -> None:
    """One key of each type, with NULLs, and what it does to first rows, text and numbers."""
    check_all([f"SELECT {key}, count(*), sum(v), min(n) FROM l GROUP BY {key}" for key in KEYS], ("interpreted",))
    check_all([f"SELECT {key}, count(*), sum(v) FROM l GROUP BY {key}" for key in KEYS])


def test_several_keys() -> None:
    check_all(
        [
            "SELECT ki, kt, count(*), avg(w) FROM l GROUP BY ki, kt",
            "SELECT kb, ki, count(*) FROM l GROUP BY kb, ki",
            "SELECT kt, kx, kd, kb, count(v) FROM l GROUP BY ALL",
            "SELECT kf, kg, kw, sum(v) FROM l GROUP BY kf, kg, kw",
            "SELECT kc, kv, km, max(n) FROM l GROUP BY kc, kv, km",
            "SELECT kl, ku, ki, ks, kb, kt, kd, km, kc, kw, kf, kg, kx, kv, n, count(*) FROM l GROUP BY ALL",
        ]
    )


def test_computed_keys() -> None:
    check_some(
        [
            "SELECT ki % 3, count(*) FROM l GROUP BY ki % 3",
            "SELECT ki * 2 + 1 AS e, sum(v) FROM l GROUP BY e",
            "SELECT upper(kt), count(*) FROM l GROUP BY upper(kt)",
            "SELECT kt || '!', count(*) FROM l GROUP BY 1",
            "SELECT substring(n, 1, 7), count(*), max(v) FROM l GROUP BY 1",
            "SELECT CASE WHEN v > 0 THEN 'up' WHEN v < 0 THEN 'down' END, count(*) FROM l GROUP BY 1",
            "SELECT extract(month FROM kd), extract(day FROM km), count(*) FROM l GROUP BY 1, 2",
            "SELECT ki IS NULL, kt = 'a', count(*) FROM l GROUP BY ALL",
            "SELECT -kf, count(*) FROM l GROUP BY -kf",
            "SELECT v // 10, w > 0, count(*) FROM l GROUP BY 1, 2",
            "SELECT ki + ki, count(*) + ki FROM l GROUP BY ki",
            "SELECT coalesce(kt, 'none') AS t, coalesce(ki, 100) AS i, sum(w) FROM l GROUP BY t, i",
        ],
        every=2,
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ki, kt FROM l GROUP BY ki, kt ORDER BY ki, kt",
        "SELECT ki AS k, count(*) AS c FROM l GROUP BY k HAVING c > 5 ORDER BY c DESC, k NULLS FIRST",
        "SELECT ki, count(*) FROM l GROUP BY 1 HAVING sum(v) IS NULL OR min(v) < -20 ORDER BY 1",
        "SELECT kt, sum(v) AS s FROM l WHERE v > 0 GROUP BY kt HAVING count(DISTINCT ki) > 2 ORDER BY s, kt",
        "SELECT count(*) FROM l HAVING count(*) > 1000",
        "SELECT sum(v) FROM l HAVING max(kt) IS NOT NULL",
        "SELECT 1 FROM l GROUP BY ki",
        "SELECT 1 AS a FROM l HAVING true",
        "SELECT ki FROM l GROUP BY ki, kb",
        "SELECT count(*) FROM l GROUP BY ()",
        "SELECT count(*), sum(v) FROM nol GROUP BY ki",
        "SELECT ki, count(*) FROM nol GROUP BY ALL",
        "SELECT kt, kw, count(*) FROM nol GROUP BY kt, kw HAVING count(*) > 0",
        "SELECT 'x' AS c, count(*) FROM l GROUP BY c",
        "SELECT ki, sum(c) FROM (SELECT ki, kt, count(*) AS c FROM l GROUP BY ki, kt) GROUP BY ki",
        "SELECT d.k, d.label, d.up, count(*), sum(l.v) FROM l JOIN dense d ON l.ki = d.k GROUP BY d.k, d.label, d.up",
        "SELECT d.k, d.label, count(l.id) FROM dense d LEFT JOIN l ON l.ki = d.k GROUP BY d.k, d.label",
        "SELECT l.ki, d.k, d.label, count(*) FROM l LEFT JOIN dense d ON l.ki = d.k GROUP BY l.ki, d.k, d.label",
        "SELECT s.k, s.label, l.kt, count(*), min(l.n) FROM l JOIN sparse s ON l.ki = s.k GROUP BY ALL",
        "SELECT w.k, w.size, max(l.n) FROM words w JOIN l ON l.kt = w.k GROUP BY w.k, w.size",
    ],
)
def test_grouped_queries(sql: str) -> None:
    check_all([sql])


def test_distinct() -> None:
    check_all(
        [
            "SELECT DISTINCT ki FROM l",
            "SELECT DISTINCT kt, kb FROM l",
            "SELECT DISTINCT kf, kg FROM l",
            "SELECT DISTINCT kw, kc FROM l ORDER BY kw, kc",
            "SELECT DISTINCT v > 0 FROM l",
            "SELECT DISTINCT kt FROM nol",
            "SELECT DISTINCT upper(kt) AS u FROM l ORDER BY u DESC",
            "SELECT DISTINCT count(*) FROM l GROUP BY ki",
            "SELECT DISTINCT ki FROM l ORDER BY ki LIMIT 3",
            "SELECT count(*) FROM (SELECT DISTINCT ki, kt FROM l)",
            "SELECT DISTINCT * FROM (SELECT ki, kd FROM l)",
            "SELECT DISTINCT 1, NULL FROM l",
        ]
    )
