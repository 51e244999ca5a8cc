"""`compare`: the arithmetic on timings made by hand, and a small comparison of engines at hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from headrace.tpch import bandwidth, compare, report
from headrace.tpch.cli import main
from headrace.tpch.compare import Comparison, Timing
from headrace.tpch.tpch import TPCH


def timing(*times: float, rows: int = 1, status: str = "ok") -> Timing:
    return Timing(status, None if status == "ok" else "why", 99.0, list(times), [rows] * len(times), 10**8)


def comparison() -> Comparison:
    forms = {"headrace": ("headrace",), "duckdb": ("duckdb-file", "duckdb-memory"), "polars": ("polars",)}
    return Comparison(
        "headrace",
        forms,
        {
            "1": {
                "headrace": timing(10, 10, 11),
                "duckdb-file": timing(40, 41, 42),
                "duckdb-memory": timing(90, 80, 95),
                "polars": timing(20, 20, 20),
            },
            "6": {
                "headrace": timing(10, 10, 10),
                "duckdb-file": timing(90, 90, 90, rows=2),
                "duckdb-memory": timing(9, 9, 9),
                "polars": timing(status="failed"),
            },
        },
    )


def test_the_faster_form_counts() -> None:
    timings = comparison()
    assert timings.best("1", "duckdb")[0] == "duckdb-file"
    assert timings.best("6", "duckdb")[0] == "duckdb-memory"
    assert timings.ratio("1", "duckdb") == pytest.approx(4.1)
    assert timings.ratio("6", "duckdb") == pytest.approx(0.9)
    assert timings.ratio("6", "polars") is None


def test_means_are_over_the_queries_both_ran() -> None:
    mean, count = comparison().geometric_mean("duckdb")
    assert mean == pytest.approx(math.sqrt(4.1 * 0.9))
    assert count == 2
    assert comparison().geometric_mean("polars") == (pytest.approx(2.0), 1)


def test_the_table() -> None:
    timings = comparison()
    widths = report.comparison_widths(timings)
    lines = [
        *report.comparison_header(timings, widths).splitlines(),
        report.comparison_line(timings, "1", 20.0, widths),
        report.comparison_line(timings, "6", 20.0, widths),
        report.comparison_means(timings, widths),
    ]
    assert len({len(line) for line in lines}) == 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["query", "headrace", "duckdb", "polars", "x duckdb", "x polars", "MB", "floor ms"]
    assert cells[2] == ["Q1", "10.0", "41.0 f", "20.0", "4.10", "2.00", "100.0", "5.0"]
    assert cells[3] == ["Q6", "10.0", "9.0 m", "failed", "0.90 !", "-", "100.0", "5.0"]
    assert cells[4] == ["mean", "", "", "", "1.92", "2.00", "", ""]


def test_the_notes() -> None:
    notes = report.comparison_notes(comparison())
    assert "duckdb: geometric mean 1.92 over 2 queries; slower in Q6" in notes
    assert "Q6 polars failed: why" in notes
    assert "Q6: the numbers of rows differ: headrace 1, duckdb-file 2, duckdb-memory 1" in notes


@pytest.mark.parametrize(
    ("ours", "theirs", "slower"),
    [
        ([10.6], [10.0], True),
        ([10.4], [10.0], False),
        ([9.0], [10.0], False),
        # More than 5 percent, but within the quartiles of one of them.
        ([8.0, 12.0, 16.0], [10.0, 10.0, 10.0], False),
        ([12.0, 12.0, 12.0], [8.0, 10.0, 14.0], False),
        ([12.0, 12.1, 12.2], [10.0, 10.1, 10.2], True),
    ],
)
def test_slower(ours: list[float], theirs: list[float], slower: bool) -> None:
    assert report.is_slower(ours, theirs) is slower


def test_arithmetic() -> None:
    assert report.geometric_mean([2, 8]) == pytest.approx(4)
    assert math.isnan(report.geometric_mean([]))
    assert report.interquartile_range([5]) == 0
    assert report.interquartile_range([1, 2, 3, 4, 5]) == 2


def test_the_bandwidth_of_a_small_array() -> None:
    assert bandwidth.measure(2, 2**20) > 0.1


@pytest.fixture
def quick_bandwidth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bandwidth, "measure_apart", lambda threads: 20.0)


def run_compare(data: Path, *arguments: str) -> int:
    return main(["compare", "--sf", "0.01", "--data", str(data), "--threads", "2", *arguments], TPCH)


@pytest.mark.usefixtures("quick_bandwidth")
def test_engines_side_by_side(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "compare.json"
    arguments = ("--engines", "duckdb,polars,datafusion", "--queries", "1,6,18", "--runs", "3")
    assert run_compare(data, *arguments, "--json", str(file)) == 0
    out = capsys.readouterr().out
    assert "x polars | x datafusion |" in out
    assert "3 runs from seed 0" in out
    document = json.loads(file.read_text())
    assert document["versions"].keys() == {"duckdb-file", "duckdb-memory", "polars", "datafusion"}
    assert [query["query"] for query in document["queries"]] == ["1", "6", "18"]
    for query in document["queries"]:
        assert {engine["status"] for engine in query["engines"].values()} == {"ok"}
        assert {len(engine["hot_ms"]) for engine in query["engines"].values()} == {3}
        assert query["ratios"].keys() == {"polars", "datafusion"}
    assert document["geometric_means"]["polars"]["queries"] == 3


@pytest.mark.usefixtures("quick_bandwidth")
def test_views_have_one_form(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "compare.json"
    arguments = ("--engines", "duckdb", "--source", "parquet", "--queries", "6", "--runs", "1")
    assert run_compare(data, *arguments, "--json", str(file)) == 0
    assert json.loads(file.read_text())["versions"].keys() == {"duckdb"}


@pytest.mark.usefixtures("quick_bandwidth")
def test_seeds_are_shared_by_all_engines(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, list[str]] = {}
    original = compare.WorkerProcess.run

    def record(worker: compare.WorkerProcess, sql: str) -> dict[str, object]:
        asked.setdefault(worker.name, []).append(sql)
        return original(worker, sql)

    monkeypatch.setattr(compare.WorkerProcess, "run", record)
    assert run_compare(data, "--engines", "duckdb,polars", "--queries", "6", "--runs", "4", "--seed", "11") == 0
    texts = asked["polars"]
    assert len(texts) == len(set(texts)) == 5
    assert texts[0] == TPCH.text(TPCH.select(["6"])[0], 0.01, None)
    assert texts[1] == TPCH.text(TPCH.select(["6"])[0], 0.01, 11)
    assert asked["duckdb-file"] == asked["duckdb-memory"] == texts


@pytest.mark.usefixtures("quick_bandwidth")
def test_an_engine_that_is_not_installed(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A module of that name that cannot be imported stands for one that is absent.
    (tmp_path / "polars.py").write_text("raise ModuleNotFoundError('no polars', name='polars')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_compare(data, "--engines", "duckdb,polars", "--queries", "6") == 2
    error = capsys.readouterr().err
    assert 'polars is not installed; pip install "headrace[compare]"' in error


@pytest.mark.usefixtures("quick_bandwidth")
def test_an_unknown_baseline(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_compare(data, "--engines", "duckdb", "--queries", "6", "--baseline", "no-such-revision") == 2
    assert "--baseline no-such-revision" in capsys.readouterr().err


def test_exit_status(data: Path) -> None:
    from headrace.tpch.session import Options

    def options(named: bool) -> Options:
        return Options(data, 0.01, TPCH.queries, named, None, "cpu", "auto", 2, "tables")

    def status(named: bool = False, **timings: Timing) -> int:
        names = {"duckdb_file": "duckdb"}
        forms = {names.get(name, name): (name,) for name in timings}
        return compare._exit_status(Comparison("headrace", forms, {"1": timings}), options(named))

    assert status(headrace=timing(10), duckdb_file=timing(5)) == 0
    assert status(headrace=timing(10, rows=2), duckdb_file=timing(5)) == 1
    assert status(headrace=timing(10, rows=2), polars=timing(5)) == 0
    assert status(headrace=timing(10), baseline=timing(5)) == 1
    assert status(headrace=timing(10), baseline=timing(9.9)) == 0
    assert status(headrace=timing(status="failed")) == 1
    assert status(headrace=timing(status="refused")) == 0
    assert status(named=True, headrace=timing(status="refused")) == 1
    assert status(headrace=timing(10), polars=timing(status="failed")) == 0
