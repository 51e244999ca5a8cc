"""Cases from public bug reports, which real engines answered wrongly: answered rightly here, or refused."""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import headrace

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "public_pains.json"

REFUSED = frozenset({"range-frame-peers"})
"""Cases with window functions, which are not there yet."""


def _cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text()) if CASES.exists() else []


def _plain(value: object) -> object:
    """A value as the cases write it: decimals and dates as text."""
    if isinstance(value, (Decimal, datetime.date)):
        return str(value)
    return value


def _same(a: object, b: object) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(a, str) and isinstance(b, (int, float)):
        return math.isclose(float(a), b, rel_tol=1e-6, abs_tol=1e-6)
    return type(a) is type(b) and a == b


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not beside this checkout")
@pytest.mark.parametrize("execution", ["interpreted", "compiled"])
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any], execution: str, tmp_path: Path) -> None:
    with headrace.connect(execution=execution) as connection:
        for statement in case["setup"]:
            text = statement.replace("{tmp}", str(tmp_path))
            if text.startswith("COPY"):
                duckdb.execute(text)
            else:
                connection.execute(text)
        query = case["query"].replace("{tmp}", str(tmp_path))
        if case["id"] in REFUSED:
            with pytest.raises(headrace.NotSupportedError):
                connection.execute(query)
            return
        found = [[_plain(v) for v in row] for row in connection.execute(query).fetchall()]
    wanted = case["expected_rows"]
    if not case["ordered"]:
        found, wanted = (sorted(rows, key=repr) for rows in (found, wanted))
    assert len(found) == len(wanted)
    for mine, right in zip(found, wanted, strict=True):
        assert all(_same(a, b) for a, b in zip(mine, right, strict=True)), f"{mine}, expected {right}"


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not beside this checkout")
def test_refused_cases_exist() -> None:
    assert {case["id"] for case in _cases()} >= REFUSED
