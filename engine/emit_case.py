"""Branches in generated text: CASE and the functions that are CASE in other words."""

from __future__ import annotations

from dataclasses import replace

from headrace.emit_call import text, truth
from headrace.emit_exact import widened
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
        with e.captured():
            limits = emit(e, result).range
        if limits is None:
            return t.range
        low, high = min(low, limits[0]), max(high, limits[1])
    return low, high


@spells("coalesce", "ifnull")
def _coalesce(e: Emitter, expr: Call) -> Value:
    first, *rest = expr.arguments
    if not rest or not first.nullable:
        return emit(e, first)
    tail: Expr = rest[0] if len(rest) == 1 else replace(expr, arguments=tuple(rest))
    return branches(e, expr.type, [(Call("is_not_null", (first,), BOOLEAN, False), first)], tail)


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
    function = "greater" if expr.function == "greatest" else "less"
    result: Expr = expr.arguments[0]
    for other in expr.arguments[1:]:
        better = Call(function, (other, result), BOOLEAN, True)
        pairs: list[tuple[Expr, Expr]] = []
        if other.nullable:
            pairs.append((Call("is_null", (other,), BOOLEAN, False), result))
        if result.nullable:
            pairs.append((Call("is_null", (result,), BOOLEAN, False), other))
        nullable = other.nullable and result.nullable
        result = Case((*pairs, (better, other)), result, expr.type, nullable)
    return emit(e, result)


@spells("concat")
def _concat(e: Emitter, expr: Call) -> Value:
    """concat(): NULL counts as empty text."""
    empty = Literal("", VARCHAR)
    parts = [a if not a.nullable else Call("coalesce", (a, empty), VARCHAR, False) for a in expr.arguments]
    result: Expr = parts[0] if parts else empty
    for part in parts[1:]:
        result = Call("concat_operator", (result, part), VARCHAR, False)
    return emit(e, result)
