"""One worker process an engine: answers, failures, crashes, time-outs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest

from headrace.tpch.generate import location
from headrace.tpch.process import WorkerProcess
from headrace.tpch.tpch import TPCH

FORMS = [
    ("duckdb-file", "tables"),
    ("duckdb-memory", "tables"),
    ("duckdb", "parquet"),
    ("polars", "tables"),
    ("polars", "parquet"),
    ("datafusion", "tables"),
    ("datafusion", "parquet"),
]


@pytest.fixture
def start(data: Path) -> Iterator[object]:
    """Makes workers that end with the test."""
    tables = {table: location(data, table) for table in TPCH.tables}
    with ExitStack() as stack:

        def make(engine: str, source: str = "tables", timeout: float = 60.0) -> WorkerProcess:
            opening = {
                "source": source,
                "tables": tables,
                "threads": 2,
                "device": "cpu",
                "execution": "auto",
            }
            return stack.enter_context(WorkerProcess(engine, engine, sys.executable, opening, timeout))

        yield make


@pytest.mark.parametrize(("engine", "source"), FORMS)
def test_every_engine_runs_every_query(start, oracle: duckdb.DuckDBPyConnection, engine: str, source: str) -> None:
    worker = start(engine, source)
    assert worker.open()["ok"]
    assert worker.version
    for query in TPCH.queries:
        text = TPCH.text(query, 0.01, None)
        answer = worker.run(text)
        assert answer["ok"], (query.name, answer)
        assert answer["ms"] > 0
        assert answer["rows"] == oracle.sql(text).to_arrow_table().num_rows, query.name


@pytest.mark.parametrize("engine", ["duckdb-memory", "polars", "datafusion"])
def test_a_wrong_text_is_a_failure_and_no_more(start, engine: str) -> None:
    worker = start(engine)
    assert worker.open()["ok"]
    answer = worker.run("select no_such_column from region")
    assert answer["status"] == "failed"
    assert "no_such_column" in answer["reason"]
    assert "\n" not in answer["reason"]
    assert worker.run("select r_name from region")["rows"] == 5


def test_a_worker_that_dies_is_started_again(start) -> None:
    worker = start("duckdb-file")
    assert worker.open()["ok"]
    os.kill(worker._process.pid, signal.SIGKILL)
    answer = worker.run("select 1")
    assert answer["status"] == "failed"
    assert "ended with exit status -9" in answer["reason"]
    assert worker.run("select * from nation")["rows"] == 25


def test_a_worker_that_takes_too_long_is_started_again(start) -> None:
    worker = start("duckdb-memory", timeout=2.0)
    assert worker.open()["ok"]
    answer = worker.run("select count(*) from lineitem a, lineitem b, lineitem c where a.l_tax + b.l_tax > c.l_tax")
    assert answer["reason"] == "gave no answer within 2 s"
    assert worker.run("select * from nation")["rows"] == 25


def test_what_is_stored_is_removed(start) -> None:
    worker = start("duckdb-file")
    assert worker.open()["ok"]
    scratch = Path(worker._scratch)
    assert [file.name for file in scratch.iterdir()] == ["tables.duckdb"]
    worker.close()
    assert not scratch.exists()


def test_a_missing_table_is_a_failure(data: Path) -> None:
    opening = {
        "source": "tables",
        "tables": {"region": str(data / "regions.parquet")},
        "threads": 1,
        "device": "cpu",
        "execution": "auto",
    }
    with WorkerProcess("duckdb", "duckdb-memory", sys.executable, opening, 60.0) as worker:
        answer = worker.open()
    assert answer["status"] == "failed"
    assert "regions.parquet" in answer["reason"]
