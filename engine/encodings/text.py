"""Text and blobs as offsets into one run of bytes; 64-bit offsets, so there is no limit of 2 GiB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headrace.encodings.arrow_indices import index_array
from headrace.encodings.base import Array, Mask

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Row i is data[offsets[i]:offsets[i + 1]]. `offsets` is i64 with one entry more than rows and need not
    start at 0; `data` is u8. Rows that are NULL have length 0."""

    offsets: Array
    data: Array

    @property
    def form(self) -> str:
        return "text"

    def arrays(self) -> tuple[Array, ...]:
        return (self.offsets, self.data)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        offsets, data = arrays
        start, stop = f"{offsets}[{index}]", f"{offsets}[({index}) + u64(1)]"
        return (f"text_span({data}, {start}, {stop})", f"({stop} - {start})")

    def take(self, rows: Array) -> Text:

        taken = self.binary().take(index_array(rows.astype(np.int64, copy=False)))
        return from_binary(taken)

    def slice(self, start: int, stop: int) -> Text:
        return Text(self.offsets[start : stop + 1], self.data)

    def binary(self) -> pa.LargeBinaryArray:
        """The rows as an Arrow array without NULLs, sharing the arrays."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_binary(), len(self.offsets) - 1, buffers)


def from_binary(array: pa.LargeBinaryArray) -> Text:
    """Share the buffers of a large_binary array without NULLs (or whose NULLs have length 0)."""
    _, offsets, data = array.buffers()
    rows = len(array)
    if offsets is None or rows == 0:
        return Text(np.zeros(1, np.int64), np.zeros(0, np.uint8))
    words = np.frombuffer(offsets, np.int64)[array.offset : array.offset + rows + 1]
    return Text(words, np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class TextPiece:
    """A run of rows: a large_binary array without NULLs (length 0 where `mask` is false)."""

    binary: pa.LargeBinaryArray
    mask: Mask | None

    @property
    def rows(self) -> int:
        return len(self.binary)


def concatenate(pieces: Sequence[Text]) -> Text:
    """One Text over all pieces in order. A single piece is shared, several are copied together."""
    if len(pieces) == 1:
        return pieces[0]
    rows = sum(len(p.offsets) - 1 for p in pieces)
    offsets = np.zeros(rows + 1, np.int64)
    spans = []
    row, base = 0, 0
    for piece in pieces:
        count = len(piece.offsets) - 1
        first, last = int(piece.offsets[0]), int(piece.offsets[-1])
        np.add(piece.offsets[1:], base - first, out=offsets[row + 1 : row + 1 + count])
        spans.append(piece.data[first:last])
        row, base = row + count, base + last - first
    return Text(offsets, np.concatenate(spans) if spans else np.zeros(0, np.uint8))
