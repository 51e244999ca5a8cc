"""`verify`: equal, different, refused and failed queries, with DuckDB in the place of Headrace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headrace.tpch.cli import main
from headrace.tpch.tpch import TPCH
from tpch_stand_in import StandIn


def verify(data: Path, *arguments: str) -> int:
    return main(["verify", "--sf", "0.01", "--data", str(data), *arguments], TPCH)


def test_all_equal(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(data, "--source", "tables") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "22 equal, 0 different, 0 failed, 0 refused"


@pytest.mark.parametrize(("seeds", "expected"), [("3", [3]), ("1..3", [1, 2, 3]), ("1,4..5", [1, 4, 5])])
def test_seeds(stand_in: StandIn, data: Path, tmp_path: Path, seeds: str, expected: list[int]) -> None:
    file = tmp_path / "verify.json"
    assert verify(data, "--seed", seeds, "--queries", "6,14", "--json", str(file)) == 0
    verdicts = json.loads(file.read_text())["queries"]
    assert [(v["seed"], v["query"]) for v in verdicts] == [(s, q) for s in expected for q in ("6", "14")]


def test_a_difference(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.replacements = {"l_discount between": "SELECT 1::DECIMAL(38,4) AS revenue"}
    assert verify(data) == 1
    out = capsys.readouterr().out
    assert "   Q6 different row 0: revenue is Decimal('1.0000'), expected Decimal(" in out
    assert out.splitlines()[-1] == "21 equal, 1 different, 0 failed, 0 refused"


def test_the_order_counts(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (query,) = TPCH.select(["1"])
    text = query.text({"delta": "90"})
    stand_in.replacements = {"sum_qty": f"{text} desc"}
    assert verify(data, "--queries", "1") == 1
    assert "ORDER BY column l_linestatus" in capsys.readouterr().out


def test_refusals(stand_in: StandIn, data: Path) -> None:
    stand_in.refusals = {"exists (": "correlated EXISTS is not supported yet"}
    assert verify(data, "--queries", "6") == 0
    assert verify(data, "--queries", "4,6") == 1
    assert verify(data) == 0


def test_nothing_compared_is_no_success(stand_in: StandIn, data: Path) -> None:
    stand_in.refusals = {"select": "nothing is supported yet"}
    assert verify(data) == 1


def test_failures(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.failures = {"l_discount between": "broken"}
    assert verify(data) == 1
    assert "   Q6 failed    RuntimeError: broken" in capsys.readouterr().out
