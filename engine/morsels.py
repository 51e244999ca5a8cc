"""Which morsels of a table a pipeline has to read: block minima and maxima rule out the others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headrace.column import Column
from headrace.encodings.base import Array
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.pipeline import FilterStep, Pipeline
from headrace.sql.expr import Call, ColumnRef, Expr, Literal
from headrace.statistics import BLOCK

_MIRROR = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def wanted_morsels(
    pipeline: Pipeline, tables: Mapping[int, Mapping[int, Column]], rows: int, size: int
) -> list[tuple[int, int]]:
    """(start, stop) of the morsels, at most `size` rows each, that can have rows passing the first filter."""
    wanted = np.ones(-(-rows // BLOCK), np.bool_)
    first = next((s for s in pipeline.steps[:1] if isinstance(s, FilterStep)), None)
    if first is not None:
        for term in first.terms:
            found = _blocks(term, tables[pipeline.source.table])
            if found is not None and len(found) == len(wanted):
                wanted &= found
    return [(start, min(rows, start + size)) for start in range(0, rows, size) if wanted[start // BLOCK]]


def _blocks(term: Expr, columns: Mapping[int, Column]) -> Array | None:
    """For each block whether a comparison with a constant can hold in it; None where nothing is known."""
    if not isinstance(term, Call) or len(term.arguments) != 2:
        return None
    a, b = term.arguments
    function = term.function
    if isinstance(a, Literal):
        a, b, function = b, a, _MIRROR.get(function, function)
    if not isinstance(a, ColumnRef) or not isinstance(b, Literal) or type(b.value) is not int:
        return None
    column = columns.get(a.id)
    if column is None or not isinstance(column.encoding, FrameOfReference) or column.type.scale != b.type.scale:
        return None
    low, high = column.statistics.block_minimum, column.statistics.block_maximum
    if low is None or high is None or not -(2**63) <= b.value < 2**63:
        return None
    tests = {
        "less": lambda: low < b.value,
        "less_equal": lambda: low <= b.value,
        "greater": lambda: high > b.value,
        "greater_equal": lambda: high >= b.value,
        "equal": lambda: (low <= b.value) & (high >= b.value),
    }
    test = tests.get(function)
    return None if test is None else test()
