"""Every body compiles for the CPU over the words of its arguments, and answers as it does interpreted."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from device_texts import compiled, dtype, source
from headrace.kernels import registry
from headrace.types import words
from kernel_oracle import FAILED, Oracle, close, from_words, run, to_words
from kernel_samples import pairs, samples
from kernel_signatures import overloads

ARENA = 1 << 20


def by_body() -> dict[str, registry.Overload]:
    """For every body one overload that uses it."""
    found: dict[str, registry.Overload] = {}
    for _, overload in overloads():
        if overload.body is not None:
            found.setdefault(overload.body.__name__, overload)
    return found


OVERLOADS = by_body()


class Columns:
    """The words of rows as arrays; text stays alive as long as this does."""

    def __init__(self, overload: registry.Overload, rows: list[tuple[Any, ...]]) -> None:
        self.names = [w for t in overload.arguments for w in words(t)]
        self.texts: list[Any] = []
        table = [[w for v, t in zip(row, overload.arguments, strict=True) for w in self._words(v, t)] for row in rows]
        self.arrays = [np.array([row[k] for row in table], dtype=dtype(word)) for k, word in enumerate(self.names)]

    def _words(self, value: Any, t: Any) -> tuple[Any, ...]:
        if not t.is_text:
            return to_words(value, t)
        kept = ctypes.create_string_buffer(value, len(value) + 8)
        self.texts.append(kept)
        return ctypes.addressof(kept), len(value)


def run_compiled(overload: registry.Overload, rows: list[tuple[Any, ...]]) -> list[Any]:
    """The answers of the compiled body to each row."""
    assert overload.body is not None
    columns = Columns(overload, rows)
    shape = [
        *words(overload.result),
        *(["u8"] if overload.nullable else []),
        *(["u8"] if overload.fails else []),
    ]
    results = [np.zeros(len(rows), dtype=dtype(word)) for word in shape]
    arena = np.zeros(ARENA, dtype=np.uint8)
    state = np.array([arena.ctypes.data, ARENA, 0, 0], dtype=np.uint64)
    given = [f"a{k}[i]" for k in range(len(columns.names))]
    targets = [f"r{k}" for k in range(len(shape))]
    parameters = [
        ("arena", "u64[]!"),
        *((f"a{k}", f"{word}[]") for k, word in enumerate(columns.names)),
        *((f"o{k}", f"{word}[]!") for k, word in enumerate(shape)),
    ]
    lines = [
        "for i in range(u64(start), u64(stop), u64(step)):",
        f"    {', '.join(targets)} = {overload.call(given)}",
        *(f"    o{k}[i] = r{k}" for k in range(len(shape))),
    ]
    compiled(source(parameters, lines, (overload.body.__name__, "u64", "i64", "f64")))(
        0, len(rows), 1, state, *columns.arrays, *results
    )
    assert state[2] <= ARENA
    answers: list[Any] = []
    for row in zip(*(column.tolist() for column in results), strict=True):
        parts = list(row)
        if overload.fails is not None and parts.pop():
            answers.append(FAILED)
        elif overload.nullable and not parts.pop():
            answers.append(None)
        elif overload.result.is_text:
            answers.append(ctypes.string_at(parts[0], parts[1]))
        else:
            answers.append(from_words(parts, overload.result))
    return answers


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def rows_for(oracle: Oracle, overload: registry.Overload) -> list[tuple[Any, ...]]:
    types = overload.arguments
    if not types:
        return [()]
    if len(types) == 1:
        return oracle.table(types, [(x,) for x in samples(types[0])])
    if len(types) == 2:
        return oracle.table(types, pairs(types[0], types[1], 200))
    firsts = [row[::-1] for row in pairs(types[1], types[0], 60)]
    return oracle.table(
        types, [(*row, *(samples(t)[k % len(samples(t))] for t in types[2:])) for k, row in enumerate(firsts)]
    )


@pytest.mark.parametrize("name", OVERLOADS)
def test_compiled_equals_interpreted(oracle: Oracle, name: str) -> None:
    overload = OVERLOADS[name]
    rows = [row for row in rows_for(oracle, overload) if is_small(overload, row)]
    wrong = [
        (row, wanted, got)
        for row, got in zip(rows, run_compiled(overload, rows), strict=True)
        if not close(got, wanted := run(overload, row))
    ]
    assert not wrong, f"(values, interpreted, compiled) {wrong[:10]} and {max(0, len(wrong) - 10)} more"


def is_small(overload: registry.Overload, row: tuple[Any, ...]) -> bool:
    """Whether a row makes no text of millions of bytes."""
    return not overload.arena or all(not isinstance(v, int) or abs(v) < 1000 for v in row)
