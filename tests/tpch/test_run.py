"""`run`: its lines, its JSON and its exit status, with DuckDB in the place of Headrace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headrace.tpch.cli import main
from headrace.tpch.run import Outcome, device_used
from headrace.tpch.tpch import TPCH
from tpch_stand_in import StandIn

PER_QUERY = {
    "query",
    "status",
    "reason",
    "rows",
    "first_ms",
    "hot_ms",
    "compiled",
    "compile_ms",
    "pipelines",
    "bytes",
    "launches",
    "syncs",
    "bytes_up",
    "bytes_down",
    "peak_device_bytes",
}


def run(data: Path, *arguments: str) -> int:
    return main(["run", "--sf", "0.01", "--data", str(data), *arguments], TPCH)


def test_json(stand_in: StandIn, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    arguments = ("--queries", "1,6", "--runs", "2", "--threads", "2", "--device", "cpu", "--json", str(file))
    assert run(data, *arguments) == 0
    document = json.loads(file.read_text())
    assert document.keys() == {"sf", "seed", "device", "threads", "versions", "queries"}
    assert (document["sf"], document["seed"], document["device"], document["threads"]) == (
        0.01,
        None,
        "cpu",
        2,
    )
    assert {"headrace", "numba", "python"} <= document["versions"].keys()
    first, second = document["queries"]
    assert first.keys() == PER_QUERY
    assert (first["query"], first["status"], first["rows"], first["pipelines"]) == ("1", "ok", 4, 2)
    assert first["compiled"] == 6
    assert first["compile_ms"] == pytest.approx(10.5)
    assert first["launches"] is None
    assert first["hot_ms"] > 0
    assert (second["query"], second["rows"], second["bytes"]) == ("6", 1, 1000)


@pytest.mark.parametrize(
    ("asked", "launches", "used"),
    [
        ("auto", (None, None), "cpu"),
        ("auto", (3, 4), "cuda"),
        ("auto", (None, 4), "auto"),
        ("auto", (), "auto"),
        ("cpu", (None,), "cpu"),
    ],
)
def test_the_device_is_the_one_used(asked: str, launches: tuple[int | None, ...], used: str) -> None:
    outcomes = [Outcome("1", launches=count) for count in launches]
    assert device_used([*outcomes, Outcome("2", "refused")], asked) == used


def test_options_reach_the_connection(stand_in: StandIn, data: Path) -> None:
    options = ("--device", "reference", "--execution", "interpreted", "--threads", "3")
    assert run(data, "--queries", "6", *options) == 0
    assert stand_in.options == {"device": "reference", "execution": "interpreted", "threads": 3}


@pytest.mark.parametrize(("source", "kind"), [("parquet", "VIEW"), ("tables", "TABLE")])
def test_only_the_tables_named_are_defined(stand_in: StandIn, data: Path, source: str, kind: str) -> None:
    assert run(data, "--queries", "3", "--runs", "0", "--source", source) == 0
    definitions = [text.split(" AS ")[0] for text in stand_in.executed[:-1]]
    assert definitions == [f"CREATE {kind} {table}" for table in ("customer", "orders", "lineitem")]


def test_runs_and_seeds(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--queries", "6", "--runs", "4", "--seed", "7") == 0
    texts = stand_in.executed[1:]
    assert texts == [TPCH.text(TPCH.select(["6"])[0], 0.01, 7)] * 5
    assert "seed 7" in capsys.readouterr().out


def test_a_bare_run_lists_refusals(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.refusals = {"exists (": "correlated EXISTS is not supported yet"}
    assert run(data, "--runs", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "refused:" in line] == [
        f"{query:>5} refused: correlated EXISTS is not supported yet" for query in ("Q4", "Q21", "Q22")
    ]
    assert lines[-1].startswith("19 ok, 3 refused, 0 failed; hot:")


def test_a_refusal_by_name_fails(stand_in: StandIn, data: Path, tmp_path: Path) -> None:
    stand_in.refusals = {"exists (": "correlated EXISTS is not supported yet"}
    file = tmp_path / "run.json"
    assert run(data, "--queries", "4,6", "--json", str(file)) == 1
    refused, ok = json.loads(file.read_text())["queries"]
    assert (refused["status"], refused["hot_ms"]) == ("refused", None)
    assert refused["reason"] == "correlated EXISTS is not supported yet"
    assert ok["status"] == "ok"


def test_a_failure_fails(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.failures = {"l_discount between": "out of\nmemory"}
    assert run(data, "--runs", "0") == 1
    out = capsys.readouterr().out
    assert "   Q6 failed: RuntimeError: out of memory" in out
    assert "21 ok, 0 refused, 1 failed" in out


@pytest.mark.parametrize("queries", ["23", "", "1,,3"])
def test_unknown_queries(stand_in: StandIn, data: Path, queries: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--queries", queries) == 2
    assert capsys.readouterr().err.startswith("headrace tpch: TPC-H has no query")
    assert stand_in.executed == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--sf", "0"],
        ["run", "--sf", "nan"],
        ["run", "--sf", "x"],
        ["run", "--runs", "-1"],
        ["run", "--threads", "0"],
        ["run", "--device", "tpu"],
        ["run", "--json", "/no/such/folder/run.json"],
        ["run", "--json", "/tmp"],
        ["verify", "--seed", "5-1"],
        ["verify", "--seed", "5..1"],
        ["compare", "--engines", "headrace,oracle"],
        ["compare", "--runs", "0"],
        ["compare", "--timeout", "0"],
        ["fly"],
        [],
    ],
)
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments, TPCH)
    assert stopped.value.code == 2


def test_an_error_of_the_connection(stand_in: StandIn, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.refusals = {"CREATE VIEW": "there is no GPU"}
    assert run(data, "--queries", "6") == 2
    assert "headrace tpch: there is no GPU" in capsys.readouterr().err


def test_an_interruption(stand_in: StandIn, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(sql: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stand_in, "execute", interrupted)
    assert run(data, "--queries", "6") == 130
