"""Bound statements: what one SQL statement asks the engine to do."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.plan import Plan
from headrace.sql.source import SourceColumn


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT. The plan's schema gives the result columns, names as the user sees them (duplicates allowed)."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE name (columns) or CREATE TABLE name AS query (`query` set; columns from its schema)."""

    name: str
    columns: tuple[SourceColumn, ...]
    query: Plan | None
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW: `text` is the query's SQL, bound once already so that a fault shows now."""

    name: str
    text: str
    columns: tuple[str, ...] = ()
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    kind: str  # "table" | "view"
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT INTO name: the plan's columns match the table's columns in order and type."""

    table: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Describe:
    """DESCRIBE name / DESCRIBE query: one row a column (column_name, column_type, null, key, default, extra)."""

    columns: tuple[SourceColumn, ...]


@dataclass(frozen=True, slots=True)
class ShowTables:
    pass


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN and EXPLAIN ANALYZE. `bound` is the plan before optimisation."""

    query: Query
    analyze: bool


@dataclass(frozen=True, slots=True)
class Transaction:
    """BEGIN, COMMIT or ROLLBACK; the engine commits each statement by itself, so ROLLBACK is refused there."""

    action: str


Statement = Query | CreateTable | CreateView | Drop | Insert | Describe | ShowTables | SetOption | Explain | Transaction
