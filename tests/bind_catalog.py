"""A catalog of empty tables for binding, and the same tables in DuckDB to compare with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import duckdb

from headrace.sql.bind import bind
from headrace.sql.parse import parse
from headrace.sql.plan import Plan
from headrace.sql.source import ColumnEstimate, SourceColumn, View
from headrace.sql.statement import Query, Statement
from headrace.types import Kind, SqlType, decimal

TABLES = {
    "lineitem": "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INTEGER, "
    "l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), "
    "l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, "
    "l_shipinstruct VARCHAR, l_shipmode VARCHAR, l_comment VARCHAR",
    "orders": "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus VARCHAR, o_totalprice DECIMAL(15,2), "
    "o_orderdate DATE, o_orderpriority VARCHAR, o_clerk VARCHAR, o_shippriority INTEGER, o_comment VARCHAR",
    "customer": "c_custkey BIGINT, c_name VARCHAR, c_address VARCHAR, c_nationkey INTEGER, c_phone VARCHAR, "
    "c_acctbal DECIMAL(15,2), c_mktsegment VARCHAR, c_comment VARCHAR",
    "supplier": "s_suppkey BIGINT, s_name VARCHAR, s_address VARCHAR, s_nationkey INTEGER, s_phone VARCHAR, "
    "s_acctbal DECIMAL(15,2), s_comment VARCHAR",
    "nation": "n_nationkey INTEGER, n_name VARCHAR, n_regionkey INTEGER, n_comment VARCHAR",
    "region": "r_regionkey INTEGER, r_name VARCHAR, r_comment VARCHAR",
    "part": "p_partkey BIGINT, p_name VARCHAR, p_mfgr VARCHAR, p_brand VARCHAR, p_type VARCHAR, "
    "p_size INTEGER, p_container VARCHAR, p_retailprice DECIMAL(15,2), p_comment VARCHAR",
    "partsupp": "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INTEGER, ps_supplycost DECIMAL(15,2), "
    "ps_comment VARCHAR",
    "t": "a INTEGER, b INTEGER, c VARCHAR, d DATE, ti TINYINT, u UTINYINT, f DOUBLE, n BOOLEAN, "
    'ts TIMESTAMP, iv INTERVAL, "dec" DECIMAL(9,2), Mix INTEGER, "quoted Col" INTEGER, "select" INTEGER',
    "s": "a BIGINT, x INTEGER, y VARCHAR",
}
VIEWS = {
    "v": "SELECT a, b + 1 AS q FROM t",
    "broken": "SELECT nothing FROM t",
    "circle": "SELECT * FROM circle",
}

TYPES = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *(
        "HUGEINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(4,1)",
        "DECIMAL(9,2)",
        "DECIMAL(18,3)",
        "DECIMAL(38,10)",
        "DATE",
    ),
    *("TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL", "VARCHAR", "BLOB"),
)


def type_named(name: str) -> SqlType:
    if name.startswith("DECIMAL("):
        precision, scale = name[8:-1].split(",")
        return decimal(int(precision), int(scale))
    return SqlType(Kind(name))


@dataclass
class FakeRelation:
    name: str
    columns: tuple[SourceColumn, ...]

    def schema(self) -> tuple[SourceColumn, ...]:
        return self.columns

    def row_count(self) -> int | None:
        return None

    def unsupported(self) -> dict[str, str]:
        return {}

    def estimate(self, column: str) -> ColumnEstimate:
        return ColumnEstimate()


@dataclass
class FakeCatalog:
    """Table functions give a table of one column `p`, and are recorded in `scanned`."""

    relations: dict[str, FakeRelation]
    views: dict[str, View]
    scanned: list[tuple[str, list[object], dict[str, object]]] = field(default_factory=list)

    def lookup(self, name: str) -> FakeRelation | View | None:
        return self.views.get(name.lower()) or self.relations.get(name.lower())

    def names(self) -> Sequence[str]:
        return [*self.relations, *self.views]

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> FakeRelation:
        self.scanned.append((name, list(arguments), dict(options)))
        return FakeRelation(name, (SourceColumn("p", type_named("INTEGER"), True),))


def _relation(name: str, definition: str) -> FakeRelation:
    columns = []
    for part in definition.replace("(9,2)", "(9;2)").replace("(15,2)", "(15;2)").split(", "):
        column, _, type_name = part.rpartition(" ")
        columns.append(SourceColumn(column.strip('"'), type_named(type_name.replace(";", ",")), True))
    return FakeRelation(name, tuple(columns))


def catalog() -> FakeCatalog:
    relations = {n: _relation(n, d) for n, d in TABLES.items()}
    types = tuple(SourceColumn(f"c{k}", type_named(t), True) for k, t in enumerate(TYPES))
    relations["types"] = FakeRelation("types", (SourceColumn("flag", type_named("BOOLEAN"), True), *types))
    return FakeCatalog(relations, {n: View(n, text) for n, text in VIEWS.items()})


@cache
def twin() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, definition in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({definition})")
    columns = ", ".join(f"c{k} {t}" for k, t in enumerate(TYPES))
    connection.execute(f"CREATE TABLE types (flag BOOLEAN, {columns})")
    connection.execute(f"CREATE VIEW v AS {VIEWS['v']}")
    return connection


def expected(sql: str) -> list[tuple[str, str]] | None:
    """DuckDB's column names and types; None where it raises an error."""
    try:
        rows = twin().execute(f"DESCRIBE {sql}").fetchall()
    except duckdb.Error:
        return None
    return [(str(r[0]), str(r[1]).strip('"')) for r in rows]


def bound(sql: str, parameters: Sequence[object] | Mapping[str, object] | None = None) -> Statement:
    (parsed,) = parse(sql)
    return bind(parsed, catalog(), parameters)


def plan_of(sql: str, parameters: Sequence[object] | Mapping[str, object] | None = None) -> Plan:
    statement = bound(sql, parameters)
    assert isinstance(statement, Query)
    return statement.plan


def columns_of(plan: Plan) -> list[tuple[str, str]]:
    return [(f.name, str(f.type)) for f in plan.schema()]
