"""Row bodies, interpreted or compiled, against DuckDB's answers over the same values.

A value is held in the units of its type: whole numbers, scaled decimals, days, ticks and BOOLEAN as int,
floating numbers as float, INTERVAL as (months, days, microseconds), text as bytes. None is NULL, FAILED an
error.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pyarrow as pa

import headrace.kernels.functions
from headrace.kernels import registry
from headrace.kernels.primitives import f32
from headrace.types import FLOAT, SqlType, words

DECLARED = headrace.kernels.functions.DECLARED
FAILED = "failed"


def sql_name(t: SqlType) -> str:
    return str(t)


def read(connection: duckdb.DuckDBPyConnection, query: str, t: SqlType) -> list[Any]:
    """The only column of a query's result, in the units of type `t`."""
    if t.is_decimal or t.kind.value in ("HUGEINT", "UBIGINT"):
        texts = connection.execute(f"SELECT CAST(x AS VARCHAR) FROM ({query}) q(x)").fetchall()
        return [None if v is None else int(v.replace(".", "")) for (v,) in texts]
    if t.kind.value == "INTERVAL":
        parts = (
            "datepart('year', x) * 12 + datepart('month', x), datepart('day', x), "
            "datepart('hour', x) * 3600000000 + datepart('minute', x) * 60000000 + datepart('microsecond', x)"
        )
        rows = connection.execute(f"SELECT {parts} FROM ({query}) q(x)").fetchall()
        return [None if row[0] is None else tuple(map(int, row)) for row in rows]
    column = connection.execute(query).to_arrow_table().column(0).combine_chunks()
    if t.is_timestamp or t.kind.value == "TIME":
        column = column.cast("int64")
    if t.kind.value == "DATE":
        column = column.cast("int32")
    if t.kind.value == "VARCHAR":
        column = column.cast("binary")
    values = column.to_pylist()
    if t.kind.value == "BOOLEAN":
        return [None if v is None else int(v) for v in values]
    return values


def to_words(value: Any, t: SqlType) -> tuple[Any, ...]:
    shape = words(t)
    if t.is_text:
        return value, len(value)
    if t.kind.value == "INTERVAL":
        return tuple(value)
    if shape == ("u64", "i64"):
        return value & (2**64 - 1), value >> 64
    return (f32(value) if t == FLOAT else value,)


def from_words(parts: Sequence[Any], t: SqlType) -> Any:
    if t.is_text:
        return bytes(parts[0][: parts[1]])
    if len(parts) == 3:
        return tuple(parts)
    if len(parts) == 2:
        return (parts[1] << 64) + parts[0]
    return parts[0]


Runner = Callable[..., Any]


def run(overload: registry.Overload, values: Sequence[Any], call: Runner | None = None) -> Any:
    """One row through the overload's body (or `call`): the value, None for NULL, FAILED for an error."""
    assert overload.body is not None
    given: list[Any] = [None] if overload.arena else []
    for value, t in zip(values, overload.arguments, strict=True):
        given.extend(to_words(value, t))
    given.extend(float(v) if word == "f64" else v for word, v in overload.constants)
    result = (call or overload.body)(*given)
    parts = list(result) if isinstance(result, tuple) else [result]
    expected = len(words(overload.result)) + overload.nullable + (overload.fails is not None)
    assert len(parts) == expected, f"{overload.body.__name__} returns {len(parts)} words, not {expected}"
    if overload.fails is not None and parts.pop():
        return FAILED
    if overload.nullable and not parts.pop():
        return None
    return from_words(parts, overload.result)


def same(a: Any, b: Any) -> bool:
    """Equality to the bit, every not-a-number being the same."""
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or struct.pack("<d", a) == struct.pack("<d", b)
    return type(a) is type(b) and a == b


def close(a: Any, b: Any) -> bool:
    """Equality but for the last bits of a floating number."""
    if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
        return math.isclose(a, b, rel_tol=4e-16, abs_tol=1e-320)
    return same(a, b)


class Oracle:
    """DuckDB, with tables of typed values."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()

    def table(self, types: Sequence[SqlType], rows: Sequence[Sequence[str]]) -> list[tuple[Any, ...]]:
        """Make table t(a, b, ...) of values given as text, by DuckDB's own casts; the values in their units.

        Rows with a text that does not convert are left out.
        """
        names = "abcdefgh"[: len(types)]
        given = {f"{n}_text": [row[k] for row in rows] for k, n in enumerate(names[: len(types)])}
        texts = pa.table({**given, "row": range(len(rows))})
        self.connection.register("texts", texts)
        casts = ", ".join(f"TRY_CAST({n}_text AS {sql_name(t)}) AS {n}" for n, t in zip(names, types, strict=True))
        valid = " AND ".join(f"{n} IS NOT NULL" for n in names)
        self.connection.execute(
            f"CREATE OR REPLACE TABLE t AS SELECT * FROM (SELECT {casts}, row FROM texts) WHERE {valid} ORDER BY row"
        )
        columns = [
            read(self.connection, f"SELECT {n} FROM t ORDER BY row", t) for n, t in zip(names, types, strict=True)
        ]
        return list(zip(*columns, strict=True))

    def answers(self, expression: str, result: SqlType) -> list[Any]:
        """The expression for each row of t: its value, None for NULL, FAILED for an error."""
        typed = self.connection.execute(f"SELECT typeof({expression}) FROM t LIMIT 1").fetchone()
        assert typed is not None
        assert typed[0] == sql_name(result), f"{expression} is {typed[0]} in DuckDB, {result} here"
        values = read(self.connection, f"SELECT TRY({expression}) FROM t ORDER BY row", result)
        if None in values:
            for k, value in enumerate(values):
                if value is None and self._fails(expression, k):
                    values[k] = FAILED
        return values

    def _fails(self, expression: str, k: int) -> bool:
        one = f"SELECT {expression} FROM (SELECT * FROM t ORDER BY row LIMIT 1 OFFSET {k}) t"
        try:
            self.connection.execute(one).fetchall()
        except duckdb.Error:
            return True
        return False

    def check(
        self,
        overload: registry.Overload | None,
        expression: str,
        rows: Sequence[Sequence[str]],
        types: Sequence[SqlType] | None = None,
        equal: Callable[[Any, Any], bool] = same,
    ) -> int:
        """Compare the overload's body with DuckDB's `expression` over a, b, ...; returns the number of rows.

        `types` are the types of the columns a, b, ... where they are not the overload's own.
        """
        assert overload is not None, f"{expression} is not declared"
        columns = tuple(types or overload.arguments)
        values = self.table(columns, rows)
        wrong = []
        for row, wanted in zip(values, self.answers(expression, overload.result), strict=True):
            got = run(overload, row)
            if not equal(got, wanted):
                wrong.append((row, got, wanted))
        assert not wrong, f"{expression}: (values, ours, DuckDB's) {wrong[:12]} and {max(0, len(wrong) - 12)} more"
        return len(values)
