"""Every body compiles for the CPU over the words of its arguments, and then answers as it does interpreted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from headrace.devices import cpu
from headrace.devices.lowering import word_type
from headrace.kernels import registry
from headrace.types import words
from numba.core import types

from kernel_oracle import FAILED, close, from_words, run, to_words
from kernel_oracle import Oracle
from kernel_samples import pairs, samples
from kernel_signatures import overloads


def by_body() -> dict[str, registry.Overload]:
    """For every body one overload that uses it."""
    found: dict[str, registry.Overload] = {}
    for _, overload in overloads():
        if overload.body is not None:
            found.setdefault(overload.body.__name__, overload)
    return found


OVERLOADS = by_body()


def compiled(overload: registry.Overload) -> Callable[..., Any]:
    """The body as a function of its arguments' words alone."""
    assert overload.body is not None
    name = overload.body.__name__
    cpu.declare_bodies((name,))
    given = [w for t in overload.arguments for w in words(t)]
    parameters = [f"w{k}" for k in range(len(given))]
    arena = ["arena"] if overload.arena else []
    text = f"def call({', '.join([*arena, *parameters])}):\n    return {overload.call(parameters)}\n"
    names: dict[str, Any] = {name: overload.body, "i64": np.int64, "u64": np.uint64, "f64": np.float64}
    exec(text, names)
    arrays = [types.Array(types.uint64, 1, "C")] if overload.arena else []
    signature = tuple([*arrays, *(word_type(types, w) for w in given)])
    return numba.njit([signature], error_model="numpy")(names["call"])  # type: ignore[no-any-return]
