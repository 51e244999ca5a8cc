"""Function calls, and the constructs that are calls in other clothes: EXTRACT, TRIM, SUBSTRING, POSITION."""

from __future__ import annotations

from sqlglot import exp

from headrace.kernels.aggregate import is_aggregate
from headrace.kernels.mathematics import round_decimal
from headrace.sql.bind_aggregates import bind_aggregate
from headrace.sql.bind_calls import (
    OPERATOR_NAMES,
    arithmetic,
    call,
    call_operands,
    find_overload,
    make_call,
    no_overload,
    text_constant,
    unknown_function,
)
from headrace.sql.bind_conditions import bind_coalesce, bind_nullif, choose, unify
from headrace.sql.bind_expr import Context, handles
from headrace.sql.bind_literals import INTERVAL_FUNCTIONS, counted_interval
from headrace.sql.bind_subqueries import called_query, exists
from headrace.sql.coerce import Operand, cast_to, to_boolean
from headrace.sql.expr import Expr, Literal
from headrace.sql.scope import check_clauses
from headrace.types import INTEGER, TIMESTAMP_NS, is_wide

# DuckDB's names of the parts of a date or time, and the function that gives each
_PARTS = {
    "year": "year years yr yrs y",
    "month": "month months mon mons",
    "day": "day days dayofmonth d",
    "hour": "hour hours hr hrs h",
    "minute": "minute minutes min mins m",
    "second": "second seconds sec secs s",
    "millisecond": "millisecond milliseconds msec msecs ms",
    "microsecond": "microsecond microseconds usec usecs us",
    "decade": "decade decades dec decs",
    "century": "century centuries cent c",
    "millennium": "millennium millennia mil mils millenium",
    "quarter": "quarter quarters",
    "week": "week weeks weekofyear w",
    "dayofweek": "dow dayofweek weekday",
    "isodow": "isodow",
    "dayofyear": "doy dayofyear",
    "isoyear": "isoyear",
    "yearweek": "yearweek",
    "epoch": "epoch",
    "era": "era",
    "julian": "julian",
}
PART_FUNCTIONS = {word: function for function, words in _PARTS.items() for word in words.split()}

_WITHOUT_PARENTHESES: dict[type, str] = {exp.CurrentDate: "current_date"}
_BY_NODE: dict[type, str] = {
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Chr: "chr",
    exp.Abs: "abs",
    exp.Substring: "substring",
    exp.Initcap: "initcap",
}


@handles(exp.Anonymous)
def bind_call(tree: exp.Anonymous, context: Context) -> Expr:
    """A call by name: an aggregate, one of the functions typed here, or one of the registry."""
    check_clauses(context.session, tree, "this", "expressions")
    name = tree.name.lower()
    if name == "exists" and called_query(tree):
        return exists(tree.expressions[0], context)
    return bind_named(name, tree.expressions, tree, context)


def bind_named(name: str, trees: list[exp.Expr], tree: exp.Expr, context: Context) -> Expr:
    session = context.session
    if is_aggregate(name):
        return bind_aggregate(name, trees, tree, context)
    if name == "columns":
        raise session.refused("COLUMNS expressions", tree)
    if name in OPERATOR_NAMES:
        raise unknown_function(name, session, tree)
    operands = [context.operand(t) for t in trees]
    if name in ("coalesce", "ifnull"):
        return bind_coalesce(operands, context, tree)
    if name == "nullif":
        return bind_nullif(operands, context, tree)
    if name == "if":
        if len(operands) != 3:
            raise session.wrong("if takes three arguments", tree)
        return choose([to_boolean(operands[0].expr)], operands[1:], "IF", context, tree)
    if name in ("date_part", "datepart"):
        return _part(operands, tree, context)
    if name in INTERVAL_FUNCTIONS and len(operands) == 1 and operands[0].type.is_integer:
        return counted_interval(INTERVAL_FUNCTIONS[name], operands[0].expr, context, tree)
    if name in ("greatest", "least") and operands:
        return _extreme(name, operands, tree, context)
    if name == "round" and len(operands) == 2 and operands[0].type.is_decimal:
        return _round_decimal(operands, tree, context)
    if name == "mod" and len(operands) == 2:
        return arithmetic("modulo", operands[0], operands[1], session, tree)
    return call_operands(name, operands, session, tree)


def _extreme(name: str, operands: list[Operand], tree: exp.Expr, context: Context) -> Expr:
    _, values = unify(operands, name.upper(), context.session, tree)
    types = tuple(v.type for v in values)
    overload = find_overload(name, types)
    if overload is None:
        raise no_overload(name, types, context.session, tree)
    return make_call(name, tuple(values), overload, context.position(tree))


def _round_decimal(operands: list[Operand], tree: exp.Expr, context: Context) -> Expr:
    """round(decimal, digits): the digits decide the type, so they are a constant."""
    value, digits = operands[0].expr, operands[1].expr
    count = digits.value if isinstance(digits, Literal) and digits.type.is_integer else None
    if not isinstance(count, int):
        raise context.session.refused("round of a DECIMAL to digits that are no constant", tree)
    if count > 0:
        return cast_to(value, round_decimal(value.type, count), position=context.position(tree))
    if count == 0:
        return call("round", (value,), context.session, tree)
    if is_wide(value.type):
        raise context.session.refused(f"round of a {value.type} to fewer than no digits", tree)
    return call("round_tens", (value, cast_to(digits, INTEGER)), context.session, tree)


def _part(operands: list[Operand], tree: exp.Expr, context: Context) -> Expr:
    """date_part('year', d): the function of the part, since the part decides the type."""
    session = context.session
    if len(operands) != 2:
        raise session.wrong("date_part takes a part and a date, time or interval", tree)
    word = text_constant(operands[0].expr)
    if word is None:
        raise session.refused("date parts that are no constant", tree)
    return _named_part(word, operands[1], tree, context)


def _named_part(word: str, value: Operand, tree: exp.Expr, context: Context) -> Expr:
    function = PART_FUNCTIONS.get(word.lower())
    if function is None:
        raise context.session.wrong(f'there is no date part "{word}"', tree)
    if value.type == TIMESTAMP_NS:
        value = Operand(call("whole_microseconds", (value.expr,), context.session, tree))
    return call_operands(function, [value], context.session, tree)


@handles(exp.Extract)
def bind_extract(tree: exp.Extract, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "expression")
    return _named_part(tree.this.name, context.operand(tree.expression), tree, context)


@handles(exp.Trim)
def bind_trim(tree: exp.Trim, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "expression", "position")
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(tree.args.get("position")), "trim")
    trees = [tree.this] if tree.args.get("expression") is None else [tree.this, tree.expression]
    return bind_named(name, trees, tree, context)


@handles(exp.StrPosition)
def bind_position(tree: exp.StrPosition, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "substr")
    return bind_named("position", [tree.this, tree.args["substr"]], tree, context)


@handles(exp.Max, exp.Min)
def bind_extreme_aggregate(tree: exp.Expr, context: Context) -> Expr:
    check_clauses(context.session, tree, "this")
    return bind_aggregate("max" if isinstance(tree, exp.Max) else "min", [tree.this], tree, context)


@handles(*_BY_NODE)
def bind_special_call(tree: exp.Expr, context: Context) -> Expr:
    """A call that sqlglot has its own syntax for; its arguments stand in the order of the node's fields."""
    trees: list[exp.Expr] = []
    for value in tree.args.values():
        trees.extend(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr))
    return bind_named(_BY_NODE[type(tree)], trees, tree, context)


@handles(*_WITHOUT_PARENTHESES)
def bind_bare_call(tree: exp.Expr, context: Context) -> Expr:
    check_clauses(context.session, tree)
    return call(_WITHOUT_PARENTHESES[type(tree)], (), context.session, tree)


@handles(exp.Filter)
def bind_filter(tree: exp.Filter, context: Context) -> Expr:
    """aggregate(...) FILTER (WHERE condition)."""
    check_clauses(context.session, tree, "this", "expression")
    inner, where = tree.this, tree.expression
    if isinstance(inner, exp.Anonymous) and is_aggregate(inner.name.lower()):
        check_clauses(context.session, inner, "this", "expressions")
        return bind_aggregate(inner.name.lower(), inner.expressions, tree, context, where.this)
    if isinstance(inner, (exp.Max, exp.Min)):
        check_clauses(context.session, inner, "this")
        name = "max" if isinstance(inner, exp.Max) else "min"
        return bind_aggregate(name, [inner.this], tree, context, where.this)
    raise context.session.wrong("FILTER follows aggregates only", tree)
