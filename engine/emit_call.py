"""Calls of registered row bodies in generated text, casts, results of aggregates, and values as they are passed."""

from __future__ import annotations

from dataclasses import replace

from headrace.emit_exact import both_valid, cast_exact, exact_operation, widened
from headrace.emit_expression import emit, handles, null_value
from headrace.emitter import Emitter, Value, empty_words
from headrace.errors import NotSupportedError
from headrace.kernels import functions, hashing, membership  # noqa: F401 - fills the registry
from headrace.kernels.aggregate import Operation
from headrace.kernels.registry import Overload, cast, constant_text, resolve
from headrace.pipeline import DictionaryPart, Finish
from headrace.sql.expr import Call, Cast, Expr, column
from headrace.types import NULL, SqlType, is_wide, words


def truth(e: Emitter, expr: Expr) -> str:
    """A Python condition that holds exactly where the Boolean expression is true."""
    return truth_of(emit(e, expr))


def truth_of(value: Value) -> str:
    test = value.test or f"{value.words[0]} != u8(0)"
    if value.valid is None:
        return test
    return f"({test}) & ({value.valid} != u8(0))"


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


@handles(Call)
def _call(e: Emitter, expr: Call) -> Value:
    arguments = [emit(e, a) for a in expr.arguments]
    overload = resolve(expr.function, tuple(a.type for a in expr.arguments))
    if overload is None:
        raise NotSupportedError(f"{expr.function} is not supported for these arguments", position=expr.position)
    fast = exact_operation(e, expr, arguments, overload)
    if fast is not None:
        return fast
    return call_body(e, overload, arguments, expr.position, expr.function)


def call_body(
    e: Emitter, overload: Overload, arguments: list[Value], position: int, name: str, lenient: bool = False
) -> Value:
    """Call a registered body; under a NULL argument it is not asked at all."""
    function = overload.body
    if function is None:
        raise NotSupportedError(
            f"{name} is not supported on this type yet", position=position if position >= 0 else None
        )
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
        e.use(function.__name__, *(word for word, _ in overload.constants))
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
    return Value(overload.result, tuple(names), result_valid, overload.result.range)


def _argument(e: Emitter, value: Value, t: SqlType) -> Value:
    if t.is_text:
        return text(e, value)
    if is_wide(t):
        return widened(e, value)
    return value


@handles(Cast)
def _cast(e: Emitter, expr: Cast) -> Value:
    argument = emit(e, expr.argument)
    if argument.type == expr.type:
        return argument
    if argument.type == NULL:
        return null_value(e, expr.type)
    fast = cast_exact(e, argument, expr)
    if fast is not None:
        return fast
    overload = cast(argument.type, expr.type)
    if overload is None:
        raise NotSupportedError(f"casting {argument.type} to {expr.type} is not supported", position=expr.position)
    return call_body(e, overload, [argument], expr.position, "CAST", expr.lenient)


@handles(Finish)
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
        for k, value in enumerate(values):
            exact = k == 0 and part.operation in (Operation.SUM, Operation.SUM_WIDE)
            flat += (widened(e, value) if exact else value).words
    names = [e.fresh() for _ in words(overload.result)]
    valid = e.fresh("n") if overload.nullable else None
    failure = e.fresh("f") if overload.fails else None
    flat += [constant_text(c) for c in overload.constants]
    e.use(overload.finish.__name__, *(word for word, _ in overload.constants))
    targets = [*names, *([valid] if valid else []), *([failure] if failure else [])]
    e.line(f"{', '.join(targets)} = {overload.finish.__name__}({', '.join(flat)})")
    if failure is not None:
        e.fail(failure, overload.fails or "", finish.position)
    return e.remember(finish, Value(overload.result, tuple(names), valid, overload.result.range))
