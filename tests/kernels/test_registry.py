"""What every declaration keeps to: words in, words out, registered bodies, plain messages."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.kernels import registry
from headrace.kernels.primitives import PRIMITIVES
from headrace.types import BIGINT, INTEGER, SqlType, words
from kernel_oracle import Oracle, run
from kernel_samples import samples
from kernel_signatures import overloads

ALL = list(overloads())


@pytest.fixture(scope="module")
def values() -> dict[SqlType, list[Any]]:
    """A few values of every type that any overload takes."""
    oracle = Oracle()
    types = {t for _, overload in ALL for t in overload.arguments}
    return {t: [row[0] for row in oracle.table((t,), [(x,) for x in samples(t)[:6]])] for t in types}


def test_every_overload_takes_its_words_and_returns_its_words(values: dict[SqlType, list[Any]]) -> None:
    """`run` counts the words."""
    for _name, overload in ALL:
        if overload.body is not None and overload.body.__name__ != "repeat_text":
            for k in range(3):
                run(overload, [values[t][k % len(values[t])] for t in overload.arguments])


def test_every_overload_is_declared_for_as_many_arguments_as_were_given() -> None:
    for name, overload in ALL:
        if not name.startswith("CAST"):
            assert len(overload.arguments) == (name.count(",") + 1 - name.count("DECIMAL(") if "()" not in name else 0)


def test_bodies_are_registered_and_call_only_bodies_and_primitives() -> None:
    for _, overload in ALL:
        if overload.body is not None:
            assert registry.BODIES[overload.body.__name__] is overload.body
    known = {*registry.BODIES, *PRIMITIVES, "range", "len"}
    for row in registry.BODIES.values():
        code = row.__code__
        assert not code.co_freevars, row.__name__
        for used in code.co_names:
            value = row.__globals__.get(used)
            assert used in known or isinstance(value, int), f"{row.__name__} uses {used}"


def test_messages_are_plain_sentences() -> None:
    for name, overload in ALL:
        assert overload.fails is None or (overload.fails[0].islower() and overload.fails[-1] != "."), name


def test_a_call_names_arena_words_and_constants() -> None:
    found = registry.resolve("add", (INTEGER, INTEGER))
    assert found is not None
    assert found.call(["x", "y"]) == "add_small(x, y, i64(-2147483648), i64(2147483647))"
    assert registry.constant_text(("i64", -(2**63))) == "(i64(-9223372036854775807) - i64(1))"
    assert registry.constant_text(("f64", 10**20)) == "f64(1e+20)"


def test_two_bodies_cannot_share_a_name() -> None:
    def add_small() -> None:
        pass

    with pytest.raises(ValueError, match="add_small"):
        registry.body(add_small)


def test_unknown_names_and_arguments_resolve_to_nothing() -> None:
    assert registry.resolve("no_such_function", (BIGINT,)) is None
    assert registry.resolve("sqrt", (BIGINT, BIGINT)) is None


def test_words_of_constants_match_their_parameters() -> None:
    for name, overload in ALL:
        if overload.body is not None:
            count = sum(len(words(t)) for t in overload.arguments) + len(overload.constants) + overload.arena
            assert overload.body.__code__.co_argcount == count, name
