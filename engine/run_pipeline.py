"""Runs one pipeline: interpreted or compiled, morsel by morsel on all threads, with restarts and failures."""

from __future__ import annotations

import ctypes
import itertools
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from headrace.cancel import Cancel
from headrace.column import Column
from headrace.compile import Kernels
from headrace.emitter import resolve_indirection
from headrace.encodings.addresses import Addresses
from headrace.encodings.base import Array
from headrace.errors import CancelledError, DataError, InternalError, OperationalError
from headrace.finish import Finisher, text_slots
from headrace.kernels.primitives import KernelFailure
from headrace.launch import (
    BuildIndex,
    bind,
    compiled_value,
    inner_column,
    interpreted_value,
    is_state,
    is_text_buffer,
    texts_at,
)
from headrace.memory import Reservation
from headrace.morsels import wanted_morsels
from headrace.pipeline import (
    AggregateSink,
    Binding,
    BuildSink,
    CollectSink,
    ColumnPart,
    Generated,
    IndexPart,
    ProbeStep,
    StatePart,
)
from headrace.profile import PipelineProfile
from headrace.settings import Settings
from headrace.sql.plan import JoinKind
from headrace.state import AppendState, GroupState

MORSEL = 131_072
INTERPRETED_MORSEL = 8_192
ALONE = 32_768
"""Rows up to which waking a second thread costs more than it brings."""

FLOAT_LANES = 8
"""Sums of floats belong to so many fixed parts of the input, so that any number of threads gives the same bits."""

PAIRS_PER_ROW = 32
"""Pairs of a join that a morsel may look at, for each row of a full one."""

MOST_EXPECTED = 2**22
"""Groups that an estimate alone makes room for."""

# What execution = auto weighs, in microseconds: interpreting one line for one row, compiling a kernel, reading one
# from disk, and importing numba.
LINE_US = 0.1
COMPILE_US = 200_000.0
LOAD_US = 12_000.0
NUMBA_US = 350_000.0

NO_FAILURE = 2**63 - 1

State = AppendState | GroupState


class _Restart(Exception):
    """A lane's state overflowed where it could not grow; run the pipeline again with more room."""


@dataclass(slots=True)
class _Room:
    """What a run may use: new groups for each row of a morsel, and bytes of computed text for each morsel."""

    groups_per_row: int = 1
    arena: int = 65_536


class Runner:
    """Runs the pipelines of one query in order."""

    def __init__(
        self,
        kernels: Kernels,
        settings: Settings,
        finisher: Finisher,
        builds: dict[int, BuildIndex],
        cancel: Cancel,
        held: Reservation,
    ) -> None:
        """`held` grows by what the sinks allocate; the query releases it at its end."""
        self.held = held
        self.held_lock = threading.Lock()
        self.kernels = kernels
        self.settings = settings
        self.finisher = finisher
        self.builds = builds
        self.cancel = cancel

    def run(self, made: Generated, rows: int, report: PipelineProfile) -> tuple[Mapping[int, Column], int]:
        """Run one pipeline over `rows` rows; the columns and the number of rows of its result."""
        began = time.perf_counter()
        report.rows = rows
        interpreted = self._interprets(made, rows)
        report.compiled = not interpreted
        room = _Room()
        while True:
            try:
                run = _Run(self, made, rows, interpreted, room)
                run.all()
                break
            except _Restart:
                room = _Room(room.groups_per_row * 4, room.arena)
        finished = time.perf_counter()
        report.milliseconds = (finished - began) * 1000.0
        report.bytes = run.bytes
        report.lanes = len(run.states)
        sink = made.pipeline.sink
        if isinstance(sink, CollectSink):
            columns, count = self.finisher.collect(made, run.states, sink.order)
        elif isinstance(sink, BuildSink):
            columns, index = self.finisher.build(made, run.states, run.bits, bool(run.nulls[0]))
            self.builds[made.pipeline.result] = index
            self.allocate(index.rows if sink.matched else 0)
            count = index.rows
        else:
            columns, count = self.finisher.aggregate(made, run.states)
        report.rows_out = count
        report.finish_ms = (time.perf_counter() - finished) * 1000.0
        if interpreted:
            _spent[made.source.text] = _spent.get(made.source.text, 0.0) + report.milliseconds * 1000.0
        return columns, count

    def allocate(self, size: int) -> None:
        """Count bytes that a sink is about to allocate; OperationalError where the limit forbids them."""
        with self.held_lock:
            self.held.resize(self.held.size + size)

    def _interprets(self, made: Generated, rows: int) -> bool:
        """Whether this run is too small to repay a compilation (I6)."""
        execution = self.settings.text("execution")
        if self.settings.text("device") == "reference":
            return True
        if execution != "auto":
            return execution == "interpreted"
        if self.kernels.is_ready(made.source):
            return rows < 32
        expected = rows * _matches(made, self.builds) * made.source.text.count("\n") * LINE_US
        price = LOAD_US if self.kernels.on_disk(made.source) else COMPILE_US
        if "numba" not in sys.modules:
            price += NUMBA_US
        return _spent.get(made.source.text, 0.0) + expected < price


_spent: dict[str, float] = {}
"""Microseconds spent interpreting each form so far: repetition pays for a compilation too."""


def _matches(made: Generated, builds: Mapping[int, BuildIndex]) -> int:
    """How many pairs of a row with build sides a pipeline looks at, on average and at least 1."""
    pairs = 1
    for step in made.pipeline.steps:
        if isinstance(step, ProbeStep):
            pairs *= max(1, _pairs(step, builds[step.build]))
    return pairs


class _Run:
    """One attempt at one pipeline."""

    def __init__(self, runner: Runner, made: Generated, rows: int, interpreted: bool, room: _Room) -> None:
        self.runner = runner
        self.made = made
        self.rows = rows
        self.interpreted = interpreted
        self.room = room
        self.bits: Array | None = None
        self.nulls = np.zeros(1, np.uint8)
        self.states: list[Any] = []
        self.bytes = 0
        self.stopped = False
        self.cancel = np.frombuffer(runner.cancel.word, np.int64)
        self.status: Any = [NO_FAILURE] if interpreted else np.full(1, NO_FAILURE, np.int64)
        sink = made.pipeline.sink
        if isinstance(sink, BuildSink) and sink.form == "rank":
            runner.allocate(sink.domain // 8)
            self.bits = np.zeros(sink.domain // 64 + 1, np.uint64)
        self.keeps_text = bool(text_slots(made.layout))
        source = made.source
        self.function = runner.kernels.interpreted(source) if interpreted else runner.kernels.compiled(source)
        self.values = self._bind_all()
        if self.keeps_text and not interpreted:
            runner.finisher.owners.append(self.values)  # addresses of texts may point into any of them

    # ------------------------------------------------------------------------------------------- parameters

    def _bind_all(self) -> list[Any]:
        """The parameters in order; those of the sink's state are None until a lane fills them in."""
        runner = self.runner
        tables, builds = runner.finisher.tables, runner.builds
        values: list[Any] = []
        seen: set[int] = set()
        for binding, (_, word) in zip(self.made.bindings, self.made.source.parameters, strict=True):
            if is_state(binding):
                values.append(None)
                continue
            value = bind(binding, word.removesuffix("!").removesuffix("[]"), tables, builds, runner.finisher.lookups)
            if isinstance(value, np.ndarray) and isinstance(binding, ColumnPart) and id(value) not in seen:
                seen.add(id(value))
                self.bytes += value.nbytes
            if self.interpreted:
                values.append(self._interpreted(binding, value, word))
            else:
                values.append(compiled_value(value, word))
        return values

    def _interpreted(self, binding: Binding, value: Any, word: str) -> Any:
        tables = self.runner.finisher.tables
        if isinstance(binding, ColumnPart) and binding.part == "array" and binding.k == 0:
            column, _ = resolve_indirection(inner_column(tables[binding.table][binding.field], binding.inner))
            if isinstance(column.encoding, Addresses) and value is column.encoding.addresses:
                return texts_at(column.encoding)
        if isinstance(binding, IndexPart) and binding.part == "matched":
            return memoryview(value)  # shared with the pipeline that reads it
        if isinstance(binding, IndexPart) and binding.part == "key":
            index = self.runner.builds[binding.build]
            if index.texts[binding.k]:
                pairs = zip(value.tolist(), index.keys[binding.k + 1].tolist(), strict=True)
                return [ctypes.string_at(a, n) if n else b"" for a, n in pairs]
        return interpreted_value(value, word, self.rows, is_text_buffer(binding, tables))

    def _with_state(self, state: State, arena: Any) -> list[Any]:
        parts = state.parts()
        parts["bits"] = self.bits
        parts["nulls"] = self.nulls
        parts["status"] = self.status
        parts["cancel"] = self.cancel
        parts["arena"] = arena
        values = self.values.copy()
        for k, (binding, (_, word)) in enumerate(zip(self.made.bindings, self.made.source.parameters, strict=True)):
            if isinstance(binding, StatePart):
                value = parts[binding.part][binding.k] if binding.part == "slot" else parts[binding.part]
                values[k] = value if self.interpreted else compiled_value(value, word.removesuffix("!"))
        return values

    # ------------------------------------------------------------------------------------------------ lanes

    def all(self) -> None:
        """Run every morsel that can matter."""
        sink = self.made.pipeline.sink
        size = self._morsel()
        ordered = isinstance(sink, CollectSink) and not sink.order.keys and sink.order.limit is not None
        if ordered:
            size = min(size, 16_384)
        morsels = wanted_morsels(self.made.pipeline, self.runner.finisher.tables, self.rows, size)
        threads = 1 if self.interpreted or self.rows <= ALONE else self.runner.settings.number("threads")
        if self._keeps_rows():
            threads = 1
        threads = max(1, min(threads, len(morsels)))
        if isinstance(sink, CollectSink) and ordered:
            self._limited(morsels, sink)
        elif isinstance(sink, AggregateSink) and self._sums_floats():
            self._fixed(morsels, threads)
        else:
            queue = iter(morsels)
            lock = threading.Lock()

            def take() -> tuple[int, int] | None:
                with lock:
                    return next(queue, None)

            self.states = [self._state() for _ in range(threads)]
            patient = self.runner.cancel if self.made.fan_out and not self.interpreted else None
            _together([_lane(self, state, take) for state in self.states], patient)
        self._check()

    def _morsel(self) -> int:
        """Rows of a morsel: as many as keep a cancelled query waiting no longer than a moment (D26)."""
        # Floats are summed morsel by morsel: the same bits take the same morsels.
        size = INTERPRETED_MORSEL if self.interpreted and not self._sums_floats() else MORSEL
        rows = max(1, min(size, PAIRS_PER_ROW * size // _matches(self.made, self.runner.builds)))
        return 1 << rows.bit_length() - 1  # a power of two, so that no morsel reaches into a second block

    def _sums_floats(self) -> bool:
        return any(
            self.made.layout.words[c.slot] == "f64" and c.merge in ("add", "multiply") for c in self.made.layout.cells
        )

    def _keeps_rows(self) -> bool:
        """Whether the sink's state cannot be merged, so that one lane has to see all rows."""
        sink = self.made.pipeline.sink
        return isinstance(sink, AggregateSink) and any(c.merge == "keep" for c in self.made.layout.cells)

    def _fixed(self, morsels: list[tuple[int, int]], threads: int) -> None:
        """Lanes of fixed parts of the input, whatever the number of threads and the size of the morsels."""
        blocks = {start // MORSEL: 0 for start, _ in morsels}
        lanes = 1 if self._keeps_rows() else min(FLOAT_LANES, max(1, len(blocks)))
        share = -(-len(blocks) // lanes)
        blocks = {block: k // share for k, block in enumerate(blocks)}
        parts = [iter([m for m in morsels if blocks[m[0] // MORSEL] == lane]) for lane in range(lanes)]
        self.states = [self._state() for _ in range(lanes)]
        work = [_lane(self, s, lambda p=p: next(p, None)) for s, p in zip(self.states, parts, strict=True)]  # type: ignore[misc]
        turn = itertools.count()

        def worker() -> None:
            while (k := next(turn)) < len(work):
                work[k]()

        _together([worker] * threads)

    def _limited(self, morsels: list[tuple[int, int]], sink: CollectSink) -> None:
        """LIMIT without an order: morsel after morsel until there are rows enough."""
        assert sink.order.limit is not None
        state = self._state()
        self.states = [state]
        wanted = sink.order.offset + sink.order.limit
        queue = iter(morsels)

        def take() -> tuple[int, int] | None:
            return None if state.used_rows() >= wanted else next(queue, None)

        _lane(self, state, take)()

    def _state(self) -> Any:
        sink = self.made.pipeline.sink
        if not isinstance(sink, AggregateSink):
            return AppendState(self.made.layout, self.interpreted, self.runner.allocate)
        state = GroupState(sink, self.made.layout, self.interpreted, self.runner.allocate)
        if sink.form == "registers":
            state.reset(1)
        elif sink.form == "dense":
            groups = sink.copies
            for _, size in sink.domains:
                groups *= size
            state.reset(groups)
        else:
            state.reset(max(1, min(self.rows, max(1024, min(sink.expected, MOST_EXPECTED)))))
        return state

    def _check(self) -> None:
        """Raise what a row without an answer asks for, found again by interpreting its morsel."""
        first = int(self.status[0])
        if first == NO_FAILURE:
            return
        replay = _Run(self.runner, self.made, self.rows, True, self.room)
        state = replay._state()
        replay.states = [state]
        size = INTERPRETED_MORSEL
        last = min(self.rows, first + MORSEL)
        spans = iter([(k, min(last, k + size)) for k in range(first, last, size)])
        _lane(replay, state, lambda: next(spans, None))()
        raise InternalError("a compiled kernel reported a failure that its interpretation does not show")


def _pairs(step: ProbeStep, index: BuildIndex) -> int:
    """How many entries of a build side a row may have to look at, on average."""
    if step.kind not in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL) and step.residual is None is step.search:
        return 1
    if step.search is not None or (index.slots is None and index.bits is None):
        return index.rows
    if index.offsets is not None:
        return index.rows // max(1, len(index.offsets) - 1)
    return 1


def _lane(run: _Run, state: State, take: Callable[[], tuple[int, int] | None]) -> Callable[[], None]:
    """The work of one lane: morsels as long as there are any."""

    def work() -> None:
        arena = _Arena(run)
        try:
            # An earlier morsel may still fail, and its failure is the one to report.
            while not run.stopped and (span := take()) is not None and span[0] <= int(run.status[0]):
                if run.runner.cancel.is_set():
                    raise CancelledError("the query was cancelled")
                _morsel(run, state, arena, *span)
        except MemoryError:
            run.stopped = True
            raise OperationalError("out of memory while running the query", hint="read or produce fewer rows") from None
        except KernelFailure as failure:
            message, position = run.made.sites[failure.site]
            raise DataError(message, position=position if position >= 0 else None) from None
        except BaseException:  # also a KeyboardInterrupt: the other lanes must not go on
            run.stopped = True
            raise

    return work


def _morsel(run: _Run, state: State, arena: _Arena, start: int, stop: int) -> None:
    rows = stop - start
    if isinstance(state, GroupState):
        state.reserve(rows * run.room.groups_per_row)
        _call(run, state, arena, start, stop)
        if state.overflowed():
            raise _Restart
        if arena.overflowed():
            run.room.arena = arena.wanted()
            raise _Restart
        state.note(start)
        return
    state.reserve(rows)
    while True:
        _call(run, state, arena, start, stop)
        if arena.overflowed():
            arena.grow()
            continue
        missing = state.took(start)
        if not missing:
            return
        state.reserve(missing)


def _call(run: _Run, state: State, arena: _Arena, start: int, stop: int) -> None:
    values = run._with_state(state, arena.fresh())
    if run.interpreted:
        run.function(start, stop, 1, *values)
    else:
        run.function(np.uint64(start), np.uint64(stop), np.uint64(1), *values)


class _Arena:
    """Where one lane's computed texts live; a new buffer for each morsel while results point into the old."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.size = run.room.arena
        self.buffer: Array | None = None
        self.header: Array | None = None

    def fresh(self) -> Any:
        if not self.run.made.arena:
            return None
        if self.run.interpreted:
            return self.run.runner.allocate
        if self.buffer is None or self.run.keeps_text or len(self.buffer) < self.size:
            self.run.runner.allocate(self.size)
            self.buffer = np.empty(self.size, np.uint8)
            if self.run.keeps_text:
                self.run.runner.finisher.owners.append(self.buffer)
        self.header = np.array([self.buffer.ctypes.data, len(self.buffer), 0, 0], np.uint64)
        return self.header

    def wanted(self) -> int:
        return 0 if self.header is None else int(self.header[2]) * 5 // 4

    def overflowed(self) -> bool:
        return self.header is not None and self.header[2] > self.header[1]

    def grow(self) -> None:
        self.size = self.wanted()


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def _together(work: list[Callable[[], None]], patient: Cancel | None = None) -> None:
    """Run the pieces side by side, the first on this thread; the first exception is raised when all are done.

    With `patient` this thread only waits, so that it can notice a Ctrl-C and set the flag, however long a kernel
    takes.
    """
    global _pool
    if len(work) == 1 and patient is None:
        work[0]()
        return
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max_workers=64, thread_name_prefix="headrace")
    futures = [_pool.submit(piece) for piece in (work[1:] if patient is None else work)]
    failure: BaseException | None = None
    try:
        if patient is None:
            work[0]()
        while patient is not None and not wait(futures, timeout=0.1).done >= set(futures):
            pass  # a Ctrl-C is noticed between two waits
    except BaseException as raised:  # the other lanes must end before anything is raised
        failure = raised
        if patient is not None:
            patient.set()
    for future in futures:
        other = future.exception()
        failure = failure or other
    if failure is not None:
        raise failure
