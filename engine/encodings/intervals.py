"""Intervals: months, days and microseconds side by side."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.encodings.base import Array, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """`months` and `days` are i32, `micros` is i64; rows that are NULL hold 0."""

    months: Array
    days: Array
    micros: Array

    @property
    def form(self) -> str:
        return "intervals"

    def arrays(self) -> tuple[Array, ...]:
        return (self.months, self.days, self.micros)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        months, days, micros = arrays
        return (f"i64({months}[{index}])", f"i64({days}[{index}])", f"{micros}[{index}]")

    def take(self, rows: Array) -> Intervals:
        return Intervals(self.months[rows], self.days[rows], self.micros[rows])

    def slice(self, start: int, stop: int) -> Intervals:
        return Intervals(self.months[start:stop], self.days[start:stop], self.micros[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class IntervalPiece:
    """A run of rows, arbitrary where `mask` is false."""

    months: Array
    days: Array
    micros: Array
    mask: Mask | None

    @property
    def rows(self) -> int:
        return len(self.micros)
