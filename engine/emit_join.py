"""Joins in generated text that go on once for each match: inner, left and full ones, and what a full one left over.

The other kinds are in `emit_match`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headrace.emit_call import truth
from headrace.emit_expression import emit, origin_of
from headrace.emit_index import entries, find, index_part, one_word, reach
from headrace.emit_match import match
from headrace.emitter import Emitter, Origin, Value
from headrace.pipeline import BuildSink, LookupStep, ProbeStep, Step, UnmatchedStep
from headrace.sql.plan import JoinKind
from headrace.types import BOOLEAN


def lookup(e: Emitter, step: LookupStep, minimum: int, rows: int) -> None:
    """A build side that is a whole table in key order: the row number is key - minimum."""
    given = emit(e, step.key)
    key = one_word(e, given)
    low = e.datum(minimum, "i64")
    count = e.datum(rows, "u64")
    row = e.temp(f"u64({key.words[0]} - {low})", "r")
    inside = f"{row} < {count}" if key.valid is None else f"({row} < {count}) & ({key.valid} != u8(0))"
    present = None
    if step.kind is JoinKind.ANTI:
        e.enter(f"if not ({inside}):")
    elif step.kind is JoinKind.MARK:
        if step.mark is not None:
            valid = given.valid if step.nulls else None
            e.columns[step.mark.id] = Value(BOOLEAN, (e.temp(f"u8({inside})", "b"),), valid, (0, 1))
        return
    elif step.kind is JoinKind.LEFT:
        present = e.temp(f"u8({inside})", "n")
        e.line(f"if {present} == u8(0):")
        e.line(f"    {row} = u64(0)")
    else:
        limits = key.range
        if not (key.valid is None and limits is not None and minimum <= limits[0] and limits[1] < minimum + rows):
            e.enter(f"if {inside}:")
    for f in step.fields:
        e.columns[f.id] = Origin(step.table, f.id, e.tables[step.table][f.id], row, present)


def probe(e: Emitter, step: ProbeStep, build: BuildSink, used: frozenset[int]) -> None:
    """Find the matching entries of a finished build side and go on once for each of them."""
    if step.kind not in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL):
        match(e, step, build)
        return
    group, hit = find(e, step, build)
    single = build.unique and build.form != "cross"
    if single and step.kind is JoinKind.INNER:
        e.enter(f"if {hit}:")
        reach(e, step, _entry(e, step, group, used), None)
        if step.residual is not None:
            e.enter(f"if {truth(e, step.residual)}:")
    elif single and step.residual is None:
        _outer_unique(e, step, group, hit)
    else:
        _loop(e, step, build, group, hit)


def unmatched(e: Emitter, step: UnmatchedStep) -> None:
    """Leave out the entries that a full join's rows met."""
    e.enter(f"if {index_part(e, step.build, 'matched', 'u8[]')}[i] == u8(0):")


def presence(e: Emitter, step: Step | None, builds: Mapping[int, BuildSink]) -> Callable[[], str] | None:
    """Writes the u8 that is 1 where an inner join by rank finds its key, for a mask pass; None where that may not be
    asked of every row: the key must be a stored column whose values all lie in the bitmap's range."""
    if not isinstance(step, ProbeStep) or step.kind is not JoinKind.INNER or builds[step.build].form != "rank":
        return None
    build = builds[step.build]
    origin = origin_of(e, step.keys[0])
    if origin is None or origin.index != "i" or origin.present is not None:
        return None
    seen = origin.column.statistics
    low, high = seen.minimum, seen.maximum
    if origin.column.validity is not None or not isinstance(low, int) or not isinstance(high, int):
        return None
    if not (build.minimum <= low and high < build.minimum + build.domain):
        return None

    def write() -> str:
        key = emit(e, step.keys[0])
        e.use("bit_u64")
        bits = index_part(e, step.build, "bits", "u64[]")
        return f"bit_u64({bits}, u64({key.words[0]} - {index_part(e, step.build, 'base', 'i64')}))"

    return write


def _entry(e: Emitter, step: ProbeStep, group: str, used: frozenset[int]) -> str:
    """The entry as a local, unless nothing of the build side is read later."""
    if step.residual is None and not any(f.id in used for f in step.fields):
        return "u64(0)"
    return e.temp(group, "j")


def _note(e: Emitter, step: ProbeStep, entry: str) -> str:
    """The assignment that notes a full join's match; a plain store, since all lanes store the same."""
    return f"{index_part(e, step.build, 'matched', 'u8[]!')}[{entry}] = u8(1)"


def _outer_unique(e: Emitter, step: ProbeStep, group: str, hit: str) -> None:
    present, entry = e.fresh("n"), e.fresh("j")
    e.line(f"{present} = u8(0)")
    e.line(f"{entry} = u64(0)")
    e.line(f"if {hit}:")
    e.line(f"    {present} = u8(1)")
    e.line(f"    {entry} = {group}")
    if step.kind is JoinKind.FULL:
        e.line(f"    {_note(e, step, entry)}")
    reach(e, step, entry, present)


def _loop(e: Emitter, step: ProbeStep, build: BuildSink, group: str, hit: str) -> None:
    """A loop over a run of entries; outer joins take one more turn, the row of NULLs if nothing matched (D14)."""
    first, end = entries(e, step, build, group, hit)
    if step.kind is JoinKind.INNER:
        entry = e.fresh("j")
        e.enter(f"for {entry} in range({first}, {end}):")
        reach(e, step, entry, None)
        if step.residual is not None:
            e.enter(f"if {truth(e, step.residual)}:")
        return
    matched, turn, present, entry = e.fresh("m"), e.fresh("j"), e.fresh("n"), e.fresh("j")
    e.line(f"{matched} = u8(0)")
    e.enter(f"for {turn} in range({first}, {end} + u64(1)):")
    e.line(f"{present} = u8({turn} < {end})")
    e.line(f"{entry} = {turn} if {present} != u8(0) else u64(0)")
    reach(e, step, entry, present)
    passes = e.fresh("b")
    e.line(f"{passes} = u8(0)")
    with e.block(f"if {present} != u8(0):"):
        e.line(f"{passes} = u8({truth(e, step.residual)})" if step.residual is not None else f"{passes} = u8(1)")
        e.line(f"{matched} = {matched} | {passes}")
        if step.kind is JoinKind.FULL:
            with e.block(f"if {passes} != u8(0):"):
                e.line(_note(e, step, entry))
    with e.block("else:"):
        e.line(f"{passes} = {matched} ^ u8(1)")
    e.enter(f"if {passes} != u8(0):")
