"""Column names of sources that allow the same one twice."""

from __future__ import annotations

from collections.abc import Iterable


def distinct_names(labels: Iterable[str]) -> list[str]:
    """The names, with _1, _2, ... after those that came before in any letter case, as in DuckDB."""
    seen: set[str] = set()
    result = []
    for label in labels:
        fresh, count = label, 0
        while fresh.lower() in seen:
            count += 1
            fresh = f"{label}_{count}"
        seen.add(fresh.lower())
        result.append(fresh)
    return result
