"""A column: a type, an encoding, a validity bitmap, and what was seen of the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from headrace.encodings.base import Array, Encoding, Mask
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import INT64_MAX, INT64_MIN, FrameOfReference
from headrace.encodings.intervals import Intervals
from headrace.encodings.text import Text
from headrace.encodings.wide import Wide
from headrace.errors import InternalError
from headrace.statistics import Statistics, observe_floats, observe_integers
from headrace.types import Kind, SqlType, is_wide, words

_INTERVAL_TYPES = (np.int32, np.int32, np.int64)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Column:
    """`rows` values of one type. Its buffers are never written again, so that columns can share them.

    `validity` is an Arrow bitmap (u8; row k is bit k % 8 of byte k // 8, set = not NULL), or None when no
    row is NULL. `children` hold the element columns of nested types.
    """

    type: SqlType
    rows: int
    encoding: Encoding
    validity: Array | None
    statistics: Statistics
    children: tuple[Column, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, with children."""
        own = sum(array.nbytes for array in self.encoding.arrays())
        if isinstance(self.encoding, Dictionary):
            own += self.encoding.values.nbytes
        if self.validity is not None:
            own += self.validity.nbytes
        return own + sum(child.nbytes for child in self.children)

    @property
    def mask(self) -> Mask | None:
        """One bool a row, true where it is not NULL; None when no row is NULL."""
        return None if self.validity is None else unpack(self.validity, 0, self.rows)

    def take(self, rows: Array) -> Column:
        """The column over the given row ids, in their order; -1 gives NULL."""
        rows = np.asarray(rows)
        mask: Mask | None = None
        if self.validity is not None:
            mask = pick(self.validity, rows)
        absent = rows < 0
        if bool(absent.any()):
            if self.rows == 0:
                return null_column(self.type, len(rows))
            mask = ~absent if mask is None else mask & ~absent
            rows = np.where(absent, 0, rows)
        return self._narrowed(self.encoding.take(rows), len(rows), mask)

    def slice(self, start: int, stop: int) -> Column:
        """Rows start..stop-1, sharing the encoding's arrays."""
        mask = None if self.validity is None else unpack(self.validity, start, stop)
        piece = self._narrowed(self.encoding.slice(start, stop), stop - start, mask)
        if self.statistics.sorted:
            piece.statistics.sorted = True
        if self.statistics.unique:
            piece.statistics.unique = True
        return piece

    def _narrowed(self, encoding: Encoding, rows: int, mask: Mask | None) -> Column:
        validity = pack(mask)
        nulls = 0 if mask is None or validity is None else rows - int(np.count_nonzero(mask))
        distinct = self.statistics.distinct
        statistics = replace(
            self.statistics,
            rows=rows,
            null_count=nulls,
            distinct=None if distinct is None else min(distinct, rows),
            sorted=False,
            unique=True if rows < 2 else None,
            block_minimum=None,
            block_maximum=None,
        )
        return Column(self.type, rows, encoding, validity, statistics, self.children)


def pack(mask: Mask | None) -> Array | None:
    """The bitmap of a mask; None when every row is valid."""
    if mask is None or bool(mask.all()):
        return None
    return np.packbits(mask, bitorder="little")


def unpack(validity: Array, start: int, stop: int) -> Mask:
    """The mask of bits start..stop-1 of a bitmap."""
    first = start >> 3
    bits = np.unpackbits(validity[first : (stop + 7) >> 3], bitorder="little")
    return bits[start - 8 * first : stop - 8 * first].view(np.bool_)


def pick(validity: Array, rows: Array) -> Mask:
    """The bits of the given rows of a bitmap; arbitrary for negative ids."""
    found: Mask = (validity[rows >> 3] >> (rows & 7).astype(np.uint8) & 1).astype(np.bool_)
    return found


def column_from_words(
    t: SqlType,
    arrays: Sequence[Array],
    validity: Array | None = None,
    *,
    dictionary: TextValues | None = None,
    observe: bool = True,
) -> Column:
    """The column over the words that a kernel wrote, one array a word of `words(t)`; the arrays are kept, not
    copied.

    Text comes as (offsets i64, bytes u8), or with `dictionary` as (codes,). `validity` is an Arrow bitmap.
    Whole numbers are not narrowed. A wide type may come as one i64 array. Without `observe` the statistics
    know no more than the number of rows and NULLs, which costs no pass over the values.
    """
    encoding: Encoding
    rows = len(arrays[0])
    if t.is_text and dictionary is None:
        rows -= 1
    mask = None if validity is None else unpack(validity, 0, rows)
    if mask is not None and bool(mask.all()):
        mask = validity = None
    nulls = 0 if mask is None else rows - int(np.count_nonzero(mask))
    if t.is_text:
        encoding = Text(arrays[0], arrays[1]) if dictionary is None else Dictionary(arrays[0], dictionary)
        return Column(t, rows, encoding, validity, Statistics(rows, nulls))
    if t.is_float:
        seen = observe_floats(arrays[0], mask) if observe else Statistics(rows, nulls)
        return Column(t, rows, Floats(arrays[0]), validity, seen)
    if t.kind is Kind.INTERVAL:
        parts = (a.astype(d, copy=False) for a, d in zip(arrays, _INTERVAL_TYPES, strict=True))
        encoding = Intervals(*parts)
        return Column(t, rows, encoding, validity, Statistics(rows, nulls))
    if is_wide(t) and len(arrays) == 2:
        return Column(t, rows, Wide(arrays[0], arrays[1]), validity, Statistics(rows, nulls))
    if len(arrays) != 1:
        raise InternalError(f"a column of {t} is made of {len(words(t))} words, not {len(arrays)}")
    data = arrays[0].astype(np.uint8 if t.kind is Kind.BOOLEAN else np.int64, copy=False)
    frame = FrameOfReference(data)
    seen = observe_integers(frame, rows, mask) if observe else Statistics(rows, nulls)
    return Column(t, rows, frame, validity, seen)


def constant_column(t: SqlType, value: object, rows: int) -> Column:
    """`rows` times the same value, in the units that a literal of the type has; None is NULL."""
    if value is None:
        return null_column(t, rows)
    encoding: Encoding
    if t.is_text:
        raw = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]
        values = TextValues(np.array([0, len(raw)], np.int64), np.frombuffer(raw, np.uint8))
        encoding = Dictionary(np.zeros(rows, np.uint8), values)
        return Column(t, rows, encoding, None, Statistics(rows, distinct=1, sorted=True, unique=rows < 2))
    if t.is_float:
        data = np.full(rows, value, np.float32 if t.kind is Kind.FLOAT else np.float64)
        return Column(t, rows, Floats(data), None, observe_floats(data, None))
    if t.kind is Kind.INTERVAL:
        numbers = [int(part) for part in cast("Sequence[int]", value)]
        months, days, micros = (np.full(rows, n, d) for n, d in zip(numbers, _INTERVAL_TYPES, strict=True))
        encoding = Intervals(months, days, micros)
        return Column(t, rows, encoding, None, Statistics(rows, distinct=1, unique=rows < 2))
    number = int(value)  # type: ignore[call-overload]
    if INT64_MIN <= number <= INT64_MAX:
        constant = Constant(number)
        return Column(t, rows, constant, None, observe_integers(constant, rows, None))
    wide = Wide(np.full(rows, number & (2**64 - 1), np.uint64), np.full(rows, number >> 64, np.int64))
    return Column(t, rows, wide, None, Statistics(rows, distinct=1, unique=rows < 2))


def null_column(t: SqlType, rows: int) -> Column:
    """`rows` NULLs, in the encoding that columns of the type have when they hold nothing."""
    encoding: Encoding
    if t.is_text:
        encoding = Dictionary(np.zeros(rows, np.uint8), TextValues(np.zeros(2, np.int64), np.zeros(0, np.uint8)))
    elif t.is_float:
        encoding = Floats(np.zeros(rows, np.float32 if t.kind is Kind.FLOAT else np.float64))
    elif t.kind is Kind.INTERVAL:
        encoding = Intervals(np.zeros(rows, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int64))
    else:
        encoding = Constant(0)
    statistics = Statistics(rows, rows, distinct=0, sorted=rows == 0, unique=True)
    validity = np.zeros((rows + 7) // 8, np.uint8) if rows else None
    return Column(t, rows, encoding, validity, statistics)
