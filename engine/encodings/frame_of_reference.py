"""Whole numbers as a base plus multiples of a common divisor, in the narrowest machine type that holds
them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from headrace.encodings.base import Array, Mask

_SAMPLE = 256
_WIDTHS = ((np.uint8, 2**8 - 1), (np.uint16, 2**16 - 1), (np.uint32, 2**32 - 1))
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class FrameOfReference:
    """value = base + data * divisor. `data` is u8, u16, u32 or i64; rows that are NULL hold 0 in `data`."""

    data: Array
    base: int = 0
    divisor: int = 1

    @property
    def form(self) -> str:
        base = "" if self.base == 0 else "+base"
        divisor = "" if self.divisor == 1 else "*divisor"
        return f"frame:{self.data.dtype.name}{divisor}{base}"

    def arrays(self) -> tuple[Array, ...]:
        return (self.data,)

    def parameters(self) -> tuple[int | float, ...]:
        return (self.base, self.divisor)

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        text = f"i64({arrays[0]}[{index}])"
        if self.divisor != 1:
            text = f"({text} * {parameters[1]})"
        return (text if self.base == 0 else f"({parameters[0]} + {text})",)

    def take(self, rows: Array) -> FrameOfReference:
        return FrameOfReference(self.data[rows], self.base, self.divisor)

    def slice(self, start: int, stop: int) -> FrameOfReference:
        return FrameOfReference(self.data[start:stop], self.base, self.divisor)

    def values(self, dtype: type[np.generic] = np.int64) -> Array:
        """The decoded values. They must fit `dtype`: the arithmetic is done in it, modulo its width."""
        values = self.data.astype(dtype, copy=False)
        if self.divisor != 1:
            values = values * np.int64(self.divisor).astype(dtype)
        if self.base != 0:
            values = values + np.int64(self.base).astype(dtype)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class IntegerPiece:
    """A run of rows on its way into a column: whole numbers that fit i64, and what was seen of them.

    `values` is any integer array (it may be strided, and is arbitrary where `mask` is false); `minimum` and
    `maximum` are None if every row is NULL. All values equal `anchor` modulo `step` (0: all are equal).
    """

    values: Array
    mask: Mask | None
    minimum: int | None
    maximum: int | None
    anchor: int
    step: int

    @property
    def rows(self) -> int:
        return len(self.values)


def measure(values: Array, mask: Mask | None) -> IntegerPiece:
    """See the extent and the common step of one run of rows."""
    valid = values if mask is None else values[mask]
    if len(valid) == 0:
        return IntegerPiece(values, mask, None, None, 0, 0)
    minimum, maximum = int(valid.min()), int(valid.max())
    return IntegerPiece(values, mask, minimum, maximum, minimum, _step(valid, minimum, maximum))


def _step(valid: Array, minimum: int, maximum: int) -> int:
    """The greatest common divisor of all differences; a sample settles the usual case, that it is 1."""
    if minimum == maximum:
        return 0
    if maximum > INT64_MAX or maximum - minimum > INT64_MAX:
        return 1
    sample = valid[:: max(1, len(valid) // _SAMPLE)].astype(np.int64) - minimum
    if int(np.gcd.reduce(sample)) == 1:
        return 1
    return int(np.gcd.reduce(valid.astype(np.int64) - minimum))


@dataclass(frozen=True, slots=True)
class Frame:
    """The layout chosen for a column: `dtype` None means that every value is `base`."""

    dtype: type[np.generic] | None
    base: int
    divisor: int


def choose(pieces: Sequence[IntegerPiece]) -> Frame:
    """The narrowest frame for all pieces; base stays 0 and divisor 1 where that costs no width."""
    seen = [p for p in pieces if p.minimum is not None and p.maximum is not None]
    if not seen:
        return Frame(None, 0, 1)
    minimum = min(p.minimum for p in seen if p.minimum is not None)
    maximum = max(p.maximum for p in seen if p.maximum is not None)
    if minimum == maximum:
        return Frame(None, minimum, 1)
    step = 0
    for piece in seen:
        step = math.gcd(step, piece.step, piece.anchor - seen[0].anchor)
    span = maximum - minimum
    plain, divided = _narrowest(span), _narrowest(span // step)
    if divided is None:
        return Frame(np.int64, 0, 1)
    if divided == plain:
        step = 1
    dtype, limit = divided
    if minimum >= 0 and minimum % step == 0 and maximum // step <= limit:
        return Frame(dtype, 0, step)
    return Frame(dtype, minimum, step)


def _narrowest(span: int) -> tuple[type[np.generic], int] | None:
    return next((width for width in _WIDTHS if span <= width[1]), None)


def fit(piece: IntegerPiece, frame: Frame, out: Array) -> None:
    """Write the piece's encoded values to `out`, which has the frame's dtype and the piece's length."""
    values = piece.values
    if piece.mask is not None:
        values = np.where(piece.mask, values, np.asarray(frame.base).astype(values.dtype))
    if frame.base != 0:
        # A narrow input type could not hold its own range: -128..127 spans 255.
        values = values.astype(np.int64, copy=False) - frame.base
    if frame.divisor != 1:
        values = values.astype(np.int64, copy=False) // frame.divisor
    np.copyto(out, values, casting="unsafe")
    if piece.mask is not None and frame.dtype is np.int64:
        out[~piece.mask] = 0
