"""Inputs of several morsels against DuckDB, and the same bytes however many threads run them."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import headrace
from differential.relation_data import large

GROUPED = [
    "SELECT g, count(*), sum(v), sum(x), avg(x), min(id), max(m), sum(v * m) FROM fact GROUP BY g",
    "SELECT g, t, min(u), max(u), stddev(x), sum(x), first(id), last(u) FROM fact GROUP BY g, t",
    "SELECT k, count(*), sum(v), sum(x) FROM fact GROUP BY k",
    "SELECT far, count(*), sum(x), min(v) FROM fact GROUP BY far",
    "SELECT u, count(*), min(id), sum(v) FROM fact GROUP BY u",
    "SELECT m % 1000 AS e, upper(t) AS z, sum(v) FROM fact GROUP BY e, z",
    "SELECT sum(x), avg(x), sum(v), min(x), max(x), count(v), var_pop(x), min(u), product(1 + x / 1e12) FROM fact",
    "SELECT count(DISTINCT u), count(DISTINCT k), sum(DISTINCT v) FROM fact",
    "SELECT DISTINCT t, g FROM fact",
    "SELECT substring(u, 1, 3) || t AS z, count(*), max(u || t) FROM fact WHERE m < 500000 GROUP BY z",
    "SELECT count(*), sum(f.v), sum(p.y), sum(f.x * p.y) FROM fact f JOIN parent p ON f.k = p.k",
    "SELECT p.name, count(*), sum(f.x), min(f.u) FROM fact f JOIN parent p ON f.k = p.k GROUP BY p.name",
    "SELECT p.y, count(*), count(f.id), sum(f.x) FROM parent p LEFT JOIN fact f ON p.k = f.k AND f.v > 0 GROUP BY p.y",
    "SELECT a.t, count(*), sum(b.m) FROM fact a JOIN fact b ON a.far = b.far AND a.u = b.u GROUP BY a.t",
    "SELECT count(*), sum(p.y) FROM fact f JOIN parent p ON f.m < p.y * 100 AND f.id < 20000",
    "SELECT p.y, f.g, count(*), sum(f.x) FROM fact f LEFT JOIN parent p ON f.g = p.y WHERE f.id < 140000"
    " GROUP BY p.y, f.g",
    "SELECT count(*), sum(c) FROM (SELECT f.m, p.k, count(*) AS c FROM fact f JOIN parent p ON f.g = p.y"
    " WHERE f.id < 9000 GROUP BY f.m, p.k)",
    "SELECT count(*), sum(x) FROM fact WHERE id BETWEEN 140000 AND 270000 AND m % 2 = 0",
]
"""Queries whose rows come in any order."""

ORDERED = [
    "SELECT id, u, t, v FROM fact WHERE v > 900",
    "SELECT id, u || '-' || t AS z FROM fact WHERE m < 300000",
    "SELECT * FROM fact WHERE m < 20000",
    "SELECT f.id, p.name, p.y FROM fact f LEFT JOIN parent p ON f.k = p.k AND p.y > 50 WHERE f.g = 3"
    " ORDER BY f.id, p.name, p.y",
    "SELECT id, u FROM fact WHERE g = 6 LIMIT 500 OFFSET 1000",
    "SELECT id FROM fact LIMIT 10 OFFSET 290000",
    "SELECT id, m, u FROM fact ORDER BY m DESC, id LIMIT 1000",
    "SELECT id, x FROM fact ORDER BY x LIMIT 100 OFFSET 50000",
    "SELECT u, id FROM fact WHERE m < 200000 ORDER BY u, id",
    "SELECT g, t, v FROM fact WHERE id < 200000 ORDER BY g NULLS FIRST, t DESC, v, id",
]
"""Queries whose rows come in one order: the source's, or that of a total ORDER BY."""


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[duckdb.DuckDBPyConnection, headrace.Connection, headrace.Connection]]:
    """DuckDB, and Headrace with one thread and with two."""
    theirs = duckdb.connect()
    one, two = (headrace.connect(execution="compiled", threads=n) for n in (1, 2))
    for name, table in large().items():
        theirs.register(name, table)
        one.register(name, table)
        two.register(name, table)
    yield theirs, one, two
    for connection in (theirs, one, two):
        connection.close()


def _bytes(table: pa.Table) -> bytes:
    """All of a table's buffers, NULLs written as zeros."""
    sink = pa.BufferOutputStream()
    plain = table.combine_chunks()
    with pa.ipc.new_stream(sink, plain.schema) as writer:
        writer.write_table(plain)
    return sink.getvalue().to_pybytes()


def _close(ours: pa.Table, theirs: pa.Table, ordered: bool) -> None:
    """Equal types and rows, floats within 1e-9; rows are sorted by their exact columns where they have no order."""
    assert ours.num_rows == theirs.num_rows
    text = [
        pa.string() if pa.types.is_large_string(t) or pa.types.is_string_view(t) else t for t in theirs.schema.types
    ]
    names = [f"c{k}" for k in range(theirs.num_columns)]
    assert [pa.string() if pa.types.is_large_string(t) else t for t in ours.schema.types] == text
    schema = pa.schema(list(zip(names, text, strict=True)))
    ours, theirs = (t.rename_columns(names).cast(schema) for t in (ours, theirs))
    if not ordered:
        exact = [(name, "ascending") for name, t in zip(names, text, strict=True) if not pa.types.is_floating(t)]
        ours, theirs = (t.sort_by(exact) if exact else t for t in (ours, theirs))
    for name, t in zip(names, text, strict=True):
        a, b = ours.column(name), theirs.column(name)
        if pa.types.is_floating(t):
            assert a.is_null().equals(b.is_null())
            np.testing.assert_allclose(a.to_numpy(), b.to_numpy(), rtol=1e-9, atol=0)
        else:
            assert a.equals(b), name


@pytest.mark.parametrize("sql", GROUPED + ORDERED)
def test_agrees(sql: str, engines: tuple[duckdb.DuckDBPyConnection, headrace.Connection, headrace.Connection]) -> None:
    """DuckDB's answer, and the same bytes with one thread, with two, and again."""
    theirs, one, two = engines
    first = one.sql(sql).fetch_arrow_table()
    _close(first, theirs.sql(sql).to_arrow_table(), sql in ORDERED)
    for again in (two, two, one):
        assert _bytes(again.sql(sql).fetch_arrow_table()) == _bytes(first)


@pytest.mark.parametrize(
    "sql",
    [GROUPED[0], GROUPED[6], "SELECT k % 10000 AS e, sum(x), avg(x), max(u) FROM fact WHERE id > 90000 GROUP BY e"],
)
def test_interpreted(
    sql: str, engines: tuple[duckdb.DuckDBPyConnection, headrace.Connection, headrace.Connection]
) -> None:
    """Interpreted, in other morsels, the sums of floats have the same bits."""
    with headrace.connect(execution="interpreted") as connection:
        connection.register("fact", large()["fact"])
        assert _bytes(connection.sql(sql).fetch_arrow_table()) == _bytes(engines[1].sql(sql).fetch_arrow_table())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(100 // (id - 250000)) FROM fact",
        "SELECT g, sum(x), max(100 // (id - 290000)) FROM fact GROUP BY g",
        "SELECT (id * 40000000000000)::BIGINT FROM fact",
        "SELECT k, min((id - 280000)::UTINYINT) FROM fact WHERE id >= 280000 GROUP BY k",
    ],
)
def test_late_failures(
    sql: str, engines: tuple[duckdb.DuckDBPyConnection, headrace.Connection, headrace.Connection]
) -> None:
    """A row without an answer, far into the input, is an error - the same one for any number of threads."""
    theirs, one, two = engines
    with pytest.raises(duckdb.Error):
        theirs.sql(sql).fetchall()
    messages = set()
    for connection in (one, two, two):
        with pytest.raises(headrace.DataError) as raised:
            connection.sql(sql)
        messages.add(str(raised.value))
    assert len(messages) == 1
