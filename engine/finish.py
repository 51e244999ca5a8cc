"""What a sink's lanes become once a pipeline is done: a table's columns, or the index of a build side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headrace.column import Column, pack
from headrace.devices.sorting import OrderKey, sort_order, top_k_order
from headrace.devices.verbs import Verbs
from headrace.emit_store import dtype_of
from headrace.encodings.addresses import Addresses
from headrace.encodings.base import Array, Encoding
from headrace.encodings.constant import Constant
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.encodings.intervals import Intervals
from headrace.encodings.text import Text
from headrace.encodings.wide import Wide
from headrace.errors import InternalError
from headrace.launch import BuildIndex, Lookups, dictionary_of
from headrace.pipeline import AggregateSink, BuildSink, Generated, OrderBy, SinkLayout, StoredColumn
from headrace.sql.expr import ColumnRef
from headrace.sql.plan import SortKey
from headrace.state import AppendState, GroupState, as_arrays, gathered, merge_cells


@dataclass(slots=True)
class Finisher:
    """Turns lanes into results; `tables` are the query's tables so far, `owners` keeps text buffers alive."""

    tables: dict[int, Mapping[int, Column]]
    lookups: Lookups
    verbs: Verbs
    owners: list[object]

    # ------------------------------------------------------------------------------------------- columns

    def column(self, stored: StoredColumn, arrays: Sequence[Array], rows: int) -> Column:
        """One stored field as a column, in the form of its prototype."""
        validity = None
        if stored.valid >= 0:
            validity = pack(arrays[stored.valid].astype(np.bool_))
            if validity is None:
                validity = np.full((rows + 7) // 8, 255, np.uint8)
        encoding = self._encoding(stored, arrays)
        seen = replace(stored.prototype.statistics, rows=rows)
        return Column(stored.field.type, rows, encoding, validity, seen)

    def _encoding(self, stored: StoredColumn, arrays: Sequence[Array]) -> Encoding:
        model = stored.prototype.encoding
        mine = [arrays[s] for s in stored.slots]
        if stored.mode in ("row", "copy", "dictionary"):
            table, field = stored.origin
            origin = self.tables[table][field]
            while isinstance(origin.encoding, Indirect):
                origin = origin.encoding.column
            if stored.mode == "row":
                return Indirect(mine[0], origin)
            if stored.mode == "dictionary":
                return Dictionary(mine[0].astype(np.uint32, copy=False), dictionary_of(origin))
            return _copied(origin.encoding, mine)
        if stored.mode == "code":
            assert stored.lookup is not None
            values = dictionary_of(self.tables[stored.lookup.table][stored.lookup.field])
            found = self.lookups.get(values, stored.lookup.field, stored.lookup.expr)
            assert found.values is not None
            return Dictionary(mine[0].astype(np.uint32, copy=False), found.values)
        if isinstance(model, Addresses):
            return Addresses(mine[0], mine[1], tuple(self.owners))
        if isinstance(model, Floats):
            return Floats(mine[0].astype(model.data.dtype, copy=False))
        if isinstance(model, Intervals):
            return Intervals(mine[0].astype(np.int32), mine[1].astype(np.int32), mine[2])
        if isinstance(model, Wide):
            return Wide(mine[0], mine[1])
        if isinstance(model, FrameOfReference):
            return FrameOfReference(mine[0].astype(model.data.dtype, copy=False), 0, 1)
        raise InternalError(f"a sink cannot fill a column of the form {model.form}")

    def columns(self, layout: SinkLayout, arrays: Sequence[Array], rows: int) -> dict[int, Column]:
        """All columns of a layout, by field id."""
        return {c.field.id: self.column(c, arrays, rows) for c in layout.columns}

    def settle_texts(self, slots: list[Any], texts: Sequence[tuple[int, int]], rows: int) -> None:
        """Interpreted texts (bytes) become addresses into a buffer that this query owns."""
        for address, length in texts:
            if isinstance(slots[address], np.ndarray):
                continue
            pairs = zip(slots[address][:rows], slots[length][:rows], strict=True)
            pieces = [bytes(a[:n]) if n else b"" for a, n in pairs]
            buffer = np.frombuffer(b"".join(pieces) or b"\0", np.uint8)
            self.owners.append(buffer)
            starts = np.zeros(rows, np.uint64)
            if rows:
                starts[1:] = np.cumsum([len(p) for p in pieces[:-1]], dtype=np.uint64)
            slots[address] = starts + np.uint64(buffer.ctypes.data)

    # -------------------------------------------------------------------------------------- collect and build

    def collect(self, made: Generated, states: Sequence[AppendState], order: OrderBy) -> tuple[dict[int, Column], int]:
        """A collect sink's table, sorted and cut as asked."""
        layout = made.layout
        slots, rows = gathered(states, layout)
        self.settle_texts(slots, text_slots(layout), rows)
        arrays = as_arrays(slots, layout.words, rows)
        if not layout.words:
            rows = sum(s.used_rows() for s in states)
        if order.keys:
            picked = self._ordered(self.columns(layout, arrays, rows), rows, order)
            arrays = [a[picked] for a in arrays]
            rows = len(picked)
        elif order.limit is not None or order.offset:
            stop = rows if order.limit is None else min(rows, order.offset + order.limit)
            start = min(order.offset, stop)
            arrays = [a[start:stop] for a in arrays]
            rows = stop - start
        return self.columns(layout, arrays, rows), rows

    def _ordered(self, columns: Mapping[int, Column], rows: int, order: OrderBy) -> Array:
        """The rows that the order asks for, in that order."""
        end = rows if order.limit is None else min(rows, order.offset + order.limit)
        candidates = None if order.limit is None else self._candidates(columns, order.keys[0], end)
        if candidates is not None:
            columns = {i: c.take(candidates) for i, c in columns.items() if any(_key(k).id == i for k in order.keys)}
            rows = len(candidates)
        keys = [k for key in order.keys for k in self.order_keys(columns, key)]
        picked = sort_order(keys, rows) if order.limit is None else top_k_order(keys, rows, end)
        picked = picked[order.offset :]
        return picked if candidates is None else candidates[picked]

    def _candidates(self, columns: Mapping[int, Column], key: SortKey, end: int) -> Array | None:
        """For a first key of long text, the rows that can be among the first `end`, by the first 8 bytes."""
        column = columns[_key(key).id]
        places = text_places(column)
        prefix = None if places is None or end == 0 else self.verbs.text_prefix(*places)
        if prefix is None:
            return None
        if key.descending:
            prefix = ~prefix
        if column.mask is not None:
            prefix = np.where(column.mask, prefix, np.uint64(0 if key.nulls_first else 2**64 - 1))
        return np.flatnonzero(prefix <= np.partition(prefix, end - 1)[end - 1])

    def order_keys(self, columns: Mapping[int, Column], key: SortKey) -> list[OrderKey]:
        """One sort key as plain arrays: numbers as they are, text as its rank."""
        nulls, values = sortable(columns[_key(key).id])
        return [OrderKey(v, key.descending, nulls, key.nulls_first) for v in values]

    def build(
        self, made: Generated, states: Sequence[AppendState], bits: Array | None, nulls: bool
    ) -> tuple[dict[int, Column], BuildIndex]:
        """A build side: its payload in key order, and the index over it. `nulls`: rows with a NULL key were seen."""
        columns, index = self._indexed(made, states, bits)
        sink = made.pipeline.sink
        assert isinstance(sink, BuildSink)
        index.nulls = int(nulls)
        index.vacant = int(not index.rows and not nulls)
        if sink.matched:
            index.matched = np.zeros(index.rows, np.uint8)
        return columns, index

    def _indexed(
        self, made: Generated, states: Sequence[AppendState], bits: Array | None
    ) -> tuple[dict[int, Column], BuildIndex]:
        sink, layout = made.pipeline.sink, made.layout
        assert isinstance(sink, BuildSink)
        slots, rows = gathered(states, layout)
        self.settle_texts(slots, text_slots(layout), rows)
        arrays = as_arrays(slots, layout.words, rows)
        if not layout.words:
            rows = sum(s.used_rows() for s in states)
        if sink.form == "cross":
            return self.columns(layout, arrays, rows), BuildIndex(rows)
        if sink.form == "rank":
            assert bits is not None
            prefix = None if sink.presence else self.verbs.popcount_prefix(bits)
            index = BuildIndex(rows, sink.minimum, sink.domain, bits, prefix)
            if prefix is None or not layout.keys:
                return {}, index
            groups = self.verbs.rank_of(arrays[layout.keys[0].slots[0]], sink.minimum, bits, prefix)
            count = int(np.bitwise_count(bits).sum())
        else:
            words = [arrays[s] for key in layout.keys for s in key.slots]
            texts = [place for place, _ in _text_places(layout)]
            table, groups, first = self.verbs.hash_build(words, rows, texts)
            count = len(first)
            index = BuildIndex(rows, slots=table, mask=len(table) - 1)
            index.keys = [w[first] for w in words]
            index.texts = [place in texts for place in range(len(words))]
        if sink.presence:
            index.rows = count
            return {}, index
        payload = sorted({s for c in layout.columns for s in (*c.slots, c.valid) if s >= 0})
        if sink.unique:
            for s in payload:
                arrays[s] = self.verbs.scatter(arrays[s], groups, count)
            rows = count
        else:
            index.offsets, order = self.verbs.runs(groups, count)
            for s in payload:
                arrays[s] = arrays[s][order]
        index.rows = rows
        return self.columns(layout, arrays, rows), index

    # ----------------------------------------------------------------------------------------------- groups

    def aggregate(self, made: Generated, states: Sequence[GroupState]) -> tuple[dict[int, Column], int]:
        """An aggregate sink's table: lanes merged, one row a group."""
        sink, layout = made.pipeline.sink, made.layout
        assert isinstance(sink, AggregateSink)
        if sink.form == "hash":
            arrays, rows = self._merge_hashed(layout, states)
            return self.columns(layout, arrays, rows), rows
        everything = np.arange(states[0].capacity // sink.copies)
        carried = _carried_slots(layout, sink)
        merged: list[Array] | None = None
        for state in states:
            slots = self._settled(layout, state, state.capacity)
            for copy in range(sink.copies):
                part = [s[copy :: sink.copies] for s in slots]
                if merged is None:
                    merged = [s.copy() for s in part]
                    seen = _present(layout, sink, merged)
                    continue
                for s in carried:
                    merged[s] = np.where(seen, merged[s], part[s])
                seen = seen | _present(layout, sink, part)
                merge_cells(layout.cells, merged, everything, part)
        assert merged is not None
        if sink.form == "registers":
            return self.columns(layout, merged, 1), 1
        alive = np.flatnonzero(seen)
        arrays = [m[alive] for m in merged]
        return self._dense_columns(layout, sink, arrays, alive), len(alive)

    def _dense_columns(
        self, layout: SinkLayout, sink: AggregateSink, arrays: list[Array], alive: Array
    ) -> dict[int, Column]:
        """Columns of a dense group table; a key is worked out from the group's number."""
        rest = alive
        codes: list[Array] = []
        for _, size in reversed(sink.domains):
            codes.append(rest % size)
            rest = rest // size
        codes.reverse()
        keys = {f.id: (codes[k], sink.domains[k]) for k, (f, _) in enumerate(sink.keys)}
        columns: dict[int, Column] = {}
        for stored in layout.columns:
            if stored.field.id not in keys:
                columns[stored.field.id] = self.column(stored, arrays, len(alive))
                continue
            code, (minimum, size) = keys[stored.field.id]
            valid = code != size - 1
            number = code if stored.mode in ("dictionary", "code") else code + minimum
            own = [number, valid.astype(np.uint8)]
            nullable = stored.prototype.validity is not None
            if nullable:
                own[0] = np.where(valid, number, 0)
            placed = replace(stored, slots=(0,), valid=1 if nullable else -1)
            columns[stored.field.id] = self.column(placed, own, len(alive))
        return columns

    def _settled(self, layout: SinkLayout, state: GroupState, rows: int) -> list[Array]:
        slots = list(state.slots)
        self.settle_texts(slots, text_slots(layout), rows)
        return as_arrays(slots, layout.words, rows)

    def _merge_hashed(self, layout: SinkLayout, states: Sequence[GroupState]) -> tuple[list[Array], int]:
        """All lanes' groups as one table, in the order in which their keys first appear in the input."""
        states = [s for s in states if s.groups()] or states[:1]
        lanes = [self._settled(layout, s, s.groups()) for s in states]
        if len(lanes) == 1:
            return lanes[0], states[0].groups()
        runs = sorted((run.morsel, lane, run.start, run.stop) for lane, s in enumerate(states) for run in s.runs)

        def joined(slot: int) -> Array:
            return np.concatenate([lanes[lane][slot][start:stop] for _, lane, start, stop in runs])

        words = [joined(s) for key in layout.keys for s in key.slots]
        texts = [place for place, _ in _text_places(layout)]
        _, groups, first = self.verbs.hash_build(words, sum(s.groups() for s in states), texts)
        cells = {c.slot for c in layout.cells}
        initial = {c.slot: c.initial for c in layout.cells}
        merged: list[Array] = []
        for k, word in enumerate(layout.words):
            if k in cells:
                merged.append(np.full(len(first), initial[k], dtype_of(word)))
            else:
                merged.append(joined(k)[first])
        at: list[list[Array]] = [[] for _ in lanes]
        place = 0
        for _, lane, start, stop in runs:
            at[lane].append(groups[place : place + stop - start])
            place += stop - start
        for arrays, places in zip(lanes, at, strict=True):
            merge_cells(layout.cells, merged, np.concatenate(places), arrays)
        return merged, len(first)


def _present(layout: SinkLayout, sink: AggregateSink, arrays: Sequence[Array]) -> Array:
    """Which groups have rows."""
    if sink.present is None:
        return np.ones(len(arrays[0]) if arrays else 1, np.bool_)
    slot = next(c.slots[0] for c in layout.columns if c.field.id == sink.present.id)
    return np.not_equal(arrays[slot], 0)


def _carried_slots(layout: SinkLayout, sink: AggregateSink) -> list[int]:
    ids = {f.id for f in sink.carried}
    return sorted({s for c in layout.columns if c.field.id in ids for s in (*c.slots, c.valid) if s >= 0})


def _copied(encoding: Encoding, arrays: Sequence[Array]) -> Encoding:
    """The encoding of a column over other stored elements."""
    if isinstance(encoding, FrameOfReference):
        return FrameOfReference(arrays[0], encoding.base, encoding.divisor)
    if isinstance(encoding, Dictionary):
        return Dictionary(arrays[0], encoding.values)
    if isinstance(encoding, Floats):
        return Floats(arrays[0])
    if isinstance(encoding, Constant):
        return encoding
    raise InternalError(f"elements of {encoding.form} are not copied")


def text_slots(layout: SinkLayout) -> list[tuple[int, int]]:
    """(address slot, length slot) of every text kept as words."""
    pairs = {(c.slots[0], c.slots[1]) for c in layout.columns if isinstance(c.prototype.encoding, Addresses)}
    pairs |= {(k.slots[0], k.slots[1]) for k in layout.keys if k.text}
    return sorted(pairs)


def _text_places(layout: SinkLayout) -> list[tuple[int, int]]:
    """Positions of text addresses among all key words."""
    places = []
    position = 0
    for key in layout.keys:
        if key.text:
            places.append((position, position + 1))
        position += len(key.slots)
    return places


def sortable(column: Column) -> tuple[Array | None, list[Array]]:
    """(NULL mask, arrays that order like the values): two arrays for wide numbers, the first the more important."""
    if isinstance(column.encoding, Indirect):
        inner = column.encoding.column
        rows = column.encoding.rows.astype(np.int64)
        if column.mask is not None:
            rows = np.where(column.mask, rows, -1)
        return sortable(inner.take(rows))
    nulls = None if column.mask is None else ~column.mask
    encoding = column.encoding
    if isinstance(encoding, Addresses):
        encoding = as_text(encoding)
    if isinstance(encoding, Dictionary):
        ranks = encoding.values.rank if encoding.values.count else np.zeros(1, np.int64)
        return nulls, [ranks[encoding.codes]]
    if isinstance(encoding, Text):
        return nulls, [_text_ranks(encoding)]
    if isinstance(encoding, Floats):
        return nulls, [encoding.data]
    if isinstance(encoding, Wide):
        return nulls, [encoding.high, encoding.low]
    if isinstance(encoding, Intervals):
        micros_of_day = 86_400_000_000
        days = encoding.days.astype(np.int64) + encoding.micros // micros_of_day
        months = encoding.months.astype(np.int64) + days // 30
        return nulls, [months, days % 30, encoding.micros % micros_of_day]
    if isinstance(encoding, Constant):
        return nulls, [np.full(column.rows, encoding.value, np.int64)]
    assert isinstance(encoding, FrameOfReference)
    if encoding.base == 0 and encoding.divisor == 1:
        return nulls, [encoding.data]
    return nulls, [encoding.data.astype(np.int64) * encoding.divisor + encoding.base]


def text_places(column: Column) -> tuple[Array, Array] | None:
    """(address, length) of each row's text, nothing being copied; None for dictionaries and other types."""
    encoding, rows = column.encoding, None
    if isinstance(encoding, Indirect):
        rows = encoding.rows if column.mask is None else np.where(column.mask, encoding.rows, 0)
        if encoding.column.rows == 0:
            return None
        encoding = encoding.column.encoding
    if isinstance(encoding, Addresses):
        address, length = encoding.addresses, encoding.lengths
    elif isinstance(encoding, Text):
        address = encoding.offsets[:-1].view(np.uint64) + np.uint64(encoding.data.ctypes.data)
        length = encoding.offsets[1:] - encoding.offsets[:-1]
    else:
        return None
    return (address, length) if rows is None else (address[rows], length[rows])


def _key(key: SortKey) -> ColumnRef:
    assert isinstance(key.expr, ColumnRef)
    return key.expr


def as_text(encoding: Addresses) -> Text:
    """Texts at addresses copied into one buffer."""
    offsets, data = Verbs().gather_text(encoding.addresses, encoding.lengths)
    return Text(offsets, data)


def _text_ranks(encoding: Text) -> Array:
    """For each row the place of its text among the distinct texts in byte order."""
    import pyarrow as pa

    rows = len(encoding.offsets) - 1
    buffers = [None, pa.py_buffer(encoding.offsets), pa.py_buffer(encoding.data)]
    encoded = pa.Array.from_buffers(pa.large_binary(), rows, buffers).dictionary_encode()
    binary = encoded.dictionary
    offsets = np.frombuffer(binary.buffers()[1], np.int64)[: len(binary) + 1]
    content = binary.buffers()[2]
    data = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
    values = TextValues(offsets, data)
    return values.rank[np.asarray(encoded.indices)] if len(binary) else np.zeros(rows, np.int64)
