"""Random queries against DuckDB: what hand-written cases combine too seldom."""

from __future__ import annotations

from differential.harness import expected
from differential.random_queries import random_query
from differential.relations import check, prepare

MOST_ROWS = 20_000


def _check(seeds: range, execution: str) -> None:
    prepare()
    faults = []
    for seed in seeds:
        sql = random_query(seed)
        table = expected(sql).table
        if table is not None and table.num_rows > MOST_ROWS:
            continue
        try:
            check(sql, (execution,))
        except AssertionError as fault:
            faults.append(f"seed {seed}: {fault}")
    assert not faults, "\n\n".join(faults)


def test_interpreted() -> None:
    _check(range(300), "interpreted")


def test_compiled() -> None:
    _check(range(10_000, 10_004), "compiled")
