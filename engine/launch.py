"""Values for a kernel's parameters at launch: columns, literals, encoded bounds, and lookups over dictionaries."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headrace.column import Column
from headrace.encodings.addresses import Addresses
from headrace.encodings.base import Array
from headrace.encodings.dictionary import Dictionary, TextValues
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.errors import InternalError
from headrace.pipeline import (
    Binding,
    ColumnPart,
    Constant,
    ConstantSet,
    DictionaryCode,
    DictionaryLookup,
    DictionaryPart,
    EncodedBound,
    IndexPart,
    StatePart,
)
from headrace.sql.expr import Expr
from headrace.types import Kind

Tables = Mapping[int, Mapping[int, Column]]


@dataclass(slots=True)
class BuildIndex:
    """A finished build side: the arrays a probe reads. Key words are kept for the hash form only."""

    rows: int
    base: int = 0
    domain: int = 0
    bits: Array | None = None
    prefix: Array | None = None
    slots: Array | None = None
    mask: int = 0
    offsets: Array | None = None
    keys: list[Array] = field(default_factory=list)
    texts: list[bool] = field(default_factory=list)  # for each key word whether it is a text's address
    matched: Array | None = None
    nulls: int = 0
    vacant: int = 0

    def part(self, name: str, k: int) -> Any:
        """The value of one IndexPart."""
        if name == "key":
            return self.keys[k]
        value = getattr(self, name)
        if value is None:
            raise InternalError(f"the build side has no {name}")
        return value


@dataclass(slots=True)
class LookupResult:
    """An expression evaluated for each code of a dictionary, and once more for NULL (the last entry)."""

    words: list[Array]
    valid: Array
    values: TextValues | None = None


Evaluate = Callable[[TextValues, int, Expr], LookupResult]


class Lookups:
    """Expressions over dictionaries, remembered while the dictionary lives."""

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._known: weakref.WeakKeyDictionary[TextValues, dict[tuple[int, Expr], LookupResult]] = (
            weakref.WeakKeyDictionary()
        )

    def get(self, values: TextValues, owner: int, expr: Expr) -> LookupResult:
        """The result for every code, computed at most once a dictionary and expression."""
        results = self._known.setdefault(values, {})
        found = results.get((owner, expr))
        if found is None:
            if len(results) >= 256:
                results.clear()
            found = results[(owner, expr)] = self._evaluate(values, owner, expr)
        return found


def inner_column(column: Column, levels: int) -> Column:
    """The column behind so many indirections."""
    for _ in range(levels):
        assert isinstance(column.encoding, Indirect)
        column = column.encoding.column
    return column


def dictionary_of(column: Column) -> TextValues:
    """The dictionary behind a column, through any indirections."""
    while isinstance(column.encoding, Indirect):
        column = column.encoding.column
    assert isinstance(column.encoding, Dictionary)
    return column.encoding.values


def bind(binding: Binding, word: str, tables: Tables, builds: Mapping[int, BuildIndex], lookups: Lookups) -> Any:
    """The value of one parameter that does not belong to the sink's state: an array or a number."""
    if isinstance(binding, ColumnPart):
        column = inner_column(tables[binding.table][binding.field], binding.inner)
        if binding.part == "array":
            return column.encoding.arrays()[binding.k]
        if binding.part == "parameter":
            return column.encoding.parameters()[binding.k]
        return column.validity if column.validity is not None else _all_valid(column.rows)
    if isinstance(binding, Constant):
        if isinstance(binding.value, bytes):
            return np.frombuffer(binding.value, np.uint8) if binding.value else np.zeros(1, np.uint8)[:0]
        return binding.value
    if isinstance(binding, ConstantSet):
        return _constant_set(binding)
    if isinstance(binding, EncodedBound):
        return _encoded_bound(binding, tables[binding.table][binding.field])
    if isinstance(binding, DictionaryPart):
        values = dictionary_of(tables[binding.table][binding.field])
        return values.offsets if binding.k == 0 else values.data
    if isinstance(binding, DictionaryCode):
        values = dictionary_of(tables[binding.table][binding.field])
        found = lookups.get(values, binding.field, binding.predicate)
        codes = np.flatnonzero(found.words[0][: values.count] & found.valid[: values.count])
        if binding.k < len(codes):
            return int(codes[binding.k])
        return (1 << 8 * np.dtype(_WORDS[word]).itemsize) - 1 if word != "i64" else -1
    if isinstance(binding, DictionaryLookup):
        return lookup_part(binding, tables, lookups)
    if isinstance(binding, IndexPart):
        return builds[binding.build].part(binding.part, binding.k)
    raise InternalError(f"{binding} belongs to the sink")


def _constant_set(binding: ConstantSet) -> Array:
    """The constants of an IN list in the order in which they are searched."""
    t = binding.type
    if t.is_text:
        texts = sorted({v.encode() if isinstance(v, str) else bytes(v) for v in binding.values})  # type: ignore[call-overload]
        if binding.part == "bytes":
            return np.frombuffer(b"".join(texts), np.uint8)
        return np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    if t.is_float:
        stored = np.float32 if t.kind is Kind.FLOAT else np.float64
        return np.sort(np.array(binding.values, stored).astype(np.float64))
    numbers = sorted(int(v) for v in binding.values)  # type: ignore[call-overload]
    if binding.part == "word":
        return np.array(numbers, np.int64)
    if binding.k == 0:
        return np.array([n & (2**64 - 1) for n in numbers], np.uint64)
    return np.array([n >> 64 for n in numbers], np.int64)


_WORDS = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}


def lookup_part(binding: DictionaryLookup, tables: Tables, lookups: Lookups) -> Any:
    """One array of an expression's values over a dictionary."""
    values = dictionary_of(tables[binding.table][binding.field])
    found = lookups.get(values, binding.field, binding.expr)
    if binding.part == "word":
        return found.words[binding.k]
    if binding.part == "valid":
        return found.valid
    assert found.values is not None
    return found.values.offsets if binding.part == "offsets" else found.values.data


def _all_valid(rows: int) -> Array:
    return np.full((rows + 7) // 8, 255, np.uint8)


def _encoded_bound(binding: EncodedBound, column: Column) -> int:
    """The code of a bound; an empty range becomes lower 1, upper 0."""
    encoding = column.encoding
    assert isinstance(encoding, FrameOfReference)
    top = int(np.iinfo(encoding.data.dtype).max)
    low = 0 if binding.minimum is None else -((encoding.base - binding.minimum) // encoding.divisor)
    high = top if binding.maximum is None else (binding.maximum - encoding.base) // encoding.divisor
    low, high = max(low, 0), min(high, top)
    if low > high:
        low, high = 1, 0
    return low if binding.lower else high


# ------------------------------------------------------------------------------------------ for each device

_SCALARS: dict[str, Callable[[Any], Any]] = {
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
}


def compiled_value(value: Any, word: str) -> Any:
    """A parameter as compiled code takes it."""
    if isinstance(value, np.ndarray):
        return value
    return _SCALARS[word](value)


class Boxed:
    """A long array under interpretation: elements as Python numbers, without a list of them all."""

    __slots__ = ("array", "item")

    def __init__(self, array: Array) -> None:
        self.array = array
        self.item = array.item

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> Any:
        return self.item(i)


def interpreted_value(value: Any, word: str, rows: int, text: bool) -> Any:
    """A parameter as interpreted code takes it: lists, bytes and Python numbers.

    `text` says that an array of u8 is read as text rather than as numbers.
    """
    if isinstance(value, np.ndarray):
        if text:
            return value.tobytes() if len(value) <= 65_536 else value.data
        if len(value) <= max(4096, 4 * rows):
            return value.tolist()
        return Boxed(value)
    if word in ("f32", "f64"):
        return float(value)
    return int(value)


def texts_at(column: Addresses) -> list[bytes]:
    """The texts that a kernel's addresses point to."""
    pairs = zip(column.addresses.tolist(), column.lengths.tolist(), strict=True)
    return [ctypes.string_at(a, n) if n else b"" for a, n in pairs]


def is_text_buffer(binding: Binding, tables: Tables) -> bool:
    """Whether a parameter is a buffer of text bytes."""
    if isinstance(binding, Constant):
        return isinstance(binding.value, bytes)
    if isinstance(binding, DictionaryPart):
        return binding.k == 1
    if isinstance(binding, (DictionaryLookup, ConstantSet)):
        return binding.part == "bytes"
    if isinstance(binding, ColumnPart) and binding.part == "array" and binding.k == 1:
        column = inner_column(tables[binding.table][binding.field], binding.inner)
        return column.type.is_text and not isinstance(column.encoding, Addresses)
    return False


def is_state(binding: Binding) -> bool:
    """Whether a parameter belongs to the sink or the run."""
    return isinstance(binding, StatePart)
