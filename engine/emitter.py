"""The text of one pipeline as it grows: lines, parameters, failure sites, and the columns in reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from headrace.column import Column
from headrace.encodings.dictionary import Dictionary
from headrace.encodings.indirect import Indirect
from headrace.pipeline import (
    Binding,
    ColumnPart,
    Constant,
    DictionaryLookup,
    DictionaryPart,
    Finish,
    StatePart,
)
from headrace.sql.expr import Expr
from headrace.types import VARCHAR, Kind, SqlType, words

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Value:
    """An SQL value in generated text: one expression a machine word.

    `valid` names a u8 local that is 1 where the value is not NULL (None: never NULL). Exact values whose proved
    `range` fits 64 bits take one word even if their type has two. A text value with `dictionary` set is one word,
    its code. `test` is a Boolean as a Python condition.
    """

    type: SqlType
    words: tuple[str, ...]
    valid: str | None = None
    range: Range | None = None
    dictionary: DictionaryPart | DictionaryLookup | None = None
    test: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """A stored column at a row: `index` is a u64 expression; `present` a u8 local that is 0 for a row of NULLs."""

    table: int
    field: int
    column: Column
    index: str
    present: str | None = None


MACHINE_TYPES = {
    "u1": "u8",
    "u2": "u16",
    "u4": "u32",
    "u8": "u64",
    "i1": "i8",
    "i2": "i16",
    "i4": "i32",
    "i8": "i64",
    "f4": "f32",
    "f8": "f64",
}


CONVERSIONS = frozenset((*MACHINE_TYPES.values(), "f32", "f64"))


def machine_word(array: object) -> str:
    """The word name of a NumPy array's element type."""
    return MACHINE_TYPES[array.dtype.str[1:]]  # type: ignore[attr-defined]


def resolve_indirection(column: Column) -> tuple[Column, tuple[Column, ...]]:
    """The column that holds the values, and the row-id columns passed on the way to it."""
    chain: list[Column] = []
    while isinstance(column.encoding, Indirect):
        chain.append(column)
        column = column.encoding.column
    return column, tuple(chain)


@dataclass(slots=True)
class Emitter:
    """Collects one function's text. Columns are looked up by field id in `columns`; computed ones wait as
    expressions in `computed` until they are first used."""

    tables: Mapping[int, Mapping[int, Column]]
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    counter: int = 0
    bound: dict[tuple[Binding, str], str] = field(default_factory=dict)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=lambda: {"u64", "i64", "u8"})
    columns: dict[int, Origin | Value] = field(default_factory=dict)
    computed: dict[int, Expr] = field(default_factory=dict)
    finishing: dict[int, Finish] = field(default_factory=dict)
    known: dict[object, Value] = field(default_factory=dict)
    scopes: list[list[object]] = field(default_factory=lambda: [[]])  # the keys of `known` by the block they are of
    sites: list[tuple[str, int]] = field(default_factory=list)
    arena: bool = False
    loops: int = 0
    ranges: dict[Expr, Range | None] = field(default_factory=dict)
    row_arrays: dict[tuple[int, int], str] = field(default_factory=dict)

    def use(self, *names: str) -> str:
        """Note that the text uses kernel names; returns the first."""
        self.names.update(names)
        return names[0] if names else ""

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, prefix: str = "v") -> str:
        """A new name; never that of a conversion (`f32`, `f64`), which the text may call."""
        self.counter += 1
        name = f"{prefix}{self.counter}"
        return name if name not in CONVERSIONS else self.fresh(prefix)

    def temp(self, text: str, prefix: str = "v") -> str:
        """Assign an expression to a new local, unless it is a name already."""
        if text.isidentifier():
            return text
        name = self.fresh(prefix)
        self.line(f"{name} = {text}")
        return name

    def hold(self, value: Value) -> Value:
        """The same value with every word in a local, for texts that use a word twice."""
        if all(w.isidentifier() for w in value.words):
            return value
        held = tuple(self.temp(w) for w in value.words)
        return Value(value.type, held, value.valid, value.range, value.dictionary)

    def parameter(self, binding: Binding, word: str) -> str:
        """The name of the parameter that carries `binding`, declared at its first use."""
        name = self.bound.get((binding, word))
        if name is None:
            name = f"{'a' if word.endswith((']', '!')) else 'p'}{len(self.parameters)}"
            self.bound[(binding, word)] = name
            self.parameters.append((name, word))
        return name

    def datum(self, value: int | float, word: str) -> str:
        """A parameter of its own for a number that comes from the data, whatever other numbers it may equal."""
        self.counter += 1
        return self.parameter(Constant(value, -1 - self.counter), word)

    def state(self, part: str, word: str, k: int = 0) -> str:
        return self.parameter(StatePart(part, k), word)

    def text_constant(self, content: bytes, occurrence: int = -1) -> str:
        return self.parameter(Constant(content, occurrence), "u8[]")

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """An indented block; values computed inside it are forgotten after it."""
        self.line(header)
        self.depth += 1
        self.scopes.append([])
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.forget()
        self.depth -= 1

    def enter(self, header: str) -> None:
        """Open a block that stays open to the end of the row."""
        self.line(header)
        self.depth += 1
        self.scopes.append([])

    @contextmanager
    def captured(self, deeper: int = 0) -> Iterator[list[str]]:
        """Collect the lines written inside instead of appending them, `deeper` levels further in."""
        outer, self.lines = self.lines, []
        self.depth += deeper
        self.scopes.append([])
        try:
            yield self.lines
        finally:
            self.forget()
            self.depth -= deeper
            self.lines = outer

    def cached(self, key: object) -> Value | None:
        """The value that was computed in this block or one around it."""
        return self.known.get(key)

    def remember(self, key: object, value: Value) -> Value:
        """Keep a value to the end of the block."""
        self.known[key] = value
        self.scopes[-1].append(key)
        return value

    def forget(self) -> None:
        """The end of a block: what was computed inside it is out of reach."""
        for key in self.scopes.pop():
            self.known.pop(key, None)

    def leave_loops(self) -> None:
        """The end of the row loop and of every block in it."""
        self.depth = 1
        self.known.clear()
        self.scopes = [[]]

    def fail(self, failed: str, message: str, position: int, valid: str | None = None) -> None:
        """Report rows for which the u8 expression `failed` is 1, where `valid` (if any) is 1."""
        if (message, position) in self.sites:
            site = self.sites.index((message, position))
        else:
            site = len(self.sites)
            self.sites.append((message, position))
        condition = failed if valid is None else f"({failed}) & {valid}"
        self.use("fail")
        self.line(f"bad = fail(bad, {condition}, u64({site}), i)")

    # ------------------------------------------------------------------------------------------- columns

    def raw(self, origin: Origin) -> tuple[str, str] | None:
        """(expression, machine word) of a stored element before decoding, for one-array encodings held directly."""
        if isinstance(origin.column.encoding, Indirect) or origin.present is not None:
            return None
        arrays = origin.column.encoding.arrays()
        if len(arrays) != 1:
            return None
        word = machine_word(arrays[0])
        return self.raw_at(origin, 0, word, origin.index), word

    def raw_at(self, origin: Origin, inner: int, word: str, index: str) -> str:
        """A stored element before decoding, `inner` indirections further on."""
        return f"{self.parameter(ColumnPart(origin.table, origin.field, 'array', 0, inner), f'{word}[]')}[{index}]"

    def load(self, origin: Origin) -> Value:
        """Decode a stored column at its row; once a scope."""
        key = ("load", origin.table, origin.field, origin.index)
        found = self.cached(key)
        if found is not None:
            return found
        index, present = origin.index, origin.present
        column, chain = resolve_indirection(origin.column)
        for level, link in enumerate(chain):
            index, present = self.follow(origin, link, level, index, present)
        return self.remember(key, self._read(origin, column, len(chain), index, present))

    def follow(
        self, origin: Origin, link: Column, level: int, index: str, present: str | None
    ) -> tuple[str, str | None]:
        """Step through one indirection: the row id at `index`, and whether there is one (-1: no row)."""
        array = self._row_array(origin, level)
        key = ("row", array, index)
        found = self.cached(key)
        if found is not None:
            return found.words[0], found.valid
        row = self.fresh("r")
        read = f"u64({array}[{index}])"
        if present is not None:
            self.line(f"{row} = u64(0)")
            self.line(f"if {present} != u8(0):")
            self.line(f"    {row} = {read}")
        else:
            self.line(f"{row} = {read}")
        if link.validity is not None:
            valid = self.temp(self._bit(origin, level, index, present), "n")
            present = valid
        self.remember(key, Value(VARCHAR, (row,), present))
        return row, present

    def _row_array(self, origin: Origin, level: int) -> str:
        column = origin.column
        for _ in range(level):
            assert isinstance(column.encoding, Indirect)
            column = column.encoding.column
        assert isinstance(column.encoding, Indirect)
        rows = column.encoding.rows
        name = self.row_arrays.get((origin.table, id(rows)))
        if name is None:
            part = ColumnPart(origin.table, origin.field, "array", 0, level)
            name = self.parameter(part, f"{machine_word(rows)}[]")
            self.row_arrays[(origin.table, id(rows))] = name
        return name

    def _bit(self, origin: Origin, inner: int, index: str, present: str | None) -> str:
        bitmap = self.parameter(ColumnPart(origin.table, origin.field, "validity", 0, inner), "u8[]")
        bit = f"u8((u64({bitmap}[{index} >> u64(3)]) >> ({index} & u64(7))) & u64(1))"
        if present is None:
            return bit
        name = self.fresh("n")
        self.line(f"{name} = u8(0)")
        self.line(f"if {present} != u8(0):")
        self.line(f"    {name} = {bit}")
        return name

    def _read(self, origin: Origin, column: Column, inner: int, index: str, present: str | None) -> Value:
        arrays = tuple(
            self.parameter(ColumnPart(origin.table, origin.field, "array", k, inner), f"{machine_word(a)}[]")
            for k, a in enumerate(column.encoding.arrays())
        )
        if not index.isidentifier():
            index = self.temp(index, "x")
        places = tuple(f"@{k}@" for k in range(len(column.encoding.parameters())))
        texts = column.encoding.read(arrays, places, index)
        for k, place in enumerate(places):
            if any(place in text for text in texts):
                scalar = self.parameter(ColumnPart(origin.table, origin.field, "parameter", k, inner), "i64")
                texts = tuple(text.replace(place, scalar) for text in texts)
        if column.type.is_text and len(texts) == 2:
            self.use("text_span")
        dictionary = DictionaryPart(origin.table, origin.field, 0) if isinstance(column.encoding, Dictionary) else None
        valid = present
        if column.validity is not None:
            valid = self.temp(self._bit(origin, inner, index, present), "n")
        if present is not None:
            texts = self._guarded(present, texts, _empty_words(self, column.type, len(texts), dictionary is not None))
        limits = None
        low, high = column.statistics.minimum, column.statistics.maximum
        if len(texts) == 1 and isinstance(low, int) and isinstance(high, int) and not column.type.is_text:
            limits = (min(low, 0), max(high, 0)) if valid is not None else (low, high)
        if column.type.kind is Kind.BOOLEAN:
            texts = (f"u8({texts[0]})",)
        return Value(column.type, texts, valid, limits, dictionary)

    def _guarded(self, present: str, texts: tuple[str, ...], empty: tuple[str, ...]) -> tuple[str, ...]:
        held = tuple(self.fresh() for _ in texts)
        for name, nothing in zip(held, empty, strict=True):
            self.line(f"{name} = {nothing}")
        self.line(f"if {present} != u8(0):")
        for name, text in zip(held, texts, strict=True):
            self.line(f"    {name} = {text}")
        return held


def empty_words(e: Emitter, t: SqlType) -> tuple[str, ...]:
    """Words for a value that is not there, of the types that `words(t)` names."""
    return _empty_words(e, t, len(words(t)), False)


def _empty_words(e: Emitter, t: SqlType, count: int, coded: bool) -> tuple[str, ...]:
    if t.is_text and not coded:
        e.use("text_span")
        return (f"text_span({e.text_constant(b'')}, i64(0), i64(0))", "i64(0)")
    if count == 1 and (t.is_exact or t.is_text):
        return ("i64(0)",)
    names = words(t)
    e.use(*names)
    return tuple(f"{w}(0)" for w in names)
