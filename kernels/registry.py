"""Declarations: for every function its argument types, result type, NULL rule, failure and row body, in one place.

A row body is a plain Python function over the machine words of its arguments (`headrace.types.words`), flattened
left to right: a DOUBLE is one float, a BIGINT one int, a HUGEINT (low, high), a VARCHAR (address, length). It
returns the words of the result (one value, or a tuple), and, where the overload `fails`, one more u8 word that is
1 for a row without an answer. After the words of its arguments it takes the overload's `constants`, the limits and
powers of ten that its types decide, so that one body serves many types. Bodies never raise, and use only names of
`headrace.kernels.primitives`, other bodies, `u64`, `i64`, `f64`, `u8`, `len`, `range`, `while`, `if`; each constant
is wrapped: `u64(33)`, `i64(1)`.
The same text runs interpreted, compiled for the CPU, and compiled for CUDA.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from headrace.types import SqlType

Body = Callable[..., object]
Function = TypeVar("Function", bound=Body)


class Nulls(enum.Enum):
    """What a NULL argument does."""

    STRICT = "strict"  # any NULL argument makes the result NULL and the body is not asked
    SPECIAL = "special"  # the code generator knows this function's rule (and, or, coalesce, concat, is_null ...)


@dataclass(frozen=True, slots=True)
class Overload:
    """One resolved signature.

    `arguments` are the types that the arguments are cast to (one for each actual argument), `result` the type
    of the value. `body` is None for functions that the code generator spells out (comparisons, and, case ...).
    `fails` is the error's text when the body's last word is 1 (None: it cannot fail); `arena` says that the body
    takes the text arena as its first argument; `nullable` that the result can be NULL although no argument is: the
    body then returns a u8 `valid` word after the value's words (before the failure word). `constants` are passed
    after the words of the arguments, as (word, value): `("i64", 100)`; `call` writes the whole call.
    """

    arguments: tuple[SqlType, ...]
    result: SqlType
    body: Body | None = None
    nulls: Nulls = Nulls.STRICT
    fails: str | None = None
    arena: bool = False
    nullable: bool = False
    constants: tuple[tuple[str, int | float], ...] = ()

    def call(self, words: Sequence[str], arena: str = "arena") -> str:
        """The text that calls the body: the arena if it takes one, the arguments' words, the constants."""
        if self.body is None:
            raise ValueError("an overload without a body has no call")
        first = (arena,) if self.arena else ()
        return f"{self.body.__name__}({', '.join((*first, *words, *map(constant_text, self.constants)))})"


def constant_text(constant: tuple[str, int | float]) -> str:
    """A (word, value) pair as text; the least i64 has no literal of its own."""
    word, value = constant
    if word == "f64":
        return f"f64({float(value)!r})"
    if word == "i64" and value == -(2**63):
        return f"(i64({value + 1}) - i64(1))"
    return f"{word}({value})"


Resolver = Callable[[tuple[SqlType, ...]], "Overload | None"]

SCALARS: dict[str, list[Resolver]] = {}
CASTS: list[Callable[[SqlType, SqlType], Overload | None]] = []
BODIES: dict[str, Body] = {}


def body(function: Function) -> Function:
    """Register a row body (or a function that bodies call) under its own name, for every device to compile."""
    name = function.__name__
    if name in BODIES and BODIES[name] is not function:
        raise ValueError(f"two kernel bodies are called {name}")
    BODIES[name] = function
    return function


def scalar(*names: str) -> Callable[[Resolver], Resolver]:
    """Declare a resolver: from the actual argument types to an overload, or None where it does not apply.

    A function may have several resolvers; the first that answers is taken. An argument may be of type NULL (a
    bare NULL literal) and then fits every parameter.
    """

    def declare(resolver: Resolver) -> Resolver:
        for name in names:
            SCALARS.setdefault(name, []).append(resolver)
        return resolver

    return declare


def resolve(name: str, arguments: tuple[SqlType, ...]) -> Overload | None:
    """The overload of scalar function `name` for these argument types; None where there is none."""
    for resolver in SCALARS.get(name, ()):
        found = resolver(arguments)
        if found is not None:
            return found
    return None


def cast(source: SqlType, target: SqlType) -> Overload | None:
    """The overload that casts one value from `source` to `target`; None where the cast does not exist."""
    for resolver in CASTS:
        found = resolver(source, target)
        if found is not None:
            return found
    return None
