"""How a sink keeps a row's columns: as encoded words, as row ids of the table they come from, or as computed words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headrace.column import Column
from headrace.emit_call import text
from headrace.emit_expression import emit, origin_of
from headrace.emitter import Emitter, Origin, Value, machine_word, resolve_indirection
from headrace.encodings.addresses import Addresses
from headrace.encodings.base import Encoding
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.encodings.intervals import Intervals
from headrace.encodings.wide import Wide
from headrace.pipeline import DictionaryLookup, KeySlots, SinkLayout, StoredColumn
from headrace.sql.expr import Field, column
from headrace.statistics import Statistics
from headrace.types import Kind, SqlType, is_wide

COPY_BYTES = 8
"""Columns of one source row are copied while their words take no more than this; otherwise the row id is kept."""

_DTYPES = {
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
}
_NO_VALIDITY = np.zeros(0, np.uint8)


def dtype_of(word: str) -> np.dtype:
    """The NumPy type of a machine word."""
    return np.dtype(_DTYPES[word])


@dataclass(slots=True)
class Slots:
    """The output arrays of a sink as they are assigned: machine type and value text of each."""

    words: list[str]
    texts: list[str]

    def add(self, word: str, text: str) -> int:
        self.words.append(word)
        self.texts.append(text)
        return len(self.words) - 1

    def layout(self, columns: tuple[StoredColumn, ...], keys: tuple[KeySlots, ...] = ()) -> SinkLayout:
        return SinkLayout(tuple(self.words), columns, keys)


@dataclass(frozen=True, slots=True)
class _Place:
    """A stored column traced through its indirections to the array that holds it."""

    origin: Origin
    column: Column
    index: str
    present: str | None


def store(e: Emitter, fields: tuple[Field, ...], slots: Slots) -> tuple[StoredColumn, ...]:
    """Assign slots to the fields of one row and write the lines that compute what goes into them."""
    places: dict[int, _Place] = {}
    for f in fields:
        origin = origin_of(e, column(f))
        if origin is not None:
            places[f.id] = _trace(e, origin)
    by_row: dict[tuple[int, str], list[_Place]] = {}
    for place in places.values():
        by_row.setdefault((_owner(place), place.index), []).append(place)
    pointed = {key: _points(group) for key, group in by_row.items()}
    row_slots: dict[tuple[int, str], tuple[int, np.ndarray, int]] = {}
    stored = []
    for f in fields:
        if f.id not in places:
            stored.append(_computed(e, f, slots))
            continue
        place = places[f.id]
        if not pointed[(_owner(place), place.index)]:
            stored.append(_copied(e, f, place, slots))
        else:
            key = (_owner(place), place.index)
            if key not in row_slots:
                slot = slots.add("u32", place.index)
                valid = slots.add("u8", place.present) if place.present is not None else -1
                row_slots[key] = (slot, np.empty(0, np.uint32), valid)
            slot, rows, valid = row_slots[key]
            prototype = Column(
                f.type,
                0,
                Indirect(rows, stub(place.column)),
                _NO_VALIDITY if valid >= 0 else None,
                _bounds(place.column.statistics),
            )
            stored.append(StoredColumn(f, "row", (slot,), valid, prototype, (place.origin.table, place.origin.field)))
    return tuple(stored)


def _owner(place: _Place) -> int:
    """Columns of one table share row ids; behind an indirection, those that share the array of row ids do."""
    if isinstance(place.origin.column.encoding, Indirect):
        return id(place.origin.column.encoding.rows)
    return place.origin.table


def _trace(e: Emitter, origin: Origin) -> _Place:
    index, present = origin.index, origin.present
    inner, chain = resolve_indirection(origin.column)
    for level, link in enumerate(chain):
        index, present = e.follow(origin, link, level, index, present)
    return _Place(origin, inner, index, present)


def _points(group: list[_Place]) -> bool:
    """Whether a row id is the better way to keep these columns of one row."""
    width = 0
    for place in group:
        arrays = place.column.encoding.arrays()
        if len(arrays) > 1 or isinstance(place.column.encoding, Addresses):
            return True
        width += sum(a.dtype.itemsize for a in arrays) + (1 if place.column.validity is not None else 0)
    return width > COPY_BYTES


def stub(column: Column) -> Column:
    """The form of a column without its rows, so that a cached plan keeps no data alive."""
    validity = _NO_VALIDITY if column.validity is not None else None
    return Column(column.type, 0, column.encoding.take(np.empty(0, np.int64)), validity, _bounds(column.statistics))


def _bounds(seen: Statistics) -> Statistics:
    return Statistics(0, 0, seen.minimum, seen.maximum, seen.distinct)


def _copied(e: Emitter, f: Field, place: _Place, slots: Slots) -> StoredColumn:
    value = e.load(place.origin)
    arrays = place.column.encoding.arrays()
    numbers: tuple[int, ...] = ()
    if arrays:
        word = machine_word(arrays[0])
        raw = e.raw_at(place.origin, len(resolve_indirection(place.origin.column)[1]), word, place.index)
        if place.present is not None:
            name = e.fresh()
            e.line(f"{name} = {e.use({'u': 'u64', 'i': 'i64'}.get(word[0], word))}(0)")
            e.line(f"if {place.present} != u8(0):")
            e.line(f"    {name} = {raw}")
            raw = name
        numbers = (slots.add(word, raw),)
    valid = slots.add("u8", value.valid) if value.valid is not None else -1
    encoding = place.column.encoding.take(np.empty(0, np.int64))
    prototype = Column(f.type, 0, encoding, _NO_VALIDITY if valid >= 0 else None, _bounds(place.column.statistics))
    return StoredColumn(f, "copy", numbers, valid, prototype, (place.origin.table, place.origin.field))


def _computed(e: Emitter, f: Field, slots: Slots) -> StoredColumn:
    value = emit(e, column(f))
    return keep(e, f, value, slots, None if value.valid is None else value.valid)


def keep(e: Emitter, f: Field, value: Value, slots: Slots, valid: str | None) -> StoredColumn:
    """Slots for a computed value's words."""
    t = f.type
    if t.is_text and isinstance(value.dictionary, DictionaryLookup):
        code = slots.add("u32", f"u64({value.words[0]})")
        encoding: Encoding = Dictionary(np.empty(0, np.uint32), TextValues(np.zeros(1, np.int64), _NO_VALIDITY))
        at = slots.add("u8", valid) if valid is not None else -1
        prototype = Column(t, 0, encoding, _NO_VALIDITY if at >= 0 else None, Statistics(0))
        return StoredColumn(f, "code", (code,), at, prototype, lookup=value.dictionary)
    if t.is_text:
        value = text(e, value)
    words = stored_words(t, len(value.words))
    numbers = tuple(slots.add(w, _converted(e, w, v)) for w, v in zip(words, value.words, strict=True))
    at = slots.add("u8", valid) if valid is not None else -1
    return StoredColumn(f, "words", numbers, at, word_prototype(t, len(words), value.range, at >= 0))


def _converted(e: Emitter, word: str, text_: str) -> str:
    return f"{e.use(word)}({text_})" if word in ("u8", "f32") else text_


def stored_words(t: SqlType, count: int) -> tuple[str, ...]:
    """The machine types of a value kept as words; wide numbers may be kept as one."""
    if t.is_text:
        return ("u64", "i64")
    if t.kind in (Kind.BOOLEAN, Kind.NULL):
        return ("u8",)
    if t.is_float:
        return ("f32",) if t.kind is Kind.FLOAT else ("f64",)
    if t.kind is Kind.INTERVAL:
        return ("i64", "i64", "i64")
    return ("u64", "i64") if count == 2 else ("i64",)


def word_prototype(t: SqlType, count: int, limits: tuple[int, int] | None, nullable: bool) -> Column:
    """A column, still without rows, of values kept as words."""
    empty = np.empty(0, np.int64)
    encoding: Encoding
    statistics = Statistics(0)
    if t.is_text:
        encoding = Addresses(empty.view(np.uint64), empty)
    elif t.is_float:
        encoding = Floats(np.empty(0, np.float32 if t.kind is Kind.FLOAT else np.float64))
    elif t.kind is Kind.INTERVAL:
        encoding = Intervals(empty.astype(np.int32), empty.astype(np.int32), empty)
    elif is_wide(t) and count == 2:
        encoding = Wide(empty.view(np.uint64), empty)
    else:
        encoding = FrameOfReference(np.empty(0, np.uint8 if t.kind in (Kind.BOOLEAN, Kind.NULL) else np.int64), 0, 1)
        if limits is not None and limits[0] >= -(2**63) and limits[1] < 2**63:
            statistics = Statistics(0, 0, limits[0], limits[1])
    return Column(t, 0, encoding, _NO_VALIDITY if nullable else None, statistics)


def without_bounds(prototype: Column) -> Column:
    """The prototype, knowing nothing of its values."""
    return replace(prototype, statistics=Statistics(0))
