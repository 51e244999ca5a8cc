"""Constants, parameters, casts and intervals."""

from __future__ import annotations

import math

from sqlglot import exp

from headrace.errors import DataError
from headrace.sql.bind_calls import call
from headrace.sql.bind_expr import Context, handles
from headrace.sql.bind_types import sql_type
from headrace.sql.coerce import cast_to, decimal_literal, integer_type, known
from headrace.sql.expr import Expr, Literal
from headrace.sql.scope import check_clauses
from headrace.types import BIGINT, BOOLEAN, DOUBLE, HUGEINT, INTEGER, INTERVAL, NULL, VARCHAR

# months, days, microseconds of one unit, by DuckDB's unit names in the singular
_UNITS: dict[str, tuple[int, int, int]] = {
    "millennium": (12_000, 0, 0),
    "century": (1_200, 0, 0),
    "decade": (120, 0, 0),
    "year": (12, 0, 0),
    "quarter": (3, 0, 0),
    "month": (1, 0, 0),
    "week": (0, 7, 0),
    "day": (0, 1, 0),
    "hour": (0, 0, 3_600_000_000),
    "minute": (0, 0, 60_000_000),
    "second": (0, 0, 1_000_000),
    "millisecond": (0, 0, 1_000),
    "microsecond": (0, 0, 1),
}
_PLURALS = {"millennia": "millennium", "centuries": "century"}
# to_days(3) and its like
INTERVAL_FUNCTIONS = {"to_centuries": "century", "to_millennia": "millennium"} | {
    f"to_{unit}s": unit for unit in _UNITS if unit not in ("century", "millennium", "second")
}


@handles(exp.Literal)
def bind_literal(tree: exp.Literal, context: Context) -> Expr:
    """Text, or a number: INTEGER, BIGINT, HUGEINT, DECIMAL or DOUBLE, as DuckDB chooses."""
    position = context.position(tree)
    text = tree.name
    if tree.args.get("is_string"):
        return Literal(text, VARCHAR, position)
    if text.isdigit():
        t = integer_type(int(text))
        if t is None and int(text) < 2**128:
            raise context.session.refused(f"whole numbers beyond {HUGEINT}", tree)
        return Literal(float(text), DOUBLE, position) if t is None else Literal(int(text), t, position)
    if "e" in text or "E" in text:
        return Literal(float(text.replace("_", "")), DOUBLE, position)
    # sqlglot writes `.5` as `0.5` and then knows no position; the zero is no digit of the type
    written = "start" in tree.meta
    found = decimal_literal(text.replace("_", ""), written or not text.startswith("0."))
    if found is None:
        return Literal(float(text), DOUBLE, position)
    return Literal(found[0], found[1], position)


@handles(exp.ByteString, exp.RawString)
def bind_other_text(tree: exp.Expr, context: Context) -> Expr:
    return Literal(tree.name, VARCHAR, context.position(tree))


@handles(exp.Boolean)
def bind_boolean(tree: exp.Boolean, context: Context) -> Expr:
    return Literal(bool(tree.this), BOOLEAN, context.position(tree))


@handles(exp.Null)
def bind_null(tree: exp.Null, context: Context) -> Expr:
    return Literal(None, NULL, context.position(tree))


@handles(exp.Placeholder)
def bind_placeholder(tree: exp.Placeholder, context: Context) -> Expr:
    return context.session.parameters.literal(tree.name, context.position(tree))


@handles(exp.Neg)
def bind_negative(tree: exp.Neg, context: Context) -> Expr:
    """A minus sign; before a number it is part of the number, so that -9223372036854775808 is a BIGINT.

    The number keeps its type otherwise: -2147483648 is a BIGINT because 2147483648 is one.
    """
    inner = context.bind(tree.this)
    operand = tree.this
    while isinstance(operand, (exp.Paren, exp.Neg)):
        operand = operand.this
    if isinstance(operand, exp.Literal) and isinstance(inner, Literal) and inner.type.is_numeric:
        value = inner.value
        if isinstance(value, float):
            return Literal(-value, DOUBLE, inner.position)
        if isinstance(value, int):
            t = BIGINT if inner.type == HUGEINT and value == 2**63 else inner.type
            return Literal(-value, t, inner.position)
    return call("negate", (inner,), context.session, tree)


@handles(exp.Cast, exp.TryCast)
def bind_cast(tree: exp.Cast, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "to", "safe", "_type")
    lenient = isinstance(tree, exp.TryCast)
    target = sql_type(tree.args["to"], context.session, tree)
    argument = context.bind(tree.this)
    position = argument.position if argument.position >= 0 else context.position(tree)
    return cast_to(argument, target, explicit=True, lenient=lenient, position=position)


@handles(exp.Interval)
def bind_interval(tree: exp.Interval, context: Context) -> Expr:
    """INTERVAL '3' MONTH, INTERVAL 3 MONTH, INTERVAL (n) DAY; INTERVAL '1 day 2 hours' comes as a cast."""
    check_clauses(context.session, tree, "this", "unit")
    unit, value = tree.args.get("unit"), tree.this
    if unit is None:
        raise context.session.wrong("an interval needs a unit, as in INTERVAL '3' DAY", tree)
    if not isinstance(unit, exp.Var):
        raise context.session.refused("intervals over a span of units", tree)
    word = unit.name.lower()
    name = _PLURALS.get(word, word if word in _UNITS else word.removesuffix("s"))
    if name not in _UNITS:
        raise context.session.wrong(f"{unit.name} is no unit of an interval", tree)
    if isinstance(value, exp.Literal):
        return _constant_interval(value, name, context)
    number = context.bind(value)
    if not number.type.is_integer:
        if name == "second":
            raise context.session.refused("intervals of a computed fraction of seconds", tree)
        number = call("trunc", (cast_to(number, DOUBLE),), context.session, tree)
    return counted_interval(name, number, context, tree)


def counted_interval(name: str, number: Expr, context: Context, tree: exp.Expr) -> Expr:
    """As many of a unit as a whole number says: the interval of one, times the number."""
    count = cast_to(number, BIGINT if _UNITS[name][2] else INTEGER)
    one = Literal(_UNITS[name], INTERVAL, count.position)
    return call("multiply", (one, count), context.session, tree)


def _constant_interval(value: exp.Literal, name: str, context: Context) -> Expr:
    """A fraction of a unit is cut off, except for seconds."""
    text = value.name
    try:
        number = float(text)
    except ValueError:
        raise DataError(
            f'Conversion Error: "{text}" is no number of {name}s', position=known(context.position(value))
        ) from None
    scale = _UNITS[name]
    if name == "second":
        return Literal((0, 0, round(number * 1_000_000)), INTERVAL, context.position(value))
    count = math.trunc(number)
    return Literal(tuple(part * count for part in scale), INTERVAL, context.position(value))


@handles(exp.Concat)
def bind_adjacent_text(tree: exp.Concat, context: Context) -> Expr:
    """'a' 'b' on two lines is one text."""
    parts = [e.name for e in tree.expressions if isinstance(e, exp.Literal) and e.args.get("is_string")]
    if len(parts) != len(tree.expressions):
        raise context.session.refused("Concat expressions", tree)
    return Literal("".join(parts), VARCHAR, context.position(tree))
