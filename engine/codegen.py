"""Pipeline -> Python source: one function with its loop inside, for every device the same text."""

from __future__ import annotations

from collections.abc import Mapping

from headrace import emit_case, emit_condition  # noqa: F401 - register how expressions are written
from headrace.column import Column
from headrace.emit_aggregate import AggregateText
from headrace.emit_build import BuildText, append
from headrace.emit_expression import emit
from headrace.emit_filter import filter_rows, fits_mask, in_order, open_rows, open_tiles
from headrace.emit_join import lookup, presence, probe, unmatched
from headrace.emit_store import Slots, store, store_plain
from headrace.emitter import Emitter, Origin
from headrace.pipeline import (
    AggregateSink,
    BuildSink,
    CollectSink,
    ComputeStep,
    FilterStep,
    FinishStep,
    Generated,
    KernelSource,
    LookupStep,
    Pipeline,
    ProbeStep,
    RepeatStep,
    SinkLayout,
    Step,
    UnmatchedStep,
    fans_out,
    most_rows,
)
from headrace.sql.expr import ColumnRef, Expr, Field, column_ids

MAX_PARAMETERS = 500


class CollectText:
    """Writes a collect sink: the fields of every row, appended."""

    def __init__(self, e: Emitter, sink: CollectSink) -> None:
        self.e = e
        self.sink = sink
        self.result = SinkLayout((), ())

    def row(self) -> None:
        slots = Slots([], [])
        if self.sink.plain:
            columns = store_plain(self.e, self.sink.fields, self.sink.coded, slots)
        else:
            columns = store(self.e, self.sink.fields, slots)
        append(self.e, slots)
        self.result = slots.layout(columns)


def generate(
    pipeline: Pipeline,
    tables: Mapping[int, Mapping[int, Column]],
    rows: Mapping[int, int],
    builds: Mapping[int, BuildSink],
) -> Generated:
    """The function of one pipeline.

    `tables` gives the columns (or their prototypes) of every table in reach, `rows` an upper bound of each
    table's rows, `builds` the sinks that filled the build sides.
    """
    e = Emitter(tables)
    source = pipeline.source.table
    for field, stored in tables[source].items():
        e.columns[field] = Origin(source, field, stored, "i")
    steps = list(pipeline.steps)
    _open_loop(e, steps, builds)
    for k, step in enumerate(steps):
        _step(e, step, rows, builds, frozenset(_used(steps[k + 1 :], pipeline.sink)))
    bound = most_rows(rows[source], pipeline.steps, builds, rows)
    fan_out = any(fans_out(step, builds) for step in pipeline.steps)
    return _finish(e, pipeline, bound, fan_out)


def _open_loop(e: Emitter, steps: list[Step], builds: Mapping[int, BuildSink]) -> None:
    """Open the row loop, taking from `steps` what becomes a mask pass: the terms of a first filter that keeps few
    rows, or that together with the look-up in a build side's bitmap after it does."""
    computed = [s for s in steps[:1] if isinstance(s, ComputeStep)]
    for step in computed:
        e.computed.update({f.id: x for f, x in step.outputs if not _same(f, x)})
    position = len(computed)
    first = steps[position] if position < len(steps) else None
    found = None
    if isinstance(first, FilterStep) and not first.selective:
        found = presence(e, next(iter(steps[position + 1 :]), None), builds)
    if isinstance(first, FilterStep) and (first.selective or found is not None):
        e.depth += 2
        masked = [t for t in in_order(list(first.terms)) if fits_mask(e, t)]
        e.depth -= 2
        if masked:
            rest = tuple(t for t in first.terms if t not in masked)
            steps[position : position + 1] = [FilterStep(rest)] if rest else []
            open_tiles(e, masked, found)
            return
    open_rows(e)


def _same(f: Field, x: Expr) -> bool:
    return isinstance(x, ColumnRef) and x.id == f.id


def _step(
    e: Emitter, step: Step, rows: Mapping[int, int], builds: Mapping[int, BuildSink], used: frozenset[int]
) -> None:
    if isinstance(step, FilterStep):
        filter_rows(e, step.terms)
    elif isinstance(step, ComputeStep):
        e.computed.update({f.id: x for f, x in step.outputs if not _same(f, x)})
    elif isinstance(step, FinishStep):
        e.finishing.update({f.field.id: f for f in step.outputs})
    elif isinstance(step, LookupStep):
        keys = e.tables[step.table][step.key_field.id].statistics
        assert isinstance(keys.minimum, int)
        lookup(e, step, keys.minimum, rows[step.table])
    elif isinstance(step, UnmatchedStep):
        unmatched(e, step)
    elif isinstance(step, RepeatStep):
        _repeat(e, step)
    else:
        probe(e, step, builds[step.build], used)


def _repeat(e: Emitter, step: RepeatStep) -> None:
    times = e.hold(emit(e, step.times))
    some = f"{times.words[0]} > i64(0)"
    if times.valid is not None:
        some = f"({some}) & ({times.valid} != u8(0))"
    e.enter(f"for {e.fresh('j')} in range(u64(0), u64({times.words[0]}) if {some} else u64(0)):")


def _used(steps: list[Step], sink: AggregateSink | BuildSink | CollectSink) -> set[int]:
    """The ids of all columns that later steps and the sink read."""
    found: set[int] = set()
    for step in steps:
        if isinstance(step, FilterStep):
            found.update(*(column_ids(t) for t in step.terms))
        elif isinstance(step, ComputeStep):
            found.update(*(column_ids(x) for _, x in step.outputs))
        elif isinstance(step, LookupStep):
            found.update(column_ids(step.key))
        elif isinstance(step, ProbeStep):
            found.update(*(column_ids(x) for x in step.keys))
            for condition in (step.residual, step.search):
                if condition is not None:
                    found.update(column_ids(condition))
        elif isinstance(step, RepeatStep):
            found.update(column_ids(step.times))
        elif isinstance(step, FinishStep):
            found.update(f.id for finish in step.outputs for part in finish.parts for f in part)
    if isinstance(sink, CollectSink):
        found.update(f.id for f in sink.fields)
    elif isinstance(sink, BuildSink):
        found.update(*(column_ids(x) for x in sink.keys))
        found.update(f.id for f in sink.payload)
    else:
        found.update(*(column_ids(x) for _, x in sink.keys))
        found.update(f.id for f in sink.carried)
        for part in sink.accumulators:
            for x in (part.argument, part.filter):
                if x is not None:
                    found.update(column_ids(x))
    return found


def _finish(e: Emitter, pipeline: Pipeline, bound: int, fan_out: bool) -> Generated:
    """The sink, what stands before and after the loop, and the function around them."""
    sink = pipeline.sink
    before: list[str] = []
    layout: SinkLayout
    if isinstance(sink, AggregateSink):
        aggregate = AggregateText(e, sink, bound)
        aggregate.row()
        if e.lines[-1].endswith(":"):
            e.line("pass")  # no aggregate is read
        e.leave_loops()
        before += aggregate.declarations()
        aggregate.epilogue()
        layout = aggregate.layout()
    else:
        writer = CollectText(e, sink) if isinstance(sink, CollectSink) else BuildText(e, sink)
        writer.row()
        e.leave_loops()
        layout = writer.result
        cursor = e.state("cursor", "i64[]!")
        before.append("    at = u64(start) if TILE == 1 else u64(0)")
        before.append(f"    n = u64({cursor}[at])")
        e.line(f"{cursor}[at] = i64(n)")
        e.use("TILE")
    if e.sites:
        status = e.state("status", "i64[]!")
        e.use("atomic_min")
        before.append("    bad = u64(0)")
        e.line("if bad != u64(0):")
        e.line(f"    atomic_min({status}, u64(0), i64(start))")
    if e.arena:
        before.append(f"    arena = {e.state('arena', 'u64[]!')}")
    before.append("    step = u64(step) if TILE == 1 else u64(1)")
    e.use("TILE")
    names = ", ".join(["start", "stop", "step", *(name for name, _ in e.parameters)])
    text = "\n".join([f"def pipeline({names}):", *before, *e.lines]) + "\n"
    source = KernelSource(pipeline.name, text, tuple(e.parameters), tuple(sorted(e.names)))
    bindings = tuple(binding for binding, _ in e.bound)
    return Generated(pipeline, source, bindings, layout, e.arena, bool(e.sites), tuple(e.sites), fan_out)
