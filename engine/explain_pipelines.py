"""EXPLAIN's account of pipelines: sources with their encodings, steps, sinks with their forms, and placement."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.column import Column
from headrace.lower import Lowered
from headrace.pipeline import (
    AggregateSink,
    BuildSink,
    CollectSink,
    ComputeStep,
    Concatenation,
    FilterStep,
    FinishStep,
    Generated,
    LookupStep,
    ProbeStep,
    RepeatStep,
    Sink,
    Step,
    UnmatchedStep,
)
from headrace.sql.explain import render_expr
from headrace.sql.expr import conjunction
from headrace.sql.plan import JoinKind


def render_pipelines(lowered: Lowered, device: str, execution: str, tables: Mapping[int, Mapping[int, Column]]) -> str:
    """All pipelines of a query as text, in running order."""
    names = {number: scan.relation.name for number, scan in lowered.scans}
    names |= {number: "values" for number, _ in lowered.values}
    names |= {made.pipeline.result: made.pipeline.name for made in lowered.pipelines}
    names |= {made.result: made.name for made in lowered.stages if isinstance(made, Concatenation)}
    sources = {number: {f.id: name for f, name in scan.columns} for number, scan in lowered.scans}
    lines = [f"device {device}, execution {execution}, {len(lowered.pipelines)} pipelines"]
    for made in lowered.stages:
        if isinstance(made, Concatenation):
            parts = ", then ".join(names[number] for number, _ in made.parts)
            lines += [f"table {made.name}", f"  rows of {parts}"]
        else:
            lines += _pipeline(made, names, sources, tables)
    return "\n".join(lines)


def _pipeline(
    made: Generated,
    names: Mapping[int, str],
    sources: Mapping[int, Mapping[int, str]],
    tables: Mapping[int, Mapping[int, Column]],
) -> list[str]:
    pipeline = made.pipeline
    number = pipeline.source.table
    lines = [f"pipeline {pipeline.name}", f"  scan {names[number]}{_encodings(number, sources, tables)}"]
    lines += [f"  {line}" for step in pipeline.steps for line in _step(step, names, sources, tables)]
    lines.append(f"  {_sink(pipeline.sink)}")
    return lines


def _encodings(
    number: int, sources: Mapping[int, Mapping[int, str]], tables: Mapping[int, Mapping[int, Column]]
) -> str:
    if number not in sources or number not in tables:
        return ""
    parts = [
        f"{name} {tables[number][field].encoding.form}"
        + (" nullable" if tables[number][field].validity is not None else "")
        for field, name in sources[number].items()
    ]
    return f" [{', '.join(parts)}]" if parts else ""


def _step(
    step: Step,
    names: Mapping[int, str],
    sources: Mapping[int, Mapping[int, str]],
    tables: Mapping[int, Mapping[int, Column]],
) -> list[str]:
    if isinstance(step, FilterStep):
        form = "tile mask" if step.selective else "row by row"
        return [f"filter ({form}) {render_expr(conjunction(step.terms))}"]
    if isinstance(step, ComputeStep):
        return [f"compute {', '.join(f'{f.name} = {render_expr(x)}' for f, x in step.outputs)}"]
    if isinstance(step, LookupStep):
        kind = "look-up" if step.kind is JoinKind.INNER else f"{step.kind.value} look-up"
        key = render_expr(step.key)
        return [f"{kind} {names[step.table]} by position of {key}{_encodings(step.table, sources, tables)}"]
    if isinstance(step, ProbeStep):
        keys = ", ".join(render_expr(k) for k in step.keys)
        rest = f" and {render_expr(step.residual)}" if step.residual is not None else ""
        return [f"{step.kind.value} probe {names[step.build]} on {keys or 'every row'}{rest}"]
    if isinstance(step, UnmatchedStep):
        return [f"entries that no row of {names[step.build]} met"]
    if isinstance(step, RepeatStep):
        return [f"repeat {render_expr(step.times)} times"]
    assert isinstance(step, FinishStep)
    return [f"finish {', '.join(f.field.name for f in step.outputs)}"]


def _sink(sink: Sink) -> str:
    if isinstance(sink, CollectSink):
        order = sink.order
        what = "collect " + ", ".join(f.name or f"#{f.id}" for f in sink.fields)
        if order.keys:
            keys = ", ".join(render_expr(k.expr) + (" DESC" if k.descending else "") for k in order.keys)
            what += f"; order by {keys}"
        if order.limit is not None:
            what += f"; limit {order.limit}"
        if order.offset:
            what += f"; offset {order.offset}"
        return what
    if isinstance(sink, BuildSink):
        keys = ", ".join(render_expr(k) for k in sink.keys)
        form = f"{sink.form}, {'presence' if sink.presence else 'unique' if sink.unique else 'runs'}"
        payload = ", ".join(f.name for f in sink.payload)
        return f"build ({form}) on {keys or 'nothing'}" + (f" keeping {payload}" if payload else "")
    assert isinstance(sink, AggregateSink)
    keys = ", ".join(render_expr(x) for _, x in sink.keys)
    form = sink.form
    if sink.domains:
        groups = 1
        for _, size in sink.domains:
            groups *= size
        form = f"{form} {groups} groups" + (f" in {sink.copies} copies" if sink.copies > 1 else "")
    parts = ", ".join(a.operation.value for a in sink.accumulators)
    carried = f", carrying {', '.join(f.name for f in sink.carried)}" if sink.carried else ""
    return f"aggregate ({form}) by {keys or 'nothing'}{carried}: {parts or 'count_rows'}"
