"""Floating-point values, as they are."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.encodings.base import Array, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Floats:
    """`data` is f32 or f64; rows that are NULL hold 0."""

    data: Array

    @property
    def form(self) -> str:
        return f"floats:{self.data.dtype.name}"

    def arrays(self) -> tuple[Array, ...]:
        return (self.data,)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        return (f"{arrays[0]}[{index}]",)

    def take(self, rows: Array) -> Floats:
        return Floats(self.data[rows])

    def slice(self, start: int, stop: int) -> Floats:
        return Floats(self.data[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class FloatPiece:
    """A run of rows of f32 or f64, arbitrary where `mask` is false."""

    values: Array
    mask: Mask | None

    @property
    def rows(self) -> int:
        return len(self.values)
