"""The aggregate sink in generated text: where a row's group is, and how each part of the state takes the row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from headrace.column import Column
from headrace.emit_call import text, truth
from headrace.emit_exact import compare, widened
from headrace.emit_expression import emit
from headrace.emit_keys import hash_of, key_words, same_key
from headrace.emit_store import Slots, store, stored_words, word_prototype
from headrace.emitter import Emitter, Value, resolve_indirection
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.errors import NotSupportedError
from headrace.kernels.aggregate import Operation
from headrace.pipeline import (
    Accumulator,
    AggregateSink,
    Cell,
    DictionaryPart,
    KeySlots,
    SinkLayout,
    StoredColumn,
)
from headrace.sql.expr import Field
from headrace.statistics import Statistics
from headrace.types import Kind, is_wide

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


@dataclass(slots=True)
class AggregateText:
    """Writes one aggregate sink. `rows` bounds how many rows can arrive, which proves that sums fit 64 bits."""

    e: Emitter
    sink: AggregateSink
    rows: int
    slots: Slots = field(default_factory=lambda: Slots([], []))
    cells: list[Cell] = field(default_factory=list)
    columns: list[StoredColumn] = field(default_factory=list)
    keys: list[KeySlots] = field(default_factory=list)
    registers: list[tuple[str, int, str]] = field(default_factory=list)  # (local, slot, merge)
    counted: int = -1

    def row(self) -> None:
        """Lines for a row that has reached the sink."""
        e, sink = self.e, self.sink
        group = {"registers": lambda: "u64(0)", "dense": self._dense_group, "hash": self._hash_group}[sink.form]()
        if sink.form == "hash":
            e.enter(f"if {group} >= i64(0):")
            group = e.temp(f"u64({group})", "g")
        if sink.present is not None:
            self._add(self._present(), group, "i64(1)", "add")
        conditions: dict[str | None, list[tuple[Accumulator, Value | None]]] = {}
        for part in sink.accumulators:
            if part.filter is not None and (part.argument is not None):
                with e.block(f"if {truth(e, part.filter)}:"):
                    self._enter(part, emit(e, part.argument), group)
                continue
            condition = None if part.filter is None else truth(e, part.filter)
            value = emit(e, part.argument) if part.argument is not None else None
            if value is not None and value.valid is not None and part.operation not in _NULLS_TOO:
                condition = f"{value.valid} != u8(0)"
                value = replace(value, valid=None)
            conditions.setdefault(condition, []).append((part, value))
        for test, parts in conditions.items():
            if test is None:
                for part, value in parts:
                    self._update(part, value, group)
                continue
            with e.block(f"if {test}:"):
                for part, value in parts:
                    self._update(part, value, group)

    def _enter(self, part: Accumulator, value: Value, group: str) -> None:
        if value.valid is None or part.operation in _NULLS_TOO:
            self._update(part, value, group)
            return
        with self.e.block(f"if {value.valid} != u8(0):"):
            self._update(part, replace(value, valid=None), group)

    def declarations(self) -> list[str]:
        """The registers' initial values, to stand before the loop."""
        lines = []
        for name, slot, _ in self.registers:
            word = self.slots.words[slot]
            initial = next(c.initial for c in self.cells if c.slot == slot)
            self.e.use(word)
            text_ = self.e.datum(initial, word) if word == "f64" else _initial_text(word, initial)
            lines.append(f"    {name} = {text_}")
        return lines

    def epilogue(self) -> None:
        """Registers into the state."""
        e = self.e
        for name, slot, merge in self.registers:
            array = self._array(slot)
            if merge == "add_wide":
                high = next(n for n, s, _ in self.registers if s == slot + 1)
                e.use("accumulate_wide")
                e.line(f"accumulate_wide({array}, {self._array(slot + 1)}, u64(0), {name}, {high})")
            elif merge in _FLUSH:
                e.line(f"{e.use(_FLUSH[merge])}({array}, u64(0), {name})")
            elif merge != "high":
                e.line(f"{array}[u64(0)] = {array}[u64(0)] {_OPERATORS[merge]} {name}")

    def layout(self) -> SinkLayout:
        return SinkLayout(tuple(self.slots.words), tuple(self.columns), tuple(self.keys), tuple(self.cells))

    # ------------------------------------------------------------------------------------------- groups

    def _dense_group(self) -> str:
        e, sink = self.e, self.sink
        index = ""
        for (f, expr), (minimum, size) in zip(sink.keys, sink.domains, strict=True):
            value = emit(e, expr)
            count = e.datum(size, "u64")
            if value.dictionary is not None or value.type.kind is Kind.BOOLEAN:
                code = f"u64({value.words[0]})"
            else:
                code = f"u64({value.words[0]} - {e.datum(minimum, 'i64')})"
            if value.valid is not None:
                code = f"({code} if {value.valid} != u8(0) else {count} - u64(1))"
            index = code if not index else f"({index} * {count} + {code})"
            self.columns.append(self._key_column(f, value, ()))
        if sink.copies > 1:
            index = f"{index} * u64({sink.copies}) + (i & u64({sink.copies - 1}))"
        group = e.temp(index, "g")
        if sink.carried:
            self._carry(group, f"{self._array(self._present())}[{group}] == i64(0)")
        return group

    def _present(self) -> int:
        """The slot that counts a group's rows."""
        assert self.sink.present is not None
        if self.counted < 0:
            self.counted = self._cell(self.sink.present, "i64", 0, "add")
        return self.counted

    def _hash_group(self) -> str:
        """Find or publish the row's group (D13); -1 when the table is full, which the driver notices."""
        e, sink = self.e, self.sink
        keys = [key_words(e, expr, True, coded=True) for _, expr in sink.keys]
        arrays: list[str] = []
        firsts: list[tuple[str, str]] = []
        for (f, _), key in zip(sink.keys, keys, strict=True):
            numbers = tuple(self.slots.add(w, "") for w in key.types)
            self.keys.append(KeySlots(numbers, key.kind == "text"))
            arrays += [self._array(n) for n in numbers]
            first = self._first_value(f, key.value)
            shown = tuple(n for n, _ in first)
            self.columns.append(self._key_column(f, key.value, shown + numbers[len(shown) :]))
            firsts += [(self._array(n), word) for n, word in first]
        slots = e.state("slots", "i32[]!")
        counter = e.state("counter", "i64[]!")
        mask, capacity = e.state("mask", "u64"), e.state("capacity", "i64")
        hashes = e.state("hashes", "u64[]!")
        e.use("atomic_add", "atomic_cas", "atomic_load", "fence")
        h = hash_of(e, keys)
        s, g, own, row = e.temp(f"{h} & {mask}", "s"), e.fresh("g"), e.fresh("o"), e.fresh("r")
        e.line(f"{g} = i64(-2)")
        e.line(f"{own} = i64(-1)")
        e.line(f"while {g} == i64(-2):")
        e.depth += 1
        e.line(f"{row} = i64(atomic_load({slots}, {s}))")
        e.line(f"if {row} < i64(0):")
        e.depth += 1
        e.line(f"if {own} < i64(0):")
        e.depth += 1
        e.line(f"{own} = i64(atomic_add({counter}, u64(0), i64(1)))")
        e.line(f"if {own} < {capacity}:")
        e.depth += 1
        e.line(f"{hashes}[u64({own})] = {h}")
        for array, word in zip(arrays, [w for key in keys for w in key.words], strict=True):
            e.line(f"{array}[u64({own})] = {word}")
        for array, word in firsts:
            e.line(f"{array}[u64({own})] = {word}")
        if sink.carried:
            self._carry(f"u64({own})", None)
        e.line("fence()")
        e.depth -= 3 - 1
        e.line(f"if {own} >= {capacity}:")
        e.line(f"    {g} = i64(-1)")
        e.line("else:")
        e.depth += 1
        e.line(f"{row} = i64(atomic_cas({slots}, {s}, i64(-1), {own}))")
        e.line(f"if {row} < i64(0):")
        e.line(f"    {g} = {own}")
        e.depth -= 2
        e.line(f"if ({g} == i64(-2)) and ({row} >= i64(0)):")
        e.depth += 1
        e.line(f"if {same_key(e, keys, arrays, f'u64({row})')}:")
        e.line(f"    {g} = {row}")
        e.line("else:")
        e.line(f"    {s} = ({s} + u64(1)) & {mask}")
        e.depth -= 2
        return g

    def _first_value(self, f: Field, value: Value) -> list[tuple[int, str]]:
        """(slot, word) of what a group shows for a key whose equal values differ: -0.0 and 0.0, 30 days and a month."""
        if not f.type.is_float and f.type.kind is not Kind.INTERVAL:
            return []
        held = self.e.hold(value).words
        return [(self.slots.add(w, ""), v) for w, v in zip(stored_words(f.type, len(held)), held, strict=True)]

    def _carry(self, group: str, condition: str | None) -> None:
        e = self.e
        before = len(self.slots.words)
        with e.captured(1 if condition else 0) as lines:
            stored = store(e, self.sink.carried, self.slots)
            for slot in range(before, len(self.slots.words)):
                e.line(f"{self._array(slot)}[{group}] = {self.slots.texts[slot]}")
        if condition:
            e.line(f"if {condition}:")
            lines = lines or ["    " * (e.depth + 1) + "pass"]
        e.lines += lines
        self.columns += stored

    def _key_column(self, f: Field, value: Value, numbers: tuple[int, ...]) -> StoredColumn:
        """How the group's key becomes a column; dense keys have no slots, their code is the group's number."""
        nullable = value.valid is not None
        at = numbers[-1] if nullable and numbers else -1
        slots = numbers[:-1] if nullable and numbers else numbers
        none = np.zeros(0, np.uint8) if nullable else None
        differ = Statistics(0, unique=True if len(self.sink.keys) == 1 else None)
        if value.dictionary is not None and f.type.is_text:
            values = TextValues(np.zeros(1, np.int64), np.zeros(0, np.uint8))
            if isinstance(value.dictionary, DictionaryPart):
                origin = (value.dictionary.table, value.dictionary.field)
                inner, _ = resolve_indirection(self.e.tables[origin[0]][origin[1]])
                assert isinstance(inner.encoding, Dictionary)
                known = Dictionary(np.empty(0, np.uint32), inner.encoding.values)
                return StoredColumn(f, "dictionary", slots, at, Column(f.type, 0, known, none, differ), origin)
            prototype = Column(f.type, 0, Dictionary(np.empty(0, np.uint32), values), none, differ)
            return StoredColumn(f, "code", slots, at, prototype, lookup=value.dictionary)
        prototype = word_prototype(f.type, max(1, len(slots)), value.range, nullable)
        prototype = replace(prototype, statistics=replace(prototype.statistics, unique=differ.unique))
        return StoredColumn(f, "words", slots, at, prototype)

    # -------------------------------------------------------------------------------------------- state

    def _array(self, slot: int) -> str:
        return self.e.state("slot", f"{self.slots.words[slot]}[]!", slot)

    def _cell(self, f: Field, word: str, initial: int | float, merge: str, column: bool = True) -> int:
        """The slot of a new state array; its column, if it is one by itself."""
        slot = self.slots.add(word, "")
        self.cells.append(Cell(slot, initial, merge))
        if column:
            prototype = word_prototype(f.type, 1, None, False)
            self.columns.append(StoredColumn(f, "words", (slot,), -1, prototype))
        return slot

    def _add(self, slot: int, group: str, text_: str, merge: str) -> None:
        """One cell takes a value: a register, or an array element."""
        e = self.e
        if self.sink.form == "registers":
            name = f"total{slot}"
            if all(n != name for n, _, _ in self.registers):
                self.registers.append((name, slot, merge))
            if merge in ("minimum", "maximum"):
                held = e.temp(text_)
                less = _better(e, self.slots.words[slot], merge, held, name)
                e.line(f"{name} = {held} if {less} else {name}")
            else:
                e.line(f"{name} = {name} {_OPERATORS[merge]} {text_}")
            return
        array = self._array(slot)
        if merge in _FLUSH:
            e.line(f"{e.use(_FLUSH[merge])}({array}, {group}, {text_})")
        else:
            e.line(f"{array}[{group}] = {array}[{group}] {_OPERATORS[merge]} {text_}")

    def _update(self, part: Accumulator, value: Value | None, group: str) -> None:
        e, operation, f = self.e, part.operation, part.fields[0]
        if operation in (Operation.COUNT, Operation.COUNT_ROWS):
            self._add(self._cell(f, "i64", 0, "add"), group, "i64(1)", "add")
            return
        assert value is not None
        if operation is Operation.SUM:
            self._sum(f, value, group)
        elif operation is Operation.SUM_WIDE:
            self._sum_wide(part, value, group)
        elif operation in (Operation.SUM_FLOAT, Operation.PRODUCT):
            e.use("f64")
            merge, initial = ("add", 0.0) if operation is Operation.SUM_FLOAT else ("multiply", 1.0)
            self._add(self._cell(f, "f64", initial, merge), group, self._float(value), merge)
        elif operation in (Operation.MINIMUM, Operation.MAXIMUM):
            self._extreme(part, value, group)
        elif operation in _BITS:
            initial, merge = _BITS[operation]
            if len(value.words) == 1:
                self._add(self._cell(f, "i64", initial, merge), group, value.words[0], merge)
                return
            low = self._cell(f, "u64", initial & (2**64 - 1), merge, column=False)
            high = self._cell(f, "i64", initial, merge, column=False)
            self.columns.append(StoredColumn(f, "words", (low, high), -1, word_prototype(f.type, 2, None, False)))
            for slot, word in zip((low, high), value.words, strict=True):
                self._add(slot, group, word, merge)
        elif operation is Operation.MOMENTS:
            self._moments(part, value, group)
        else:
            self._kept(part, value, group, "first" if operation in (Operation.FIRST, Operation.FIRST_ROW) else "last")

    def _float(self, value: Value) -> str:
        if value.type.is_float:
            return f"f64({value.words[0]})"
        raise NotSupportedError(f"a floating-point aggregate over {value.type} needs a cast")

    def _sum(self, f: Field, value: Value, group: str) -> None:
        e = self.e
        if value.type.kind is Kind.BOOLEAN:
            value = replace(value, words=(f"i64({value.words[0]})",), range=(0, 1))
        limits = value.range
        if len(value.words) == 1 and limits is not None:
            reach = max(abs(limits[0]), abs(limits[1])) * self.rows
            if reach <= INT64_MAX:
                slot = self.slots.add("i64", "")
                self.cells.append(Cell(slot, 0, "add"))
                self.columns.append(
                    StoredColumn(f, "words", (slot,), -1, word_prototype(f.type, 1, (-reach, reach), False))
                )
                self._add(slot, group, value.words[0], "add")
                return
        low = self.slots.add("u64", "")
        high = self.slots.add("i64", "")
        self.cells += [Cell(low, 0, "add_wide"), Cell(high, 0, "high")]
        self.columns.append(StoredColumn(f, "words", (low, high), -1, word_prototype(f.type, 2, None, False)))
        vlo, vhi = widened(e, value).words
        if self.sink.form == "registers":
            self.registers += [(f"total{low}", low, "add_wide"), (f"total{high}", high, "high")]
            e.use("add_wide")
            e.line(f"total{low}, total{high}, {e.fresh('f')} = add_wide(total{low}, total{high}, {vlo}, {vhi})")
        else:
            e.use("accumulate_wide")
            e.line(f"accumulate_wide({self._array(low)}, {self._array(high)}, {group}, {vlo}, {vhi})")

    def _sum_wide(self, part: Accumulator, value: Value, group: str) -> None:
        """A sum of 128-bit values, which may leave 128 bits: a third word counts how often it wrapped."""
        e = self.e
        limits = value.range
        proved = limits is not None and max(abs(limits[0]), abs(limits[1])) * self.rows < 2**127
        if proved:
            self._sum(part.fields[0], value, group)
            self._cell(part.fields[1], "i64", 0, "add")
            return
        f = part.fields[0]
        low, high = self.slots.add("u64", ""), self.slots.add("i64", "")
        self.cells += [Cell(low, 0, "keep"), Cell(high, 0, "keep")]
        self.columns.append(StoredColumn(f, "words", (low, high), -1, word_prototype(f.type, 2, None, False)))
        top = self._cell(part.fields[1], "i64", 0, "keep")
        state = ", ".join(f"{self._array(k)}[{group}]" for k in (low, high, top))
        vlo, vhi = widened(e, value).words
        e.use("add_sum_wide")
        e.line(f"{state} = add_sum_wide({state}, {vlo}, {vhi}, i64(0))")

    def _extreme(self, part: Accumulator, value: Value, group: str) -> None:
        e, t, f = self.e, value.type, part.fields[0]
        least = part.operation is Operation.MINIMUM
        merge = "minimum" if least else "maximum"
        if t.is_float:
            e.use("f64")
            slot = self._cell(f, "f64", float("nan") if least else float("-inf"), merge)
            self._add(slot, group, f"f64({value.words[0]})", merge)
        elif not t.is_text and t.kind is not Kind.INTERVAL and len(value.words) == 1:
            slot = self.slots.add("i64", "")
            self.cells.append(Cell(slot, INT64_MAX if least else INT64_MIN, merge))
            self.columns.append(StoredColumn(f, "words", (slot,), -1, word_prototype(f.type, 1, value.range, False)))
            word = f"i64({value.words[0]})" if t.kind is Kind.BOOLEAN else value.words[0]
            self._add(slot, group, word, merge)
        else:
            self._kept(part, value, group, "less" if least else "greater")

    def _kept(self, part: Accumulator, value: Value, group: str, rule: str) -> None:
        """Keep one row's value: the first, the last, or the one that compares best. One lane only."""
        e, f = self.e, part.fields[0]
        if f.type.is_text:
            value = text(e, value)
        elif is_wide(f.type):
            value = widened(e, value)
        value = e.hold(value)
        kinds = stored_words(f.type, len(value.words))
        numbers = []
        for word in kinds:
            numbers.append(self.slots.add(word, ""))
            self.cells.append(Cell(numbers[-1], 0, "keep"))
        self.columns.append(
            StoredColumn(f, "words", tuple(numbers), -1, word_prototype(f.type, len(kinds), None, False))
        )
        has = self.slots.add("u8", "")
        self.cells.append(Cell(has, 0, "keep"))
        flag = f"{self._array(has)}[{group}]"
        old = Value(f.type, tuple(f"{self._array(n)}[{group}]" for n in numbers))
        e.line(
            f"{(better := e.fresh('c'))} = {flag} == u8(0)" if rule != "last" else f"{(better := e.fresh('c'))} = True"
        )
        if rule in ("less", "greater"):
            e.line(f"if not {better}:")
            e.depth += 1
            e.line(f"{better} = {compare(e, rule, value, e.hold(old))}")
            e.depth -= 1
        e.line(f"if {better}:")
        e.depth += 1
        for n, word, kind in zip(numbers, value.words, kinds, strict=True):
            e.line(
                f"{self._array(n)}[{group}] = {e.use(kind)}({word})"
                if kind in ("u8", "f32")
                else f"{self._array(n)}[{group}] = {word}"
            )
        e.line(f"{flag} = u8(1)")
        if len(part.fields) == 2:
            valid = self.slots.add("u8", "")
            self.cells.append(Cell(valid, 0, "keep"))
            self.columns.append(
                StoredColumn(
                    part.fields[1], "words", (valid,), -1, word_prototype(part.fields[1].type, 1, (0, 1), False)
                )
            )
            e.line(f"{self._array(valid)}[{group}] = {value.valid or 'u8(1)'}")
        e.depth -= 1

    def _moments(self, part: Accumulator, value: Value, group: str) -> None:
        e = self.e
        e.use("enter_moments", "f64")
        numbers = []
        for f, word in zip(part.fields, ("i64", "f64", "f64"), strict=True):
            numbers.append(self.slots.add(word, ""))
            self.cells.append(Cell(numbers[-1], 0, "keep"))
            self.columns.append(StoredColumn(f, "words", (numbers[-1],), -1, word_prototype(f.type, 1, None, False)))
        n, mean, square = (f"{self._array(k)}[{group}]" for k in numbers)
        e.line(f"{n}, {mean}, {square} = enter_moments({n}, {mean}, {square}, {self._float(value)})")


def _better(e: Emitter, word: str, merge: str, new: str, old: str) -> str:
    sign = "<" if merge == "minimum" else ">"
    if word != "f64":
        return f"{new} {sign} {old}"
    loser = old if merge == "minimum" else new
    return f"({new} {sign} {old}) | ({loser} != {loser})"


def _initial_text(word: str, initial: int | float) -> str:
    if initial == INT64_MIN:
        return f"i64({INT64_MIN + 1}) - i64(1)"
    return f"{word}({initial})"


_NULLS_TOO = frozenset((Operation.COUNT_ROWS, Operation.FIRST_ROW, Operation.LAST_ROW))
_BITS = {Operation.BIT_AND: (-1, "and_"), Operation.BIT_OR: (0, "or_"), Operation.BIT_XOR: (0, "xor")}
_OPERATORS = {"add": "+", "multiply": "*", "and_": "&", "or_": "|", "xor": "^"}
_FLUSH = {"add": "accumulate", "minimum": "accumulate_min", "maximum": "accumulate_max"}
