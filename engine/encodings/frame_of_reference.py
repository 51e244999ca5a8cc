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
    """A run of rows on its way into a column: whole numbers that fit i64, and what was seen.

    value = offset + values * scale, where `values` is any integer array (it may be strided, and is arbitrary
    where `mask` is false). `minimum` and `maximum` are None if every row is NULL. All differences between
    values are multiples of `step` (0: all are equal).
    """

    values: Array
    mask: Mask | None
    minimum: int | None
    maximum: int | None
    step: int
    offset: int = 0
    scale: int = 1

    @property
    def rows(self) -> int:
        return len(self.values)

    def decoded(self) -> Array:
        """The values as i64, arbitrary under NULL."""
        return self.values.astype(np.int64) * self.scale + self.offset


def measure(values: Array, mask: Mask | None) -> IntegerPiece:
    """See the extent and the common step of one run of rows, and keep it in as few bytes as that allows.

    The narrow copy is made while the values are in the processor's cache, and their memory can be used again
    for the next run: memory touched for the first time is what reading a column costs most.
    """
    valid = values if mask is None else values[mask]
    if len(valid) == 0:
        return IntegerPiece(np.zeros(len(values), np.uint8), mask, None, None, 0)
    minimum, maximum = int(valid.min()), int(valid.max())
    step = _step(valid, minimum, maximum)
    width, scale = _narrowest(maximum - minimum), 1
    if step > 1 and _narrowest((maximum - minimum) // step) != width:
        width, scale = _narrowest((maximum - minimum) // step), step
    if maximum > INT64_MAX or width is None or np.dtype(width[0]).itemsize >= values.dtype.itemsize:
        return IntegerPiece(values, mask, minimum, maximum, step)
    narrow = np.empty(len(values), width[0])
    if scale == 1:
        np.subtract(values, minimum, out=narrow, dtype=np.int64, casting="unsafe")
    else:
        np.copyto(narrow, (values.astype(np.int64) - minimum) // scale, casting="unsafe")
    return IntegerPiece(narrow, mask, minimum, maximum, step, minimum, scale)


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
        step = math.gcd(step, piece.step, (piece.minimum or 0) - (seen[0].minimum or 0))
    if step > INT64_MAX:
        step = 1  # a divisor is a machine word like any other
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
    shift = piece.offset - frame.base
    whole = piece.scale % frame.divisor == 0 and shift % frame.divisor == 0
    if piece.values.dtype.kind == "u" and whole and shift >= 0:
        # Nothing is negative and the results fit, so all of it is done in the narrow type.
        factor, shift = piece.scale // frame.divisor, shift // frame.divisor
        np.copyto(out, piece.values, casting="unsafe")
        if factor != 1:
            np.multiply(out, out.dtype.type(factor), out=out)
        if shift != 0:
            np.add(out, out.dtype.type(shift), out=out)
    elif frame.base == 0 and frame.divisor == 1 and piece.scale == 1 and piece.offset == 0:
        np.copyto(out, piece.values, casting="unsafe")
    else:
        values = piece.decoded() - frame.base
        np.copyto(out, values if frame.divisor == 1 else values // frame.divisor, casting="unsafe")
    if piece.mask is not None:
        out[~piece.mask] = 0
