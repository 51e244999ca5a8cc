"""`run`: every query once cold and some times hot, with what it compiled and read."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from headrace.errors import NotSupportedError
from headrace.tpch import report, session
from headrace.tpch.session import Options
from headrace.tpch.suite import Query, Suite

if TYPE_CHECKING:
    from headrace.connection import Connection


@dataclass(slots=True)
class Outcome:
    """What became of one query; times in milliseconds, None where there is nothing to say.

    `status` is ok, refused or failed, and `reason` says why it is not ok. `compiled` and `compile_ms` are
    of all runs together, since a kernel may be compiled only once repetition pays for it; the rest is of
    the last run. The last five are of the GPU: None on the CPU.
    """

    query: str
    status: str = "ok"
    reason: str | None = None
    rows: int | None = None
    first_ms: float | None = None
    hot_ms: float | None = None
    compiled: int | None = None
    compile_ms: float | None = None
    pipelines: int | None = None
    bytes: int | None = None
    launches: int | None = None
    syncs: int | None = None
    bytes_up: int | None = None
    bytes_down: int | None = None
    peak_device_bytes: int | None = None


def run(suite: Suite, options: Options, runs: int, json_file: Path | None) -> int:
    """Run the chosen queries, print a line each and write the JSON file; returns the exit status."""
    connection = session.connect(suite, options)
    print(report.heading(suite, options, report.parameters_of(options.seed)))
    print(report.RUN_HEADER, flush=True)
    outcomes = []
    for query in options.queries:
        report.show_status(f"Q{query.name} ...")
        outcome = measure(connection, query, suite.text(query, options.scale, options.seed), runs)
        report.show_status("")
        print(report.run_line(outcome), flush=True)
        outcomes.append(outcome)
    print(report.run_summary(outcomes))
    if json_file is not None:
        document = {
            "sf": options.scale,
            "seed": options.seed,
            "device": device_used(outcomes, options.device),
            "threads": options.threads,
            "versions": session.versions(session.OWN_PACKAGES),
            "queries": [asdict(outcome) for outcome in outcomes],
        }
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return exit_status(outcomes, options)


def device_used(outcomes: list[Outcome], asked: str) -> str:
    """The device that the queries ran on; what was asked for if none ran, or if "auto" chose both."""
    if asked != "auto":
        return asked
    chosen = {"cpu" if o.launches is None else "cuda" for o in outcomes if o.status == "ok"}
    return chosen.pop() if len(chosen) == 1 else asked


def exit_status(outcomes: list[Outcome], options: Options) -> int:
    """1 when a query failed, or when one asked for by its number was refused."""
    bad = {"failed", "refused"} if options.named else {"failed"}
    return int(any(outcome.status in bad for outcome in outcomes))


def measure(connection: Connection, query: Query, text: str, runs: int) -> Outcome:
    """Run a text once and then `runs` times more; refusals and errors become part of the outcome."""
    outcome = Outcome(query.name)
    hot: list[float] = []
    try:
        for repetition in range(1 + runs):
            begun = time.perf_counter()
            table = connection.execute(text).fetch_arrow_table()
            elapsed = (time.perf_counter() - begun) * 1e3
            if repetition:
                hot.append(elapsed)
            else:
                outcome.first_ms = elapsed
            outcome.rows = table.num_rows
            _add_profile(outcome, connection)
    except NotSupportedError as refusal:
        return Outcome(query.name, "refused", reason(refusal))
    except Exception as fault:
        # A query that fails, whatever the way, must not keep the others from running.
        return Outcome(query.name, "failed", f"{type(fault).__name__}: {reason(fault)}")
    outcome.hot_ms = median(hot) if hot else None
    return outcome


def reason(fault: BaseException) -> str:
    """The message of an exception without its excerpt of the SQL text, on one line."""
    return " ".join(str(getattr(fault, "message", fault)).split())


def _add_profile(outcome: Outcome, connection: Connection) -> None:
    profile = connection.last_profile
    if profile is None:
        return
    outcome.compiled = (outcome.compiled or 0) + profile.compiled
    outcome.compile_ms = (outcome.compile_ms or 0.0) + profile.compile_ms
    outcome.pipelines = len(profile.pipelines)
    outcome.bytes = profile.bytes
    outcome.launches = profile.launches
    outcome.syncs = profile.syncs
    outcome.bytes_up = profile.bytes_up
    outcome.bytes_down = profile.bytes_down
    outcome.peak_device_bytes = profile.peak_device_bytes
