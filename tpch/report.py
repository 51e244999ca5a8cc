"""The lines and tables that the commands print, and the arithmetic behind them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from statistics import median, quantiles
from typing import TYPE_CHECKING, Protocol

from headrace.tpch.session import Options
from headrace.tpch.suite import Suite

if TYPE_CHECKING:
    from headrace.tpch.compare import Comparison
    from headrace.tpch.run import Outcome
    from headrace.tpch.verify import Verdict

RUN_HEADER = (
    f"{'query':>5} {'rows':>9} {'first ms':>10} {'hot ms':>10} {'compiled':>9} {'compile ms':>11} "
    f"{'pipelines':>10} {'MB read':>9}"
)
KERNEL_HEADER = f"{'query':>5}  {'kernel':<32} {'registers':>9} {'spill bytes':>12} {'shared bytes':>13}"
# A median counts as slower when it is more than this fraction, and more than the interquartile range, above.
SLOWER_FRACTION = 0.05


def parameters_of(seed: int | None) -> str:
    """Which substitution parameters a seed stands for, in words."""
    return "validation parameters" if seed is None else f"seed {seed}"


def heading(suite: Suite, options: Options, parameters: str) -> str:
    """One line that says what is run on what."""
    threads = f"{options.threads} thread{'s' if options.threads != 1 else ''}"
    return (
        f"{suite.title} SF {options.scale:g}, {parameters}, source {options.source}, "
        f"device {options.device}, execution {options.execution}, {threads}"
    )


def show_status(text: str) -> None:
    """Show on the terminal's current line, over what stood there, what is being done; redirected, nothing."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def run_line(outcome: Outcome) -> str:
    """A query's line of `run`."""
    if outcome.status != "ok":
        return f"{'Q' + outcome.query:>5} {outcome.status}: {outcome.reason}"
    size = None if outcome.bytes is None else outcome.bytes / 1e6
    return (
        f"{'Q' + outcome.query:>5} {_number(outcome.rows, 9)} {_decimal(outcome.first_ms, 10)} "
        f"{_decimal(outcome.hot_ms, 10)} {_number(outcome.compiled, 9)} {_decimal(outcome.compile_ms, 11)} "
        f"{_number(outcome.pipelines, 10)} {_decimal(size, 9)}"
    )


def run_summary(outcomes: Sequence[Outcome]) -> str:
    """The closing line of `run`."""
    counts = {status: sum(o.status == status for o in outcomes) for status in ("ok", "refused", "failed")}
    line = ", ".join(f"{count} {status}" for status, count in counts.items())
    hot = [outcome.hot_ms for outcome in outcomes if outcome.hot_ms is not None]
    if hot:
        line += f"; hot: {sum(hot):.1f} ms together, geometric mean {geometric_mean(hot):.1f} ms"
    compiled = sum(outcome.compiled or 0 for outcome in outcomes)
    return f"{line}; {compiled} kernels compiled"


def verdict_line(verdict: Verdict) -> str:
    """A query's line of `verify`."""
    detail = f"{verdict.rows} row{'s' if verdict.rows != 1 else ''}" if verdict.rows is not None else ""
    if verdict.reason:
        detail = verdict.reason
    return f"{'Q' + verdict.query:>5} {verdict.status:<9} {detail}".rstrip()


class KernelReport(Protocol):
    """What `Connection.kernels` tells of a kernel; the numbers are None when `error` is not."""

    name: str
    registers: int
    spill_bytes: int
    shared_bytes: int
    error: str | None


def kernel_line(query: str, kernel: KernelReport) -> str:
    """A kernel's line of `kernels`."""
    return (
        f"{'Q' + query:>5}  {kernel.name:<32} {_number(kernel.registers, 9)} "
        f"{_number(kernel.spill_bytes, 12)} {_number(kernel.shared_bytes, 13)}"
    )


def _number(value: int | None, width: int) -> str:
    return f"{'-' if value is None else format(value, ',')!s:>{width}}"


def _decimal(value: float | None, width: int) -> str:
    return f"{'-' if value is None else format(value, ',.1f')!s:>{width}}"


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of positive values; NaN of none."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def interquartile_range(values: Sequence[float]) -> float:
    """The distance between the quartiles; 0 of fewer than two values."""
    if len(values) < 2:
        return 0.0
    first, _, third = quantiles(values, n=4, method="inclusive")
    return third - first


def is_slower(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Whether our median is above theirs by more than SLOWER_FRACTION and than either interquartile range."""
    excess = median(ours) - median(theirs)
    spread = max(interquartile_range(ours), interquartile_range(theirs))
    return excess > SLOWER_FRACTION * median(theirs) and excess > spread


def comparison_widths(comparison: Comparison) -> list[int]:
    """The widths of the columns of the comparison's table."""
    return [max(len(title), 9) for title in _comparison_titles(comparison)]


def comparison_header(comparison: Comparison, widths: Sequence[int]) -> str:
    """The head of the comparison's table, in Markdown as all of it."""
    rule = ["-" * width if k == 0 else "-" * (width - 1) + ":" for k, width in enumerate(widths)]
    return f"{_cells(_comparison_titles(comparison), widths)}\n{_cells(rule, widths)}"


def comparison_line(comparison: Comparison, query: str, gigabytes: float, widths: Sequence[int]) -> str:
    """A query's row: medians, ratios, what the subject read, what that takes at `gigabytes` a second."""
    times = []
    for engine in comparison.forms:
        name, timing = comparison.best(query, engine)
        form = f" {name.removeprefix(f'{engine}-')[0]}" if len(comparison.forms[engine]) > 1 else ""
        times.append(f"{median(timing.hot_ms):,.1f}{form}" if timing.complete else timing.status)
    ratios = []
    for rival in comparison.rivals:
        ratio = comparison.ratio(query, rival)
        mark = " !" if comparison.is_slower(query, rival) else ""
        ratios.append("-" if ratio is None else f"{ratio:.2f}{mark}")
    read = comparison.best(query, comparison.subject)[1].bytes
    size = ["-", "-"] if read is None else [f"{read / 1e6:,.1f}", f"{read / gigabytes / 1e6:,.1f}"]
    return _cells([f"Q{query}", *times, *ratios, *size], widths)


def comparison_means(comparison: Comparison, widths: Sequence[int]) -> str:
    """The closing row: the geometric mean of the ratios to each rival."""
    means = [comparison.geometric_mean(rival) for rival in comparison.rivals]
    cells = [f"{mean:.2f}" if count else "-" for mean, count in means]
    return _cells(["mean", *("" for _ in comparison.forms), *cells, "", ""], widths)


def comparison_notes(comparison: Comparison) -> str:
    """What the table cannot say: its reading, what was refused or failed, and row counts that differ."""
    lines = [
        "",
        "Hot medians in milliseconds. "
        f"x NAME is how many times longer NAME takes than {comparison.subject}; ! marks where "
        f"{comparison.subject} is slower, by more than 5 percent and the interquartile range.",
        "MB is what it reads; floor is what that takes at the bandwidth above.",
    ]
    if any(len(forms) > 1 for forms in comparison.forms.values()):
        lines.append("DuckDB counts in the faster of two forms: f a database file, m tables in memory.")
    for rival in comparison.rivals:
        mean, count = comparison.geometric_mean(rival)
        if count:
            slower = [f"Q{query}" for query in comparison.timings if comparison.is_slower(query, rival)]
            tail = f"; slower in {', '.join(slower)}" if slower else ""
            lines.append(f"{rival}: geometric mean {mean:.2f} over {count} queries{tail}")
    for query, timings in comparison.timings.items():
        lines.extend(
            f"Q{query} {name} {timing.status}: {timing.reason}" for name, timing in timings.items() if timing.reason
        )
        counts = comparison.row_counts_differ(query)
        if counts is not None:
            lines.append(f"Q{query}: the numbers of rows differ: {counts}")
    return "\n".join(lines)


def _comparison_titles(comparison: Comparison) -> list[str]:
    rivals = [f"x {rival}" for rival in comparison.rivals]
    return ["query", *comparison.forms, *rivals, "MB", "floor ms"]


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if k == 0 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"
