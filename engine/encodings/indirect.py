"""Late materialisation: a column as row ids into another column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headrace.column import Column


@dataclass(frozen=True, slots=True, eq=False)
class Indirect:
    """The value at row i is `column`'s value at `rows[i]`; a row that has none is invalid in the owner's bitmap."""

    rows: np.ndarray
    column: Column

    @property
    def form(self) -> str:
        return f"indirect:{self.rows.dtype.str[1:]}:{self.column.encoding.form}"

    def arrays(self) -> tuple[np.ndarray, ...]:
        return (self.rows,)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        """The row id; whoever emits the text reads the inner column there."""
        return (f"u64({arrays[0]}[{index}])",)

    def take(self, rows: np.ndarray) -> Indirect:
        return Indirect(self.rows[rows], self.column)

    def slice(self, start: int, stop: int) -> Indirect:
        return Indirect(self.rows[start:stop], self.column)
