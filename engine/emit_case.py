"""Branches in generated text: CASE and the functions that are CASE in other words."""

from __future__ import annotations

import contextlib

from headrace.emit_call import text, truth
from headrace.emit_exact import compare, widened
from headrace.emit_expression import emit, handles, spells
from headrace.emitter import Emitter, Value, empty_words
from headrace.sql.expr import Call, Case, Expr, Literal
from headrace.types import BOOLEAN, VARCHAR, SqlType, is_wide, words


@handles(Case)
def _case(e: Emitter, expr: Case) -> Value:
    return branches(e, expr.type, [(c, r) for c, r in expr.branches], expr.default)


def branches(e: Emitter, t: SqlType, pairs: list[tuple[Expr, Expr]], default: Expr) -> Value:
    """Nested ifs: a branch is evaluated only for rows that take it, so its failures are theirs alone."""
    assigned: list[Value] = []
    merged = _merged_range(e, t, [r for _, r in pairs] + [default])
    wide = is_wide(t) and (merged is None or not (merged[0] >= -(2**63) and merged[1] < 2**63))
    names = tuple(e.fresh() for _ in (words(t) if wide or not is_wide(t) else ("i64",)))
    valid = e.fresh("n")
    for name, nothing in zip(names, _start(e, t, len(names)), strict=True):
        e.line(f"{name} = {nothing}")
    e.line(f"{valid} = u8(0)")

    def assign(result: Expr) -> None:
        value = emit(e, result)
        if t.is_text:
            value = text(e, value)
        elif wide:
            value = widened(e, value)
        assigned.append(value)
        for name, word in zip(names, value.words, strict=True):
            e.line(f"{name} = {word}")
        e.line(f"{valid} = {value.valid or 'u8(1)'}")

    def descend(k: int) -> None:
        if k == len(pairs):
            assign(default)
            return
        condition = truth(e, pairs[k][0])
        with e.block(f"if {condition}:"):
            assign(pairs[k][1])
        with e.block("else:"):
            descend(k + 1)

    descend(0)
    never_null = all(v.valid is None for v in assigned)
    return Value(t, names, None if never_null else valid, merged)


def _start(e: Emitter, t: SqlType, count: int) -> tuple[str, ...]:
    return ("i64(0)",) if count == 1 and is_wide(t) else empty_words(e, t)


def _merged_range(e: Emitter, t: SqlType, results: list[Expr]) -> tuple[int, int] | None:
    """The range over all results, found by writing each into a buffer that is thrown away."""
    if not (t.is_exact or t.range is not None):
        return None
    low, high = 0, 0
    for result in results:
        if result not in e.ranges:  # else CASE within CASE would be written twice at each level
            with e.captured():
                e.ranges[result] = emit(e, result).range
        limits = e.ranges[result]
        if limits is None:
            return t.range
        low, high = min(low, limits[0]), max(high, limits[1])
    return low, high


@spells("coalesce", "ifnull")
def _coalesce(e: Emitter, expr: Call) -> Value:
    count = next((k for k, a in enumerate(expr.arguments, 1) if not a.nullable), len(expr.arguments))
    *others, last = expr.arguments[:count]
    if not others:
        return emit(e, last)
    pairs: list[tuple[Expr, Expr]] = [(Call("is_not_null", (x,), BOOLEAN, False), x) for x in others]
    return branches(e, expr.type, pairs, last)


@spells("nullif")
def _nullif(e: Emitter, expr: Call) -> Value:
    a, b = expr.arguments
    condition = Call("equal", (a, b), BOOLEAN, a.nullable or b.nullable)
    return branches(e, expr.type, [(condition, Literal(None, expr.type))], a)


@spells("if")
def _if(e: Emitter, expr: Call) -> Value:
    condition, yes, no = expr.arguments
    return branches(e, expr.type, [(condition, yes)], no)


@spells("greatest", "least")
def _extreme(e: Emitter, expr: Call) -> Value:
    """GREATEST / LEAST: NULL arguments are passed over."""
    t = expr.type
    values = [emit(e, a) for a in expr.arguments]
    if t.is_text:
        values = [text(e, v) for v in values]
    elif any(len(v.words) != len(values[0].words) for v in values):
        values = [widened(e, v) for v in values]
    values = [e.hold(v) for v in values]
    first, *others = values
    if not others:
        return first
    names = tuple(e.fresh() for _ in first.words)
    for name, word in zip(names, first.words, strict=True):
        e.line(f"{name} = {word}")
    held = valid = e.fresh("n") if first.valid is not None else None
    if valid is not None:
        e.line(f"{valid} = {first.valid}")
    for other in others:
        better = compare(e, _BETTER[expr.function], other, Value(t, names))
        with contextlib.ExitStack() as blocks:
            if other.valid is not None:
                blocks.enter_context(e.block(f"if {other.valid} != u8(0):"))
            if held is not None:
                take = e.fresh("c")
                e.line(f"{take} = u8(1)")
                with e.block(f"if {held} != u8(0):"):
                    e.line(f"{take} = u8({better})")
                better = f"{take} != u8(0)"
            with e.block(f"if {better}:"):
                for name, word in zip(names, other.words, strict=True):
                    e.line(f"{name} = {word}")
                if held is not None:
                    e.line(f"{held} = u8(1)")
        if other.valid is None:
            held = valid = None
    ranges = [v.range for v in values if v.range is not None]
    limits = None
    if len(ranges) == len(values):
        limits = min(low for low, _ in ranges), max(high for _, high in ranges)
    return Value(t, names, valid, limits)


_BETTER = {"greatest": "greater", "least": "less"}


@spells("concat")
def _concat(e: Emitter, expr: Call) -> Value:
    """concat(): NULL counts as empty text."""
    empty = Literal("", VARCHAR)
    parts = [a if not a.nullable else Call("coalesce", (a, empty), VARCHAR, False) for a in expr.arguments]
    result: Expr = parts[0] if parts else empty
    for part in parts[1:]:
        result = Call("concat_operator", (result, part), VARCHAR, False)
    return emit(e, result)
