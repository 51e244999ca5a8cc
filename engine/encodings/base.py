"""What every encoding of a column offers: its form, its arrays, and the text that reads one value."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


class Encoding(Protocol):
    """How the values of a column lie in memory. Implementations are frozen dataclasses.

    Arrays are one-dimensional, contiguous and cover the whole column. What `form` names is part of a kernel's
    text and so of its cache key; everything else reaches the kernel as an argument.
    """

    @property
    def form(self) -> str:
        """Kind, machine type and the parts of the decoding that are trivial: equal forms give equal texts."""
        ...

    def arrays(self) -> tuple[Array, ...]:
        """The arrays that `read` names, in order."""
        ...

    def parameters(self) -> tuple[int | float, ...]:
        """The scalars that `read` names, in order."""
        ...

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        """One expression text per machine word of the value at row `index`.

        `index` is the text of a u64 expression without side effects; it may be repeated. Whole numbers, and
        so booleans, are read as `i64`.
        """
        ...

    def take(self, rows: Array) -> Encoding:
        """The same encoding over the given rows, each within the column."""
        ...

    def slice(self, start: int, stop: int) -> Encoding:
        """The same encoding over rows start..stop-1; shares the arrays."""
        ...
