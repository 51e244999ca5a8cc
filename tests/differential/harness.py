"""One SQL text on DuckDB and on Headrace, interpreted and compiled, over the same Arrow tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import duckdb
import pyarrow as pa

import headrace
from differential.data import tables
from headrace.tpch.comparison import difference

EXECUTIONS = ("interpreted", "compiled")
Parameters = Sequence[object] | Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine made of a query: rows with the names of their SQL types, or an error."""

    table: pa.Table | None
    types: tuple[str, ...] = ()
    error: Exception | None = None

    @property
    def fault(self) -> str:
        return f"{type(self.error).__name__}: {self.error}"


@cache
def oracle() -> duckdb.DuckDBPyConnection:
    """DuckDB with every table of `data`."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for name, table in tables().items():
        connection.register(name, table)
    return connection


@cache
def engine(execution: str, device: str = "cpu") -> headrace.Connection:
    """Headrace with every table of `data`."""
    connection = headrace.connect(execution=execution, device=device, threads=1)
    for name, table in tables().items():
        connection.register(name, table)
    return connection


def expected(sql: str, parameters: Parameters = None) -> Answer:
    """DuckDB's answer."""
    try:
        relation = oracle().sql(sql, params=parameters)
        types = tuple(str(t).strip('"') for t in relation.types)  # the type of a bare NULL is written "NULL"
        return Answer(relation.to_arrow_table(), types)
    except duckdb.Error as error:
        return Answer(None, error=error)


def answered(sql: str, connection: headrace.Connection, parameters: Parameters = None) -> Answer:
    """Headrace's answer; a defect in the engine is no answer, and is raised."""
    try:
        result = connection.sql(sql, parameters)
        return Answer(result.fetch_arrow_table(), tuple(map(str, result.types)))
    except headrace.InternalError:
        raise
    except headrace.Error as error:
        return Answer(None, error=error)


def disagreement(
    sql: str,
    parameters: Parameters = None,
    order: Sequence[int] = (),
    limit: int | None = None,
    offset: int = 0,
    executions: Sequence[str] = EXECUTIONS,
) -> str | None:
    """How Headrace's answer differs from DuckDB's, in words; None where they agree.

    `order` is the positions of the ORDER BY columns, `limit` and `offset` the query's. Where DuckDB reports an
    error, Headrace must report one too - not that it lacks the construct.
    """
    theirs = expected(sql, parameters)
    for execution in executions:
        fault = _against(sql, theirs, execution, parameters, order, limit, offset)
        if fault is not None:
            return f"{sql}\n{execution}: {fault}"
    return None


def _against(
    sql: str,
    theirs: Answer,
    execution: str,
    parameters: Parameters,
    order: Sequence[int],
    limit: int | None,
    offset: int,
) -> str | None:
    try:
        ours = answered(sql, engine(execution), parameters)
    except headrace.InternalError as defect:
        return f"a defect: {defect}"
    if theirs.table is None:
        if ours.table is not None:
            return f"{ours.table.to_pydict()}, expected the error {theirs.fault}"
        if isinstance(ours.error, headrace.NotSupportedError):
            return f"refused ({ours.error}), expected the error {theirs.fault}"
        return None
    if ours.table is None:
        return f"{ours.fault}, expected rows"
    if ours.types != theirs.types:
        wrong = [
            f"{n}: {a}, expected {b}"
            for n, a, b in zip(ours.table.column_names, ours.types, theirs.types, strict=False)
            if a != b
        ]
        return f"types: {'; '.join(wrong)}"
    return difference(ours.table, theirs.table, order, limit, offset)


def assert_agrees(
    sql: str,
    parameters: Parameters = None,
    order: Sequence[int] = (),
    limit: int | None = None,
    offset: int = 0,
    executions: Sequence[str] = EXECUTIONS,
) -> None:
    """Fail with the first difference, if there is one."""
    fault = disagreement(sql, parameters, order, limit, offset, executions)
    assert fault is None, fault


def assert_case(expressions: Sequence[str], compiled: Sequence[str] = ("plain",)) -> None:
    """Compare expressions over every table: those of `compiled` also compiled, the others interpreted only.

    An expression that fails in DuckDB over a table must fail in Headrace too; over `plain` none may.
    """
    for table in tables():
        executions = EXECUTIONS if table in compiled else EXECUTIONS[:1]
        failing = [e for e in expressions if expected(select([e], table)).table is None]
        assert table != "plain" or not failing, f"DuckDB does not answer {failing}"
        assert_expressions_agree([e for e in expressions if e not in failing], table, executions)
        for e in failing:
            assert_agrees(select([e], table), executions=EXECUTIONS[:1])


def assert_expressions_agree(expressions: Sequence[str], table: str, executions: Sequence[str] = EXECUTIONS) -> None:
    """Compare expressions over a table row by row; all in one query, and one by one if that goes wrong."""
    if not expressions:
        return
    together = disagreement(select(expressions, table), order=(0,), executions=executions)
    if together is None:
        return
    alone = (disagreement(select([e], table), order=(0,), executions=executions) for e in expressions)
    faults = [fault for fault in alone if fault is not None]
    assert not faults, "\n".join(faults)
    raise AssertionError(f"together, but not one by one: {together}")


def select(expressions: Sequence[str], table: str) -> str:
    """A query of the row number and the expressions, as columns c0, c1, ..."""
    return f"SELECT r, {', '.join(f'{e} AS c{k}' for k, e in enumerate(expressions))} FROM {table}"


def assert_fails(sql: str, executions: Sequence[str] = EXECUTIONS) -> None:
    """Both engines must report an error for the query, whichever way Headrace runs it."""
    assert expected(sql).table is None, f"DuckDB answers {sql}"
    assert_agrees(sql, executions=executions)
