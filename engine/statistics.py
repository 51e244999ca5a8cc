"""What is known of a column's values because they were seen; the only statistics that may prove anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headrace.encodings.base import Array, Mask
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import INT64_MAX, INT64_MIN, FrameOfReference

if TYPE_CHECKING:
    from headrace.column import Column

BLOCK = 131_072
"""Rows covered by one entry of `block_minimum` and `block_maximum`."""

_SAMPLE = 8192
_BITMAP_FACTOR = 64


@dataclass(slots=True)
class Statistics:
    """Facts about one column. Only `unique` ever changes: from None to what `prove_unique` found.

    `minimum` and `maximum` bound the values that are not NULL: whole numbers in the type's own units (scaled,
    days, ticks; 0 and 1 for BOOLEAN), floats for FLOAT and DOUBLE (with a NaN anywhere `maximum` is NaN, the
    greatest value), None for text, intervals, 128-bit values and where there is no value. `distinct` is an
    estimate. `sorted` means non-decreasing without NULLs. `unique` means no value occurs twice (NULLs aside):
    True and False are proved. `block_minimum` and `block_maximum` are i64 per BLOCK rows; a block of NULLs
    has the greatest i64 as minimum and the least as maximum.
    """

    rows: int
    null_count: int = 0
    minimum: int | float | None = None
    maximum: int | float | None = None
    distinct: int | None = None
    sorted: bool = False
    unique: bool | None = None
    block_minimum: Array | None = None
    block_maximum: Array | None = None


def observe_integers(encoding: FrameOfReference | Constant, rows: int, mask: Mask | None) -> Statistics:
    """Statistics of whole numbers; `mask` is true where a row is not NULL (None: everywhere)."""
    nulls = 0 if mask is None else rows - int(np.count_nonzero(mask))
    blocks = -(-rows // BLOCK)
    if isinstance(encoding, Constant):
        if nulls == rows:
            return Statistics(rows, nulls, distinct=0, sorted=rows == 0, unique=True)
        bound = np.full(blocks, encoding.value, np.int64)
        return Statistics(rows, nulls, encoding.value, encoding.value, 1, nulls == 0, rows - nulls < 2, bound, bound)
    data = encoding.data
    low, high = np.empty(blocks, np.int64), np.empty(blocks, np.int64)
    for block in range(blocks):
        window = slice(block * BLOCK, min(rows, (block + 1) * BLOCK))
        part = data[window] if mask is None else data[window][mask[window]]
        if len(part) == 0:
            low[block], high[block] = INT64_MAX, INT64_MIN
        else:
            low[block] = encoding.base + int(part.min()) * encoding.divisor
            high[block] = encoding.base + int(part.max()) * encoding.divisor
    if nulls == rows:
        return Statistics(rows, nulls, distinct=0, sorted=rows == 0, unique=True, block_minimum=low, block_maximum=high)
    minimum, maximum = int(low.min()), int(high.max())
    span = (maximum - minimum) // encoding.divisor + 1
    ordered, strict = (False, False) if mask is not None else order(data)
    unique = True if strict else False if ordered or span < rows - nulls else None
    distinct = rows if strict else _runs(data) if ordered else min(span, estimate_distinct(data, mask))
    return Statistics(rows, nulls, minimum, maximum, distinct, ordered, unique, low, high)


def observe_floats(data: Array, mask: Mask | None) -> Statistics:
    """Statistics of f32 or f64 values."""
    rows = len(data)
    valid = data if mask is None else data[mask]
    nulls = rows - len(valid)
    if len(valid) == 0:
        return Statistics(rows, nulls, distinct=0, sorted=rows == 0, unique=True)
    minimum, maximum = float(np.fmin.reduce(valid)), float(np.maximum.reduce(valid))
    ordered, strict = (False, False) if mask is not None or maximum != maximum else order(data)
    distinct = rows if strict else estimate_distinct(data, mask)
    return Statistics(rows, nulls, minimum, maximum, distinct, ordered, True if strict else None)


def order(data: Array) -> tuple[bool, bool]:
    """Whether the values are non-decreasing, and whether they are strictly increasing."""
    strict = True
    start, size = 0, 1024
    while start + 1 < len(data):
        part = data[start : start + size + 1]
        if strict and not bool(np.all(part[1:] > part[:-1])):
            strict = False
        if not strict and not bool(np.all(part[1:] >= part[:-1])):
            return False, False
        start, size = start + size, BLOCK
    return True, strict


def _runs(data: Array) -> int:
    return int(np.count_nonzero(data[1:] != data[:-1])) + min(1, len(data))


def estimate_distinct(data: Array, mask: Mask | None, population: int | None = None) -> int:
    """Distinct values among `population` rows (default: those given), of which the rows given are a random
    part.

    From an evenly spaced sample, by the estimator of Haas and Stokes.
    """
    population = len(data) if population is None else population
    step = max(1, len(data) // _SAMPLE)
    sample = data[::step] if mask is None else data[::step][mask[::step]]
    if len(sample) == 0:
        return 0
    _, counts = np.unique(sample, return_counts=True)
    found, once, size = len(counts), int(np.count_nonzero(counts == 1)), len(sample)
    return min(population, int(size * found / (size - once + once * size / max(size, population))))


def scaled_distinct(part: Column, rows: int, clustered: bool) -> int:
    """Distinct values of a column of `rows` rows, guessed from its first part; `clustered`: values do not
    return."""
    if clustered and part.statistics.distinct is not None:
        return part.statistics.distinct * rows // max(1, part.rows)
    encoding = part.encoding
    if isinstance(encoding, Constant):
        return 1
    if isinstance(encoding, FrameOfReference | Floats):
        return estimate_distinct(encoding.data, part.mask, rows)
    if isinstance(encoding, Dictionary):
        return estimate_distinct(encoding.codes, part.mask, rows)
    return rows


def prove_unique(column: Column) -> bool:
    """Whether no value that is not NULL occurs twice; True and False are proved, and remembered.

    Columns of text, floats, intervals or 128-bit values answer False without proof, and nothing is
    remembered.
    """
    statistics = column.statistics
    if statistics.unique is not None:
        return statistics.unique
    if not isinstance(column.encoding, FrameOfReference):
        return False
    data = column.encoding.data
    mask = column.mask
    if mask is not None:
        data = data[mask]
    statistics.unique = _all_differ(data)
    return statistics.unique


def _all_differ(data: Array) -> bool:
    if len(data) < 2:
        return True
    minimum, span = int(data.min()), int(data.max()) - int(data.min()) + 1
    if span < len(data):
        return False
    if span > _BITMAP_FACTOR * len(data):
        return len(np.unique(data)) == len(data)
    seen = np.zeros(span, np.bool_)
    seen[data.astype(np.int64) - minimum] = True
    return int(np.count_nonzero(seen)) == len(data)
