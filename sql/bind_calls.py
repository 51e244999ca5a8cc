"""Calls: the overload for the argument types, the implicit casts to it, and errors that say what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlglot import exp
from sqlglot.parsers.duckdb import DuckDBParser

import headrace.kernels.functions  # noqa: F401 - importing it declares every function
from headrace.errors import NotSupportedError, ProgrammingError
from headrace.kernels.aggregate import AGGREGATES, is_aggregate
from headrace.kernels.registry import SCALARS, Nulls, Overload, resolve
from headrace.sql.coerce import Operand, adapt, cast_to, comparable_type, known
from headrace.sql.expr import Call, Expr, Literal
from headrace.sql.scope import Session, nearest
from headrace.types import BIGINT, BOOLEAN, DATE, DOUBLE, INTERVAL, NULL, TIMESTAMP, VARCHAR, Kind, SqlType

# Names of operators in expressions, which are no functions that a query could call.
OPERATOR_NAMES = frozenset(
    [
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "is_distinct",
        "is_not_distinct",
        "and",
        "or",
        "not",
        "is_null",
        "is_not_null",
        "negate",
        "integer_divide",
        "modulo",
        "modulo_wide_decimal",
        "whole_microseconds",
        "concat_operator",
        "like",
        "ilike",
    ]
)

_SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "integer_divide": "//",
    "modulo": "%",
    "negate": "-",
    "concat_operator": "||",
    "equal": "=",
    "not_equal": "<>",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "is_distinct": "IS DISTINCT FROM",
    "is_not_distinct": "IS NOT DISTINCT FROM",
    "like": "LIKE",
    "ilike": "ILIKE",
}
_ORDERED = frozenset({"less", "less_equal", "greater", "greater_equal"})


@lru_cache(maxsize=4096)
def find_overload(name: str, types: tuple[SqlType, ...]) -> Overload | None:
    return resolve(name, types)


def call(name: str, arguments: Sequence[Expr], session: Session, tree: exp.Expr) -> Expr:
    """`call_operands` for arguments none of which is a literal as written."""
    return call_operands(name, [Operand(a) for a in arguments], session, tree)


def call_operands(name: str, operands: Sequence[Operand], session: Session, tree: exp.Expr) -> Expr:
    """A call of registry function `name`, the arguments cast to what its overload takes.

    Text literals that fit no overload as VARCHAR become what the other arguments ask for. Raises
    ProgrammingError where no overload fits.
    """
    types = tuple(o.type for o in operands)
    overload = find_overload(name, types)
    if overload is None and any(o.is_text_literal for o in operands):
        overload = find_overload(name, tuple(NULL if o.is_text_literal else o.type for o in operands))
    if overload is None:
        raise no_overload(name, types, session, tree)
    arguments = tuple(cast_to(o.expr, t) for o, t in zip(operands, overload.arguments, strict=True))
    return make_call(name, arguments, overload, _position(arguments, session, tree))


def make_call(name: str, arguments: tuple[Expr, ...], overload: Overload, position: int) -> Call:
    nullable = overload.nullable or any(a.nullable for a in arguments)
    if overload.nulls is Nulls.SPECIAL and name in (
        "is_null",
        "is_not_null",
        "is_distinct",
        "is_not_distinct",
    ):
        nullable = False
    elif name in ("coalesce", "concat", "greatest", "least"):
        nullable = overload.nullable or all(a.nullable for a in arguments)
    return Call(name, arguments, overload.result, nullable, position)


def arithmetic(name: str, left: Operand, right: Operand, session: Session, tree: exp.Expr) -> Expr:
    """+ - * / // %: an integer literal takes the other side's integer type where it fits.

    A bare NULL makes the result NULL; of which type, `_type_beside_null` says. A text literal beside a
    DECIMAL makes both a DOUBLE, and so does % of decimals too far apart for 38 digits.
    """
    if left.type == NULL or right.type == NULL:
        t = _type_beside_null(name, left.type, right.type)
        if t is not None:
            return Literal(None, t, _position((left.expr, right.expr), session, tree))
    types = left.type, right.type
    if any(t.is_decimal for t in types):
        texts = any(o.is_text_literal for o in (left, right))
        wide = name == "modulo" and all(t.is_exact for t in types) and _result(name, types) == DOUBLE
        if (texts and name != "multiply") or wide:
            left, right = Operand(cast_to(left.expr, DOUBLE)), Operand(cast_to(right.expr, DOUBLE))
            return call_operands("modulo_wide_decimal" if wide else name, (left, right), session, tree)
    return call_operands(name, adapt(left, right), session, tree)


def _result(name: str, types: tuple[SqlType, SqlType]) -> SqlType | None:
    overload = find_overload(name, types)
    return overload.result if overload is not None else None


def _type_beside_null(name: str, left: SqlType, right: SqlType) -> SqlType | None:
    """The type of a decimal or temporal operation with a bare NULL; None where the registry knows it."""
    other = right if left == NULL else left
    if other.is_decimal and name not in ("divide", "integer_divide"):
        return NULL
    stamp = other if other.kind is Kind.TIMESTAMP_NS else TIMESTAMP
    if name == "add" and other.is_timestamp:
        return stamp
    if name == "subtract" and right == NULL and other.kind in (Kind.DATE, Kind.TIME, Kind.INTERVAL):
        return other
    if name == "subtract" and other.is_timestamp:
        return stamp if right == NULL else INTERVAL
    if name == "subtract" and other == DATE:
        return BIGINT
    if other == INTERVAL and (name == "multiply" or (name == "divide" and right == NULL)):
        return INTERVAL
    return None


def compare(name: str, left: Operand, right: Operand, session: Session, tree: exp.Expr) -> Expr:
    """A comparison, both sides cast to their common type; raises ProgrammingError where there is none."""
    t = comparable_type((left, right), name in _ORDERED)
    if t is None:
        raise session.wrong(
            f"values of type {left.type} and type {right.type} cannot be compared with {_SYMBOLS[name]}",
            tree,
            hint="cast one of them",
        )
    a, b = cast_to(left.expr, t), cast_to(right.expr, t)
    nullable = not name.startswith("is_") and (a.nullable or b.nullable)
    return Call(name, (a, b), BOOLEAN, nullable, _position((a, b), session, tree))


def _position(arguments: tuple[Expr, ...], session: Session, tree: exp.Expr) -> int:
    """A call's own place where the tree knows it, else that of its first argument."""
    if session.located:
        start = tree.meta.get("start")
        if start is not None:
            return int(start)
    return next((a.position for a in arguments if a.position >= 0), -1)


def no_overload(
    name: str, types: tuple[SqlType, ...], session: Session, tree: exp.Expr
) -> ProgrammingError | NotSupportedError:
    """Why `name` cannot be called: no function, one of DuckDB's that is missing here, or wrong arguments."""
    listed = ", ".join(str(t) for t in types)
    symbol = _SYMBOLS.get(name)
    scaled = (symbol == "*" and INTERVAL in types) or (symbol == "/" and types[0] == INTERVAL)
    if scaled and any(t.is_numeric for t in types):
        return session.refused(f"{symbol} between {types[0]} and {types[1]} values", tree)
    if symbol is not None and len(types) == 2:
        return session.wrong(
            f"there is no operator {types[0]} {symbol} {types[1]}", tree, hint="cast one of the operands"
        )
    if name in SCALARS or is_aggregate(name):
        return session.wrong(f"{symbol or name} does not take the arguments ({listed})", tree)
    return unknown_function(name, session, tree)


def unknown_function(name: str, session: Session, tree: exp.Expr) -> ProgrammingError | NotSupportedError:
    if name.upper() in DuckDBParser.FUNCTIONS or name.upper() in DuckDBParser.FUNCTION_PARSERS:
        return NotSupportedError(f"the function {name} is not supported yet", position=known(session.position(tree)))
    names = {n for n in SCALARS if n.isidentifier()} - OPERATOR_NAMES | set(AGGREGATES)
    return session.wrong(f"there is no function {name}", tree, hint=nearest(name, names))


def text_constant(e: Expr) -> str | None:
    """The value of a VARCHAR constant, None for anything else."""
    return e.value if isinstance(e, Literal) and e.type == VARCHAR and isinstance(e.value, str) else None
