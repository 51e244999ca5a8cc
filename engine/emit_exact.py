"""Whole numbers in generated text: plain operations where ranges prove them safe, checked ones elsewhere (D4)."""

from __future__ import annotations

from headrace.emitter import Emitter, Value
from headrace.kernels.registry import Overload
from headrace.sql.expr import Call, Cast
from headrace.types import Kind, SqlType, is_wide, words

INT64 = (-(2**63), 2**63 - 1)

_SYMBOLS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_WHOLE = (Kind.BOOLEAN, Kind.DATE, Kind.TIME)


def _inside(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def both_valid(e: Emitter, *values: Value) -> str | None:
    """The u8 that is 1 where every value is not NULL; None if none can be NULL."""
    valids = list(dict.fromkeys(v.valid for v in values if v.valid is not None))
    if not valids:
        return None
    return e.temp(" & ".join(valids), "n")


def widened(e: Emitter, value: Value) -> Value:
    """An exact value as (low, high) words."""
    if len(value.words) == 2:
        return value
    word = e.temp(value.words[0])
    low, high = e.temp(f"u64({word})"), e.temp(f"i64(-1) if {word} < i64(0) else i64(0)")
    return Value(value.type, (low, high), value.valid, value.range)


def exact_operation(e: Emitter, expr: Call, arguments: list[Value], overload: Overload) -> Value | None:
    """add, subtract, multiply and negate on one-word operands; None leaves the call to the registered body.

    The result is one word as long as its range fits 64 bits, whatever its type; a range inside the type's own
    needs no check.
    """
    if expr.function not in ("add", "subtract", "multiply", "negate") or not overload.result.is_exact:
        return None
    if any(len(a.words) != 1 or a.range is None or not a.type.is_exact for a in arguments):
        return None
    result = overload.result
    reach = _result_range(expr.function, [a.range for a in arguments if a.range is not None])
    limits = result.range
    assert limits is not None
    valid = both_valid(e, *arguments)
    left = arguments[0].words[0]
    if _inside(reach, INT64):
        if expr.function == "negate":
            plain = f"(-({left}))"
        else:
            sign = {"add": "+", "subtract": "-", "multiply": "*"}[expr.function]
            plain = f"({left} {sign} {arguments[1].words[0]})"
        if _inside(reach, limits):
            return Value(result, (plain,), valid, reach)
        word = e.temp(plain)
        _check(e, word, limits, _overflow(expr, result), expr.position, valid)
        return Value(result, (word,), valid, _meet(reach, limits))
    return None


def _result_range(function: str, ranges: list[tuple[int, int]]) -> tuple[int, int]:
    a = ranges[0]
    if function == "negate":
        return -a[1], -a[0]
    b = ranges[1]
    if function == "add":
        return a[0] + b[0], a[1] + b[1]
    if function == "subtract":
        return a[0] - b[1], a[1] - b[0]
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def _meet(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return max(a[0], b[0]), min(a[1], b[1])


def _check(e: Emitter, word: str, limits: tuple[int, int], message: str, position: int, valid: str | None) -> None:
    tests = [f"({word} < i64({limits[0]}))"] if limits[0] > INT64[0] else []
    tests += [f"({word} > i64({limits[1]}))"] if limits[1] < INT64[1] else []
    e.fail(f"u8({' | '.join(tests)})", message, position, valid)


def _overflow(expr: Call, t: SqlType) -> str:
    noun = {"add": "addition", "subtract": "subtraction", "multiply": "multiplication", "negate": "negation"}
    return f"overflow in {noun[expr.function]} of {t.kind.value} values"


def compare(e: Emitter, function: str, a: Value, b: Value) -> str:
    """A Python condition comparing two values of one type, NULLs aside: whole numbers, floats, text, intervals."""
    symbol = _SYMBOLS[function]
    t = a.type
    if t.is_text:
        (x, n), (y, m) = a.words, b.words
        if function in ("equal", "not_equal"):
            e.use("text_equal")
            return f"text_equal({x}, {n}, {y}, {m}) {'!=' if function == 'equal' else '=='} u8(0)"
        e.use("text_compare")
        return f"text_compare({x}, {n}, {y}, {m}) {symbol} i64(0)"
    if t.is_float:
        return _compare_floats(e, function, a, b)
    if t.kind is Kind.INTERVAL:
        e.use("compare_interval")
        return f"compare_interval({', '.join((*a.words, *b.words))}) {symbol} i64(0)"
    if len(a.words) == 1 and len(b.words) == 1:
        return f"{a.words[0]} {symbol} {b.words[0]}"
    (alo, ahi), (blo, bhi) = e.hold(widened(e, a)).words, e.hold(widened(e, b)).words
    if function in ("equal", "not_equal"):
        same = f"({alo} == {blo}) & ({ahi} == {bhi})"
        return same if function == "equal" else f"not ({same})"
    strict = symbol[0]
    return f"({ahi} {strict} {bhi}) | (({ahi} == {bhi}) & ({alo} {symbol} {blo}))"


def _compare_floats(e: Emitter, function: str, a: Value, b: Value) -> str:
    """DuckDB's total order: NaN equals NaN and is greater than every number."""
    x, y = e.hold(a).words[0], e.hold(b).words[0]
    if function in ("greater", "greater_equal"):
        x, y = y, x
    same = f"({x} == {y}) | (({x} != {x}) & ({y} != {y}))"
    below = f"({x} < {y}) | (({x} == {x}) & ({y} != {y}))"
    if function == "equal":
        return same
    if function == "not_equal":
        return f"not ({same})"
    if function in ("less", "greater"):
        return below
    return f"{below} | {same}"


def cast_exact(e: Emitter, value: Value, expr: Cast) -> Value | None:
    """Casts among whole numbers that only scale up, and to floating point; None for the rest."""
    source, target = value.type, expr.type
    if len(value.words) != 1 or value.range is None:
        return None
    if not (source.is_exact or source.kind is Kind.BOOLEAN):
        return None
    if target.is_float:
        if source.kind is Kind.BOOLEAN or target.kind is Kind.FLOAT:
            return None
        e.use("f64")
        number = f"f64({value.words[0]})"
        text = number if source.scale == 0 else f"({number} / f64({10**source.scale}.0))"
        return Value(target, (text,), value.valid)
    if not target.is_exact or target.scale < source.scale or expr.lenient:
        return None
    factor = 10 ** (target.scale - source.scale)
    reach = (value.range[0] * factor, value.range[1] * factor)
    limits = target.range
    assert limits is not None
    word = f"i64({value.words[0]})" if source.kind is Kind.BOOLEAN else value.words[0]
    if not _inside(reach, INT64):
        return None
    scaled = word if factor == 1 else f"({word} * i64({factor}))"
    if _inside(reach, limits):
        return Value(target, (scaled,), value.valid, reach)
    held = e.temp(scaled)
    message = f"the value does not fit {target}" if target.is_decimal else f"value out of range for {target}"
    _check(e, held, limits, message, expr.position, value.valid)
    return Value(target, (held,), value.valid, _meet(reach, limits))


def fits_word(value: Value) -> bool:
    """Whether the value is held in one machine word although its type may need two."""
    return len(value.words) == 1 and (is_wide(value.type) or len(words(value.type)) == 1)
