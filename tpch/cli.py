"""The command line of a suite: `headrace tpch generate | run | verify | compare | kernels`."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from headrace.errors import Error
from headrace.tpch import session
from headrace.tpch.compare import ENGINES, compare
from headrace.tpch.generate import default_folder, ensure_data
from headrace.tpch.kernels import kernels
from headrace.tpch.run import run
from headrace.tpch.session import Options
from headrace.tpch.suite import Suite, SuiteError
from headrace.tpch.verify import verify

# Exit statuses: 0 all went well, 1 a query did not, 2 the command could not be carried out, 130 interrupted.
CANNOT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str], suite: Suite) -> int:
    """Carry out one command; returns the exit status. Wrong arguments end the program as argparse does."""
    parser = _parser(suite)
    given = parser.parse_args(arguments)
    try:
        return _carry_out(given, suite)
    except (SuiteError, Error) as fault:
        print(f"headrace {suite.name}: {fault}", file=sys.stderr)
        return CANNOT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _carry_out(given: argparse.Namespace, suite: Suite) -> int:
    if given.command == "generate":
        print(ensure_data(suite, given.sf, given.data))
        return 0
    queries = suite.queries if given.queries is None else suite.select(given.queries)
    options = Options(
        folder=ensure_data(suite, given.sf, given.data),
        scale=given.sf,
        queries=queries,
        named=given.queries is not None,
        seed=given.seed[0] if isinstance(given.seed, list) else given.seed,
        device=given.device,
        execution=given.execution,
        threads=given.threads,
        source=given.source,
    )
    match given.command:
        case "run":
            return run(suite, options, given.runs, given.json)
        case "verify":
            return verify(suite, options, given.seed or [None], given.json)
        case "compare":
            engines = given.engines
            return compare(suite, options, engines, given.runs, given.timeout, given.baseline, given.json)
        case _:
            return kernels(suite, options, given.arch)


def _parser(suite: Suite) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"headrace {suite.name}", description=f"{suite.title} on Headrace.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    generate = commands.add_parser("generate", help="generate the data, unless they are there")
    _add_data(generate, suite)

    runner = commands.add_parser("run", help="run the queries and print their times")
    _add_data(runner, suite)
    _add_queries(runner, suite, source="parquet")
    _add_seed(runner)
    _add_json(runner)
    runner.add_argument("--runs", type=_count, default=3, metavar="N", help="hot runs of each query (3)")

    verifier = commands.add_parser("verify", help="compare the results with DuckDB's")
    _add_data(verifier, suite)
    _add_queries(verifier, suite, source="parquet")
    _add_json(verifier)
    verifier.add_argument(
        "--seed",
        type=_seeds,
        metavar="N",
        help="draw the substitution parameters: a seed, some (1,4) or a range (1..5); "
        "without it, the validation parameters",
    )

    comparer = commands.add_parser("compare", help="compare the times with other engines'")
    _add_data(comparer, suite)
    _add_queries(comparer, suite, source="tables")
    _add_json(comparer)
    comparer.add_argument("--seed", type=int, metavar="N", help="the first run's seed (0); the next has the next")
    comparer.add_argument("--runs", type=_positive, default=5, metavar="N", help="hot runs of each query (5)")
    comparer.add_argument(
        "--engines",
        type=_engines,
        default=list(ENGINES),
        metavar="LIST",
        help=f"of {','.join(ENGINES)}; the others are set against the first (all)",
    )
    comparer.add_argument(
        "--baseline",
        metavar="REV",
        help="also install this git revision of Headrace and set it against this one",
    )
    comparer.add_argument(
        "--timeout",
        type=_seconds,
        default=300.0,
        metavar="S",
        help="seconds that an engine has for a query (300)",
    )

    compiler = commands.add_parser("kernels", help="compile the queries' kernels for a GPU; needs none")
    _add_data(compiler, suite)
    _add_queries(compiler, suite, source="parquet")
    _add_seed(compiler)
    compiler.add_argument("--arch", default="sm_90", help="the GPU's architecture (sm_90)")
    return parser


def _add_data(parser: argparse.ArgumentParser, suite: Suite) -> None:
    parser.add_argument("--sf", type=_scale, default=1.0, metavar="X", help="scale factor (1)")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"folder of the Parquet files, generated if absent ({default_folder(suite, 1).parent}/sfX)",
    )


def _add_queries(parser: argparse.ArgumentParser, suite: Suite, source: str) -> None:
    presets = session.presets()
    parser.add_argument(
        "--queries", type=lambda text: text.split(","), metavar="LIST", help="such as 1,3,6 (all of them)"
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda", "reference"),
        default=presets.text("device"),
        help="where to run",
    )
    parser.add_argument(
        "--execution",
        choices=("auto", "interpreted", "compiled"),
        default=presets.text("execution"),
        help="whether kernels are compiled",
    )
    parser.add_argument("--threads", type=_positive, default=presets.number("threads"), metavar="N")
    parser.add_argument(
        "--source",
        choices=("tables", "parquet"),
        default=source,
        help=f"query tables made from the files, or the files ({source})",
    )
    parser.set_defaults(seed=None)


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="draw the substitution parameters in the specification's ranges; else take the validation ones",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=_new_file, metavar="FILE", help="write the results to this file")


def _new_file(text: str) -> Path:
    path = Path(text)
    # Found out before the queries run, not when their results are to be written.
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no file in a folder that exists")
    return path


def _scale(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError("a scale factor is above 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("a number of runs is not negative")
    return value


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("it is at least 1")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("a time is above 0 seconds")
    return value


def _seeds(text: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        bounds = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", part.strip())
        if bounds is None:
            raise argparse.ArgumentTypeError(f"{part!r} is no seed and no range such as 1..5")
        first = int(bounds[1])
        seeds.extend(range(first, int(bounds[2] or first) + 1))
    if not seeds:
        raise argparse.ArgumentTypeError(f"{text} has no seeds")
    return seeds


def _engines(text: str) -> list[str]:
    engines = list(dict.fromkeys(name.strip().lower() for name in text.split(",")))
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ENGINES)}")
    # Headrace is what the others are set against, wherever it stands.
    return sorted(engines, key=lambda name: name != "headrace")
