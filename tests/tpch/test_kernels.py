"""`kernels`: its lines, its summary and its exit status, with made-up kernels."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from headrace.tpch.cli import main
from headrace.tpch.tpch import TPCH
from tpch_stand_in import StandIn


def kernel(spills: int = 0, error: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(
        name="aggregate_1",
        registers=None if error else 40,
        spill_bytes=None if error else spills,
        shared_bytes=None if error else 2048,
        ptx="",
        error=error,
    )


def kernels(data: Path, *arguments: str) -> int:
    return main(["kernels", "--sf", "0.01", "--data", str(data), *arguments], TPCH)


def test_all_compiled(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = []

    def found(arch: str) -> list[SimpleNamespace]:
        asked.append(arch)
        return [kernel(), kernel()]

    stand_in.kernels_of = found
    assert kernels(data, "--arch", "sm_80", "--queries", "1,6") == 0
    lines = capsys.readouterr().out.splitlines()
    assert asked == ["sm_80", "sm_80"]
    assert lines[1].split() == ["Q1", "aggregate_1", "40", "0", "2,048"]
    assert len(lines) == 6
    assert lines[-1] == "4 kernels compiled for sm_80, 0 with spills, 0 failed; 2 queries, 0 refused"


@pytest.mark.parametrize("bad", [kernel(spills=8), kernel(error="ptxas: no")])
def test_spills_and_errors(stand_in: StandIn, data: Path, bad: SimpleNamespace) -> None:
    stand_in.kernels_of = lambda arch: [kernel(), bad]
    assert kernels(data) == 1


def test_no_kernels(stand_in: StandIn, data: Path) -> None:
    assert kernels(data) == 1


def test_refusals(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.kernels_of = lambda arch: [kernel()]
    stand_in.refusals = {"exists (": "not yet"}
    assert kernels(data) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "   Q4  refused: not yet" in lines
    assert lines[-1] == "19 kernels compiled for sm_90, 0 with spills, 0 failed; 19 queries, 3 refused"
    assert kernels(data, "--queries", "4,6") == 1


def test_failures(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.kernels_of = lambda arch: [kernel()]
    stand_in.failures = {"l_discount between": "broken"}
    assert kernels(data) == 1
    assert "   Q6  failed: RuntimeError: broken" in capsys.readouterr().out
