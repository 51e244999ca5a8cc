"""Bringing expressions to one type: implicit casts, and what a bare literal becomes beside other types.

A number or text written in the query has no fixed type of its own: `1` beside a TINYINT column is a TINYINT
where it fits, and `'1995-01-01'` beside a DATE is a date. So an operand comes with the flag whether it is
such a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headrace.errors import DataError, ProgrammingError
from headrace.kernels.coercion import common_type, comparison_type, ordering_type
from headrace.kernels.registry import cast as resolve_cast
from headrace.sql.constant import evaluate
from headrace.sql.expr import Cast, Expr, Literal
from headrace.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTEGER_RANGES,
    NULL,
    VARCHAR,
    SqlType,
    decimal,
)

# whole numbers up to here are exact as doubles, so that dividing by a power of ten rounds once
_EXACT_IN_DOUBLE = 2**53
_EXACT_POWER_OF_TEN = 22


@dataclass(frozen=True, slots=True)
class Operand:
    """A bound expression, and whether it is a number or text as written in the query."""

    expr: Expr
    literal: bool = False

    @property
    def type(self) -> SqlType:
        return self.expr.type

    @property
    def is_text_literal(self) -> bool:
        return self.literal and self.expr.type == VARCHAR

    @property
    def is_integer_literal(self) -> bool:
        return self.literal and self.expr.type.is_integer


def integer_type(value: int) -> SqlType | None:
    """The type of a whole number as written: the first of INTEGER, BIGINT, HUGEINT that holds it, if any."""
    for t in (INTEGER, BIGINT, HUGEINT):
        low, high = INTEGER_RANGES[t.kind]
        if low <= value <= high:
            return t
    return None


def fits(operand: Operand, t: SqlType) -> bool:
    """Whether an integer literal is a value of integer type `t`."""
    value = operand.expr.value if isinstance(operand.expr, Literal) else None
    limits = INTEGER_RANGES.get(t.kind)
    return isinstance(value, int) and limits is not None and limits[0] <= value <= limits[1]


def cast_to(e: Expr, t: SqlType, *, explicit: bool = False, lenient: bool = False, position: int | None = None) -> Expr:
    """`e` as a value of type `t`; a constant is cast now.

    Raises ProgrammingError where no such cast exists (a `lenient` one is NULL then), and DataError for constant text
    that is no value of the type - unless the cast is `explicit`: it may stand in a branch that no row takes, so it
    fails when it runs.
    """
    if e.type == t:
        return e
    place = e.position if position is None else position
    if e.type == NULL:
        return Literal(None, t, place)
    if isinstance(e, Literal):
        folded = _fold(e, t, place)
        if folded is not None:
            return folded
    if resolve_cast(e.type, t) is None:
        if lenient:
            return Literal(None, t, place)
        raise ProgrammingError(f"cannot cast {e.type} to {t}", position=known(place))
    result = Cast(e, t, e.nullable or lenient, lenient, place)
    if isinstance(e, Literal):
        value = evaluate(result)
        if value is not None:
            return value
        if not explicit and e.type == VARCHAR:
            raise conversion_error(e, t)
    return result


def known(position: int) -> int | None:
    """A position as errors carry it: None where it is unknown."""
    return position if position >= 0 else None


def conversion_error(e: Literal, t: SqlType) -> DataError:
    return DataError(f'Conversion Error: "{e.value}" is no {t}', position=known(e.position))


def _fold(e: Literal, t: SqlType, place: int) -> Literal | None:
    """The frequent casts of constants, done here because they are made for every literal of a query."""
    value = e.value
    if value is None:
        return Literal(None, t, place)
    if not isinstance(value, int) or isinstance(value, bool) or not e.type.is_exact:
        return None
    if t.is_integer and e.type.is_integer:
        low, high = INTEGER_RANGES[t.kind]
        return Literal(value, t, place) if low <= value <= high else None
    if t.is_decimal and t.scale >= e.type.scale:
        scaled = value * 10 ** (t.scale - e.type.scale)
        return Literal(scaled, t, place) if abs(scaled) < 10**t.precision else None
    if t == DOUBLE and abs(value) <= _EXACT_IN_DOUBLE and e.type.scale <= _EXACT_POWER_OF_TEN:
        return Literal(value / 10**e.type.scale if e.type.scale else float(value), t, place)
    return None


def to_boolean(e: Expr) -> Expr:
    """A condition: numbers and text are cast, as DuckDB does."""
    return e if e.type == BOOLEAN else cast_to(e, BOOLEAN)


Combine = Callable[[SqlType, SqlType], "SqlType | None"]


def shared_type(operands: Sequence[Operand], combine: Combine) -> SqlType | None:
    """The type that `combine` finds for all operands, where literals adapt to the rest; None if there is
    none.
    """
    result = NULL
    for operand in operands:
        if not operand.literal:
            found = combine(result, operand.type)
            if found is None:
                return None
            result = found
    text = False
    for operand in operands:
        if operand.is_text_literal:
            text = True
        elif operand.literal and not (operand.is_integer_literal and fits(operand, result)):
            found = combine(result, operand.type)
            if found is None:
                return None
            result = found
    return VARCHAR if text and result == NULL else result


def common_super_type(operands: Sequence[Operand]) -> SqlType | None:
    """The type of a value that may be any of the operands: CASE, COALESCE, VALUES."""
    return shared_type(operands, common_type)


def comparable_type(operands: Sequence[Operand], ordered: bool) -> SqlType | None:
    """The type in which the operands are compared; bare NULLs alone compare as integers.

    A test for equality casts text to the other side's type; `ordered`, a test for order, does not.
    """
    found = shared_type(operands, ordering_type if ordered else comparison_type)
    return INTEGER if found == NULL else found


def adapt(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """Two operands of an operator: an integer literal takes the other side's integer type, if it fits."""
    if a.is_integer_literal and not b.literal and b.type.is_integer and fits(a, b.type):
        return Operand(cast_to(a.expr, b.type), True), b
    if b.is_integer_literal and not a.literal and a.type.is_integer and fits(b, a.type):
        return a, Operand(cast_to(b.expr, a.type), True)
    return a, b


def decimal_literal(text: str, leading_zero: bool = True) -> tuple[int, SqlType] | None:
    """The scaled value and type of a number written with a point, digits counted as written; None over 38
    digits.
    """
    whole, _, fraction = text.partition(".")
    if not leading_zero:
        whole = ""
    digits = len(whole) + len(fraction)
    if digits > 38:
        return None
    return int(whole + fraction or "0"), decimal(max(digits, 1), len(fraction))
