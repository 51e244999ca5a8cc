"""Expressions -> generated text: literals, columns, CASE, NULL logic, and calls of registered row bodies."""

from __future__ import annotations

import struct
from dataclasses import replace

from headrace.emit_exact import cast_exact, compare, exact_operation, widened
from headrace.emitter import Emitter, Origin, Value, empty_words
from headrace.encodings.dictionary import Dictionary
from headrace.encodings.indirect import Indirect
from headrace.errors import InternalError, NotSupportedError
from headrace.kernels import functions  # noqa: F401 - fills the registry
from headrace.kernels.aggregate import Operation
from headrace.kernels.registry import Overload, cast, constant_text, resolve
from headrace.pipeline import Constant, DictionaryCode, DictionaryLookup, DictionaryPart, Finish
from headrace.sql.expr import Call, Case, Cast, ColumnRef, Expr, InList, Literal, column, column_ids
from headrace.types import BOOLEAN, NULL, VARCHAR, Kind, SqlType, is_wide, words

COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
MASK_64 = 2**64 - 1


def emit(e: Emitter, expr: Expr) -> Value:
    """Write whatever lines the expression needs and return its value; equal expressions are computed once a scope."""
    if isinstance(expr, Literal):
        return literal(e, expr)
    found = e.cached(expr)
    if found is not None:
        return found
    return e.remember(expr, _emit(e, expr))


def _emit(e: Emitter, expr: Expr) -> Value:
    if isinstance(expr, ColumnRef):
        return _column(e, expr)
    looked_up = _over_dictionary(e, expr)
    if looked_up is not None:
        return looked_up
    if isinstance(expr, Cast):
        return _cast(e, expr)
    if isinstance(expr, Case):
        return _case(e, expr)
    if isinstance(expr, InList):
        return _in_list(e, expr)
    special = _SPECIAL.get(expr.function)
    if special is not None:
        return special(e, expr)
    if expr.function in COMPARISONS:
        return _comparison(e, expr)
    return _call(e, expr)


# ------------------------------------------------------------------------------------- literals and columns


def literal(e: Emitter, expr: Literal) -> Value:
    """A literal as parameters, so that another constant is the same kernel (I5)."""
    t, value = expr.type, expr.value
    if value is None:
        return Value(t, empty_words(e, t), "u8(0)", (0, 0))
    if t.is_text:
        content = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]
        name = e.text_constant(content, expr.position)
        e.use("text_span")
        return Value(t, (f"text_span({name}, i64(0), i64(len({name})))", f"i64(len({name}))"))
    if t.is_float:
        return Value(t, (e.parameter(Constant(float(value), expr.position), words(t)[0]),))  # type: ignore[arg-type]
    if t.kind is Kind.INTERVAL:
        return Value(t, tuple(e.parameter(Constant(int(part), expr.position * 4 + k), "i64") for k, part in enumerate(value)))  # type: ignore[attr-defined]
    if t.kind is Kind.BOOLEAN:
        return Value(t, (e.parameter(Constant(int(bool(value)), expr.position), "u8"),))
    number = int(value)  # type: ignore[call-overload]
    if -(2**63) <= number < 2**63:
        reach = 10 ** len(str(abs(number))) - 1
        limits = (-reach, 0) if number < 0 else (0, reach)
        limits = (max(limits[0], -(2**63)), min(limits[1], 2**63 - 1))
        return Value(t, (e.parameter(Constant(number, expr.position), "i64"),), None, limits)
    low = e.parameter(Constant(number & MASK_64, expr.position), "u64")
    return Value(t, (low, e.parameter(Constant(number >> 64, expr.position), "i64")), None, t.range)


def _column(e: Emitter, expr: ColumnRef) -> Value:
    waiting = e.computed.get(expr.id)
    if waiting is not None:
        return emit(e, waiting)
    finish = e.finishing.get(expr.id)
    if finish is not None:
        return _aggregate_result(e, finish)
    found = e.columns.get(expr.id)
    if found is None:
        raise InternalError(f"column {expr.name} is not in reach of the pipeline")
    if isinstance(found, Origin):
        return e.load(found)
    return found


def _aggregate_result(e: Emitter, finish: Finish) -> Value:
    """An aggregate's result from the columns of its state."""
    known = e.cached(finish)
    if known is not None:
        return known
    overload = finish.overload
    parts = [[emit(e, column(f)) for f in fields] for fields in finish.parts]
    if overload.finish is None:
        value = parts[0][0]
        valid = None
        if overload.nullable:
            valid = parts[0][1].words[0] if len(parts[0]) == 2 else f"u8({parts[-1][0].words[0]} != i64(0))"
            valid = e.temp(valid, "n")
        return e.remember(finish, replace(value, type=overload.result, valid=valid))
    flat: list[str] = []
    for part, values in zip(overload.state, parts, strict=True):
        for value in values:
            flat += (widened(e, value) if part.operation is Operation.SUM else value).words
    names = [e.fresh() for _ in words(overload.result)]
    valid = e.fresh("n") if overload.nullable else None
    failure = e.fresh("f") if overload.fails else None
    flat += [constant_text(c) for c in overload.constants]
    e.use(overload.finish.__name__)
    targets = [*names, *([valid] if valid else []), *([failure] if failure else [])]
    e.line(f"{', '.join(targets)} = {overload.finish.__name__}({', '.join(flat)})")
    if failure is not None:
        e.fail(failure, overload.fails or "", finish.position)
    return e.remember(finish, Value(overload.result, tuple(names), valid, overload.result.range))


def origin_of(e: Emitter, expr: Expr) -> Origin | None:
    """The stored column behind a plain reference, through renamings; None for computed values."""
    while isinstance(expr, ColumnRef) and expr.id in e.computed:
        expr = e.computed[expr.id]
    if isinstance(expr, ColumnRef):
        found = e.columns.get(expr.id)
        return found if isinstance(found, Origin) else None
    return None


# ----------------------------------------------------------------------------------------------- dictionaries


def _over_dictionary(e: Emitter, expr: Expr) -> Value | None:
    """A function of one dictionary column, evaluated once per distinct value when the query starts."""
    reduced = expand(e, expr)
    ids = column_ids(reduced)
    if len(ids) != 1:
        return None
    (field,) = ids
    origin = e.columns.get(field)
    if not isinstance(origin, Origin) or not _is_dictionary(origin) or can_fail(reduced):
        return None
    codes = _surviving_codes(reduced, field)
    if codes:
        return _code_test(e, origin, reduced, codes)
    code = e.load(origin)
    assert isinstance(code.dictionary, DictionaryPart)
    table, owner = code.dictionary.table, code.dictionary.field

    def part(name: str, word: str, k: int = 0) -> str:
        return e.parameter(DictionaryLookup(table, owner, reduced, name, k), word)

    valid = part("valid", "u8[]") if reduced.nullable else None
    names = ("i64",) if reduced.type.is_text else words(reduced.type)
    arrays = tuple(part("word", f"{w}[]", k) for k, w in enumerate(names))
    index = f"u64({code.words[0]})"
    if code.valid is not None:
        index = e.temp(f"u64({code.words[0]}) if {code.valid} != u8(0) else u64(len({arrays[0]})) - u64(1)", "x")
    texts = tuple(f"{w}({a}[{index}])" for w, a in zip(names, arrays, strict=True))
    e.use(*names)
    result_valid = e.temp(f"{valid}[{index}]", "n") if valid is not None else None
    dictionary = DictionaryLookup(table, owner, reduced, "offsets") if reduced.type.is_text else None
    return Value(reduced.type, texts, result_valid, _type_range(reduced.type), dictionary)


def expand(e: Emitter, expr: Expr) -> Expr:
    """The expression over stored columns only: computed columns replaced by what computes them."""
    if not any(i in e.computed for i in column_ids(expr)):
        return expr
    from headrace.sql.expr import substitute

    return expand(e, substitute(expr, {i: e.computed[i] for i in column_ids(expr) if i in e.computed}))


def _is_dictionary(origin: Origin) -> bool:
    column = origin.column
    while isinstance(column.encoding, Indirect):
        column = column.encoding.column
    return isinstance(column.encoding, Dictionary)


def _surviving_codes(expr: Expr, field: int) -> int:
    """How many dictionary codes a predicate keeps at most, where its shape alone says so; else 0."""
    if isinstance(expr, Call) and expr.function == "equal":
        return 1 if any(isinstance(a, ColumnRef) and a.id == field for a in expr.arguments) else 0
    if isinstance(expr, InList) and isinstance(expr.argument, ColumnRef) and len(expr.values) <= 4:
        return 4 if all(v.value is not None for v in expr.values) else 0
    return 0


def _code_test(e: Emitter, origin: Origin, expr: Expr, count: int) -> Value:
    raw = e.raw(origin)
    code = e.load(origin)
    assert isinstance(code.dictionary, DictionaryPart)
    text, word = raw if raw is not None else (e.hold(code).words[0], "i64")
    names = [
        e.parameter(DictionaryCode(code.dictionary.table, code.dictionary.field, expr, k), word) for k in range(count)
    ]
    test = " | ".join(f"({text} == {name})" for name in names)
    return boolean(test, code.valid)


# ------------------------------------------------------------------------------------------------ conditions


def boolean(test: str, valid: str | None = None) -> Value:
    """A BOOLEAN value from a Python condition."""
    return Value(BOOLEAN, (f"u8({test})",), valid, (0, 1), None, test)


def truth(e: Emitter, expr: Expr) -> str:
    """A Python condition that holds exactly where the Boolean expression is true."""
    return truth_of(emit(e, expr))


def truth_of(value: Value) -> str:
    test = value.test or f"{value.words[0]} != u8(0)"
    if value.valid is None:
        return test
    return f"({test}) & ({value.valid} != u8(0))"


def _comparison(e: Emitter, expr: Call) -> Value:
    from headrace.emit_filter import range_test

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


def both_valid(e: Emitter, *values: Value) -> str | None:
    """The u8 that is 1 where every value is not NULL; None if none can be NULL."""
    valids = list(dict.fromkeys(v.valid for v in values if v.valid is not None))
    if not valids:
        return None
    return e.temp(" & ".join(valids), "n")


def _logic(e: Emitter, expr: Call) -> Value:
    """Kleene AND / OR. Terms that can fail are asked only where the earlier terms leave the answer open (D8)."""
    conjunction = expr.function == "and"
    safe = [t for t in expr.arguments if not can_fail(t)]
    risky = [t for t in expr.arguments if can_fail(t)]
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


def _not(e: Emitter, expr: Call) -> Value:
    value = emit(e, expr.arguments[0])
    if value.test is not None:
        return boolean(f"not ({value.test})", value.valid)
    return Value(BOOLEAN, (f"({value.words[0]} ^ u8(1))",), value.valid, (0, 1))


def _is_null(e: Emitter, expr: Call) -> Value:
    value = emit(e, expr.arguments[0])
    negated = expr.function == "is_not_null"
    if value.valid is None:
        return boolean("u8(1) == u8(1)" if negated else "u8(1) == u8(0)")
    return boolean(f"{value.valid} {'!=' if negated else '=='} u8(0)")


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


def _in_list(e: Emitter, expr: InList) -> Value:
    """IN over constants: a test for each up to eight, which keeps the number of terms part of the form."""
    value = emit(e, expr.argument)
    if value.type.is_text:
        value = text(e, value)
    value = e.hold(value)
    present = [v for v in expr.values if v.value is not None]
    tests = [f"({compare(e, 'equal', value, literal(e, v))})" for v in present]
    found = " | ".join(tests) or "u8(1) == u8(0)"
    if value.type.is_text and value.valid is not None:
        name = e.fresh("c")
        e.line(f"{name} = u8(0)")
        e.line(f"if {value.valid} != u8(0):")
        e.line(f"    {name} = u8({found})")
        found = f"{name} != u8(0)"
    if len(present) == len(expr.values):
        return boolean(found, value.valid)
    hit = e.temp(f"u8({found})", "b")
    return Value(BOOLEAN, (hit,), e.temp(f"{hit} & {value.valid or 'u8(1)'}", "n"), (0, 1))


# ------------------------------------------------------------------------------------------------------ CASE


def _case(e: Emitter, expr: Case) -> Value:
    return branches(e, expr.type, [(c, r) for c, r in expr.branches], expr.default)


def branches(e: Emitter, t: SqlType, pairs: list[tuple[Expr, Expr]], default: Expr) -> Value:
    """Nested ifs: a branch is evaluated only for rows that take it, so its failures are theirs alone."""
    assigned: list[Value] = []
    merged = _merged_range(e, t, [r for _, r in pairs] + [default])
    wide = is_wide(t) and (merged is None or not (-(2**63) <= merged[0] and merged[1] < 2**63))
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


def _coalesce(e: Emitter, expr: Call) -> Value:
    first, *rest = expr.arguments
    if not rest or not first.nullable:
        return emit(e, first)
    tail: Expr = rest[0] if len(rest) == 1 else replace(expr, arguments=tuple(rest))
    return branches(e, expr.type, [(Call("is_not_null", (first,), BOOLEAN, False), first)], tail)


def _nullif(e: Emitter, expr: Call) -> Value:
    a, b = expr.arguments
    condition = Call("equal", (a, b), BOOLEAN, a.nullable or b.nullable)
    return branches(e, expr.type, [(condition, Literal(None, expr.type))], a)


def _if(e: Emitter, expr: Call) -> Value:
    condition, yes, no = expr.arguments
    return branches(e, expr.type, [(condition, yes)], no)


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


def _concat(e: Emitter, expr: Call) -> Value:
    """concat(): NULL counts as empty text."""
    empty = Literal("", VARCHAR)
    parts = [
        a if not a.nullable else Call("coalesce", (a, empty), VARCHAR, False) for a in expr.arguments
    ]
    result: Expr = parts[0] if parts else empty
    for part in parts[1:]:
        result = Call("concat_operator", (result, part), VARCHAR, False)
    return emit(e, result)


# ---------------------------------------------------------------------------------------------- calls, casts


def text(e: Emitter, value: Value) -> Value:
    """The (address, length) form of a text value; codes are looked up in their dictionary."""
    if value.dictionary is None:
        return e.hold(value) if not value.words[0].isidentifier() else value
    if isinstance(value.dictionary, DictionaryPart):
        offsets = e.parameter(replace(value.dictionary, k=0), "i64[]")
        content = e.parameter(replace(value.dictionary, k=1), "u8[]")
    else:
        offsets = e.parameter(replace(value.dictionary, part="offsets"), "i64[]")
        content = e.parameter(replace(value.dictionary, part="bytes"), "u8[]")
    e.use("text_span")
    code = e.temp(f"u64({value.words[0]})", "x")
    if value.valid is None:
        start, stop = f"{offsets}[{code}]", f"{offsets}[{code} + u64(1)]"
    else:
        start, stop = e.fresh(), e.fresh()
        e.line(f"{start} = i64(0)")
        e.line(f"{stop} = i64(0)")
        e.line(f"if {value.valid} != u8(0):")
        e.line(f"    {start} = {offsets}[{code}]")
        e.line(f"    {stop} = {offsets}[{code} + u64(1)]")
    address = e.temp(f"text_span({content}, {start}, {stop})")
    return Value(value.type, (address, e.temp(f"{stop} - {start}")), value.valid)


def _call(e: Emitter, expr: Call) -> Value:
    arguments = [emit(e, a) for a in expr.arguments]
    overload = resolve(expr.function, tuple(a.type for a in expr.arguments))
    if overload is None:
        raise NotSupportedError(f"{expr.function} is not supported for these arguments", position=expr.position)
    fast = exact_operation(e, expr, arguments, overload)
    if fast is not None:
        return fast
    return call_body(e, overload, arguments, expr.position, expr.function)


def call_body(e: Emitter, overload: Overload, arguments: list[Value], position: int, name: str, lenient: bool = False) -> Value:
    """Call a registered body; under a NULL argument it is not asked at all."""
    function = overload.body
    if function is None:
        raise NotSupportedError(f"{name} is not supported on this type yet", position=position if position >= 0 else None)
    e.use(function.__name__)
    valid = both_valid(e, *arguments)
    result_words = words(overload.result)
    with e.captured(1 if valid is not None else 0) as lines:
        flat: list[str] = []
        for value, t in zip(arguments, overload.arguments, strict=True):
            flat += _argument(e, value, t).words
        names = [e.fresh() for _ in result_words]
        null_word = e.fresh("n") if overload.nullable else None
        failure = e.fresh("f") if overload.fails else None
        targets = [*names, *([null_word] if null_word else []), *([failure] if failure else [])]
        e.line(f"{', '.join(targets)} = {overload.call(tuple(flat))}")
        if failure is not None and not lenient:
            e.fail(failure, overload.fails or "", position)
    if overload.arena:
        e.arena = True
    if valid is not None:
        extra = [*(["u8(0)"] if null_word else []), *(["u8(0)"] if failure else [])]
        for target, nothing in zip(targets, [*empty_words(e, overload.result), *extra], strict=True):
            e.line(f"{target} = {nothing}")
        e.line(f"if {valid} != u8(0):")
    e.lines += lines
    terms = [t for t in (valid, null_word, f"({failure} ^ u8(1))" if failure and lenient else None) if t]
    result_valid = e.temp(" & ".join(terms), "n") if terms else None
    return Value(overload.result, tuple(names), result_valid, _type_range(overload.result))


def _argument(e: Emitter, value: Value, t: SqlType) -> Value:
    if t.is_text:
        return text(e, value)
    if is_wide(t):
        return widened(e, value)
    return value


def _type_range(t: SqlType) -> tuple[int, int] | None:
    return t.range


def _cast(e: Emitter, expr: Cast) -> Value:
    argument = emit(e, expr.argument)
    if argument.type == expr.type:
        return argument
    if argument.type == NULL:
        return Value(expr.type, empty_words(e, expr.type), "u8(0)", (0, 0))
    fast = cast_exact(e, argument, expr)
    if fast is not None:
        return fast
    overload = cast(argument.type, expr.type)
    if overload is None:
        raise NotSupportedError(f"casting {argument.type} to {expr.type} is not supported", position=expr.position)
    return call_body(e, overload, [argument], expr.position, "CAST", expr.lenient)


def can_fail(expr: Expr) -> bool:
    """Whether evaluating the expression may report an error for some row."""
    from headrace.sql.properties import can_raise

    return can_raise(expr)


def float_bits(value: float) -> int:
    """The bits of a double as a signed word."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


_SPECIAL = {
    "and": _logic,
    "or": _logic,
    "not": _not,
    "is_null": _is_null,
    "is_not_null": _is_null,
    "is_distinct": _distinct,
    "is_not_distinct": _distinct,
    "coalesce": _coalesce,
    "ifnull": _coalesce,
    "nullif": _nullif,
    "if": _if,
    "greatest": _extreme,
    "least": _extreme,
    "concat": _concat,
}
