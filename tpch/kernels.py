"""`kernels`: what the queries' kernels need on a GPU architecture, with no GPU at hand."""

from __future__ import annotations

from typing import cast

from headrace.errors import NotSupportedError
from headrace.tpch import report, session
from headrace.tpch.run import reason
from headrace.tpch.session import Options
from headrace.tpch.suite import Suite


def kernels(suite: Suite, options: Options, arch: str) -> int:
    """Compile every kernel of the chosen queries for `arch` (such as sm_90) and print a line each.

    The last line is a summary. Returns 0 only when there were kernels, all compiled, none spills registers to
    memory, and no query asked for by its number was refused.
    """
    connection = session.connect(suite, options)
    print(report.KERNEL_HEADER, flush=True)
    compiled = failed = spilling = refused = 0
    for query in options.queries:
        try:
            text = suite.text(query, options.scale, options.seed)
            found = cast("list[report.KernelReport]", connection.kernels(text, arch))
        except NotSupportedError as refusal:
            refused += 1
            print(f"{'Q' + query.name:>5}  refused: {reason(refusal)}", flush=True)
            continue
        except Exception as fault:
            # The kernels of the other queries are worth seeing all the same.
            failed += 1
            print(f"{'Q' + query.name:>5}  failed: {type(fault).__name__}: {reason(fault)}", flush=True)
            continue
        for kernel in found:
            if kernel.error is not None:
                failed += 1
                print(f"{'Q' + query.name:>5}  {kernel.name:<32} failed: {kernel.error}", flush=True)
                continue
            compiled += 1
            spilling += kernel.spill_bytes > 0
            print(report.kernel_line(query.name, kernel), flush=True)
    print(
        f"{compiled} kernels compiled for {arch}, {spilling} with spills, {failed} failed; "
        f"{len(options.queries) - refused} queries, {refused} refused"
    )
    return int(compiled == 0 or failed > 0 or spilling > 0 or (options.named and refused > 0))
