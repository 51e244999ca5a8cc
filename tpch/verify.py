"""`verify`: every query's result against DuckDB's on the same files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.errors import NotSupportedError
from headrace.tpch import report, session
from headrace.tpch.comparison import difference
from headrace.tpch.run import reason
from headrace.tpch.session import Options
from headrace.tpch.suite import Query, Suite

if TYPE_CHECKING:
    import duckdb

    from headrace.connection import Connection


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one query with one seed: `status` is equal, different, refused or failed."""

    query: str
    seed: int | None
    status: str
    reason: str | None = None
    rows: int | None = None


def verify(suite: Suite, options: Options, seeds: Sequence[int | None], json_file: Path | None) -> int:
    """Compare the chosen queries with every seed, print a line each; returns the exit status.

    It is 1 when a result differs, a query fails, one asked for by its number is refused, or nothing was
    compared.
    """
    connection = session.connect(suite, options)
    oracle = session.connect_duckdb(suite, options)
    verdicts = []
    for seed in seeds:
        print(report.heading(suite, options, report.parameters_of(seed)), flush=True)
        for query in options.queries:
            verdict = judge(connection, oracle, query, suite.text(query, options.scale, seed), seed)
            print(report.verdict_line(verdict), flush=True)
            verdicts.append(verdict)
    counts = {s: sum(v.status == s for v in verdicts) for s in ("equal", "different", "failed", "refused")}
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    if json_file is not None:
        document = {"sf": options.scale, "queries": [asdict(verdict) for verdict in verdicts]}
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    good = {"equal"} if options.named else {"equal", "refused"}
    return int(counts["equal"] == 0 or any(verdict.status not in good for verdict in verdicts))


def judge(
    connection: Connection, oracle: duckdb.DuckDBPyConnection, query: Query, text: str, seed: int | None
) -> Verdict:
    """Run one text on both engines and compare the results."""
    try:
        ours = connection.execute(text).fetch_arrow_table()
    except NotSupportedError as refusal:
        return Verdict(query.name, seed, "refused", reason(refusal))
    except Exception as fault:
        # A query that fails, whatever the way, must not keep the others from being compared.
        return Verdict(query.name, seed, "failed", f"{type(fault).__name__}: {reason(fault)}")
    theirs = oracle.sql(text).to_arrow_table()
    found = difference(ours, theirs, query.order, query.limit)
    return Verdict(query.name, seed, "different" if found else "equal", found, ours.num_rows)
