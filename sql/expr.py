"""Typed, frozen expressions: what the binder makes and every rule rewrites.

A column is named by an `id` that is unique within one statement, so an expression can move through the plan
without being renumbered. `position` is the offset of the SQL text an expression came from (-1: none); it takes
no part in equality.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from headrace.types import BOOLEAN, NULL, SqlType

if TYPE_CHECKING:
    from headrace.sql.plan import Plan


@dataclass(frozen=True, slots=True)
class Field:
    """One output column of a plan node."""

    id: int
    name: str
    type: SqlType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, held in the units of its type.

    None is NULL; BOOLEAN bool; whole numbers int; DECIMAL the scaled int; DATE days, TIME and TIMESTAMP ticks
    since the epoch; INTERVAL (months, days, microseconds); FLOAT and DOUBLE float; VARCHAR str; BLOB bytes.
    """

    value: object
    type: SqlType
    position: int = field(default=-1, compare=False)

    @property
    def nullable(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column of the input, by id."""

    id: int
    name: str
    type: SqlType
    nullable: bool
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A scalar function or operator, by its name in the registry, applied to arguments already cast for it.

    `and` and `or` take two or more arguments. Operators have word names: add, subtract, multiply, divide,
    integer_divide, modulo, negate, equal, not_equal, less, less_equal, greater, greater_equal, is_distinct,
    is_not_distinct, and, or, not, is_null, is_not_null, like, ilike, concat_operator (||).
    """

    function: str
    arguments: tuple[Expr, ...]
    type: SqlType
    nullable: bool
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """CAST, or TRY_CAST when `lenient`: a value that does not fit becomes NULL instead of an error."""

    argument: Expr
    type: SqlType
    nullable: bool
    lenient: bool = False
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Case:
    """Searched CASE: (condition, result) pairs in order, then the default. All results have the type `type`."""

    branches: tuple[tuple[Expr, Expr], ...]
    default: Expr
    type: SqlType
    nullable: bool
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class InList:
    """`argument IN (values)`: constants of the argument's type, any number of them. NOT IN is `not` around it."""

    argument: Expr
    values: tuple[Literal, ...]
    nullable: bool
    position: int = field(default=-1, compare=False)

    @property
    def type(self) -> SqlType:
        return BOOLEAN


class SubqueryKind(enum.Enum):
    SCALAR = "scalar"
    EXISTS = "exists"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Subquery:
    """A query inside an expression; the binder makes it and the rule `decorrelate` replaces it by joins.

    SCALAR is the value of the query's one column in its one row, NULL without a row, an error for several.
    EXISTS tells whether there is a row. ANY is `argument comparison column` for some row, three-valued, and
    the conjunction of several such comparisons where there are several arguments.
    `outer` are the columns of enclosing queries that the plan reads. Two subqueries are equal when they have
    one `number`, which the binder gives, and read the same outer values.
    """

    kind: SubqueryKind
    number: int
    plan: Plan = field(compare=False)
    outer: frozenset[int]
    type: SqlType
    nullable: bool
    comparison: str = ""
    arguments: tuple[Expr, ...] = ()
    position: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate, inside an Aggregate node only. `count_star` has no argument; `filter` is FILTER (WHERE ...)."""

    function: str
    arguments: tuple[Expr, ...]
    type: SqlType
    nullable: bool
    distinct: bool = False
    filter: Expr | None = None
    position: int = field(default=-1, compare=False)


Expr = Literal | ColumnRef | Call | Cast | Case | InList | Subquery

TRUE = Literal(True, BOOLEAN)
FALSE = Literal(False, BOOLEAN)
NULL_LITERAL = Literal(None, NULL)


def column(of: Field, position: int = -1) -> ColumnRef:
    """A reference to a node's output."""
    return ColumnRef(of.id, of.name, of.type, of.nullable, position)


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct operands, in source order; of a subquery what it compares with, not what its plan holds."""
    if isinstance(e, (Call, Subquery)):
        return e.arguments
    if isinstance(e, Cast):
        return (e.argument,)
    if isinstance(e, Case):
        return (*(x for branch in e.branches for x in branch), e.default)
    if isinstance(e, InList):
        return (e.argument,)
    return ()


def with_children(e: Expr, operands: tuple[Expr, ...]) -> Expr:
    """The same expression over other operands; types stay, nullability is kept as it was."""
    if isinstance(e, (Call, Subquery)):
        return replace(e, arguments=operands)
    if isinstance(e, Cast):
        return replace(e, argument=operands[0])
    if isinstance(e, Case):
        pairs = tuple(zip(operands[:-1:2], operands[1:-1:2], strict=True))
        return replace(e, branches=pairs, default=operands[-1])
    if isinstance(e, InList):
        return replace(e, argument=operands[0])
    return e


def transform(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Rewrite bottom-up: operands first, then the node itself."""
    old = children(e)
    if old:
        new = tuple(transform(x, change) for x in old)
        if any(a is not b for a, b in zip(old, new, strict=True)):
            e = with_children(e, new)
    return change(e)


def walk(e: Expr) -> Iterator[Expr]:
    """The expression and everything under it, parents first."""
    yield e
    for x in children(e):
        yield from walk(x)


def column_ids(e: Expr) -> frozenset[int]:
    """The ids of all columns an expression reads."""
    if isinstance(e, ColumnRef):
        return frozenset((e.id,))
    found: frozenset[int] = e.outer if isinstance(e, Subquery) else frozenset()
    for x in children(e):
        found |= column_ids(x)
    return found


def substitute(e: Expr, mapping: dict[int, Expr]) -> Expr:
    """Replace column references by expressions."""
    return transform(e, lambda x: mapping.get(x.id, x) if isinstance(x, ColumnRef) else x)


def conjuncts(e: Expr) -> tuple[Expr, ...]:
    """The terms of a conjunction, flattened, in source order; TRUE has none."""
    if isinstance(e, Call) and e.function == "and":
        return tuple(t for x in e.arguments for t in conjuncts(x))
    if isinstance(e, Literal) and e.value is True:
        return ()
    return (e,)


def disjuncts(e: Expr) -> tuple[Expr, ...]:
    """The terms of a disjunction, flattened."""
    if isinstance(e, Call) and e.function == "or":
        return tuple(t for x in e.arguments for t in disjuncts(x))
    return (e,)


def conjunction(terms: tuple[Expr, ...] | list[Expr]) -> Expr:
    """AND of the terms; TRUE for none."""
    return _junction("and", tuple(terms), TRUE)


def disjunction(terms: tuple[Expr, ...] | list[Expr]) -> Expr:
    """OR of the terms; FALSE for none."""
    return _junction("or", tuple(terms), FALSE)


def _junction(function: str, terms: tuple[Expr, ...], empty: Expr) -> Expr:
    if not terms:
        return empty
    if len(terms) == 1:
        return terms[0]
    return Call(function, terms, BOOLEAN, any(t.nullable for t in terms))


def equal(a: Expr, b: Expr) -> Call:
    """a = b, for operands of one type."""
    return Call("equal", (a, b), BOOLEAN, a.nullable or b.nullable)
