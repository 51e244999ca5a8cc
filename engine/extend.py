"""Columns made longer: new rows join in the same encoding where they fit it, so that old parts keep their
meaning."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.column import Column, pack
from headrace.encode import Piece, assemble, encode
from headrace.encodings.base import Array, Encoding, Mask
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary, DictionaryPiece
from headrace.encodings.floats import FloatPiece, Floats
from headrace.encodings.frame_of_reference import Frame, FrameOfReference, IntegerPiece, fit, measure
from headrace.encodings.intervals import IntervalPiece, Intervals
from headrace.encodings.text import Text, TextPiece
from headrace.encodings.wide import Wide, WidePiece
from headrace.errors import InternalError
from headrace.statistics import observe_integers


def extend(column: Column, array: pa.Array | pa.ChunkedArray) -> Column:
    """The column with the rows of an Arrow array after its own. Neither shares memory that others can write.

    Whole numbers that fit the column's frame keep it, text that its dictionary holds keeps the dictionary,
    and further text is added at the dictionary's end.
    """
    added = encode(array, column.type, own=True)
    if added.rows == 0:
        return column
    if column.rows == 0:
        return added
    return _within_frame(column, added) or assemble(column.type, [piece_of(column), piece_of(added)])


def piece_of(column: Column) -> Piece:
    """The column as one run of rows, to be assembled with others."""
    encoding, mask = column.encoding, column.mask
    if isinstance(encoding, FrameOfReference | Constant):
        return measure(_values(encoding, column.rows), mask)
    if isinstance(encoding, Wide):
        return WidePiece(encoding.low, encoding.high, mask)
    if isinstance(encoding, Floats):
        return FloatPiece(encoding.data, mask)
    if isinstance(encoding, Intervals):
        return IntervalPiece(encoding.months, encoding.days, encoding.micros, mask)
    if isinstance(encoding, Dictionary):
        return DictionaryPiece(encoding.codes, encoding.values.binary, mask, encoding.values)
    if isinstance(encoding, Text):
        return TextPiece(encoding.binary(), mask)
    raise InternalError(f"a stored column is not held as {encoding.form}")


def _values(encoding: FrameOfReference | Constant, rows: int) -> Array:
    if isinstance(encoding, Constant):
        return np.full(rows, encoding.value, np.int64)
    return encoding.values()


def _within_frame(column: Column, added: Column) -> Column | None:
    """The added whole numbers in the column's own frame, or None where they do not fit it."""
    frame, other = column.encoding, added.encoding
    low, high = added.statistics.minimum, added.statistics.maximum
    if not isinstance(frame, FrameOfReference) or not isinstance(other, FrameOfReference | Constant):
        return None
    values, mask = _values(other, added.rows), added.mask
    if isinstance(low, int) and isinstance(high, int) and frame.data.dtype != np.int64:
        top = frame.base + int(np.iinfo(frame.data.dtype).max) * frame.divisor
        if low < frame.base or high > top:
            return None
        seen = values if mask is None else values[mask]
        if frame.divisor != 1 and bool(((seen - frame.base) % frame.divisor).any()):
            return None
    data = np.empty(added.rows, frame.data.dtype)
    layout = Frame(frame.data.dtype.type, frame.base, frame.divisor)
    fit(IntegerPiece(values, mask, None, None, 0), layout, data)
    encoding = FrameOfReference(np.concatenate([frame.data, data]), frame.base, frame.divisor)
    return _joined(column, added, encoding)


def _joined(column: Column, added: Column, encoding: FrameOfReference) -> Column:
    rows = column.rows + added.rows
    mask: Mask | None = None
    if column.validity is not None or added.validity is not None:
        parts = (np.ones(c.rows, np.bool_) if c.mask is None else c.mask for c in (column, added))
        mask = np.concatenate(list(parts))
    result: Encoding = encoding
    return Column(column.type, rows, result, pack(mask), observe_integers(encoding, rows, mask))
