"""Aggregates: result types and, with states folded in plain Python, values against DuckDB."""

from __future__ import annotations

import math
from typing import Any

import pytest

from headrace.kernels.aggregate import (
    AGGREGATES,
    AggregateOverload,
    Operation,
    Part,
    add_sum_wide,
    enter_moments,
    merge_moments,
    resolve_aggregate,
)  # fmt: skip
from headrace.types import BIGINT, BOOLEAN, DOUBLE, NULL, SqlType
from kernel_oracle import FAILED, Oracle, from_words, read, sql_name, to_words
from kernel_samples import samples
from kernel_signatures import TYPES

EXACT = [t for t in TYPES if t.is_exact]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.mark.parametrize("name", [n for n in AGGREGATES if n != "count_star"])
def test_result_types(oracle: Oracle, name: str) -> None:
    wrong = []
    for t in (*TYPES, NULL):
        value = "NULL" if t == NULL else f"CAST(NULL AS {sql_name(t)})"
        try:
            wanted = oracle.connection.execute(f"SELECT typeof({name}({value}))").fetchall()[0][0]
        except Exception:
            wanted = "none"
        found = resolve_aggregate(name, (t,))
        got = "none" if found is None else sql_name(found.result)
        # a NULL literal's own type is written in quotes there
        if got != wanted.strip('"') and not (
            name in ("avg", "mean") and (t.kind.value[:4] in ("DATE", "TIME", "INTE"))
        ):
            wrong.append((sql_name(t), wanted, got))
    assert not wrong


def enter(part: Part, state: Any, words: tuple[Any, ...]) -> Any:
    """One row into one part."""
    match part.operation:
        case Operation.COUNT | Operation.COUNT_ROWS:
            return (state[0] + 1,)
        case Operation.SUM | Operation.SUM_WIDE:
            low, high = words if len(words) == 2 else (words[0] & (2**64 - 1), words[0] >> 64)
            wide = (*state, 0) if part.operation is Operation.SUM else state
            return add_sum_wide(*wide, low, high, 0)[: len(state)]  # type: ignore[misc]
        case Operation.SUM_FLOAT:
            return (state[0] + words[0],)
        case Operation.MOMENTS:
            return enter_moments(*state, words[0])
    raise AssertionError(part)


def finish(overload: AggregateOverload, values: list[Any]) -> Any:
    states: list[Any] = [tuple(0.0 if w == "f64" else 0 for w in part.words) for part in overload.state]
    for value in values:
        row = to_words(value, overload.arguments[0])
        states = [enter(part, state, row) for part, state in zip(overload.state, states, strict=True)]
    parts: list[Any] = [w for state in states for w in state]
    if overload.finish is None:
        count = parts.pop() if overload.nullable else 1
        return from_words(parts, overload.result) if count else None
    parts = list(overload.finish(*parts, *(v for _, v in overload.constants)))  # type: ignore[call-overload]
    if overload.fails is not None and parts.pop():
        return FAILED
    if overload.nullable and not parts.pop():
        return None
    return from_words(parts, overload.result)


def expected(oracle: Oracle, expression: str, t: SqlType) -> Any:
    try:
        return read(oracle.connection, f"SELECT {expression} FROM t", t)[0]
    except Exception:
        return FAILED


@pytest.mark.parametrize("t", [BOOLEAN, *EXACT, DOUBLE], ids=sql_name)
@pytest.mark.parametrize("name", ["count", "sum", "avg", "var_samp", "var_pop", "stddev_samp", "stddev_pop", "sem"])
def test_values(oracle: Oracle, name: str, t: SqlType) -> None:
    overload = resolve_aggregate(name, (t,))
    if overload is None:
        assert (name, t) != ("count", t)
        return
    texts = [x for x in samples(t) if x not in ("nan", "inf", "-inf") and "e308" not in x]
    for chosen in ([], texts[:1], texts[:2], texts[-2:], texts):
        values = [row[0] for row in oracle.table((t,), [(x,) for x in chosen])] if chosen else []
        if not chosen:
            oracle.table((t,), [(texts[0],)])
            oracle.connection.execute("DELETE FROM t")
        if overload.arguments != (t,):
            values = read(oracle.connection, "SELECT CAST(a AS DOUBLE) FROM t ORDER BY row", DOUBLE)
        got, wanted = finish(overload, values), expected(oracle, f"{name}(a)", overload.result)
        if isinstance(got, float) and isinstance(wanted, float):
            assert math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-300) or (got != got and wanted != wanted)
        elif wanted == FAILED:
            # DuckDB fails where a partial sum leaves 128 bits, here the whole one has to
            assert got == FAILED or len(values) > 2
        else:
            assert got == wanted, chosen


def test_partial_moments_merge_to_the_whole() -> None:
    values = [1.5, -2.0, 1e6, 3.25, 0.0, 7.5]
    for cut in range(len(values) + 1):
        halves = []
        for part in (values[:cut], values[cut:]):
            state: Any = (0, 0.0, 0.0)
            for value in part:
                state = enter_moments(*state, value)
            halves.append(state)
        count, mean, square = merge_moments(*halves[0], *halves[1])
        assert count == 6
        assert math.isclose(mean, sum(values) / 6)
        assert math.isclose(square, sum((v - mean) ** 2 for v in values))


def test_wide_sums_may_wrap_on_the_way() -> None:
    """The order of the rows does not decide whether a sum fits."""
    most = (2**64 - 1, 2**63 - 1)
    minus = (1, -(2**63))
    state = (0, 0, 0)
    for low, high in (most, most, minus, minus):
        state = add_sum_wide(*state, low, high, 0)  # type: ignore[assignment]
    assert state == (0, 0, 0)


def test_count_needs_no_rows() -> None:
    assert resolve_aggregate("count_star", ()) == resolve_aggregate("count", ())
    found = resolve_aggregate("count", (BIGINT,))
    assert found is not None
    assert not found.nullable
    assert resolve_aggregate("sum", (BIGINT, BIGINT)) is None
