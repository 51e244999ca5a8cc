"""`compare`: Headrace beside other engines, each in a process of its own, interleaved query by query."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from headrace.tpch import bandwidth, report, session
from headrace.tpch.baseline import installed
from headrace.tpch.process import WorkerProcess
from headrace.tpch.session import Options
from headrace.tpch.suite import Query, Suite, SuiteError

ENGINES = ("headrace", "duckdb", "polars", "datafusion")
BASELINE = "baseline"


@dataclass(slots=True)
class Timing:
    """One query on one engine, in milliseconds; `hot_ms` and `rows` have one for each seed."""

    status: str = "ok"
    reason: str | None = None
    first_ms: float | None = None
    hot_ms: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    bytes: int | None = None
    compiled: int | None = None

    @property
    def complete(self) -> bool:
        return self.status == "ok" and bool(self.hot_ms)

    def add(self, answer: dict[str, Any], hot: bool) -> None:
        """Take in a worker's answer; a failure stays."""
        if not answer["ok"]:
            self.status, self.reason = answer["status"], answer["reason"]
            return
        if hot:
            self.hot_ms.append(answer["ms"])
            self.rows.append(answer["rows"])
        else:
            self.first_ms = answer["ms"]
        self.bytes = answer["bytes"]
        if answer["compiled"] is not None:
            self.compiled = (self.compiled or 0) + answer["compiled"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All `timings[query][worker]`; `forms` maps each engine, first of all the `subject`, to its workers."""

    subject: str
    forms: dict[str, tuple[str, ...]]
    timings: dict[str, dict[str, Timing]]

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(engine for engine in self.forms if engine != self.subject)

    def best(self, query: str, engine: str) -> tuple[str, Timing]:
        """The engine's faster form for this query, with its worker's name; if none is complete, its first."""
        forms = [(name, self.timings[query][name]) for name in self.forms[engine]]
        complete = [form for form in forms if form[1].complete]
        return min(complete, key=lambda form: median(form[1].hot_ms)) if complete else forms[0]

    def ratio(self, query: str, rival: str) -> float | None:
        """How many times longer the rival takes than the subject; None where one of them has no times."""
        ours, theirs = self.best(query, self.subject)[1], self.best(query, rival)[1]
        if not (ours.complete and theirs.complete):
            return None
        return median(theirs.hot_ms) / median(ours.hot_ms)

    def is_slower(self, query: str, rival: str) -> bool:
        """Whether the subject is slower than the rival, by `report.is_slower`."""
        ours, theirs = self.best(query, self.subject)[1], self.best(query, rival)[1]
        return ours.complete and theirs.complete and report.is_slower(ours.hot_ms, theirs.hot_ms)

    def geometric_mean(self, rival: str) -> tuple[float, int]:
        """The geometric mean of the ratios to a rival, and of how many queries."""
        ratios = [ratio for query in self.timings if (ratio := self.ratio(query, rival)) is not None]
        return report.geometric_mean(ratios), len(ratios)

    def row_counts_differ(self, query: str) -> str | None:
        """What differs in the numbers of rows that the engines returned for one seed, in words; or None."""
        complete = {name: timing.rows for name, timing in self.timings[query].items() if timing.complete}
        for counts in zip(*complete.values(), strict=True):
            if len(set(counts)) > 1:
                return ", ".join(f"{name} {count}" for name, count in zip(complete, counts, strict=True))
        return None


def compare(
    suite: Suite,
    options: Options,
    engines: Sequence[str],
    runs: int,
    timeout: float,
    baseline: str | None,
    json_file: Path | None,
) -> int:
    """Time the chosen queries on all engines and print the comparison; returns the exit status.

    It is 1 when the first engine fails a query, refuses one asked for by its number, returns another number
    of rows than DuckDB, or is slower than the baseline.
    """
    opening = {
        "source": options.source,
        "tables": session.table_files(suite, options),
        "threads": options.threads,
        "device": options.device,
        "execution": options.execution,
    }
    with ExitStack() as stack:
        forms = {engine: _forms(engine, options.source) for engine in engines}
        workers = [
            stack.enter_context(WorkerProcess(name, name, sys.executable, opening, timeout))
            for names in forms.values()
            for name in names
        ]
        if baseline is not None:
            other = stack.enter_context(installed(baseline))
            forms[BASELINE] = (BASELINE,)
            environment = other.environment
            workers.append(
                stack.enter_context(WorkerProcess(BASELINE, "headrace", other.python, opening, timeout, environment))
            )
        gigabytes = bandwidth.measure_apart(options.threads)
        seeds = f"{runs} runs from seed {options.seed or 0}"
        print(report.heading(suite, options, seeds))
        print(f"{platform.machine()}, {_processor()}, Python {platform.python_version()}")
        print(f"a plain sum over 1 GiB reads {gigabytes:.1f} GB/s", flush=True)
        for worker in workers:
            _open(worker)
        comparison = Comparison(engines[0], forms, {})
        widths = report.comparison_widths(comparison)
        print(report.comparison_header(comparison, widths), flush=True)
        for query in options.queries:
            comparison.timings[query.name] = _time(suite, options, query, workers, runs)
            print(report.comparison_line(comparison, query.name, gigabytes, widths), flush=True)
        print(report.comparison_means(comparison, widths))
        print(report.comparison_notes(comparison))
        afterwards = bandwidth.measure_apart(options.threads)
        print(f"afterwards a plain sum over 1 GiB reads {afterwards:.1f} GB/s")
        if json_file is not None:
            versions = {worker.name: worker.version for worker in workers}
            document = _document(options, runs, (gigabytes, afterwards), versions, comparison)
            json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return _exit_status(comparison, options)


def _forms(engine: str, source: str) -> tuple[str, ...]:
    """The workers that stand for an engine: DuckDB's tables have two forms, of which the faster counts."""
    return ("duckdb-file", "duckdb-memory") if engine == "duckdb" and source == "tables" else (engine,)


def _open(worker: WorkerProcess) -> None:
    report.show_status(f"loading {worker.name} ...")
    answer = worker.open()
    report.show_status("")
    if not answer["ok"]:
        cure = '; pip install "headrace[compare]"' if answer["status"] == "missing" else ""
        raise SuiteError(f"{worker.name} cannot be compared with: {answer['reason']}{cure}")


def _time(
    suite: Suite, options: Options, query: Query, workers: Sequence[WorkerProcess], runs: int
) -> dict[str, Timing]:
    """Time one query: with validation parameters first, then with `runs` others, the same for all engines."""
    timings = {worker.name: Timing() for worker in workers}
    texts = suite.texts(query, options.scale, options.seed or 0, runs)
    for repetition, text in enumerate([suite.text(query, options.scale, None), *texts]):
        # Whoever comes first finds colder caches, so everyone does in turn.
        turn = repetition % len(workers)
        for worker in (*workers[turn:], *workers[:turn]):
            timing = timings[worker.name]
            if timing.status == "ok":
                report.show_status(f"Q{query.name}, run {repetition} of {runs}, {worker.name} ...")
                timing.add(worker.run(text), hot=repetition > 0)
    report.show_status("")
    return timings


def _processor() -> str:
    """The processor's name, as Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else "unknown processor"


def _document(
    options: Options,
    runs: int,
    gigabytes: tuple[float, float],
    versions: dict[str, str | None],
    comparison: Comparison,
) -> dict[str, Any]:
    return {
        "sf": options.scale,
        "seed": options.seed or 0,
        "source": options.source,
        "device": options.device,
        "threads": options.threads,
        "runs": runs,
        "processor": _processor(),
        "bandwidth_gb_per_s": gigabytes,
        "versions": versions,
        "queries": [
            {
                "query": query,
                "engines": {name: asdict(timing) for name, timing in timings.items()},
                "ratios": {rival: comparison.ratio(query, rival) for rival in comparison.rivals},
                "slower": [rival for rival in comparison.rivals if comparison.is_slower(query, rival)],
            }
            for query, timings in comparison.timings.items()
        ],
        "geometric_means": {
            rival: {"ratio": mean if count else None, "queries": count}
            for rival in comparison.rivals
            for mean, count in (comparison.geometric_mean(rival),)
        },
    }


def _exit_status(comparison: Comparison, options: Options) -> int:
    for query, timings in comparison.timings.items():
        status = timings[comparison.forms[comparison.subject][0]].status
        if status == "failed" or (status == "refused" and options.named):
            return 1
        if BASELINE in comparison.forms and comparison.is_slower(query, BASELINE):
            return 1
        for form in comparison.forms.get("duckdb", ()):
            ours, theirs = comparison.best(query, comparison.subject)[1], timings[form]
            if ours.complete and theirs.complete and ours.rows != theirs.rows:
                return 1
    return 0
