"""Evaluating calls and casts whose operands are constants, with the very bodies that kernels run."""

from __future__ import annotations

from typing import Any

from headrace.kernels.comparison import compare_interval
from headrace.kernels.registry import Nulls, Overload
from headrace.sql.expr import Call, Cast, Literal
from headrace.sql.properties import cast_overload, overload_of
from headrace.types import BOOLEAN, Kind, SqlType, is_wide

_LOW = 2**64 - 1


def literal_words(literal: Literal) -> tuple[object, ...]:
    """The machine words of a constant that is not NULL, as interpreted bodies take them.

    Text is (bytes, length).
    """
    value, kind = literal.value, literal.type.kind
    if isinstance(value, tuple):
        return value
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, (bytes, bytearray)):
        return value, len(value)
    if is_wide(literal.type):
        assert isinstance(value, int)
        return value & _LOW, value >> 64
    if kind is Kind.BOOLEAN:
        return (int(bool(value)),)
    return (value,)


def literal_of(words: tuple[object, ...], t: SqlType, position: int) -> Literal:
    """The constant of type `t` that the words spell."""
    value: object
    if t.is_text:
        address, length = words
        assert isinstance(address, (bytes, bytearray, memoryview))
        assert isinstance(length, int)
        text = bytes(address[:length])
        value = text.decode() if t.kind is Kind.VARCHAR else text
    elif t.kind is Kind.INTERVAL:
        value = words
    elif is_wide(t):
        low, high = words
        assert isinstance(low, int)
        assert isinstance(high, int)
        value = (high << 64) | low
    else:
        value = bool(words[0]) if t.kind is Kind.BOOLEAN else words[0]
    return Literal(value, t, position)


def evaluate(e: Call | Cast) -> Literal | None:
    """The value of a call or cast over literals; None where it cannot be had before the query runs.

    That is so for a function without a body or without arguments, and for a row that fails: its error belongs
    to the run, since a query whose rows never reach the expression must not fail.
    """
    if isinstance(e, Cast):
        return _evaluate_cast(e)
    arguments = e.arguments
    if not arguments or not all(isinstance(x, Literal) for x in arguments):
        return None
    literals = [x for x in arguments if isinstance(x, Literal)]
    if len(literals) == 2:
        compared = compare(e.function, literals[0], literals[1])
        if compared is not None:
            return compared
    overload = overload_of(e)
    if overload is None or overload.nulls is not Nulls.STRICT:
        return None
    if any(x.value is None for x in literals):
        return Literal(None, e.type, e.position)
    if overload.body is None or overload.arguments != tuple(x.type for x in literals) or overload.result != e.type:
        return None
    found = _run(overload, literals, e.position)
    return None if found is _FAILED else found


def _evaluate_cast(e: Cast) -> Literal | None:
    argument = e.argument
    if not isinstance(argument, Literal):
        return None
    if argument.value is None:
        return Literal(None, e.type, e.position)
    if argument.type == e.type:
        return argument
    overload = cast_overload(e)
    if overload is None or overload.body is None or overload.result != e.type:
        return None
    found = _run(overload, [argument], e.position)
    if found is _FAILED:
        return Literal(None, e.type, e.position) if e.lenient else None
    return found


_FAILED = Literal("failed", BOOLEAN)


def _run(overload: Overload, literals: list[Literal], position: int) -> Literal:
    """Call the body; `_FAILED` where its failure word is set."""
    assert overload.body is not None
    words: list[object] = [None] if overload.arena else []
    for literal in literals:
        words.extend(literal_words(literal))
    answer = overload.body(*words, *(value for _, value in overload.constants))
    result = list(answer) if isinstance(answer, tuple) else [answer]
    if overload.fails is not None and result.pop():
        return _FAILED
    if overload.nullable and not result.pop():
        return Literal(None, overload.result, position)
    return literal_of(tuple(result), overload.result, position)


def compare(function: str, a: Literal, b: Literal) -> Literal | None:
    """The value of a comparison of two constants of one type; None where `function` is no comparison."""
    if function not in _ORDER or a.type != b.type:
        return None
    if a.value is None or b.value is None:
        if function == "is_distinct":
            return Literal((a.value is None) != (b.value is None), BOOLEAN)
        if function == "is_not_distinct":
            return Literal((a.value is None) == (b.value is None), BOOLEAN)
        return Literal(None, BOOLEAN)
    return Literal(_order(a, b) in _ORDER[function], BOOLEAN)


_ORDER = {
    "equal": (0,),
    "is_not_distinct": (0,),
    "not_equal": (-1, 1),
    "is_distinct": (-1, 1),
    "less": (-1,),
    "less_equal": (-1, 0),
    "greater": (1,),
    "greater_equal": (0, 1),
}


def _order(a: Literal, b: Literal) -> int:
    if a.type.kind is Kind.INTERVAL:
        assert isinstance(a.value, tuple)
        assert isinstance(b.value, tuple)
        return compare_interval(*a.value, *b.value)
    x, y = _rank(a), _rank(b)
    return int(x > y) - int(x < y)


def _rank(literal: Literal) -> Any:
    """A Python value that sorts as SQL does: text by its bytes, NaN last."""
    value = literal.value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return (value != value, 0.0 if value != value else value)
    return value
