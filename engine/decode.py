"""Columns -> Arrow arrays of the type that results carry."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from headrace.column import Column, pick, unpack
from headrace.encodings.arrow_indices import index_array
from headrace.encodings.base import Array, Encoding, Mask
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.encodings.intervals import Intervals
from headrace.encodings.text import Text
from headrace.encodings.wide import Wide
from headrace.errors import DataError, InternalError, OperationalError
from headrace.types import Kind, SqlType, to_arrow

Rows: TypeAlias = slice | Array
"""Which rows: a slice with step 1, or row ids of which none is negative."""

_MACHINE_TYPES: dict[Kind, type[np.generic]] = {
    Kind.TINYINT: np.int8,
    Kind.SMALLINT: np.int16,
    Kind.INTEGER: np.int32,
    Kind.BIGINT: np.int64,
    Kind.UTINYINT: np.uint8,
    Kind.USMALLINT: np.uint16,
    Kind.UINTEGER: np.uint32,
    Kind.UBIGINT: np.uint64,
    Kind.DATE: np.int32,
    Kind.TIME: np.int64,
    Kind.TIMESTAMP_S: np.int64,
    Kind.TIMESTAMP_MS: np.int64,
    Kind.TIMESTAMP: np.int64,
    Kind.TIMESTAMP_NS: np.int64,
}


def decode(column: Column, rows: slice | Array | None = None) -> pa.Array:
    """All rows, a slice of them, or those with the given ids (-1 gives NULL), as `to_arrow(column.type)`.

    Raises OperationalError when the text of the rows asked for exceeds the 2 GiB of one Arrow string array.
    """
    if rows is None:
        return _decode(column, slice(0, column.rows), column.rows, None)
    if isinstance(rows, slice):
        start, stop, step = rows.indices(column.rows)
        if step != 1:
            raise InternalError("a slice of a column has step 1")
        return _decode(column, slice(start, max(start, stop)), max(0, stop - start), None)
    ids = np.asarray(rows)
    present: Mask | None = None
    if ids.dtype.kind == "i" and len(ids) and int(ids.min()) < 0:
        present = ids >= 0
        ids = np.where(present, ids, 0)
    if column.rows == 0:
        return pa.nulls(len(ids), to_arrow(column.type))
    return _decode(column, ids, len(ids), present)


def _decode(column: Column, rows: Rows, count: int, present: Mask | None) -> pa.Array:
    """`present` is false for rows to be NULL whatever the column says."""
    encoding = column.encoding
    mask = _valid(column, rows)
    if present is not None:
        mask = present if mask is None else mask & present
    if isinstance(encoding, Indirect):
        ids = encoding.rows[rows].astype(np.int64, copy=False)
        return decode(encoding.column, ids if mask is None else np.where(mask, ids, -1))
    target = to_arrow(column.type)
    if column.type.kind is Kind.NULL:
        return pa.nulls(count, target)
    if isinstance(encoding, Dictionary):
        codes = encoding.codes[rows]
        return encoding.values.arrow(target).take(index_array(codes, mask))
    if isinstance(encoding, Text):
        return _text(encoding, rows, mask, target)
    return _fixed(target, count, mask, _data(column.type, encoding, rows, count))


def _valid(column: Column, rows: Rows) -> Mask | None:
    validity = column.validity
    if validity is None:
        return None
    if isinstance(rows, slice):
        return unpack(validity, rows.start, rows.stop)
    return pick(validity, rows)


def _fixed(target: pa.DataType, count: int, mask: Mask | None, data: Array) -> pa.Array:
    validity, nulls = None, 0
    if mask is not None:
        nulls = count - int(np.count_nonzero(mask))
        if nulls:
            validity = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(target, count, [validity, pa.py_buffer(data)], nulls)


def _data(t: SqlType, encoding: Encoding, rows: Rows, count: int) -> Array:
    """The value buffer of the Arrow array."""
    if isinstance(encoding, Floats):
        return np.ascontiguousarray(encoding.data[rows])
    if isinstance(encoding, Intervals):
        return _interval_data(encoding, rows, count)
    if t.kind is Kind.BOOLEAN:
        return np.packbits(_whole(encoding, rows, count, np.uint8), bitorder="little")
    if t.is_decimal or t.kind is Kind.HUGEINT:
        words = np.empty((count, 2), np.int64)
        if isinstance(encoding, Wide):
            words[:, 0] = encoding.low[rows].view(np.int64)
            words[:, 1] = encoding.high[rows]
        else:
            words[:, 0] = _whole(encoding, rows, count, np.int64)
            np.right_shift(words[:, 0], 63, out=words[:, 1])
        return words
    return np.ascontiguousarray(_whole(encoding, rows, count, _MACHINE_TYPES[t.kind]))


def _whole(encoding: Encoding, rows: Rows, count: int, dtype: type[np.generic]) -> Array:
    """Whole numbers in a machine type that holds them all."""
    if isinstance(encoding, FrameOfReference):
        return FrameOfReference(encoding.data[rows], encoding.base, encoding.divisor).values(dtype)
    if isinstance(encoding, Constant):
        return np.full(count, encoding.value, np.int64).astype(dtype, copy=False)
    if isinstance(encoding, Wide):
        return encoding.low[rows].astype(dtype, copy=False)
    raise InternalError(f"whole numbers are not held as {encoding.form}")


def _interval_data(encoding: Intervals, rows: Rows, count: int) -> Array:
    micros = encoding.micros[rows]
    if count and (int(micros.max()) > _MICROS_LIMIT or int(micros.min()) < -_MICROS_LIMIT):
        raise DataError("an interval is too long for Arrow, which counts nanoseconds in 64 bits")
    fields = np.empty(count, np.dtype([("months", np.int32), ("days", np.int32), ("nanos", np.int64)]))
    fields["months"], fields["days"], fields["nanos"] = (
        encoding.months[rows],
        encoding.days[rows],
        micros * 1000,
    )
    return fields


_MICROS_LIMIT = (2**63 - 1) // 1000


def _text(encoding: Text, rows: Rows, mask: Mask | None, target: pa.DataType) -> pa.Array:
    if isinstance(rows, slice):
        offsets = encoding.offsets[rows.start : rows.stop + 1]
    else:
        offsets = encoding.offsets
    wide: Any = pa.large_string() if pa.types.is_string(target) else pa.large_binary()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(encoding.data)]
    if isinstance(rows, slice) and mask is not None:
        buffers[0] = pa.py_buffer(np.packbits(mask, bitorder="little"))
    array = pa.Array.from_buffers(wide, len(offsets) - 1, buffers)
    if not isinstance(rows, slice):
        array = array.take(index_array(rows.astype(np.int64, copy=False), mask))
    try:
        return array.cast(target)
    except pa.ArrowInvalid:
        raise OperationalError(
            "the text of one result column exceeds the 2 GiB that an Arrow string array holds",
            hint="fetch the result in batches with fetch_record_batch()",
        ) from None
