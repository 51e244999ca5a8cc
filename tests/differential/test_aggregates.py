"""Every aggregate against DuckDB: argument types, NULLs, no rows, FILTER, DISTINCT, group forms."""

from __future__ import annotations

import pytest

import headrace
from differential.harness import engine, expected
from differential.relations import check_all, check_error, check_some

NUMBERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "hu", "f4", "f8", "d4", "d15", "d18", "d38")
OTHERS = ("bo", "da", "ti", "ts_s", "ts_ms", "ts", "ts_ns", "iv", "s", "t", "bl")
TABLES = ("plain", "edge", "empty", "one", "nothing", "tall")
SPREAD = ("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "sem")


def _each(template: str, columns: tuple[str, ...]) -> str:
    return ", ".join(template.format(c) for c in columns)


@pytest.mark.parametrize("table", TABLES)
def test_no_keys(table: str) -> None:
    """Every aggregate over the types it takes, without groups."""
    summed = tuple(c for c in NUMBERS if table != "edge" or c not in ("hu", "d38"))
    spread = tuple(c for c in NUMBERS if table != "edge" or c != "hu")
    queries = [
        f"SELECT {_each('count({0})', NUMBERS + OTHERS)}, count(*), count() FROM {table}",
        f"SELECT {_each('sum({0})', summed)}, {_each('avg({0})', summed)} FROM {table}",
        f"SELECT {_each('min({0}), max({0})', NUMBERS + OTHERS)} FROM {table}",
        f"SELECT {_each('any_value({0})', NUMBERS + OTHERS)} FROM {table}",
        f"SELECT {_each('first({0}), last({0}), arbitrary({0})', NUMBERS + OTHERS)} FROM {table}",
        f"SELECT bool_and(bo), bool_or(bo), count_if(bo), sum(bo::INTEGER) FROM {table}",
        f"SELECT {_each('bit_and({0}), bit_or({0}), bit_xor({0})', NUMBERS[:8])} FROM {table}",
    ]
    queries += [f"SELECT {_each(name + '({0})', spread)} FROM {table}" for name in SPREAD]
    check_all(queries, ("interpreted",))
    compiled = {"plain": (3, 5, 7), "edge": (1, 6), "empty": (1,), "nothing": (2,), "one": (), "tall": (8,)}
    check_all([queries[k] for k in compiled[table]], ("compiled",))


@pytest.mark.parametrize("key", ["bo", "s", "t", "d15 > 0"])
def test_by_group(key: str) -> None:
    queries = [
        f"SELECT {key}, {_each('count({0}), sum({0}), avg({0})', NUMBERS)} FROM plain GROUP BY ALL",
        f"SELECT {key}, {_each('min({0}), max({0})', NUMBERS + OTHERS)} FROM plain GROUP BY ALL",
        f"SELECT {key}, {_each('first({0}), last({0}), any_value({0})', NUMBERS + OTHERS)} FROM plain GROUP BY ALL",
        f"SELECT {key}, {_each('stddev({0}), var_pop({0})', NUMBERS)}, bool_and(bo), bool_or(bo) FROM"
        f" plain GROUP BY ALL",
        f"SELECT {key}, {_each('sum({0}), min({0}), max({0})', NUMBERS[:8])} FROM edge GROUP BY ALL",
    ]
    check_all(queries, ("interpreted",))
    check_all(queries[:2] if key == "bo" else queries[1:2] if key == "t" else queries[4:], ("compiled",))


def test_filter() -> None:
    check_some(
        [
            "SELECT count(*) FILTER (WHERE i32 > 0), count(i8) FILTER (WHERE i32 > 0), sum(i64) FILTER (WHERE s = 'a'),"
            " min(s) FILTER (WHERE bo), avg(f8) FILTER (WHERE false), max(d38) FILTER (WHERE i8 IS NULL) FROM plain",
            "SELECT bo, count(*) FILTER (i32 > 0), sum(d15) FILTER (f8 < 0), first(t) FILTER (i64 > 2)"
            " FROM plain GROUP BY bo",
            "SELECT s, stddev(f8) FILTER (WHERE bo), bool_or(bo) FILTER (WHERE i8 > 3) FROM plain GROUP BY s",
            "SELECT sum(i32) FILTER (WHERE 10 // (i32 + 100) > 0) FROM plain",
            "SELECT s, count(DISTINCT i32) FILTER (WHERE bo), count(DISTINCT i32) FROM plain GROUP BY s",
            "SELECT sum(DISTINCT i8) FILTER (WHERE bo), count(*) FILTER (WHERE bo) FROM plain",
        ],
        every=2,
    )


def test_distinct() -> None:
    queries = [
        *(f"SELECT count(DISTINCT {c}) FROM plain" for c in NUMBERS + OTHERS),
        *(f"SELECT count(DISTINCT {c}), count(*), sum(i8) FROM edge" for c in NUMBERS + OTHERS),
        "SELECT sum(DISTINCT i32), avg(DISTINCT i32), min(DISTINCT s), max(DISTINCT f8), count(DISTINCT s) FROM plain",
        "SELECT bo, count(DISTINCT s), count(DISTINCT i32), sum(DISTINCT i32), avg(d15), sum(i64) FROM"
        " plain GROUP BY bo",
        "SELECT s, count(DISTINCT bo), count(*), avg(f8), stddev(f8) FROM plain GROUP BY s",
        "SELECT s, bo, count(DISTINCT i8), sum(DISTINCT d15), min(t) FROM plain GROUP BY s, bo",
        "SELECT count(DISTINCT i8 + 1), count(DISTINCT upper(s)), count(DISTINCT i8 + 1) + 1 FROM plain",
        "SELECT count(DISTINCT i32), sum(DISTINCT f8) FROM empty",
        "SELECT bo, count(DISTINCT i32), count(DISTINCT s), count(*) FROM empty GROUP BY bo",
        "SELECT count(DISTINCT i32), sum(DISTINCT i32), count(*) FROM nothing",
        "SELECT count(DISTINCT s), first(s), any_value(t) FROM nothing",
    ]
    check_all(queries, ("interpreted",))
    check_all(queries[-9:-5], ("compiled",))


def test_expressions_of_aggregates() -> None:
    check_some(
        [
            "SELECT sum(i32) + count(*) * 2, 100.0 * sum(d15) / sum(d18), max(s) || '-' || min(s) FROM plain",
            "SELECT bo, sum(i32) / count(i32), round(avg(d15), 2), coalesce(sum(i8), 0) FROM plain GROUP BY bo",
            "SELECT sum(CASE WHEN bo THEN i32 ELSE 0 END), sum(i32 * i8), avg(i32 + 0.5) FROM plain",
            "SELECT s, sum(d15 * (1 - d4)), sum(d15 * (1 - d4) * (1 + d4)) FROM plain GROUP BY s",
            "SELECT sum(1), sum(2.5), avg(3), count(NULL), min('x'), max(DATE '2020-01-01'), sum(NULL) FROM plain",
            "SELECT sum(1), sum(2.5), avg(3), count(NULL), min('x'), max(DATE '2020-01-01'), sum(NULL) FROM empty",
            "SELECT min(length(t)), max(upper(s)), min(-f8), max(i32 % 3), sum(length(s)) FROM plain",
            "SELECT sum(i64::HUGEINT * 4611686018427387904), avg(i64::HUGEINT * 4611686018427387904) FROM plain",
            "SELECT bo, min(t || s), max(t || s) FROM plain GROUP BY bo",
        ],
        every=3,
    )


def test_sums_beyond_64_bits() -> None:
    check_all(
        [
            "SELECT sum(i64), sum(u64), avg(i64), avg(u64), sum(d18), sum(d38 / 1000) FROM edge",
            "SELECT sum(a.i64), sum(a.u64), sum(b.i64) FROM edge a, edge b",
            "SELECT a.bo, sum(a.i64), sum(a.u64), avg(a.u64), sum(a.d18) FROM edge a, edge b GROUP BY a.bo",
            "SELECT a.t, sum(a.i64), sum(a.u64) FROM edge a, edge b GROUP BY a.t",
            "SELECT sum(s) FROM (SELECT sum(i64) AS s FROM edge GROUP BY bo)",
        ]
    )


def test_overflow() -> None:
    """What does not fit is an error, and not another number."""
    check_error("SELECT sum(170141183460469231731687303715884105727::HUGEINT) FROM plain")
    check_error(
        "SELECT sum(hu::HUGEINT) FROM (SELECT 170141183460469231731687303715884105727::HUGEINT AS hu FROM plain)"
    )
    check_error("SELECT sum(99999999999999999999999999999999999999::DECIMAL(38, 0)) FROM plain")
    check_error("SELECT bo, sum(99999999999999999999999999999999999999::DECIMAL(38, 0)) FROM plain GROUP BY bo")
    check_error("SELECT i32 * 2000000000 FROM plain")
    check_error("SELECT sum(i8 + 120::TINYINT) FROM plain")


def test_refused() -> None:
    """Aggregates that are not there say so while the query is planned."""
    for call in (
        "median(i32)",
        "string_agg(s, ',')",
        "list(i32)",
        "quantile_cont(f8, 0.5)",
        "arg_min(s, i32)",
        "mode(s)",
    ):
        sql = f"SELECT {call} FROM plain"
        assert expected(sql).table is not None
        with pytest.raises(headrace.NotSupportedError):
            engine("interpreted").sql(sql)
