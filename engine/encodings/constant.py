"""Whole numbers that are the same in every row: no bytes at all."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.encodings.base import Array


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Every row (that is not NULL) holds `value`, which fits i64."""

    value: int

    @property
    def form(self) -> str:
        return "constant"

    def arrays(self) -> tuple[Array, ...]:
        return ()

    def parameters(self) -> tuple[int | float, ...]:
        return (self.value,)

    def read(self, arrays: tuple[str, ...], parameters: tuple[str, ...], index: str) -> tuple[str, ...]:
        return (parameters[0],)

    def take(self, rows: Array) -> Constant:
        return self

    def slice(self, start: int, stop: int) -> Constant:
        return self
