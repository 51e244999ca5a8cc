"""Whole numbers of 128 bits, for values that do not fit 64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headrace.encodings.base import Array, Mask
from headrace.encodings.frame_of_reference import IntegerPiece


@dataclass(frozen=True, slots=True, eq=False)
class Wide:
    """value = high * 2**64 + low, with `low` u64 and `high` i64; rows that are NULL hold 0."""

    low: Array
    high: Array

    @property
    def form(self) -> str:
        return "wide"

    def arrays(self) -> tuple[Array, ...]:
        return (self.low, self.high)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        return (f"{arrays[0]}[{index}]", f"{arrays[1]}[{index}]")

    def take(self, rows: Array) -> Wide:
        return Wide(self.low[rows], self.high[rows])

    def slice(self, start: int, stop: int) -> Wide:
        return Wide(self.low[start:stop], self.high[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class WidePiece:
    """A run of rows of which some do not fit i64; arbitrary where `mask` is false."""

    low: Array
    high: Array
    mask: Mask | None

    @property
    def rows(self) -> int:
        return len(self.low)


def widen(piece: IntegerPiece | WidePiece) -> WidePiece:
    """The piece in two words, with 0 under NULL."""
    if isinstance(piece, IntegerPiece):
        values = piece.decoded()
        low, high = values.view(np.uint64), values >> 63
    else:
        low, high = piece.low, piece.high
    if piece.mask is not None:
        low, high = np.where(piece.mask, low, np.uint64(0)), np.where(piece.mask, high, np.int64(0))
    return WidePiece(low, high, piece.mask)
