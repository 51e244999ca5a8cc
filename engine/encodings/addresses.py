"""Text that a kernel produced: one machine address and one length a row. Whoever owns the bytes outlives the column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Addresses:
    """The text at row i is the `lengths[i]` bytes at machine address `addresses[i]`; `owners` are kept alive."""

    addresses: np.ndarray
    lengths: np.ndarray
    owners: tuple[object, ...] = ()

    @property
    def form(self) -> str:
        return "addresses"

    def arrays(self) -> tuple[np.ndarray, ...]:
        return (self.addresses, self.lengths)

    def parameters(self) -> tuple[int | float, ...]:
        return ()

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        return (f"{arrays[0]}[{index}]", f"{arrays[1]}[{index}]")

    def take(self, rows: np.ndarray) -> Addresses:
        return Addresses(self.addresses[rows], self.lengths[rows], self.owners)

    def slice(self, start: int, stop: int) -> Addresses:
        return Addresses(self.addresses[start:stop], self.lengths[start:stop], self.owners)
