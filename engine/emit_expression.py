"""Expressions -> generated text: the dispatch over kinds of expressions, literals, columns, and dictionaries.

Each kind's handler registers itself: conditions in `emit_condition`, branches in `emit_case`, calls and casts in
`emit_call`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.emitter import Emitter, Origin, Value, empty_words
from headrace.encodings.dictionary import Dictionary
from headrace.encodings.indirect import Indirect
from headrace.errors import InternalError
from headrace.pipeline import Constant, DictionaryCode, DictionaryLookup, DictionaryPart, Finish
from headrace.sql.expr import Call, ColumnRef, Expr, InList, Literal, column_ids, substitute
from headrace.sql.properties import can_raise
from headrace.types import BOOLEAN, Kind, SqlType, is_wide, words

MASK_64 = 2**64 - 1

Handler = Callable[[Emitter, Any], Value]
FUNCTIONS: dict[str, Handler] = {}
"""Functions that are spelled out rather than called, by name."""
KINDS: dict[type, Handler] = {}
"""Handlers of the other kinds of expressions, and of aggregates' results."""


def spells(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of functions that the generator spells out."""

    def register(handler: Handler) -> Handler:
        FUNCTIONS.update(dict.fromkeys(names, handler))
        return handler

    return register


def handles(kind: type) -> Callable[[Handler], Handler]:
    """Register the handler of a kind of expression."""

    def register(handler: Handler) -> Handler:
        KINDS[kind] = handler
        return handler

    return register


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
    if isinstance(expr, Call):
        spelled = FUNCTIONS.get(expr.function)
        if spelled is not None:
            return spelled(e, expr)
    return KINDS[type(expr)](e, expr)


def literal(e: Emitter, expr: Literal) -> Value:
    """A literal as parameters, so that another constant is the same kernel (I5)."""
    t, value = expr.type, expr.value
    if value is None:
        return null_value(e, t)
    if t.is_text:
        content = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]
        name = e.text_constant(content, expr.position)
        e.use("text_span")
        return Value(t, (f"text_span({name}, i64(0), i64(len({name})))", f"i64(len({name}))"))
    if t.is_float:
        return Value(t, (e.parameter(Constant(float(value), expr.position), words(t)[0]),))  # type: ignore[arg-type]
    if t.kind is Kind.INTERVAL:
        parts: tuple[int, int, int] = value  # type: ignore[assignment]
        places = (Constant(int(part), expr.position * 4 + k) for k, part in enumerate(parts))
        return Value(t, tuple(e.parameter(place, "i64") for place in places))
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


def null_value(e: Emitter, t: SqlType) -> Value:
    """A NULL of type `t`; one word where the type is a whole number."""
    return Value(t, ("i64(0)",) if is_wide(t) else empty_words(e, t), "u8(0)", (0, 0))


def _column(e: Emitter, expr: ColumnRef) -> Value:
    waiting = e.computed.get(expr.id)
    if waiting is not None:
        return emit(e, waiting)
    finish = e.finishing.get(expr.id)
    if finish is not None:
        return KINDS[Finish](e, finish)
    found = e.columns.get(expr.id)
    if found is None:
        raise InternalError(f"column {expr.name} is not in reach of the pipeline")
    if isinstance(found, Origin):
        return e.load(found)
    return found


def origin_of(e: Emitter, expr: Expr) -> Origin | None:
    """The stored column behind a plain reference, through renamings; None for computed values."""
    while isinstance(expr, ColumnRef) and expr.id in e.computed:
        expr = e.computed[expr.id]
    if isinstance(expr, ColumnRef):
        found = e.columns.get(expr.id)
        return found if isinstance(found, Origin) else None
    return None


def _over_dictionary(e: Emitter, expr: Expr) -> Value | None:
    """A function of one dictionary column, evaluated once per distinct value when the query starts."""
    reduced = expand(e, expr)
    ids = column_ids(reduced)
    if len(ids) != 1:
        return None
    (field,) = ids
    origin = e.columns.get(field)
    if not isinstance(origin, Origin) or not _is_dictionary(origin) or can_raise(reduced):
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
    return Value(reduced.type, texts, result_valid, reduced.type.range, dictionary)


def expand(e: Emitter, expr: Expr) -> Expr:
    """The expression over stored columns only: computed columns replaced by what computes them."""
    if not any(i in e.computed for i in column_ids(expr)):
        return expr
    return expand(e, substitute(expr, {i: e.computed[i] for i in column_ids(expr) if i in e.computed}))


def _is_dictionary(origin: Origin) -> bool:
    column = origin.column
    while isinstance(column.encoding, Indirect):
        column = column.encoding.column
    return isinstance(column.encoding, Dictionary)


def _surviving_codes(expr: Expr, field: int) -> int:
    """How many dictionary codes a predicate keeps at most, where its shape alone says so; else 0."""
    if isinstance(expr, Call) and expr.function == "equal":
        subject = next((a for a in expr.arguments if isinstance(a, ColumnRef) and a.id == field), None)
        return 1 if subject is not None and any(isinstance(a, Literal) for a in expr.arguments) else 0
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


def boolean(test: str, valid: str | None = None) -> Value:
    """A BOOLEAN value from a Python condition."""
    return Value(BOOLEAN, (f"u8({test})",), valid, (0, 1), None, test)
