"""DuckDB in the place of a Headrace connection, for tests of what only uses connections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import duckdb

from headrace.errors import NotSupportedError


@dataclass
class StandIn:
    """A connection that answers as Headrace's would: DuckDB's results, made-up profiles and kernels.

    A text that contains a key of `refusals`, `failures` or `replacements` is refused, fails, or is replaced.
    """

    refusals: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    replacements: dict[str, str] = field(default_factory=dict)
    kernels_of: Callable[[str], list[Any]] = lambda sql: []
    executed: list[str] = field(default_factory=list)
    options: dict[str, object] = field(default_factory=dict)
    last_profile: Any = None

    def __post_init__(self) -> None:
        self.duckdb = duckdb.connect()

    def execute(self, sql: str) -> SimpleNamespace:
        self.executed.append(sql)
        self._refuse(sql)
        for part, replacement in self.replacements.items():
            if part in sql:
                sql = replacement
        relation = self.duckdb.sql(sql)
        self.last_profile = SimpleNamespace(
            pipelines=[1, 2],
            compiled=2 if len(self.executed) < 12 else 0,
            compile_ms=3.5,
            bytes=1000,
            launches=None,
            syncs=None,
            bytes_up=None,
            bytes_down=None,
            peak_device_bytes=None,
        )
        return SimpleNamespace(fetch_arrow_table=lambda: relation.to_arrow_table())

    def kernels(self, sql: str, arch: str) -> list[Any]:
        self._refuse(sql)
        return self.kernels_of(arch)

    def _refuse(self, sql: str) -> None:
        for part, reason in self.refusals.items():
            if part in sql:
                raise NotSupportedError(reason, sql=sql, position=3)
        for part, reason in self.failures.items():
            if part in sql:
                raise RuntimeError(reason)
