"""How UNION ALL and full joins are lowered: each part is collected, in order, into one table.

Every part keeps its columns plain, in the one form that their type has, so that tables can be put one after the
other: numbers decoded, text as codes of a merged dictionary where all parts have one, else as addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headrace.column import Column
from headrace.emitter import resolve_indirection
from headrace.encodings.dictionary import Dictionary
from headrace.lower_join import stored_column
from headrace.pipeline import CollectSink, ComputeStep, Concatenation, Stream, UnmatchedStep
from headrace.sql.expr import Field, Literal, column
from headrace.sql.plan import Join, Plan, Union
from headrace.statistics import Statistics

if TYPE_CHECKING:
    from headrace.lower import Lowering


@dataclass(frozen=True, slots=True)
class Part:
    """Rows to be put after those of another part: the stream, and its column for each of the whole's."""

    stream: Stream
    fields: tuple[Field, ...]


def union(lowering: Lowering, plan: Union, required: frozenset[int]) -> Stream:
    """UNION ALL, however deep it is nested."""
    kept = [k for k, f in enumerate(plan.fields) if f.id in required]
    parts = []
    for branch in _branches(plan):
        fields = tuple(branch.schema()[k] for k in kept)
        parts.append(Part(lowering.visit(branch, frozenset(f.id for f in fields)), fields))
    return _concatenated(lowering, parts, tuple(plan.fields[k] for k in kept), "union")


def _branches(plan: Plan) -> list[Plan]:
    if isinstance(plan, Union):
        return _branches(plan.left) + _branches(plan.right)
    return [plan]


def full_join(lowering: Lowering, plan: Join, left: Stream, build: int, required: frozenset[int]) -> Stream:
    """The rows of a full join's probe, `left`, and then the entries of the build side that they did not meet."""
    fields = tuple(dict.fromkeys(f for f in plan.schema() if f.id in required))
    missing = tuple(f for f in plan.left.schema() if f.id in required)
    rest = Stream(build, [UnmatchedStep(build), ComputeStep(tuple((f, Literal(None, f.type)) for f in missing))])
    return _concatenated(lowering, [Part(left, fields), Part(rest, fields)], fields, "full_join")


def _concatenated(lowering: Lowering, parts: Sequence[Part], fields: tuple[Field, ...], what: str) -> Stream:
    coded = [all(_is_coded(lowering, p.stream, p.fields[k]) for p in parts) for k in range(len(fields))]
    tables: list[tuple[int, tuple[int, ...]]] = []
    rows = 0
    for part in parts:
        ids = tuple(f.id for f in part.fields)
        sink = CollectSink(
            tuple(dict.fromkeys(part.fields)),
            plain=True,
            coded=frozenset(i for i, code in zip(ids, coded, strict=True) if code),
        )
        number = lowering.close(part.stream, sink, what).table
        tables.append((number, ids))
        rows += lowering.rows[number]
    columns = []
    for k, f in enumerate(fields):
        columns.append((f, _prototype([lowering.tables[number][ids[k]] for number, ids in tables])))
    result = lowering.table({f.id: c for f, c in columns}, rows)
    name = f"{len(lowering.stages) + 1}_{what}"
    lowering.stages.append(Concatenation(name, tuple(tables), tuple(columns), result))
    return Stream(result, [])


def _is_coded(lowering: Lowering, stream: Stream, f: Field) -> bool:
    """Whether a text column comes straight from one with a dictionary."""
    if not f.type.is_text:
        return False
    stored, _ = stored_column(column(f), stream, lowering.tables)
    return stored is not None and isinstance(resolve_indirection(stored)[0].encoding, Dictionary)


def _prototype(parts: Sequence[Column]) -> Column:
    """The form of one column of the whole, bounded by what bounds all parts."""
    first = parts[0]
    lows, highs = [p.statistics.minimum for p in parts], [p.statistics.maximum for p in parts]
    seen = Statistics(0)
    numbers = [x for x in (*lows, *highs) if isinstance(x, int)]
    if len(numbers) == 2 * len(parts):
        seen = Statistics(0, 0, min(numbers), max(numbers))
    validity = next((p.validity for p in parts if p.validity is not None), None)
    return replace(first, validity=validity, statistics=seen)
