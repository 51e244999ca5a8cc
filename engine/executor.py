"""Runs queries: lowers a plan, runs its pipelines one after the other, and turns the last table into Arrow."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.cancel import Cancel
from headrace.column import Column, null_column
from headrace.compile import Kernels
from headrace.concatenate import concatenated
from headrace.devices.verbs import Verbs
from headrace.encodings.addresses import Addresses
from headrace.encodings.dictionary import TextValues
from headrace.encodings.indirect import Indirect
from headrace.encodings.intervals import Intervals
from headrace.encodings.text import Text
from headrace.errors import Error, OperationalError
from headrace.finish import Finisher, as_text
from headrace.launch import BuildIndex, LookupResult, Lookups
from headrace.lower import Lowered, Lowering
from headrace.memory import Memory
from headrace.pipeline import CollectSink, ComputeStep, Concatenation, Pipeline, TableSource
from headrace.profile import PipelineProfile, Profile
from headrace.run_pipeline import Runner
from headrace.settings import Settings
from headrace.sql.expr import ColumnRef, Expr, Field, walk
from headrace.sql.plan import Limit, Plan, Project, Scan, Values, inputs
from headrace.statistics import Statistics
from headrace.types import NULL, is_wide

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_PLANS = 256


class Executor:
    """Runs optimised logical plans under one connection's settings. Safe to use from several threads."""

    def __init__(self, settings: Settings, memory: Memory | None = None) -> None:
        """`memory` counts what queries hold; without one the executor counts for itself."""
        self.settings = settings
        self.memory = memory or Memory(lambda: settings.number("memory_limit"))
        self.kernels_of_process = _shared_kernels(settings.text("kernel_cache"), settings.number("kernel_cache_limit"))
        self.verbs = Verbs(self.kernels_of_process.compiled)
        self.lookups = Lookups(self._evaluate)
        self._lowered: OrderedDict[int, tuple[Plan, tuple[weakref.ref[Column], ...], Lowered]] = OrderedDict()
        self._lock = threading.Lock()

    # ------------------------------------------------------------------------------------------------ public

    def run(self, plan: Plan, profile: Profile | None = None, cancel: Cancel | None = None) -> pa.Table:
        """The rows of an optimised plan. Raises DataError for a row without an answer, CancelledError if asked to."""
        import pyarrow as pa

        profile = profile if profile is not None else Profile()
        profile.device = self._device()
        before = self.kernels_of_process.stats.compiled, self.kernels_of_process.stats.compile_ms
        began = time.perf_counter()
        columns, rows = self._run(plan, profile, cancel or Cancel())
        finished = time.perf_counter()
        fields = plan.schema()
        arrays = [_to_arrow(columns[f.id]) for f in fields]
        if arrays:
            table = pa.Table.from_arrays(arrays, names=[f.name for f in fields])
        else:
            table = pa.table({"": pa.nulls(rows)}).select([])
        profile.result_ms = (time.perf_counter() - finished) * 1000.0
        profile.total_ms = (time.perf_counter() - began) * 1000.0
        stats = self.kernels_of_process.stats
        profile.compiled += stats.compiled - before[0]
        profile.compile_ms += stats.compile_ms - before[1]
        return table

    def explain(self, plan: Plan) -> str:
        """The pipelines of a plan as text: sources with encodings, steps, sinks with forms, and where they run."""
        from headrace.explain_pipelines import render_pipelines

        tables: dict[int, Mapping[int, Column]] = {}
        lowered = self._lower(plan, tables)
        return render_pipelines(lowered, self._device(), self.settings.text("execution"), tables)

    def kernels(self, plan: Plan, arch: str) -> list[object]:
        """A report on each pipeline's kernel compiled for a GPU architecture, with no GPU."""
        from headrace.devices.cuda import KernelReport, compile_ptx

        reports: list[object] = []
        for made in self._lower(plan, {}).pipelines:
            try:
                reports.append(compile_ptx(made.source, arch))
            except Error:
                raise
            except Exception as fault:  # a defect in one kernel must not hide the others
                name = made.source.name
                reports.append(KernelReport(name, arch, 0, 0, 0, 0, "", b"", f"{type(fault).__name__}: {fault}"))
        return reports

    # ----------------------------------------------------------------------------------------------- running

    def _device(self) -> str:
        device = self.settings.text("device")
        if device == "cuda":
            raise OperationalError(
                "device = 'cuda' was asked for, and queries cannot run on a GPU yet",
                hint="SET device = 'cpu'; `headrace tpch kernels` shows the GPU kernels",
            )
        return "cpu" if device == "auto" else device

    def _run(self, plan: Plan, profile: Profile, cancel: Cancel) -> tuple[Mapping[int, Column], int]:
        began = time.perf_counter()
        tables: dict[int, Mapping[int, Column]] = {}
        lowered = self._lower(plan, tables, profile)
        profile.lowering_ms += (time.perf_counter() - began) * 1000.0 - profile.loading_ms
        rows = dict.fromkeys(tables, 0)
        for number, scan in lowered.scans:
            rows[number] = scan.rows
        for number, values in lowered.values:
            rows[number] = len(values.rows)
        owners: list[object] = []
        builds: dict[int, BuildIndex] = {}
        finisher = Finisher(tables, self.lookups, self.verbs, owners)
        with self.memory.reserve(0, "the query's state") as held:
            runner = Runner(self.kernels_of_process, self.settings, finisher, builds, cancel, held)
            for made in lowered.stages:
                if isinstance(made, Concatenation):
                    runner.allocate(sum(c.nbytes for number, _ in made.parts for c in tables[number].values()))
                    tables[made.result], rows[made.result] = concatenated(made, tables, rows)
                    continue
                report = PipelineProfile(made.pipeline.name)
                profile.pipelines.append(report)
                columns, count = runner.run(made, rows[made.pipeline.source.table], report)
                tables[made.pipeline.result] = columns
                rows[made.pipeline.result] = count
        return tables[lowered.result], rows[lowered.result]

    def _lower(self, plan: Plan, tables: dict[int, Mapping[int, Column]], profile: Profile | None = None) -> Lowered:
        """The plan's pipelines, and the columns of its scans in `tables`.

        Columns are loaded first, since forms rest on what is seen in them; a plan that was lowered before over
        the same columns is not lowered again.
        """
        began = time.perf_counter()
        loaded: dict[int, tuple[dict[int, Column], int, int]] = {}
        facts: list[Column] = []
        self._load_all(plan, loaded, facts)
        if profile is not None:
            profile.loading_ms += (time.perf_counter() - began) * 1000.0
        with self._lock:
            known = self._lowered.get(id(plan))
        if known is not None and known[0] is plan and _same_facts(known[1], facts):
            lowered = known[2]
        else:
            lowering = Lowering(lambda scan: loaded[id(scan)], self._value_rows)
            lowered = lowering.lower(plan)
            self._debug(lowered)
            with self._lock:
                self._lowered[id(plan)] = (plan, tuple(weakref.ref(c) for c in facts), lowered)
                while len(self._lowered) > KEPT_PLANS:
                    self._lowered.popitem(last=False)
        scans = [loaded[id(scan)] for scan in _scans(plan)]
        for number, scan in lowered.scans:
            tables[number] = scans[scan.place][0]
        for number, values in lowered.values:
            tables[number] = self._value_rows(values)
        return lowered

    def _load_all(self, plan: Plan, loaded: dict[int, tuple[dict[int, Column], int, int]], facts: list[Column]) -> None:
        threads = self.settings.number("threads")
        heads = _heads(plan)
        for place, scan in enumerate(_scans(plan)):
            relation: Any = scan.relation
            names = tuple(dict.fromkeys(scan.columns))
            if not names and relation.row_count() is None:
                names = (relation.schema()[0].name,)  # its rows have to be counted
            found = None
            if id(scan) in heads and names and hasattr(relation, "head"):
                found = relation.head(names, heads[id(scan)])
            if found is None:
                found = relation.load(names, threads) if names else {}
            columns = {f.id: found[name] for f, name in zip(scan.fields, scan.columns, strict=True)}
            rows = next((c.rows for c in found.values()), None)
            if rows is None:
                rows = relation.row_count() or 0
            loaded[id(scan)] = (columns, rows, place)
            facts += columns.values()
            if not columns:
                facts.append(null_column(NULL, rows))  # never the same: nothing was seen but a number

    def _value_rows(self, plan: Values) -> dict[int, Column]:
        """The columns of a VALUES list of other than one row: each row is evaluated as a query of its own."""
        import pyarrow as pa

        from headrace.encode import encode
        from headrace.types import to_arrow

        parts: dict[int, list[pa.Array]] = {f.id: [] for f in plan.fields}
        for row in plan.rows if plan.fields else ():
            single = Project(Values((), ((),)), tuple(zip(plan.fields, row, strict=True)))
            columns, _ = self._run(single, Profile(), Cancel())
            for f in plan.fields:
                parts[f.id].append(_to_arrow(columns[f.id]))
        return {f.id: encode(pa.chunked_array(parts[f.id], to_arrow(f.type)), f.type) for f in plan.fields}

    def _evaluate(self, values: TextValues, owner: int, expr: Expr) -> LookupResult:
        """An expression over every value of a dictionary and over NULL, as a small query over them."""
        from headrace.codegen import generate

        rows = values.count + 1
        offsets = np.append(values.offsets, values.offsets[-1])
        validity = np.packbits(np.arange(rows) < values.count, bitorder="little")
        of_column = next(x.type for x in walk(expr) if isinstance(x, ColumnRef))
        source = Column(of_column, rows, Text(offsets, values.data), validity, Statistics(rows, 1))
        result = Field(-1, "value", expr.type, expr.nullable)
        pipeline = Pipeline("dictionary", TableSource(0), (ComputeStep(((result, expr),)),), CollectSink((result,)), 1)
        tables: dict[int, Mapping[int, Column]] = {0: {owner: source}}
        made = generate(pipeline, tables, {0: rows}, {})
        owners: list[object] = []
        finisher = Finisher(tables, self.lookups, self.verbs, owners)
        with self.memory.reserve(0, "a look-up over a dictionary") as held:
            runner = Runner(self.kernels_of_process, self.settings, finisher, {}, Cancel(), held)
            columns, _ = runner.run(made, rows, PipelineProfile("dictionary"))
        return _lookup_result(columns[-1], rows)

    def _debug(self, lowered: Lowered) -> None:
        if self.settings.number("debug") >= 3:
            for made in lowered.pipelines:
                print(f"-- {made.pipeline.name}\n{made.source.text}", file=sys.stderr)
        if self.settings.number("debug") >= 4:
            from headrace.devices.cuda import compile_ptx

            for made in lowered.pipelines:
                print(compile_ptx(made.source, "sm_90").ptx, file=sys.stderr)


def _same_facts(known: Sequence[weakref.ref[Column]], now: Sequence[Column]) -> bool:
    """Whether a lowering's columns are those of today: forms and proofs rest on what was seen in them."""
    return len(known) == len(now) and all(k() is c for k, c in zip(known, now, strict=True))


def _heads(plan: Plan) -> dict[int, int]:
    """How many rows from the start of a scan (by its identity) are enough: scans under a LIMIT and nothing that drops
    rows, which the plan reads once."""
    if isinstance(plan, Limit) and plan.limit is not None:
        below = plan.input
        while isinstance(below, Project):
            below = below.input
        if isinstance(below, Scan):
            return {id(below): plan.limit + plan.offset}
    found: dict[int, int] = {}
    for child in inputs(plan):
        found |= _heads(child)
    scans = [id(scan) for scan in _scans(plan)]
    return {scan: rows for scan, rows in found.items() if scans.count(scan) == 1}


def _scans(plan: Plan) -> list[Scan]:
    """The scans of a plan from its left."""
    if isinstance(plan, Scan):
        return [plan]
    return [s for child in inputs(plan) for s in _scans(child)]


def _lookup_result(column: Column, rows: int) -> LookupResult:
    """A computed column as lookup arrays."""
    mask = column.mask
    valid = np.ones(rows, np.uint8) if mask is None else mask.astype(np.uint8)
    encoding = column.encoding
    if isinstance(encoding, Addresses):
        import pyarrow as pa

        text = as_text(encoding)
        buffers = [None, pa.py_buffer(text.offsets), pa.py_buffer(text.data)]
        encoded = pa.Array.from_buffers(pa.large_binary(), rows, buffers).dictionary_encode()
        binary = encoded.dictionary
        offsets = np.frombuffer(binary.buffers()[1], np.int64)[: len(binary) + 1]
        content = binary.buffers()[2]
        data = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
        values = TextValues(offsets, data)
        return LookupResult([np.asarray(encoded.indices).astype(np.int64)], valid, values)
    arrays = list(encoding.arrays())
    if is_wide(column.type) and len(arrays) == 1:
        arrays = [arrays[0].astype(np.int64).view(np.uint64), arrays[0].astype(np.int64) >> 63]
    if isinstance(encoding, Intervals):
        arrays = [a.astype(np.int64) for a in arrays]  # the words of a value, whatever their stored width
    return LookupResult(arrays, valid)


def _to_arrow(column: Column) -> pa.Array:
    from headrace.decode import decode

    encoding = column.encoding
    if isinstance(encoding, Indirect) and isinstance(encoding.column.encoding, Addresses):
        rows = encoding.rows.astype(np.int64)
        column = encoding.column.take(rows if column.mask is None else np.where(column.mask, rows, -1))
        encoding = column.encoding
    if isinstance(encoding, Addresses):
        column = replace(column, encoding=as_text(encoding))
    return decode(column)


_kernels: dict[tuple[str, int], Kernels] = {}
_kernels_lock = threading.Lock()


def _shared_kernels(folder: str, limit: int) -> Kernels:
    """One set of kernels a process and folder, whatever the number of connections."""
    with _kernels_lock:
        found = _kernels.get((folder, limit))
        if found is None:
            found = _kernels[(folder, limit)] = Kernels(folder, limit)
        return found
