"""NumPy row ids and masks as Arrow arrays, from their buffers: `pyarrow.array` would import pandas to look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.encodings.base import Array, Mask

if TYPE_CHECKING:
    import pyarrow as pa


def index_array(ids: Array, mask: Mask | None = None) -> pa.Array:
    """Whole numbers as an Arrow array of their machine type, sharing their memory; NULL where `mask` is false."""
    import pyarrow as pa

    ids = np.ascontiguousarray(ids)
    validity = None if mask is None else pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(ids.dtype), len(ids), [validity, pa.py_buffer(ids)])


def boolean_array(mask: Mask) -> pa.Array:
    """A mask as an Arrow array of booleans."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, pa.py_buffer(np.packbits(mask, bitorder="little"))])
