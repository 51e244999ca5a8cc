"""What a benchmark is: tables, queries with their parameters, and how its data is made.

The commands (run, verify, compare, kernels) know a `Suite` and nothing of the benchmark behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Formatter

Parameters = Mapping[str, str]
DrawParameters = Callable[["Query", float, int | None], Parameters]
Generate = Callable[[float, Path, bool], None]


class SuiteError(Exception):
    """A command cannot do what it was asked: its message is one sentence for a person."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a suite.

    `template` is its text with `{name}` where a parameter goes; `order` is the positions of the ORDER BY
    columns in the result (all of them, outermost first); `limit` its LIMIT, None without one.
    """

    name: str
    template: str
    order: tuple[int, ...] = ()
    limit: int | None = None

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of the parameters that the text takes."""
        return frozenset(name for _, name, _, _ in Formatter().parse(self.template) if name)

    def text(self, parameters: Parameters) -> str:
        """The SQL text; raises KeyError when a parameter is missing."""
        return self.template.format_map(parameters)

    def mentions(self, table: str) -> bool:
        """Whether the text names the table."""
        return re.search(rf"\b{re.escape(table)}\b", self.template) is not None


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark.

    `draw(query, scale, seed)` gives the parameters of one query: the specification's validation values for
    seed None, else values drawn in its ranges, the same for the same seed. `generate(scale, folder,
    progress)` writes the Parquet files of every table into an empty folder, `<table>.parquet` each, raising
    `SuiteError`. `scale_table` names a table with exactly `scale_rows` rows for each unit of the scale
    factor.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    queries: tuple[Query, ...]
    draw: DrawParameters
    generate: Generate
    scale_table: str
    scale_rows: int

    def text(self, query: Query, scale: float, seed: int | None) -> str:
        """The SQL text of a query with its parameters put in."""
        return query.text(self.draw(query, scale, seed))

    def select(self, names: Sequence[str]) -> tuple[Query, ...]:
        """The queries named, in the order given, without repeats; `1`, `01`, `q1` and `Q01` all name `1`."""
        known = {query.name.lower(): query for query in self.queries}
        chosen: dict[str, Query] = {}
        for name in names:
            key = name.strip().lower().removeprefix("q").lstrip("0")
            if key not in known:
                raise SuiteError(f"{self.title} has no query {name.strip()!r}; its queries are {', '.join(known)}")
            chosen[key] = known[key]
        return tuple(chosen.values())

    def tables_of(self, queries: Sequence[Query]) -> tuple[str, ...]:
        """The tables that these queries name, in the suite's order."""
        return tuple(table for table in self.tables if any(query.mentions(table) for query in queries))

    def texts(self, query: Query, scale: float, seed: int, count: int) -> list[str]:
        """`count` texts of one query, from `seed` on, all different as far as its parameters allow."""
        texts: list[str] = []
        seen: set[str] = set()
        patience = 20 * count
        while len(texts) < count:
            text = self.text(query, scale, seed)
            seed += 1
            patience -= 1
            if text not in seen or patience < 0:
                seen.add(text)
                texts.append(text)
        return texts


def packaged_template(package: str, file: str) -> str:
    """The text of a query file that is installed with the package."""
    return files(package).joinpath(file).read_text(encoding="utf-8").strip()
