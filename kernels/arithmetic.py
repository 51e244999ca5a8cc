"""+ - * / // % and unary minus, abs and sign, for all numbers: result types, overflow, row bodies.

Integers keep their type and fail when the result leaves it; `/` is always floating; decimals grow as far as
38 digits go. Floating results are IEEE's: infinities and not-a-number, no errors.
"""

from __future__ import annotations

from headrace.kernels.arithmetic_rows import (
    absolute_double,
    absolute_exact,
    absolute_exact_wide,
    absolute_float,
    absolute_huge,
    absolute_small,
    add_double,
    add_exact,
    add_exact_wide,
    add_float,
    add_huge,
    add_large,
    add_small,
    add_to_wide,
    add_ubigint,
    add_wide_ranged,
    divide_double,
    divide_float,
    integer_divide_double,
    integer_divide_float,
    integer_divide_huge,
    integer_divide_small,
    modulo_double,
    modulo_double_checked,
    modulo_float,
    modulo_huge,
    modulo_small,
    multiply_double,
    multiply_exact,
    multiply_exact_wide,
    multiply_float,
    multiply_huge,
    multiply_large,
    multiply_small,
    multiply_to_wide,
    multiply_ubigint,
    multiply_wide_ranged,
    negate_double,
    negate_exact,
    negate_huge,
    negate_small,
    negate_ubigint,
    sign_double,
    sign_small,
    sign_wide,
    subtract_double,
    subtract_exact,
    subtract_exact_wide,
    subtract_float,
    subtract_huge,
    subtract_large,
    subtract_small,
    subtract_to_wide,
    subtract_ubigint,
    subtract_wide_ranged,
)
from headrace.kernels.coercion import arithmetic_type, as_decimal, common_decimal
from headrace.kernels.decimal import (
    negate_wide,
    wide_constants,
)
from headrace.kernels.registry import Body, Overload, scalar
from headrace.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    NULL,
    TINYINT,
    UBIGINT,
    SqlType,
    decimal,
    is_wide,
)

Types = tuple[SqlType, ...]

# ---- declarations

_INTEGER_BODIES: dict[str, tuple[Body, Body, Body, Body]] = {
    "addition": (add_small, add_large, add_huge, add_ubigint),
    "subtraction": (subtract_small, subtract_large, subtract_huge, subtract_ubigint),
    "multiplication": (multiply_small, multiply_large, multiply_huge, multiply_ubigint),
}
_FLOAT_BODIES: dict[str, tuple[Body, Body]] = {
    "addition": (add_double, add_float),
    "subtraction": (subtract_double, subtract_float),
    "multiplication": (multiply_double, multiply_float),
}
# for decimals: one word, two words, two words that may leave the type
_DECIMAL_BODIES: dict[str, tuple[Body, Body, Body]] = {
    "addition": (add_exact, add_exact_wide, add_wide_ranged),
    "subtraction": (subtract_exact, subtract_exact_wide, subtract_wide_ranged),
    "multiplication": (multiply_exact, multiply_exact_wide, multiply_wide_ranged),
}


def range_constants(t: SqlType) -> tuple[tuple[str, int], ...]:
    """The least and the greatest value of a whole-number type, as constants in its words."""
    limits = t.range
    assert limits is not None
    if is_wide(t):
        return (*wide_constants(limits[0]), *wide_constants(limits[1]))
    return ("i64", limits[0]), ("i64", limits[1])


def _integers_or_floats(operation: str, arguments: Types) -> Overload | None:
    """+ - * on integers and floats."""
    t = arithmetic_type(*arguments)
    if t is None:
        return None
    if t.is_float:
        double, single = _FLOAT_BODIES[operation]
        return Overload((t, t), t, double if t == DOUBLE else single)
    small, large, huge, ubigint = _INTEGER_BODIES[operation]
    fails = f"overflow in {operation} of {t} values"
    special = {BIGINT: large, HUGEINT: huge, UBIGINT: ubigint}.get(t)
    if special is not None:
        return Overload((t, t), t, special, fails=fails)
    return Overload((t, t), t, small, fails=fails, constants=range_constants(t))


def _decimals(arguments: Types) -> bool:
    """Whether a binary operator works on decimals: one DECIMAL, the other a DECIMAL or an integer."""
    return any(t.is_decimal for t in arguments) and all(t.is_exact for t in arguments)


def _ranged_decimal(operation: str, result: SqlType, arguments: Types) -> Overload:
    """A wide decimal result that may be too large for its 38 digits."""
    checked = _DECIMAL_BODIES[operation][2]
    fails = f"overflow in {operation} of {result} values"
    return Overload(arguments, result, checked, fails=fails, constants=range_constants(result))


def _add_decimals(operation: str, arguments: Types) -> Overload | None:
    if not _decimals(arguments):
        return None
    t = common_decimal(*arguments)
    whole = max(x.precision - x.scale for x in map(as_decimal, arguments))
    exact, exact_wide, _ = _DECIMAL_BODIES[operation]
    if whole + t.scale + 1 > 38:
        t = decimal(38, t.scale)
        return _ranged_decimal(operation, t, (t, t))
    result = decimal(t.precision + 1, t.scale)
    if not is_wide(result):
        return Overload((t, t), result, exact)
    if not is_wide(t):
        return Overload((t, t), result, add_to_wide if operation == "addition" else subtract_to_wide)
    return Overload((t, t), result, exact_wide)


def _multiply_decimals(arguments: Types) -> Overload | None:
    if not _decimals(arguments):
        return None
    a, b = map(as_decimal, arguments)
    scale, digits = a.scale + b.scale, a.precision + b.precision
    if scale > 38:
        return None
    exact, exact_wide, _ = _DECIMAL_BODIES["multiplication"]
    if digits <= 18:
        return Overload((a, b), decimal(digits, scale), exact)
    if a.precision <= 18 and b.precision <= 18 and scale < 18:
        # kept in one word: the operation is quick and rarely too large, and fails where it is
        result = decimal(18, scale)
        fails = f"overflow in multiplication of {result} values"
        return Overload((a, b), result, multiply_small, fails=fails, constants=range_constants(result))
    result = decimal(min(digits, 38), scale)
    if a.precision <= 18 and b.precision <= 18:
        return Overload((a, b), result, multiply_to_wide)
    wide = (decimal(max(a.precision, 19), a.scale), decimal(max(b.precision, 19), b.scale))
    if digits <= 38:
        return Overload(wide, result, exact_wide)
    return _ranged_decimal("multiplication", result, wide)


@scalar("add")
def add(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    return _integers_or_floats("addition", arguments) or _add_decimals("addition", arguments)


@scalar("subtract")
def subtract(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    return _integers_or_floats("subtraction", arguments) or _add_decimals("subtraction", arguments)


@scalar("multiply")
def multiply(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    return _integers_or_floats("multiplication", arguments) or _multiply_decimals(arguments)


def _floating(arguments: Types) -> SqlType | None:
    """The type of a quotient: FLOAT beside a FLOAT and no DOUBLE, else DOUBLE."""
    if not all(t.is_numeric or t == NULL for t in arguments):
        return None
    return FLOAT if FLOAT in arguments and DOUBLE not in arguments else DOUBLE


@scalar("divide")
def divide(arguments: Types) -> Overload | None:
    t = _floating(arguments)
    if len(arguments) != 2 or t is None:
        return None
    return Overload((t, t), t, divide_double if t == DOUBLE else divide_float)


_BY_ZERO = "division by zero"


@scalar("integer_divide")
def integer_divide(arguments: Types) -> Overload | None:
    t = _floating(arguments)
    if len(arguments) != 2 or t is None:
        return None
    whole = arithmetic_type(*arguments)
    if whole is None or whole.is_float:
        return Overload((t, t), t, integer_divide_double if t == DOUBLE else integer_divide_float, fails=_BY_ZERO)
    if is_wide(whole):
        return Overload((whole, whole), whole, integer_divide_huge, fails=_BY_ZERO)
    least = range_constants(whole)[0]
    return Overload((whole, whole), whole, integer_divide_small, fails=_BY_ZERO, constants=(least,))


@scalar("modulo", "mod")
def modulo(arguments: Types) -> Overload | None:
    if len(arguments) != 2:
        return None
    t = arithmetic_type(*arguments)
    if t is None and _decimals(arguments):
        whole = max(x.precision - x.scale for x in map(as_decimal, arguments))
        shared = common_decimal(*arguments)
        t = DOUBLE if whole + shared.scale > 38 else shared
    if t is None:
        return None
    if t.is_float:
        return Overload((t, t), t, modulo_double if t == DOUBLE else modulo_float)
    return Overload((t, t), t, modulo_huge if is_wide(t) else modulo_small, fails=_BY_ZERO)


@scalar("modulo_wide_decimal")
def modulo_wide_decimal(arguments: Types) -> Overload | None:
    """% of decimals that share no type of 38 digits: of doubles, yet a remainder by zero is an error."""
    if len(arguments) != 2 or not all(t == DOUBLE for t in arguments):
        return None
    return Overload(arguments, DOUBLE, modulo_double_checked, fails=_BY_ZERO)


@scalar("negate")
def negate(arguments: Types) -> Overload | None:
    if len(arguments) != 1:
        return None
    t = BIGINT if arguments[0] == NULL else arguments[0]
    if not t.is_numeric:
        return None
    if t.is_float:
        return Overload((t,), t, negate_double)
    if t.is_decimal:
        return Overload((t,), t, negate_wide if is_wide(t) else negate_exact)
    fails = f"overflow in negation of a {t} value"
    if is_wide(t):
        return Overload((t,), t, negate_huge if t == HUGEINT else negate_ubigint, fails=fails)
    return Overload((t,), t, negate_small, fails=fails, constants=range_constants(t))


@scalar("abs", "@")
def absolute(arguments: Types) -> Overload | None:
    if len(arguments) != 1:
        return None
    t = BIGINT if arguments[0] == NULL else arguments[0]
    if not t.is_numeric:
        return None
    if t.is_float:
        return Overload((t,), t, absolute_double if t == DOUBLE else absolute_float)
    if t == HUGEINT:
        return Overload((t,), t, absolute_huge, fails="overflow in abs of a HUGEINT value")
    if t.is_decimal or t.range == (0, (t.range or (0, 0))[1]):
        return Overload((t,), t, absolute_exact_wide if is_wide(t) else absolute_exact)
    return Overload((t,), t, absolute_small, fails=f"overflow in abs of a {t} value", constants=range_constants(t)[:1])


@scalar("sign")
def sign(arguments: Types) -> Overload | None:
    if len(arguments) != 1:
        return None
    t = BIGINT if arguments[0] == NULL else arguments[0]
    if not t.is_numeric:
        return None
    if t.is_float:
        return Overload((DOUBLE,), TINYINT, sign_double)
    return Overload((t,), TINYINT, sign_wide if is_wide(t) else sign_small)
