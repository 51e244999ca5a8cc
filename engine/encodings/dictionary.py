"""Text with few distinct values: a code per row, and the values once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headrace.encodings.base import Array, Mask
from headrace.encodings.text import from_binary

if TYPE_CHECKING:
    import pyarrow as pa

LIMIT = 65_536
TINY = 256


def limit(rows: int) -> int:
    """The most distinct values that a column of so many rows keeps in a dictionary."""
    return max(TINY, min(LIMIT, rows // 8))


class TextValues:
    """The distinct values of a dictionary, in order of first appearance; two objects are equal only if
    identical.

    `offsets` (i64, count + 1 entries, starting at 0) and `data` (u8) hold value k at
    data[offsets[k]:offsets[k+1]].
    """

    def __init__(self, offsets: Array, data: Array) -> None:
        self.offsets = offsets
        self.data = data
        self.count = len(offsets) - 1

    @property
    def nbytes(self) -> int:
        return self.offsets.nbytes + self.data.nbytes

    @cached_property
    def binary(self) -> pa.LargeBinaryArray:
        """The values as large_binary, sharing the arrays."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_binary(), self.count, buffers)

    @cached_property
    def texts(self) -> list[bytes]:
        """The values as bytes."""
        return cast("list[bytes]", self.binary.to_pylist())

    @cached_property
    def strings(self) -> list[str]:
        """The values as text; bytes that are no UTF-8 (they occur in blobs only) become surrogates."""
        return [text.decode("utf-8", "surrogateescape") for text in self.texts]

    @cached_property
    def rank(self) -> Array:
        """For each code its position in byte order, as i64."""
        import pyarrow.compute as pc

        order = np.asarray(pc.sort_indices(self.binary))
        rank = np.empty(self.count, np.int64)
        rank[order] = np.arange(self.count)
        return rank

    def arrow(self, t: pa.DataType) -> pa.Array:
        """The values as `string` or `binary`, made once for each."""
        known = self._arrow.get(t)
        if known is None:
            import pyarrow as pa

            values = self.binary
            if pa.types.is_string(t):
                values = values.view(pa.large_string())
            known = self._arrow[t] = values.cast(t)
        return known

    @cached_property
    def _arrow(self) -> dict[Any, pa.Array]:
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The code of each row, u8, u16 or u32, and the values that they name. Rows that are NULL hold 0.

    Reading gives ONE word, the code as i64; what needs the bytes goes to `values`.
    """

    codes: Array
    values: TextValues

    @property
    def form(self) -> str:
        return f"dictionary:{self.codes.dtype.name}"

    def arrays(self) -> tuple[Array, ...]:
        return (self.codes,)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        return (f"i64({arrays[0]}[{index}])",)

    def take(self, rows: Array) -> Dictionary:
        return Dictionary(self.codes[rows], self.values)

    def slice(self, start: int, stop: int) -> Dictionary:
        return Dictionary(self.codes[start:stop], self.values)


@dataclass(frozen=True, slots=True, eq=False)
class DictionaryPiece:
    """A run of rows as indices into values of its own, which may repeat and may go unused.

    Indices are arbitrary, and may be out of range, where `mask` is false. `known` is the column's dictionary
    that `values` came from, if it did.
    """

    indices: Array
    values: pa.LargeBinaryArray
    mask: Mask | None
    known: TextValues | None = None

    @property
    def rows(self) -> int:
        return len(self.indices)


def code_type(count: int) -> type[np.generic]:
    """The narrowest unsigned type for `count` codes."""
    return np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32


def unify(dictionaries: Sequence[pa.LargeBinaryArray]) -> tuple[TextValues, list[Array]]:
    """The distinct values of all dictionaries in order of first appearance, and for each dictionary the code
    of each of its values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first = dictionaries[0]
    shared = [d is first or d.equals(first) for d in dictionaries]
    different = [first, *(d for d, same in zip(dictionaries, shared, strict=True) if not same)]
    encoded = pc.dictionary_encode(pa.concat_arrays(different))
    text = from_binary(encoded.dictionary)
    # The array may be a window of a longer one; values begin at offset 0.
    start, stop = int(text.offsets[0]), int(text.offsets[-1])
    values = TextValues(text.offsets - start, text.data[start:stop])
    codes = np.asarray(encoded.indices).astype(code_type(values.count))
    maps: list[Array] = []
    position = len(first)
    for dictionary, same in zip(dictionaries, shared, strict=True):
        if same:
            maps.append(codes[: len(first)])
        else:
            maps.append(codes[position : position + len(dictionary)])
            position += len(dictionary)
    return values, maps
