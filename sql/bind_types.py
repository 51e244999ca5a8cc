"""Type names of CAST and CREATE TABLE as SQL types."""

from __future__ import annotations

from sqlglot import exp

from headrace import types
from headrace.sql.scope import Session
from headrace.types import SqlType

_DType = exp.DType

_TYPES: dict[object, SqlType] = {
    _DType.BOOLEAN: types.BOOLEAN,
    _DType.TINYINT: types.TINYINT,
    _DType.SMALLINT: types.SMALLINT,
    _DType.INT: types.INTEGER,
    _DType.BIGINT: types.BIGINT,
    _DType.INT128: types.HUGEINT,
    _DType.UTINYINT: types.UTINYINT,
    _DType.USMALLINT: types.USMALLINT,
    _DType.UINT: types.UINTEGER,
    _DType.UBIGINT: types.UBIGINT,
    _DType.FLOAT: types.FLOAT,
    _DType.DOUBLE: types.DOUBLE,
    _DType.DATE: types.DATE,
    _DType.TIME: types.TIME,
    _DType.TIMESTAMP: types.TIMESTAMP,
    _DType.TIMESTAMPNTZ: types.TIMESTAMP,
    _DType.TIMESTAMP_S: types.TIMESTAMP_S,
    _DType.TIMESTAMP_MS: types.TIMESTAMP_MS,
    _DType.TIMESTAMP_NS: types.TIMESTAMP_NS,
    _DType.INTERVAL: types.INTERVAL,
    _DType.TEXT: types.VARCHAR,
    _DType.VARCHAR: types.VARCHAR,
    _DType.CHAR: types.VARCHAR,
    _DType.NVARCHAR: types.VARCHAR,
    _DType.VARBINARY: types.BLOB,
    _DType.BINARY: types.BLOB,
}

# DuckDB's names that sqlglot's dialect does not know
_BY_NAME = {
    "uint8": types.UTINYINT,
    "uint16": types.USMALLINT,
    "uint32": types.UINTEGER,
    "uint64": types.UBIGINT,
    "oid": types.BIGINT,
    "integral": types.INTEGER,
}


def sql_type(tree: exp.Expr, session: Session, within: exp.Expr) -> SqlType:
    """The type that a DataType node names; `within` gives the position of an error."""
    kind = tree.this
    if kind is _DType.DECIMAL:
        parameters = [int(p.name) for p in tree.expressions]
        precision = parameters[0] if parameters else 18
        scale = parameters[1] if len(parameters) > 1 else 0
        if not 1 <= precision <= 38 or not 0 <= scale <= precision:
            raise session.wrong(
                f"DECIMAL({precision},{scale}) is out of range: 1 to 38 digits, as many of them or fewer "
                "after the point",
                within,
            )
        return types.decimal(precision, scale)
    found = _TYPES.get(kind)
    if found is not None and not tree.args.get("nested"):
        return found
    name = str(tree.args.get("kind") or tree.sql(dialect="duckdb"))
    found = _BY_NAME.get(name.lower())
    if found is not None:
        return found
    if kind is _DType.USERDEFINED:
        raise session.wrong(f"there is no type {name}", within)
    raise session.refused(f"{name} values", within)
