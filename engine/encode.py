"""Arrow arrays -> columns: every run of rows becomes a piece, and all pieces of a column become one encoding.

The two halves are apart so that a reader can `prepare` row groups on several threads as they arrive, and
`assemble` them into the final arrays, again in parallel, once all have been seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.column import Column, null_column, pack
from headrace.encodings import text as texts
from headrace.encodings.arrow_indices import boolean_array, index_array
from headrace.encodings.base import Array, Encoding, Mask
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary, DictionaryPiece, TextValues, code_type, limit, unify
from headrace.encodings.floats import FloatPiece, Floats
from headrace.encodings.frame_of_reference import FrameOfReference, IntegerPiece, choose, fit, measure
from headrace.encodings.intervals import IntervalPiece, Intervals
from headrace.encodings.text import Text, TextPiece
from headrace.encodings.wide import Wide, WidePiece, widen
from headrace.errors import DataError, NotSupportedError
from headrace.statistics import Statistics, estimate_distinct, observe_floats, observe_integers
from headrace.types import INTEGER, NULL, Kind, SqlType, from_arrow

Piece: TypeAlias = IntegerPiece | WidePiece | FloatPiece | IntervalPiece | TextPiece | DictionaryPiece

Each: TypeAlias = Callable[[Callable[[Any], None], Sequence[Any]], None]
"""Runs a function over all items, in any order, perhaps in parallel."""

_SAMPLE_ROWS = 16_384
_DOUBT = 2
"""How far beyond the limit an estimate must be to be believed without counting."""

_CHUNK = 16_384
"""Rows a chunk below which copying chunks together costs less than treating each by itself."""
_MICROS_PER_DAY = 86_400_000_000
_TIME_UNITS = {"s": (1_000_000, 1), "ms": (1000, 1), "us": (1, 1), "ns": (1, 1000)}


def one_by_one(function: Callable[[Any], None], items: Sequence[Any]) -> None:
    """The `Each` that uses the calling thread."""
    for item in items:
        function(item)


def column_type(t: pa.DataType) -> SqlType:
    """The SQL type of a column that holds this Arrow type. A column of nothing but NULLs is INTEGER.

    Raises NotSupportedError for an Arrow type that has no SQL type here.
    """
    if pa.types.is_dictionary(t):
        return column_type(t.value_type)
    if isinstance(t, pa.ExtensionType):
        raise NotSupportedError(f"columns of the Arrow type {t} are not supported yet")
    if pa.types.is_decimal(t) and not 0 <= t.scale <= t.precision:
        raise NotSupportedError(f"columns of the Arrow type {t} are not supported yet")
    found = from_arrow(t)
    return INTEGER if found == NULL else found


def encode(array: pa.Array | pa.ChunkedArray, t: SqlType | None = None, *, own: bool = False) -> Column:
    """The column over an Arrow array; `t` is its SQL type where Arrow cannot tell (HUGEINT).

    The column may share the array's buffers, unless it is to `own` its arrays because they can change.
    Raises NotSupportedError for a type that has no SQL type here, DataError for text that is no UTF-8.
    """
    t = column_type(array.type) if t is None else t
    if isinstance(array, pa.ChunkedArray) and array.num_chunks > 1 and len(array) < _CHUNK * array.num_chunks:
        array = array.combine_chunks()
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    column = assemble(t, [prepare(chunk, t) for chunk in chunks if len(chunk)])
    return _owned(column) if own else column


def prepare(chunk: pa.Array, t: SqlType) -> Piece:
    """One run of rows, taken out of Arrow and measured. `t` is the column's type."""
    if isinstance(chunk, pa.ExtensionArray):
        chunk = chunk.storage
    mask = _mask(chunk)
    if pa.types.is_null(chunk.type):
        return _nothing(len(chunk), t)
    if pa.types.is_dictionary(chunk.type):
        if not t.is_text:
            return prepare(chunk.dictionary.take(chunk.indices), t)
        return _dictionary_piece(chunk, t, mask)
    if t.is_text:
        return TextPiece(_binary(chunk, t), mask)
    if t.is_float:
        dtype = np.float32 if t.kind is Kind.FLOAT else np.float64
        return FloatPiece(_numbers(chunk).astype(dtype, copy=False), mask)
    if t.kind is Kind.INTERVAL:
        return _interval_piece(chunk, mask)
    if pa.types.is_decimal128(chunk.type) or pa.types.is_decimal256(chunk.type):
        return _decimal_piece(chunk, mask)
    values = _whole_numbers(chunk, mask)
    piece = measure(values, mask)
    if piece.maximum is not None and piece.maximum >= 2**63:
        return WidePiece(values, np.zeros(len(values), np.int64), mask)
    return piece


def assemble(t: SqlType, pieces: Sequence[Piece], each: Each = one_by_one) -> Column:
    """The pieces, in order, as one column of contiguous arrays; `each` may run its parts in parallel."""
    rows = sum(piece.rows for piece in pieces)
    if rows == 0:
        return null_column(t, 0)
    mask = _joined_mask(pieces)
    if mask is not None and not mask.any():
        return null_column(t, rows)
    encoding: Encoding
    if t.is_text:
        encoding, statistics = _assemble_text(cast("Sequence[TextPiece | DictionaryPiece]", pieces), rows, mask)
    elif t.is_float:
        data = _filled([p.values for p in pieces if isinstance(p, FloatPiece)], mask)
        encoding, statistics = Floats(data), observe_floats(data, mask)
    elif t.kind is Kind.INTERVAL:
        runs = [p for p in pieces if isinstance(p, IntervalPiece)]
        encoding = Intervals(
            _filled([p.months for p in runs], mask),
            _filled([p.days for p in runs], mask),
            _filled([p.micros for p in runs], mask),
        )
        statistics = Statistics(rows, _nulls(mask), unique=True if rows < 2 else None)
    elif all(isinstance(p, IntegerPiece) for p in pieces):
        whole = _assemble_integers(cast("Sequence[IntegerPiece]", pieces), rows, each)
        encoding, statistics = whole, observe_integers(whole, rows, mask)
    else:
        wide = [widen(p) for p in pieces if isinstance(p, IntegerPiece | WidePiece)]
        encoding = Wide(np.concatenate([p.low for p in wide]), np.concatenate([p.high for p in wide]))
        statistics = Statistics(rows, _nulls(mask), unique=True if rows < 2 else None)
    return Column(t, rows, encoding, pack(mask), statistics)


def _assemble_integers(pieces: Sequence[IntegerPiece], rows: int, each: Each) -> FrameOfReference | Constant:
    frame = choose(pieces)
    if frame.dtype is None:
        return Constant(frame.base)
    first = pieces[0].values
    if frame.dtype is np.int64 and len(pieces) == 1 and pieces[0].mask is None and first.dtype == np.int64:
        return FrameOfReference(np.ascontiguousarray(first))
    data = np.empty(rows, frame.dtype)
    parts = []
    row = 0
    for piece in pieces:
        parts.append((piece, data[row : row + piece.rows]))
        row += piece.rows
    each(lambda part: fit(part[0], frame, part[1]), parts)
    return FrameOfReference(data, frame.base, frame.divisor)


def _assemble_text(
    pieces: Sequence[TextPiece | DictionaryPiece], rows: int, mask: Mask | None
) -> tuple[Encoding, Statistics]:
    found = _dictionary(pieces, rows)
    if found is not None:
        codes, values = found
        if mask is not None:
            codes[~mask] = 0
        nulls = _nulls(mask)
        unique = False if values.count < rows - nulls else None
        return Dictionary(codes, values), Statistics(rows, nulls, distinct=values.count, unique=unique)
    runs = []
    for piece in pieces:
        if isinstance(piece, DictionaryPiece):
            piece = _plain(piece)
        runs.append(texts.from_binary(piece.binary))
    return texts.concatenate(runs), Statistics(rows, _nulls(mask))


def _dictionary(pieces: Sequence[TextPiece | DictionaryPiece], rows: int) -> tuple[Array, TextValues] | None:
    """Codes and values, or None as soon as there prove to be too many values."""
    most = limit(rows)
    coded: list[DictionaryPiece] = []
    for piece in pieces:
        if not coded and _varied(piece, rows, most):
            return None
        if isinstance(piece, TextPiece):
            encoded = pc.dictionary_encode(_with_nulls(piece))
            piece = DictionaryPiece(_numbers(encoded.indices), encoded.dictionary, piece.mask)
        distinct = len(piece.values)
        if distinct > most and piece.known is None:
            distinct = len(pc.unique(piece.values))  # values that came with a user's dictionary may repeat
        if distinct > most:
            return None
        coded.append(piece)
    values, maps = unify([p.values for p in coded])
    if values.count > most:
        return None
    first = coded[0].known
    if first is not None and first.count == values.count:
        values = first  # whatever was computed of the dictionary stays valid
    if values.count == 0:
        values, maps = (
            TextValues(np.zeros(2, np.int64), np.zeros(0, np.uint8)),
            [np.zeros(1, np.uint8)] * len(coded),
        )
    codes = np.empty(rows, maps[0].dtype)
    row = 0
    for piece, codes_of in zip(coded, maps, strict=True):
        indices = piece.indices if piece.mask is None else np.where(piece.mask, piece.indices, 0)
        if len(codes_of):
            np.take(codes_of, indices, out=codes[row : row + piece.rows], mode="clip")
        row += piece.rows
    return codes, values


def _with_nulls(piece: TextPiece) -> pa.LargeBinaryArray:
    """The texts, with NULL where the piece has the empty text in place of it."""
    if piece.mask is None:
        return piece.binary
    return pc.if_else(boolean_array(piece.mask), piece.binary, pa.scalar(None, pa.large_binary()))


def _varied(piece: TextPiece | DictionaryPiece, rows: int, most: int) -> bool:
    """Whether a sample of the first piece shows that a column of so many rows has too many values."""
    if piece.rows < _SAMPLE_ROWS:
        return False
    if isinstance(piece, TextPiece):
        sample = pc.dictionary_encode(piece.binary.slice(0, _SAMPLE_ROWS))
        estimate = estimate_distinct(_numbers(sample.indices), None, rows)
    else:
        estimate = estimate_distinct(piece.indices, piece.mask, rows)
    return estimate > _DOUBT * most


def _plain(piece: DictionaryPiece) -> TextPiece:
    indices = index_array(piece.indices, piece.mask)
    binary = piece.values.take(indices)
    return TextPiece(binary if piece.mask is None else pc.fill_null(binary, b""), piece.mask)


def _dictionary_piece(chunk: pa.DictionaryArray, t: SqlType, mask: Mask | None) -> DictionaryPiece:
    values, indices = chunk.dictionary, chunk.indices
    if values.null_count:
        # A NULL among the values makes NULLs of the rows that name it.
        absent = ~_required(_mask(values))
        rows = np.asarray(pc.fill_null(indices, 0))
        present = ~absent[rows]
        mask = present if mask is None else mask & present
    if mask is not None and bool(mask.all()):
        mask = None
    codes = _numbers(indices) if mask is None else np.where(mask, _numbers(indices), 0)
    return DictionaryPiece(codes.astype(code_type(len(values))), _binary(values, t), mask)


def _binary(chunk: pa.Array, t: SqlType) -> pa.LargeBinaryArray:
    """The texts as large_binary, the empty text in place of NULL; for VARCHAR they are checked to be
    UTF-8."""
    kind = chunk.type
    binary = chunk if pa.types.is_large_binary(kind) else chunk.cast(pa.large_binary())
    if binary.null_count:
        binary = pc.fill_null(binary, b"")
    if t.kind is Kind.VARCHAR and len(binary):
        span = texts.from_binary(binary)
        data = span.data[int(span.offsets[0]) : int(span.offsets[-1])]
        if len(data) and int(data.max()) > 127:
            try:
                binary.view(pa.large_string()).validate(full=True)
            except pa.ArrowInvalid as fault:
                raise DataError(f"text that is not valid UTF-8: {fault}") from None
    return binary


def _interval_piece(chunk: pa.Array, mask: Mask | None) -> IntervalPiece:
    rows = len(chunk)
    if pa.types.is_duration(chunk.type):
        factor, divisor = _TIME_UNITS[chunk.type.unit]
        none = np.zeros(rows, np.int32)
        return IntervalPiece(none, none, _scaled(_numbers(chunk), factor, divisor, mask), mask)
    layout = np.dtype([("months", np.int32), ("days", np.int32), ("nanos", np.int64)])
    fields = np.frombuffer(chunk.buffers()[1], layout)[chunk.offset : chunk.offset + rows]
    return IntervalPiece(fields["months"], fields["days"], _scaled(fields["nanos"], 1, 1000, mask), mask)


def _decimal_piece(chunk: pa.Array, mask: Mask | None) -> Piece:
    count = chunk.type.byte_width // 8
    words = np.frombuffer(chunk.buffers()[1], np.int64).reshape(-1, count)[chunk.offset : chunk.offset + len(chunk)]
    low, sign = words[:, 0], words[:, 0] >> 63
    spilled = words[:, 1] != sign
    if mask is not None:
        spilled &= mask
    if spilled.any():
        return WidePiece(low.astype(np.int64).view(np.uint64), np.ascontiguousarray(words[:, 1]), mask)
    return measure(low, mask)


def _whole_numbers(chunk: pa.Array, mask: Mask | None) -> Array:
    """Booleans, integers, dates, times, timestamps and narrow decimals, in the units of their SQL types."""
    kind = chunk.type
    if pa.types.is_boolean(kind):
        bits = np.frombuffer(chunk.buffers()[1], np.uint8)
        return np.unpackbits(bits, bitorder="little")[chunk.offset : chunk.offset + len(chunk)]
    values = _numbers(chunk)
    if pa.types.is_date64(kind):
        return values // 86_400_000
    if pa.types.is_time(kind):
        factor, divisor = _TIME_UNITS[kind.unit]
        if divisor != 1:
            seen = values if mask is None else values[mask]
            if bool((seen % divisor).any()):
                raise NotSupportedError("times of day with nanoseconds are not supported yet")
        return _scaled(values, factor, divisor, None)
    return values


def _scaled(values: Array, factor: int, divisor: int, mask: Mask | None) -> Array:
    """values * factor / divisor, rounded towards zero; DataError where a product leaves i64."""
    if divisor != 1:
        return np.where(values < 0, -(-values // divisor), values // divisor)
    if factor == 1:
        return np.ascontiguousarray(values)
    wide = values.astype(np.int64)
    if mask is not None:
        wide = np.where(mask, wide, 0)
    if len(wide) and (int(wide.max()) * factor > 2**63 - 1 or int(wide.min()) * factor < -(2**63)):
        raise DataError("a duration does not fit an INTERVAL, which counts microseconds in 64 bits")
    return wide * factor


_MACHINE_TYPES: dict[int, type[np.generic]] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def _numbers(chunk: pa.Array) -> Array:
    """The values of a fixed-width array as they lie in memory, arbitrary under NULL."""
    kind = chunk.type
    dtype: np.dtype[Any]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        dtype = np.dtype(kind.to_pandas_dtype())
    else:
        dtype = np.dtype(_MACHINE_TYPES[kind.byte_width])
    return np.frombuffer(chunk.buffers()[1], dtype)[chunk.offset : chunk.offset + len(chunk)]


def _mask(chunk: pa.Array) -> Mask | None:
    if chunk.null_count == 0:
        return None
    buffer = chunk.buffers()[0]
    if buffer is None:
        return np.asarray(chunk.is_valid())
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[chunk.offset : chunk.offset + len(chunk)].view(np.bool_)


def _required(mask: Mask | None) -> Mask:
    if mask is None:
        raise AssertionError("an array with NULLs has a mask")
    return mask


def _nothing(rows: int, t: SqlType) -> Piece:
    """A piece of `rows` NULLs."""
    mask = np.zeros(rows, np.bool_)
    if t.is_text:
        empty = Text(np.zeros(rows + 1, np.int64), np.zeros(0, np.uint8))
        return TextPiece(empty.binary(), mask)
    zeros = np.zeros(rows, np.int64)
    if t.is_float:
        return FloatPiece(zeros.astype(np.float32 if t.kind is Kind.FLOAT else np.float64), mask)
    if t.kind is Kind.INTERVAL:
        return IntervalPiece(zeros.astype(np.int32), zeros.astype(np.int32), zeros, mask)
    return IntegerPiece(zeros.astype(np.uint8), mask, None, None, 0)


def _joined_mask(pieces: Sequence[Piece]) -> Mask | None:
    if all(p.mask is None for p in pieces):
        return None
    return np.concatenate([np.ones(p.rows, np.bool_) if p.mask is None else p.mask for p in pieces])


def _filled(runs: Sequence[Array], mask: Mask | None) -> Array:
    """The runs as one contiguous array, 0 under NULL."""
    data = np.concatenate(runs) if len(runs) > 1 else np.ascontiguousarray(runs[0])
    return data if mask is None else np.where(mask, data, data.dtype.type(0))


def _nulls(mask: Mask | None) -> int:
    return 0 if mask is None else len(mask) - int(np.count_nonzero(mask))


def _owned(column: Column) -> Column:
    """The same column over arrays that nobody else can write."""
    encoding = column.encoding
    if isinstance(encoding, FrameOfReference):
        encoding = FrameOfReference(_copied(encoding.data), encoding.base, encoding.divisor)
    elif isinstance(encoding, Floats):
        encoding = Floats(_copied(encoding.data))
    elif isinstance(encoding, Intervals):
        encoding = Intervals(_copied(encoding.months), _copied(encoding.days), _copied(encoding.micros))
    elif isinstance(encoding, Wide):
        encoding = Wide(_copied(encoding.low), _copied(encoding.high))
    elif isinstance(encoding, Text):
        first, last = int(encoding.offsets[0]), int(encoding.offsets[-1])
        encoding = Text(encoding.offsets - first, encoding.data[first:last].copy())
    return Column(column.type, column.rows, encoding, column.validity, column.statistics, column.children)


def _copied(array: Array) -> Array:
    return array if array.flags.owndata else array.copy()
