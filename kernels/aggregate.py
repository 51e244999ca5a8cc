"""Aggregates: result types, the parts of their state, and the body that makes the result of them.

An aggregate's state is a tuple of `Part`s. Each says how a row enters and how two partial states merge; both
are the same operation, so the code generator and every sink need to know only these few. A row with a NULL
argument is left out of every part but those that count or keep rows as such.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from headrace.kernels.coercion import as_decimal
from headrace.kernels.decimal import outside_wide, wide_constants
from headrace.kernels.primitives import add_wide, divide_f64, f64, i64, sqrt_f64, u8, u64
from headrace.kernels.registry import Body, body
from headrace.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    HUGEINT,
    NULL,
    UBIGINT,
    SqlType,
    decimal,
    is_wide,
    words,
)


class Operation(enum.Enum):
    """What a part of the state does with a row."""

    COUNT = "count"  # i64: rows whose argument is not NULL
    COUNT_ROWS = "count_rows"  # i64: all rows
    # exact sum of whole numbers: (u64, i64), or one i64 where the bounds of the input prove that it fits
    SUM = "sum"
    # exact sum of 128-bit numbers: (u64, i64, i64), the last word counting the times the first two wrapped,
    # by `add_sum_wide`; a sum that leaves 128 bits fails at the end
    SUM_WIDE = "sum_wide"
    SUM_FLOAT = "sum_float"  # f64
    PRODUCT = "product"  # f64
    MINIMUM = "minimum"  # the words of the type; undefined while the count of rows is 0
    MAXIMUM = "maximum"
    BIT_AND = "bit_and"  # the words of the type, starting from all ones
    BIT_OR = "bit_or"  # starting from zero
    BIT_XOR = "bit_xor"
    FIRST = "first"  # the words of the type, of the smallest row number whose argument is not NULL
    LAST = "last"  # ... of the greatest
    FIRST_ROW = "first_row"  # the words of the type and a valid word, of the smallest row number
    LAST_ROW = "last_row"  # ... of the greatest
    MOMENTS = "moments"  # (count i64, mean f64, sum of squared differences f64), merged by `merge_moments`


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a state: the operation, and the type of the value that it takes from each row."""

    operation: Operation
    type: SqlType

    @property
    def words(self) -> tuple[str, ...]:
        """The machine words of this part, in the widest form."""
        match self.operation:
            case Operation.COUNT | Operation.COUNT_ROWS:
                return ("i64",)
            case Operation.SUM:
                return ("u64", "i64")
            case Operation.SUM_WIDE:
                return ("u64", "i64", "i64")
            case Operation.SUM_FLOAT | Operation.PRODUCT:
                return ("f64",)
            case Operation.MOMENTS:
                return ("i64", "f64", "f64")
            case Operation.FIRST_ROW | Operation.LAST_ROW:
                return (*words(self.type), "u8")
        return words(self.type)


@dataclass(frozen=True, slots=True)
class AggregateOverload:
    """One resolved aggregate.

    `arguments` are the types that the arguments are cast to. `nullable` says whether the result is NULL when
    no row entered. `finish` takes the words of all parts, then the `constants`, and returns the words of the
    result, a `valid` u8 word if `nullable`, and a failure u8 word if it `fails`. None means: the words of the
    first part are the result, valid when its last part, the COUNT, is not 0 (always, where not nullable).
    """

    arguments: tuple[SqlType, ...]
    result: SqlType
    nullable: bool
    state: tuple[Part, ...]
    finish: Body | None = None
    constants: tuple[tuple[str, int], ...] = ()
    fails: str | None = None


Types = tuple[SqlType, ...]
Resolver = Callable[[Types], "AggregateOverload | None"]
AGGREGATES: dict[str, Resolver] = {}


def aggregate(*names: str) -> Callable[[Resolver], Resolver]:
    """Declare an aggregate: from the argument types to an overload, or None where it does not apply."""

    def declare(resolver: Resolver) -> Resolver:
        for name in names:
            AGGREGATES[name] = resolver
        return resolver

    return declare


def resolve_aggregate(name: str, arguments: Types) -> AggregateOverload | None:
    """The overload of aggregate `name` for these argument types; None where there is none."""
    resolver = AGGREGATES.get(name)
    return None if resolver is None else resolver(arguments)


def is_aggregate(name: str) -> bool:
    """Whether a function of this name is an aggregate."""
    return name in AGGREGATES


# ---- bodies


@body
def wide_to_f64(lo: int, hi: int) -> float:
    """The double nearest to a 128-bit value; small negative ones are taken from their magnitude."""
    if hi < i64(0):
        if lo == u64(0):
            return f64(hi) * f64(18446744073709551616.0)
        # -x is 2**64 * -(hi + 1) + (2**64 - lo)
        return f64(hi + i64(1)) * f64(18446744073709551616.0) - f64(u64(0xFFFFFFFFFFFFFFFF) - lo + u64(1))
    return f64(hi) * f64(18446744073709551616.0) + f64(lo)


@body
def power_of_ten_f64(digits: int) -> float:
    """10.0**digits, exact as far as doubles go (22)."""
    result = f64(1.0)
    for _ in range(digits):
        result = result * f64(10.0)
    return result


@body
def finish_average(lo: int, hi: int, count: int, digits: int) -> tuple[float, int]:
    """The mean of whole numbers that count in 10**-digits."""
    divisor = f64(count) * power_of_ten_f64(digits)
    return divide_f64(wide_to_f64(lo, hi), divisor), u8(count > i64(0))


@body
def finish_average_float(total: float, count: int) -> tuple[float, int]:
    return divide_f64(total, f64(count)), u8(count > i64(0))


@body
def add_sum_wide(lo: int, hi: int, top: int, vlo: int, vhi: int, vtop: int) -> tuple[int, int, int]:
    """The sum of two SUM_WIDE states; a row enters as (its value, 0)."""
    rlo, rhi, overflow = add_wide(lo, hi, vlo, vhi)
    carry = i64(0)
    if overflow:
        carry = i64(-1) if vhi < i64(0) else i64(1)
    return rlo, rhi, top + vtop + carry


@body
def finish_sum_wide(
    lo: int, hi: int, top: int, count: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int, int]:
    """A sum that must stay within its type's range."""
    failed = u8(top != i64(0)) | outside_wide(lo, hi, llo, lhi, mlo, mhi)
    return lo, hi, u8(count > i64(0)), failed


@body
def finish_average_wide(lo: int, hi: int, top: int, count: int, digits: int) -> tuple[float, int, int]:
    r, valid = finish_average(lo, hi, count, digits)
    return r, valid, u8(top != i64(0))


@body
def merge_moments(
    n: int, mean: float, square: float, m: int, other: float, other_square: float
) -> tuple[int, float, float]:
    """Two partial (count, mean, sum of squared differences) as one."""
    if m == i64(0):
        return n, mean, square
    if n == i64(0):
        return m, other, other_square
    total = n + m
    delta = other - mean
    weight = divide_f64(f64(n) * f64(m), f64(total))
    merged = divide_f64(f64(n) * mean + f64(m) * other, f64(total))
    return total, merged, square + other_square + delta * delta * weight


@body
def enter_moments(n: int, mean: float, square: float, x: float) -> tuple[int, float, float]:
    """(count, mean, sum of squared differences) with one more value, by Welford's update."""
    count = n + i64(1)
    delta = x - mean
    moved = mean + divide_f64(delta, f64(count))
    return count, moved, square + delta * (x - moved)


@body
def finish_variance_sample(n: int, mean: float, square: float) -> tuple[float, int]:
    if n <= i64(1):
        return f64(0.0), u8(0)
    return divide_f64(square, f64(n - i64(1))), u8(1)


@body
def finish_variance_population(n: int, mean: float, square: float) -> tuple[float, int]:
    if n <= i64(1):
        return f64(0.0), u8(n == i64(1))
    return divide_f64(square, f64(n)), u8(1)


@body
def finish_deviation_sample(n: int, mean: float, square: float) -> tuple[float, int]:
    r, valid = finish_variance_sample(n, mean, square)
    return sqrt_f64(r), valid


@body
def finish_deviation_population(n: int, mean: float, square: float) -> tuple[float, int]:
    r, valid = finish_variance_population(n, mean, square)
    return sqrt_f64(r), valid


@body
def finish_error_of_mean(n: int, mean: float, square: float) -> tuple[float, int]:
    if n == i64(0):
        return f64(0.0), u8(0)
    return divide_f64(sqrt_f64(divide_f64(square, f64(n))), sqrt_f64(f64(n))), u8(1)


# ---- declarations


def _one(arguments: Types) -> SqlType | None:
    return arguments[0] if len(arguments) == 1 else None


@aggregate("count_star")
def count_star(arguments: Types) -> AggregateOverload | None:
    if arguments:
        return None
    return AggregateOverload((), BIGINT, False, (Part(Operation.COUNT_ROWS, BIGINT),))


@aggregate("count")
def count(arguments: Types) -> AggregateOverload | None:
    if not arguments:
        return count_star(())
    t = _one(arguments)
    return None if t is None else AggregateOverload((t,), BIGINT, False, (Part(Operation.COUNT, t),))


@aggregate("count_if", "countif")
def count_if(arguments: Types) -> AggregateOverload | None:
    """The sum of a BOOLEAN, and as every sum NULL for no rows."""
    return total((BOOLEAN,)) if _one(arguments) in (BOOLEAN, NULL) else None


@aggregate("sum")
def total(arguments: Types) -> AggregateOverload | None:
    t = _one(arguments)
    if t is None:
        return None
    if t.is_float:
        state = (Part(Operation.SUM_FLOAT, DOUBLE), Part(Operation.COUNT, DOUBLE))
        return AggregateOverload((DOUBLE,), DOUBLE, True, state)
    if t == NULL:
        t = BIGINT
    if not (t.is_exact or t == BOOLEAN):
        return None
    result = decimal(38, t.scale) if t.is_decimal else HUGEINT
    if not _sums_wide(t):
        # 2**63 values of 64 bits fit 128 bits, and 10**20 values of 18 digits fit 38 digits
        return AggregateOverload((t,), result, True, (Part(Operation.SUM, t), Part(Operation.COUNT, t)))
    limits = result.range
    assert limits is not None
    state = (Part(Operation.SUM_WIDE, t), Part(Operation.COUNT, t))
    constants = (*wide_constants(limits[0]), *wide_constants(limits[1]))
    fails = f"overflow in sum of {t} values"
    return AggregateOverload((t,), result, True, state, finish_sum_wide, constants, fails)


def _sums_wide(t: SqlType) -> bool:
    """Whether the sum of values of the type can leave 128 bits."""
    return is_wide(t) and t != UBIGINT


@aggregate("avg", "mean")
def average(arguments: Types) -> AggregateOverload | None:
    t = _one(arguments)
    if t is None or not (t.is_numeric or t == NULL):
        return None
    if t.is_float:
        state = (Part(Operation.SUM_FLOAT, DOUBLE), Part(Operation.COUNT, DOUBLE))
        return AggregateOverload((DOUBLE,), DOUBLE, True, state, finish_average_float)
    t = BIGINT if t == NULL else t
    digits = (("i64", as_decimal(t).scale),)
    if _sums_wide(t):
        state = (Part(Operation.SUM_WIDE, t), Part(Operation.COUNT, t))
        fails = f"overflow in sum of {t} values"
        return AggregateOverload((t,), DOUBLE, True, state, finish_average_wide, digits, fails)
    state = (Part(Operation.SUM, t), Part(Operation.COUNT, t))
    return AggregateOverload((t,), DOUBLE, True, state, finish_average, digits)


def _kept(operation: Operation) -> Resolver:
    """An aggregate that gives one of its input values, or their bits combined, in the input's type."""

    def resolver(arguments: Types) -> AggregateOverload | None:
        t = _one(arguments)
        if t is None:
            return None
        return AggregateOverload((t,), t, True, (Part(operation, t), Part(Operation.COUNT, t)))

    return resolver


aggregate("min")(_kept(Operation.MINIMUM))
aggregate("max")(_kept(Operation.MAXIMUM))
aggregate("any_value")(_kept(Operation.FIRST))


def _row(operation: Operation) -> Resolver:
    """An aggregate that gives the value of one row, NULL though it may be."""

    def resolver(arguments: Types) -> AggregateOverload | None:
        t = _one(arguments)
        return None if t is None else AggregateOverload((t,), t, True, (Part(operation, t),))

    return resolver


aggregate("first", "arbitrary")(_row(Operation.FIRST_ROW))
aggregate("last")(_row(Operation.LAST_ROW))


def _bits(operation: Operation) -> Resolver:
    kept = _kept(operation)

    def resolver(arguments: Types) -> AggregateOverload | None:
        t = BIGINT if _one(arguments) == NULL else _one(arguments)
        return kept((t,)) if t is not None and t.is_integer else None

    return resolver


aggregate("bit_and")(_bits(Operation.BIT_AND))
aggregate("bit_or")(_bits(Operation.BIT_OR))
aggregate("bit_xor")(_bits(Operation.BIT_XOR))


def _truths(operation: Operation) -> Resolver:
    def resolver(arguments: Types) -> AggregateOverload | None:
        if _one(arguments) not in (BOOLEAN, NULL):
            return None
        state = (Part(operation, BOOLEAN), Part(Operation.COUNT, BOOLEAN))
        return AggregateOverload((BOOLEAN,), BOOLEAN, True, state)

    return resolver


aggregate("bool_and")(_truths(Operation.MINIMUM))
aggregate("bool_or")(_truths(Operation.MAXIMUM))


@aggregate("product")
def product(arguments: Types) -> AggregateOverload | None:
    t = _one(arguments)
    if t is None or not (t.is_numeric or t == NULL):
        return None
    state = (Part(Operation.PRODUCT, DOUBLE), Part(Operation.COUNT, DOUBLE))
    return AggregateOverload((DOUBLE,), DOUBLE, True, state)


def _moments(finish: Body) -> Resolver:
    def resolver(arguments: Types) -> AggregateOverload | None:
        t = _one(arguments)
        if t is None or not (t.is_numeric or t == NULL):
            return None
        return AggregateOverload((DOUBLE,), DOUBLE, True, (Part(Operation.MOMENTS, DOUBLE),), finish)

    return resolver


aggregate("var_samp", "variance")(_moments(finish_variance_sample))
aggregate("var_pop")(_moments(finish_variance_population))
aggregate("stddev", "stddev_samp")(_moments(finish_deviation_sample))
aggregate("stddev_pop")(_moments(finish_deviation_population))
aggregate("sem")(_moments(finish_error_of_mean))
