"""Sink state at run time: one lane's arrays, how they grow between morsels, and what they become at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headrace.devices.verbs import fill_slots
from headrace.emit_store import dtype_of
from headrace.encodings.base import Array
from headrace.pipeline import AggregateSink, Cell, SinkLayout


@dataclass(slots=True)
class Piece:
    """Rows that one lane appended during one morsel."""

    morsel: int
    slots: list[Any]
    start: int
    stop: int


@dataclass(slots=True)
class AppendState:
    """A lane of a collect or build sink: output arrays with a cursor, replaced by larger ones when full."""

    layout: SinkLayout
    interpreted: bool
    allocate: Callable[[int], None]
    slots: list[Any] = field(default_factory=list)
    capacity: int = 0
    used: int = 0
    pieces: list[Piece] = field(default_factory=list)
    cursor: Any = None

    def used_rows(self) -> int:
        """All rows this lane has noted."""
        return sum(p.stop - p.start for p in self.pieces)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` more; what was written stays where the pieces point."""
        if self.cursor is not None and self.capacity - self.used >= rows:
            return
        self.capacity = max(rows, min(2 * self.capacity, 1 << 22))
        self.used = 0
        self.allocate(self.capacity * sum(dtype_of(w).itemsize for w in self.layout.words))
        if self.interpreted:
            self.slots = [[0] * self.capacity for _ in self.layout.words]
        else:
            self.slots = [np.empty(self.capacity, dtype_of(w)) for w in self.layout.words]
        self.cursor = [0] if self.interpreted else np.zeros(1, np.int64)

    def parts(self) -> dict[str, Any]:
        """The run's state parameters by name."""
        self.cursor[0] = self.used
        return {"slot": self.slots, "capacity": self.capacity, "cursor": self.cursor}

    def took(self, morsel: int) -> int:
        """Note the morsel's rows; returns how many did not fit, in which case nothing is noted."""
        end = int(self.cursor[0])
        if end > self.capacity:
            return end - self.used
        if end > self.used:
            self.pieces.append(Piece(morsel, self.slots, self.used, end))
        self.used = end
        return 0


def gathered(states: Sequence[AppendState], layout: SinkLayout) -> tuple[list[Any], int]:
    """All lanes' rows in source order: one array (or list, where interpreted) a slot, and the number of rows."""
    pieces = sorted((p for s in states for p in s.pieces), key=lambda p: p.morsel)
    rows = sum(p.stop - p.start for p in pieces)
    out: list[Any] = []
    interpreted = any(s.interpreted for s in states)
    for k, word in enumerate(layout.words):
        runs = [p.slots[k][p.start : p.stop] for p in pieces]
        if interpreted:
            out.append([x for run in runs for x in run])
        elif len(runs) == 1:
            out.append(runs[0])
        else:
            out.append(np.concatenate(runs) if runs else np.empty(0, dtype_of(word)))
    return out, rows


@dataclass(frozen=True, slots=True)
class GroupRun:
    """Groups that one lane met for the first time in one morsel."""

    morsel: int
    start: int
    stop: int


@dataclass(slots=True)
class GroupState:
    """A lane of an aggregate sink: one array a slot, `capacity` groups long, and the hash table's own arrays."""

    sink: AggregateSink
    layout: SinkLayout
    interpreted: bool
    allocate: Callable[[int], None]
    slots: list[Any] = field(default_factory=list)
    capacity: int = 0
    table: Any = None
    hashes: Any = None
    counter: Any = None
    mask: int = 0
    runs: list[GroupRun] = field(default_factory=list)

    def reset(self, capacity: int) -> None:
        """Fresh state for so many groups."""
        self.capacity = capacity
        width = sum(dtype_of(w).itemsize for w in self.layout.words) + (24 if self.sink.form == "hash" else 0)
        self.allocate(capacity * width)
        initial = {c.slot: c.initial for c in self.layout.cells}
        self.slots = [self._array(w, capacity, initial.get(k)) for k, w in enumerate(self.layout.words)]
        if self.sink.form == "hash":
            size = 1 << (2 * capacity - 1).bit_length()
            self.mask = size - 1
            self.table = [-1] * size if self.interpreted else np.full(size, -1, np.int32)
            self.hashes = [0] * capacity if self.interpreted else np.empty(capacity, np.uint64)
            self.counter = [0] if self.interpreted else np.zeros(1, np.int64)

    def _array(self, word: str, rows: int, initial: int | float | None) -> Any:
        if self.interpreted:
            return [initial if initial is not None else 0] * rows
        if initial is None:
            return np.empty(rows, dtype_of(word))
        if initial == 0:
            return np.zeros(rows, dtype_of(word))
        return np.full(rows, initial, dtype_of(word))

    def reserve(self, rows: int) -> None:
        """Make room for `rows` new groups; only the hash form grows."""
        if self.sink.form != "hash" or int(self.counter[0]) + rows <= self.capacity:
            return
        count = int(self.counter[0])
        old, hashes = self.slots, self.hashes
        self.reset(max(2 * self.capacity, count + rows))
        for new, kept in zip(self.slots, old, strict=True):
            new[:count] = kept[:count]
        self.hashes[:count] = hashes[:count]
        self.counter[0] = count
        if self.interpreted:
            for row, h in enumerate(self.hashes[:count]):
                at = h & self.mask
                while self.table[at] >= 0:
                    at = (at + 1) & self.mask
                self.table[at] = row
        else:
            fill_slots(self.hashes[:count], self.table)

    def overflowed(self) -> bool:
        return self.sink.form == "hash" and int(self.counter[0]) > self.capacity

    def note(self, morsel: int) -> None:
        """Remember which groups are new since the last morsel, so that lanes merge in source order."""
        known, groups = self.runs[-1].stop if self.runs else 0, self.groups()
        if groups > known:
            self.runs.append(GroupRun(morsel, known, groups))

    def parts(self) -> dict[str, Any]:
        """The run's state parameters by name."""
        return {
            "slot": self.slots,
            "slots": self.table,
            "hashes": self.hashes,
            "counter": self.counter,
            "mask": self.mask,
            "capacity": self.capacity,
        }

    def groups(self) -> int:
        """How many entries of the arrays are groups."""
        return int(self.counter[0]) if self.sink.form == "hash" else self.capacity


def as_arrays(slots: Sequence[Any], words: Sequence[str], rows: int) -> list[Array]:
    """Interpreted lists as arrays of their machine types; text addresses are handled before."""
    return [
        s[:rows] if isinstance(s, np.ndarray) else np.array(s[:rows], dtype_of(w))
        for s, w in zip(slots, words, strict=True)
    ]


def merge_cells(cells: Sequence[Cell], into: list[Array], at: Array, other: Sequence[Array]) -> None:
    """Fold one lane's cells into another's: group k of `other` is group at[k] of `into`; `at` has no repeats."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and NaN are answers
        for cell in cells:
            a, b = into[cell.slot], other[cell.slot]
            if cell.merge == "add":
                a[at] += b
            elif cell.merge == "multiply":
                a[at] *= b
            elif cell.merge == "minimum":
                a[at] = np.fmin(a[at], b) if a.dtype.kind == "f" else np.minimum(a[at], b)
            elif cell.merge == "maximum":
                a[at] = np.maximum(a[at], b)
            elif cell.merge == "and_":
                a[at] &= b
            elif cell.merge == "or_":
                a[at] |= b
            elif cell.merge == "xor":
                a[at] ^= b
            elif cell.merge == "add_wide":
                high = into[cell.slot + 1]
                low = a[at] + b
                carry = (low < b).astype(np.int64)
                a[at] = low
                high[at] += other[cell.slot + 1] + carry
