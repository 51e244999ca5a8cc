"""Conditions in generated text: comparisons, Kleene logic on (value, valid) pairs, IN lists (D2)."""

from __future__ import annotations

from headrace.emit_call import text
from headrace.emit_exact import both_valid, compare
from headrace.emit_expression import boolean, emit, handles, literal, spells
from headrace.emit_range import range_test
from headrace.emitter import Emitter, Value
from headrace.pipeline import ConstantSet
from headrace.sql.expr import Call, InList
from headrace.sql.properties import can_raise
from headrace.types import BOOLEAN, Kind


@spells("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
def _comparison(e: Emitter, expr: Call) -> Value:
    fast = range_test(e, expr)
    if fast is not None:
        return fast
    a, b = (emit(e, x) for x in expr.arguments)
    valid = both_valid(e, a, b)
    if a.type.is_text:
        if a.dictionary is not None and a.dictionary == b.dictionary and expr.function in ("equal", "not_equal"):
            return boolean(f"{a.words[0]} {'==' if expr.function == 'equal' else '!='} {b.words[0]}", valid)
        a, b = text(e, a), text(e, b)
        if valid is not None and not (a.valid is None and b.valid is None):
            test = e.fresh("c")
            e.line(f"{test} = u8(0)")
            with e.block(f"if {valid} != u8(0):"):
                e.line(f"{test} = u8({compare(e, expr.function, a, b)})")
            return Value(BOOLEAN, (test,), valid, (0, 1))
    return boolean(compare(e, expr.function, a, b), valid)


@spells("and", "or")
def _logic(e: Emitter, expr: Call) -> Value:
    """Kleene AND / OR. Terms that can fail are asked only where the earlier terms leave the answer open (D8)."""
    conjunction = expr.function == "and"
    safe = [t for t in expr.arguments if not can_raise(t)]
    risky = [t for t in expr.arguments if can_raise(t)]
    result = _combine(e, [emit(e, t) for t in safe], conjunction) if safe else None
    for term in risky:
        if result is None:
            result = emit(e, term)
            continue
        word = e.temp(result.words[0], "b")
        known = result.valid
        decided = f"{word} == u8(0)" if conjunction else f"{word} != u8(0)"
        if known is not None:
            decided = f"({decided}) & ({known} != u8(0))"
        value, valid = e.fresh("b"), e.fresh("n")
        e.line(f"{value} = {word}")
        e.line(f"{valid} = {known or 'u8(1)'}")
        with e.block(f"if not ({decided}):"):
            joined = _combine(e, [Value(BOOLEAN, (word,), known), emit(e, term)], conjunction)
            e.line(f"{value} = {joined.words[0]}")
            e.line(f"{valid} = {joined.valid or 'u8(1)'}")
        result = Value(BOOLEAN, (value,), valid if expr.nullable else None, (0, 1))
    assert result is not None
    return result


def _combine(e: Emitter, values: list[Value], conjunction: bool) -> Value:
    operator = " & " if conjunction else " | "
    if all(v.valid is None for v in values):
        if all(v.test for v in values):
            return boolean(operator.join(f"({v.test})" for v in values))
        return Value(BOOLEAN, (operator.join(f"({v.words[0]})" for v in values),), None, (0, 1))
    held = [(e.temp(v.words[0], "b"), v.valid) for v in values]
    true = [word if valid is None else f"({word} & {valid})" for word, valid in held]
    false = [f"({word} ^ u8(1))" if valid is None else f"(({word} ^ u8(1)) & {valid})" for word, valid in held]
    if conjunction:
        yes, no = e.temp(" & ".join(true), "b"), " | ".join(false)
    else:
        yes, no = e.temp(" | ".join(true), "b"), " & ".join(false)
    return Value(BOOLEAN, (yes,), e.temp(f"{yes} | ({no})", "n"), (0, 1))


@spells("not")
def _not(e: Emitter, expr: Call) -> Value:
    value = emit(e, expr.arguments[0])
    if value.test is not None:
        return boolean(f"not ({value.test})", value.valid)
    return Value(BOOLEAN, (f"({value.words[0]} ^ u8(1))",), value.valid, (0, 1))


@spells("is_null", "is_not_null")
def _is_null(e: Emitter, expr: Call) -> Value:
    value = emit(e, expr.arguments[0])
    negated = expr.function == "is_not_null"
    if value.valid is None:
        return boolean("u8(1) == u8(1)" if negated else "u8(1) == u8(0)")
    return boolean(f"{value.valid} {'!=' if negated else '=='} u8(0)")


@spells("is_distinct", "is_not_distinct")
def _distinct(e: Emitter, expr: Call) -> Value:
    """IS [NOT] DISTINCT FROM: two NULLs are equal, a NULL and a value are not."""
    a, b = (emit(e, x) for x in expr.arguments)
    if a.type.is_text:
        a, b = text(e, a), text(e, b)
    same = compare(e, "equal", a, b)
    if a.valid is not None or b.valid is not None:
        va, vb = a.valid or "u8(1)", b.valid or "u8(1)"
        both = e.temp(f"{va} & {vb}", "n")
        if a.type.is_text:
            name = e.fresh("c")
            e.line(f"{name} = u8(0)")
            e.line(f"if {both} != u8(0):")
            e.line(f"    {name} = u8({same})")
            same = f"{name} != u8(0)"
        same = f"(({same}) & ({both} != u8(0))) | (({va} | {vb}) == u8(0))"
    return boolean(same if expr.function == "is_not_distinct" else f"not ({same})")


@handles(InList)
def _in_list(e: Emitter, expr: InList) -> Value:
    """IN over constants: a search in a sorted parameter, whose length is not part of the form (D21)."""
    value = emit(e, expr.argument)
    t = value.type
    present = tuple(v.value for v in expr.values if v.value is not None)

    def part(name: str, word: str, k: int = 0) -> str:
        return e.parameter(ConstantSet(present, t, name, k, expr.position), word)

    if t.is_text:
        value = text(e, value)
        found = f"{e.use('among_texts')}({part('offsets', 'i64[]')}, {part('bytes', 'u8[]')}, {', '.join(value.words)})"
    elif t.is_float:
        found = f"{e.use('among_f64')}({part('word', 'f64[]')}, {e.use('f64')}({value.words[0]}))"
    elif t.kind is Kind.INTERVAL:
        value = e.hold(value)
        tests = [f"({compare(e, 'equal', value, literal(e, v))})" for v in expr.values if v.value is not None]
        found = f"u8({' | '.join(tests) or 'u8(1) == u8(0)'})"
    elif len(value.words) == 2:
        lows, highs = part("wide", "u64[]", 0), part("wide", "i64[]", 1)
        found = f"{e.use('among_wide')}({lows}, {highs}, {', '.join(value.words)})"
    else:
        present = tuple(v for v in present if -(2**63) <= int(v) < 2**63)  # type: ignore[call-overload]
        found = f"{e.use('among_i64')}({part('word', 'i64[]')}, i64({value.words[0]}))"
    if t.is_text and value.valid is not None:
        name = e.fresh("c")
        e.line(f"{name} = u8(0)")
        e.line(f"if {value.valid} != u8(0):")
        e.line(f"    {name} = {found}")
        found = name
    if len(present) == len(expr.values) or all(v.value is not None for v in expr.values):
        return Value(BOOLEAN, (found,), value.valid, (0, 1))
    hit = e.temp(found, "b")
    return Value(BOOLEAN, (hit,), e.temp(f"{hit} & {value.valid or 'u8(1)'}", "n"), (0, 1))
