"""What the binder and the estimator ask of storage; the engine implements these protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from headrace.types import SqlType


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """One column of a relation, as the catalog knows it before any data is read."""

    name: str
    type: SqlType
    nullable: bool


@dataclass(frozen=True, slots=True)
class ColumnEstimate:
    """What is believed of a column, for estimates and pruning only; it never proves anything.

    `minimum` and `maximum` are in the type's own units (as in `Literal`), None where unknown.
    """

    minimum: object = None
    maximum: object = None
    null_count: int | None = None
    distinct: int | None = None
    unique: bool = False


class Relation(Protocol):
    """A table, file or registered object whose rows can be scanned."""

    @property
    def name(self) -> str: ...

    def schema(self) -> tuple[SourceColumn, ...]: ...

    def unsupported(self) -> Mapping[str, str]:
        """Columns that `schema` leaves out because they cannot be read, each with the reason."""
        ...

    def row_count(self) -> int | None: ...

    def estimate(self, column: str) -> ColumnEstimate: ...


@dataclass(frozen=True, slots=True)
class View:
    """A stored query: its text, and column names where the definition gives them."""

    name: str
    text: str
    columns: tuple[str, ...] = ()


class CatalogReader(Protocol):
    """Name look-up. Names are matched without regard to case."""

    def lookup(self, name: str) -> Relation | View | None:
        """A table, view, registered object or variable of the caller's frame; None if there is none."""
        ...

    def names(self) -> Sequence[str]:
        """Every table, view and registered name, for SHOW TABLES and for near-name hints."""
        ...

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> Relation:
        """`read_parquet`, `read_csv`, or `file` for FROM 'path'; arguments are str or list[str]."""
        ...
