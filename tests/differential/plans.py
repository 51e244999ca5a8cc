"""Logical plans over Arrow tables, run by the engine without a binder, to compare with DuckDB's answer to SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from differential.harness import oracle
from differential.relation_data import relations
from headrace.column import Column
from headrace.encode import column_type, encode
from headrace.errors import Error
from headrace.executor import Executor
from headrace.settings import Settings
from headrace.sql.optimize import optimize
from headrace.sql.plan import Plan
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.tpch.comparison import difference


@dataclass(frozen=True)
class Stored:
    """A relation over an Arrow table; every column may be NULL as far as its schema says."""

    name: str
    table: pa.Table

    @property
    def columns(self) -> tuple[SourceColumn, ...]:
        return tuple(SourceColumn(f.name, column_type(f.type), True) for f in self.table.schema)

    def schema(self) -> tuple[SourceColumn, ...]:
        return self.columns

    def row_count(self) -> int | None:
        return int(self.table.num_rows)

    def estimate(self, column: str) -> ColumnEstimate:
        return ColumnEstimate()

    def load(self, columns: Sequence[str], threads: int) -> dict[str, Column]:
        return {name: encode(self.table.column(name)) for name in columns}


@cache
def stored(name: str) -> Stored:
    """A table of `relation_data`, which DuckDB is given too."""
    table = relations()[name]
    oracle().register(name, table)
    return Stored(name, table)


@cache
def executor(execution: str, threads: int = 1) -> Executor:
    settings = Settings()
    settings.set("execution", execution)
    settings.set("threads", threads)
    return Executor(settings)


def run(plan: Plan, execution: str = "interpreted", threads: int = 1, optimized: bool = True) -> pa.Table:
    return executor(execution, threads).run(optimize(plan) if optimized else plan)


def fault(plan: Plan, sql: str, executions: Sequence[str], threads: int = 1, order: Sequence[int] = ()) -> str | None:
    """How the plan's rows differ from DuckDB's for `sql`, as it is and optimised; None where they agree."""
    theirs = oracle().sql(sql).to_arrow_table()
    for execution in executions:
        for optimized in (True, False) if execution == "interpreted" else (True,):
            try:
                ours = run(plan, execution, threads, optimized)
            except Error as error:
                return f"{execution}: {type(error).__name__}: {error}, expected rows"
            found = difference(ours.rename_columns(theirs.column_names), theirs, order)
            if found is not None:
                return f"{execution}, {'optimised' if optimized else 'as it is'}: {found}"
    return None
