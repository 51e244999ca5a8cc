"""Random expressions: plain Python, interpreted and compiled kernels give the same bytes, or all fail."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from differential.harness import Answer, answered, disagreement, engine, expected, select

BOOLEAN, NUMBER, FLOAT, TEXT, TIME = "boolean", "number", "float", "text", "time"

LEAVES: dict[str, list[str]] = {
    BOOLEAN: ["bo", "true", "false"],
    NUMBER: ["i8", "i16", "i32", "i64", "u8", "d4", "d15", "d18", "hu::HUGEINT", "0", "1", "-3", "2.5"],
    FLOAT: ["f4", "f8", "0.5::DOUBLE", "i32::DOUBLE"],
    TEXT: ["s", "t", "'a'", "'äb'", "''"],
    TIME: ["da", "ts", "DATE '2000-02-29'"],
}
# templates of each kind of value; a word in braces is a value of that kind
TEMPLATES: dict[str, list[str]] = {
    BOOLEAN: [
        *("{number} = {number}", "{number} < {number}", "{float} >= {float}", "{text} = {text}", "{text} < {text}"),
        *("{time} <= {time}", "{boolean} AND {boolean}", "{boolean} OR {boolean}", "NOT {boolean}", "{text} LIKE 'a%'"),
        *(
            "{text} ILIKE '%Ä%'",
            "{number} IS NULL",
            "{text} IS NOT NULL",
            "{number} IN (1, 2, 3)",
            "{text} IN ('a', 'abc')",
        ),
        *("{number} IS DISTINCT FROM {number}", "{boolean} IS TRUE", "{number} BETWEEN {number} AND {number}"),
        "contains({text}, {text})",
    ],
    NUMBER: [
        *("{number} + {number}", "{number} - {number}", "{number} * {number}", "-{number}", "abs({number})"),
        *(
            "CASE WHEN {boolean} THEN {number} ELSE {number} END",
            "coalesce({number}, {number})",
            "nullif({number}, {number})",
        ),
        *(
            "greatest({number}, {number})",
            "length({text})",
            "year({time})",
            "floor({number})",
            "{number} % 7",
            "round({number})",
        ),
    ],
    FLOAT: [
        *("{float} + {float}", "{float} * {float}", "{float} / {float}", "{number} / {number}", "sqrt(abs({float}))"),
        *("floor({float})", "round({float})", "CASE WHEN {boolean} THEN {float} END", "least({float}, {float})"),
    ],
    TEXT: [
        *("{text} || {text}", "upper({text})", "lower({text})", "substring({text}, 2, 2)", "trim({text})"),
        *("replace({text}, 'a', 'xy')", "coalesce({text}, {text})", "CASE WHEN {boolean} THEN {text} ELSE {text} END"),
        *("concat({text}, {text})", "left({text}, 2)", "{number}::VARCHAR", "{time}::VARCHAR"),
    ],
    TIME: [
        "{time} + INTERVAL 1 MONTH",
        "{time} - INTERVAL '3 days 04:00:00'",
        "coalesce({time}, {time})",
        "greatest({time}, {time})",
    ],
}


@st.composite
def expressions(draw: st.DrawFn, kind: str, depth: int) -> str:
    if depth == 0:
        return draw(st.sampled_from(LEAVES[kind]))
    template = draw(st.sampled_from(TEMPLATES[kind]))
    parts = []
    for piece in template.split("{"):
        word, brace, rest = piece.partition("}")
        if brace:
            parts.append("(" + draw(expressions(word, draw(st.integers(0, depth - 1)))) + ")" + rest)
        else:
            parts.append(piece)
    return "".join(parts)


def any_expression() -> st.SearchStrategy[str]:
    return st.sampled_from(list(TEMPLATES)).flatmap(lambda kind: expressions(kind, 3))


def outcome(answer: Answer) -> object:
    """What must be the same: the types and the bytes of every column, or that there was an error."""
    if answer.table is None:
        return type(answer.error).__name__
    return [
        (name, _bytes(column.combine_chunks())) for name, column in zip(answer.types, answer.table.columns, strict=True)
    ]


def _bytes(array: pa.Array) -> list[object]:
    """The values; floats as their bits, but all NaN alike."""
    if not pa.types.is_floating(array.type):
        return list(array.cast(pa.int64()).to_pylist() if pa.types.is_timestamp(array.type) else array.to_pylist())
    valid = array.is_valid().to_pylist()
    values = array.fill_null(0.0).to_numpy()
    values = np.where(np.isnan(values), values.dtype.type("nan"), values)
    bits = values.view(np.int32 if values.itemsize == 4 else np.int64)
    return [bit if there else None for bit, there in zip(bits.tolist(), valid, strict=True)]


@pytest.mark.parametrize("table", ["plain", "edge"])
@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(any_expression(), min_size=1, max_size=3))
def test_three_ways(table: str, texts: list[str]) -> None:
    sql = select(texts, table)
    outcomes = [
        outcome(answered(sql, c)) for c in (engine("auto", "reference"), engine("interpreted"), engine("compiled"))
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2], sql


@pytest.mark.parametrize("table", ["plain", "edge", "tall"])
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(text=any_expression())
def test_as_duckdb(table: str, text: str) -> None:
    """Where both answer: for rows already decided by AND or OR only one may fail, or after DuckDB's rewrites."""
    sql = select([text], table)
    if expected(sql).table is not None and answered(sql, engine("interpreted")).table is not None:
        fault = disagreement(sql, order=(0,), executions=("interpreted",))
        assert fault is None, fault
