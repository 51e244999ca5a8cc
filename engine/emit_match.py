"""Joins in generated text that go on at most once a row: semi, anti, mark and single ones.

Where a residual has to be asked, a loop over the key's entries sets flags, which are tested after it (D14).
"""

from __future__ import annotations

from headrace.emit_call import truth
from headrace.emit_expression import emit
from headrace.emit_index import entries, find, index_part, reach
from headrace.emitter import Emitter, Value
from headrace.pipeline import BuildSink, ProbeStep
from headrace.sql.expr import Expr
from headrace.sql.plan import JoinKind
from headrace.types import BOOLEAN

MORE_THAN_ONE = "More than one row returned by a subquery used as an expression"


def match(e: Emitter, step: ProbeStep, build: BuildSink) -> None:
    """Look the keys up, and go on if the join's kind says so."""
    if step.kind is JoinKind.MARK:
        _mark(e, step, build)
    elif step.kind is JoinKind.SINGLE:
        _single(e, step, build)
    else:
        _exists(e, step, build)


def _exists(e: Emitter, step: ProbeStep, build: BuildSink) -> None:
    wanted = step.kind is JoinKind.SEMI
    group, hit = find(e, step, build)
    if step.residual is None:
        e.enter(f"if {hit}:" if wanted else f"if not ({hit}):")
        return
    first, end = entries(e, step, build, group, hit)
    found, entry = e.fresh("f"), e.fresh("j")
    e.line(f"{found} = u8(0)")
    e.line(f"{entry} = {first}")
    with e.block(f"while {entry} < {end}:"):
        reach(e, step, entry, None)
        e.line(f"{found} = u8({truth(e, step.residual)})")
        _advance(e, entry, end, found)
    e.enter(f"if {found} {'!=' if wanted else '=='} u8(0):")


def _advance(e: Emitter, entry: str, end: str, found: str) -> None:
    """The next entry, or the end of the search."""
    e.line(f"{entry} = {entry} + u64(1) if {found} == u8(0) else {end}")


def _mark(e: Emitter, step: ProbeStep, build: BuildSink) -> None:
    group, hit = find(e, step, build)
    found, unknown = e.fresh("f"), e.fresh("u")
    e.line(f"{found} = u8(0)")
    e.line(f"{unknown} = u8(0)")
    if step.residual is None:
        e.line(f"if {hit}:")
        e.line(f"    {found} = u8(1)")
    else:
        first, end = entries(e, step, build, group, hit)
        _search(e, step, step.residual, first, end, found, unknown)
    doubts = _doubts(e, step, build) if step.nulls else []
    if doubts and step.search is None:
        vacant = index_part(e, step.build, "vacant", "u8")
        e.line(f"if ({found} == u8(0)) & ({vacant} == u8(0)):")
        e.line(f"    {unknown} = {' | '.join(doubts)}")
    elif doubts and step.search is not None:
        with e.block(f"if (({found} | {unknown}) == u8(0)) & (({' | '.join(doubts)}) != u8(0)):"):
            _search(e, step, step.search, "u64(0)", index_part(e, step.build, "rows", "u64"), found, unknown)
    if step.mark is not None:
        never = not doubts and (step.residual is None or not step.residual.nullable)
        valid = None if never else e.temp(f"{found} | ({unknown} ^ u8(1))", "n")
        e.columns[step.mark.id] = Value(BOOLEAN, (found,), valid, (0, 1))


def _doubts(e: Emitter, step: ProbeStep, build: BuildSink) -> list[str]:
    """u8 expressions of which one is 1 where a NULL key, here or in the build side, leaves open what is not found."""
    valid = [emit(e, key).valid for key in step.keys]
    doubts = [f"({v} ^ u8(1))" for v in dict.fromkeys(valid) if v is not None]
    if build.notes_nulls:
        doubts.append(index_part(e, step.build, "nulls", "u8"))
    return doubts


def _search(e: Emitter, step: ProbeStep, condition: Expr, first: str, end: str, found: str, unknown: str) -> None:
    """Ask a three-valued condition of entries until it is true for one; note whether it was NULL for any."""
    entry = e.fresh("j")
    e.line(f"{entry} = {first}")
    with e.block(f"while {entry} < {end}:"):
        reach(e, step, entry, None)
        value = e.hold(emit(e, condition))
        if value.valid is None:
            e.line(f"{found} = {value.words[0]}")
        else:
            e.line(f"{found} = {value.words[0]} & {value.valid}")
            e.line(f"{unknown} = {unknown} | ({value.valid} ^ u8(1))")
        _advance(e, entry, end, found)


def _single(e: Emitter, step: ProbeStep, build: BuildSink) -> None:
    group, hit = find(e, step, build)
    first, end = entries(e, step, build, group, hit)
    count, entry = e.fresh("m"), e.fresh("j")
    if step.residual is None:
        e.line(f"{count} = {end} - {first}")
        e.line(f"{entry} = {first}")
    else:
        e.line(f"{count} = u64(0)")
        e.line(f"{entry} = u64(0)")
        turn = e.fresh("j")
        with e.block(f"for {turn} in range({first}, {end}):"):
            reach(e, step, turn, None)
            with e.block(f"if {truth(e, step.residual)}:"):
                e.line(f"{count} = {count} + u64(1)")
                e.line(f"{entry} = {turn}")
    if not build.unique or build.form == "cross":
        e.fail(f"u8({count} > u64(1))", MORE_THAN_ONE, -1)
    reach(e, step, entry, e.temp(f"u8({count} != u64(0))", "n"))
