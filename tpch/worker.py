"""One engine in a process of its own: answers requests, one JSON document a line.

It is run as a program, by the Python of the environment that holds the engine, and imports nothing of
headrace.tpch: so it can drive another revision of Headrace too. Requests come on standard input, answers go
to standard output:

    {"op": "open", "engine": "duckdb-file", "source": "tables", "threads": 2, "device": "cpu",
     "execution": "auto", "scratch": "/tmp/x", "tables": {"lineitem": "/data/lineitem.parquet"}}
        ->  {"ok": true, "version": "2.0.1"}
    {"op": "run", "sql": "SELECT ..."}
        ->  {"ok": true, "ms": 12.5, "rows": 4, "bytes": null, "compiled": null}

What fails is answered by {"ok": false, "status": "refused" | "failed" | "missing", "reason": "..."}. The
process ends when its input does.
"""

from __future__ import annotations

import glob
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO


class Refusal(Exception):
    """The engine cannot be had or refuses a text: (status, reason)."""


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def definitions(tables: Mapping[str, str], source: str) -> tuple[str, ...]:
    """The statements, in DuckDB's dialect, that define tables given by name and file (or pattern of files).

    `source` is "parquet" (views over the files) or "tables" (tables made from them).
    """
    kind = {"parquet": "VIEW", "tables": "TABLE"}[source]
    return tuple(
        f"CREATE {kind} {name} AS SELECT * FROM read_parquet({_literal(path)})" for name, path in tables.items()
    )


class Headrace:
    """Headrace, of whatever revision this Python has."""

    def __init__(self, request: dict[str, Any]) -> None:
        import headrace

        self.version = _version("headrace")
        self.connection = headrace.connect(
            device=request["device"], execution=request["execution"], threads=request["threads"]
        )
        for statement in definitions(request["tables"], request["source"]):
            self.connection.execute(statement)

    def execute(self, sql: str) -> Any:
        import headrace

        try:
            return self.connection.execute(sql).fetch_arrow_table()
        except headrace.NotSupportedError as refusal:
            raise Refusal("refused", refusal.message) from refusal

    def facts(self) -> dict[str, Any]:
        profile = self.connection.last_profile
        return {} if profile is None else {"bytes": profile.bytes, "compiled": profile.compiled}


class DuckDB:
    """DuckDB over a database file, tables in memory after CHECKPOINT, or views of the Parquet files."""

    def __init__(self, request: dict[str, Any]) -> None:
        import duckdb

        self.version = duckdb.__version__
        in_file = request["engine"] == "duckdb-file"
        path = os.path.join(request["scratch"], "tables.duckdb") if in_file else ":memory:"
        self.connection = duckdb.connect(path, config={"threads": request["threads"]})
        self.connection.execute("SET enable_progress_bar = false")
        for statement in definitions(request["tables"], request["source"]):
            self.connection.execute(statement)
        if request["source"] == "tables":
            # Only a checkpoint compresses the tables, in memory too.
            self.connection.execute("CHECKPOINT")

    def execute(self, sql: str) -> Any:
        return self.connection.sql(sql).to_arrow_table()

    def facts(self) -> dict[str, Any]:
        return {}


class Polars:
    """Polars' SQL over frames in memory, or over lazy scans of the Parquet files."""

    def __init__(self, request: dict[str, Any]) -> None:
        # Read once, when Polars makes its thread pool.
        os.environ["POLARS_MAX_THREADS"] = str(request["threads"])
        import polars

        self.version = polars.__version__
        read = polars.scan_parquet if request["source"] == "parquet" else polars.read_parquet
        self.context = polars.SQLContext({name: read(path) for name, path in request["tables"].items()})

    def execute(self, sql: str) -> Any:
        return self.context.execute(sql, eager=True).to_arrow()

    def facts(self) -> dict[str, Any]:
        return {}


class DataFusion:
    """DataFusion over record batches in memory, or over the Parquet files."""

    def __init__(self, request: dict[str, Any]) -> None:
        # Read once, when its runtime starts.
        os.environ["TOKIO_WORKER_THREADS"] = str(request["threads"])
        import datafusion

        threads = request["threads"]
        self.version = datafusion.__version__
        self.context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(threads))
        for name, path in request["tables"].items():
            if request["source"] == "parquet":
                self.context.register_parquet(name, os.path.dirname(path) + "/" if "*" in path else path)
            else:
                self._load(name, path, threads)

    def _load(self, name: str, path: str, threads: int) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.concat_tables(pq.read_table(file) for file in sorted(glob.glob(path)))
        batches = table.to_batches(max_chunksize=65_536)
        parts = [batches[k::threads] for k in range(threads)]
        self.context.register_record_batches(name, [part for part in parts if part])

    def execute(self, sql: str) -> Any:
        return self.context.sql(sql).to_arrow_table()

    def facts(self) -> dict[str, Any]:
        return {}


Engine = Headrace | DuckDB | Polars | DataFusion

ENGINES: dict[str, type[Engine]] = {
    "headrace": Headrace,
    "duckdb": DuckDB,
    "duckdb-file": DuckDB,
    "duckdb-memory": DuckDB,
    "polars": Polars,
    "datafusion": DataFusion,
}


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


def run(engine: Engine, sql: str) -> dict[str, Any]:
    """Time one text until its Arrow table is complete."""
    begun = time.perf_counter()
    table = engine.execute(sql)
    elapsed = (time.perf_counter() - begun) * 1e3
    return {"ms": elapsed, "rows": table.num_rows, "bytes": None, "compiled": None, **engine.facts()}


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    engine: Engine | None = None
    for line in requests:
        request = json.loads(line)
        try:
            if request["op"] == "open":
                engine = ENGINES[request["engine"]](request)
                answer = {"ok": True, "version": engine.version}
            else:
                if engine is None:
                    raise Refusal("failed", "no engine was opened")
                answer = {"ok": True, **run(engine, request["sql"])}
        except Refusal as refusal:
            answer = {"ok": False, "status": refusal.args[0], "reason": _one_line(refusal.args[1])}
        except ModuleNotFoundError as fault:
            answer = {"ok": False, "status": "missing", "reason": f"{fault.name} is not installed"}
        except Exception as fault:
            # One text that an engine cannot run must not end the comparison.
            reason = f"{type(fault).__name__}: {getattr(fault, 'message', fault)}"
            answer = {"ok": False, "status": "failed", "reason": _one_line(reason)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]


def main() -> None:
    """Serve on standard input and output; whatever else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
