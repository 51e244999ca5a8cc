"""Checks of whole queries over the tables of `relation_data`, against DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sqlglot

import headrace
from differential.harness import EXECUTIONS, disagreement, engine, expected, oracle
from differential.relation_data import relations


@cache
def prepare() -> None:
    """Give both engines the tables."""
    for name, table in relations().items():
        oracle().register(name, table)
        for execution in EXECUTIONS:
            engine(execution).register(name, table)


def check(sql: str, executions: Sequence[str] = EXECUTIONS) -> None:
    """Fail where Headrace differs from DuckDB; rows in order if the query has an ORDER BY, which must be total."""
    prepare()
    theirs = expected(sql).table
    ordered = sqlglot.parse_one(sql, dialect="duckdb").args.get("order") is not None
    order = range(theirs.num_columns) if ordered and theirs is not None else ()
    fault = disagreement(sql, order=tuple(order), executions=executions)
    assert fault is None, fault


def check_all(queries: Sequence[str], executions: Sequence[str] = EXECUTIONS) -> None:
    """Check several queries and report every one that fails."""
    faults = []
    for sql in queries:
        try:
            check(sql, executions)
        except AssertionError as fault:
            faults.append(str(fault))
    assert not faults, "\n\n".join(faults)


def check_some(queries: Sequence[str], every: int) -> None:
    """Check several queries interpreted, and one of `every` compiled too, since compiling takes its time."""
    check_all(queries, ("interpreted",))
    check_all(queries[::every], ("compiled",))


def check_refused(sql: str) -> None:
    """Headrace must refuse the query while planning it."""
    prepare()
    try:
        rows = engine("interpreted").sql(sql).fetchall()
    except headrace.NotSupportedError:
        return
    raise AssertionError(f"{sql}\nanswered {rows}")


def check_error(sql: str) -> None:
    """Both engines must report an error for the query, whichever way Headrace runs it."""
    prepare()
    assert expected(sql).table is None, f"DuckDB answers {sql}"
    fault = disagreement(sql)
    assert fault is None, fault


def check_cut(sql: str, order: Sequence[int], limit: int, offset: int = 0) -> None:
    """Check a query whose LIMIT may cut through ties; `order` is the positions of its sort keys."""
    prepare()
    fault = disagreement(sql, order=order, limit=limit, offset=offset)
    assert fault is None, fault
