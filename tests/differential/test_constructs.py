"""The list of constructs is complete, and each test that it names exists."""

from __future__ import annotations

import importlib

import pytest

import headrace.kernels.functions  # noqa: F401 - importing it declares every function
from differential import constructs
from headrace.kernels.registry import SCALARS as REGISTERED
from headrace.types import Kind

LISTS = {name: value for name in ("SCALARS", "RELATIONS") if (value := getattr(constructs, name, None)) is not None}


@pytest.mark.parametrize(("construct", "test"), [pair for entries in LISTS.values() for pair in entries.items()])
def test_named_test_exists(construct: str, test: str) -> None:
    module, _, name = test.partition("::")
    found = importlib.import_module(f"differential.{module}")
    assert name in getattr(found, "CASES", {}) or callable(getattr(found, name, None)), test


def test_every_function_is_listed() -> None:
    missing = {constructs.SPELLED.get(name, name) for name in REGISTERED} - constructs.SCALARS.keys()
    assert not missing


def test_every_type_is_listed() -> None:
    missing = {f"type {kind.value}" for kind in Kind if kind is not Kind.NULL} - constructs.SCALARS.keys()
    assert not missing


def test_functions_listed_are_tested_by_name() -> None:
    """A function's case calls it: a case that no longer does would leave the function untested."""
    for name, test in constructs.SCALARS.items():
        module, _, case = test.partition("::")
        if (
            name in REGISTERED
            and name.isidentifier()
            and name not in ("add", "subtract", "multiply", "divide", "position")
        ):
            cases = importlib.import_module(f"differential.{module}").CASES
            assert any(f"{name}(" in expression for expression in cases[case]), name
