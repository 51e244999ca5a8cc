"""Joins in generated text: looking keys up in a build side, and the build sink itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headrace.emit_call import truth
from headrace.emit_exact import both_valid
from headrace.emit_expression import emit, origin_of
from headrace.emit_keys import KeyWords, hash_of, key_words, same_key
from headrace.emit_store import Slots, store
from headrace.emitter import Emitter, Origin, Value
from headrace.errors import NotSupportedError
from headrace.pipeline import BuildSink, IndexPart, KeySlots, LookupStep, ProbeStep, SinkLayout, Step
from headrace.sql.plan import JoinKind


def lookup(e: Emitter, step: LookupStep, minimum: int, rows: int) -> None:
    """A build side that is a whole table in key order: the row number is key - minimum."""
    key = _one_word(e, emit(e, step.key))
    low = e.datum(minimum, "i64")
    count = e.datum(rows, "u64")
    row = e.temp(f"u64({key.words[0]} - {low})", "r")
    inside = f"{row} < {count}" if key.valid is None else f"({row} < {count}) & ({key.valid} != u8(0))"
    present = None
    if step.outer:
        present = e.temp(f"u8({inside})", "n")
        e.line(f"if {present} == u8(0):")
        e.line(f"    {row} = u64(0)")
    else:
        limits = key.range
        if not (key.valid is None and limits is not None and minimum <= limits[0] and limits[1] < minimum + rows):
            e.enter(f"if {inside}:")
    for f in step.fields:
        e.columns[f.id] = Origin(step.table, f.id, e.tables[step.table][f.id], row, present)


def probe(e: Emitter, step: ProbeStep, build: BuildSink, used: frozenset[int]) -> None:
    """Find the matching entries of a finished build side and go on once for each of them."""
    if step.kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK, JoinKind.FULL):
        raise NotSupportedError(f"{step.kind.value} joins are not supported yet")
    outer = step.kind is JoinKind.LEFT
    if build.form == "cross":
        group, hit = "u64(0)", None
    elif build.form == "rank":
        group, hit = _rank(e, step, build)
    else:
        group, hit = _hash(e, step, build)
    if build.unique and not outer and build.form != "cross":
        if hit is not None:
            e.enter(f"if {hit}:")
        _reach(e, step, _entry(e, step, build, group, used), None)
        _residual(e, step)
        return
    if build.unique and outer and step.residual is None and build.form != "cross":
        _outer_unique(e, step, build, group, hit)
        return
    _loop(e, step, build, group, hit, outer)


def _reach(e: Emitter, step: ProbeStep, entry: str, present: str | None) -> None:
    for f in step.fields:
        e.columns[f.id] = Origin(step.build, f.id, e.tables[step.build][f.id], entry, present)


def _residual(e: Emitter, step: ProbeStep) -> None:
    if step.residual is not None:
        e.enter(f"if {truth(e, step.residual)}:")


def _index(e: Emitter, step: ProbeStep, part: str, word: str, k: int = 0) -> str:
    return e.parameter(IndexPart(step.build, part, k), word)


def _rank(e: Emitter, step: ProbeStep, build: BuildSink) -> tuple[str, str]:
    """(entry expression, condition that the key is there) by the bitmap over the key's range."""
    key = _one_word(e, emit(e, step.keys[0]))
    low = _index(e, step, "base", "i64")
    domain = _index(e, step, "domain", "u64")
    bits = _index(e, step, "bits", "u64[]")
    e.use("bit_u64", "rank_at")
    k = e.temp(f"u64({key.words[0]} - {low})", "k")
    limits = key.range
    safe = (
        key.valid is None
        and limits is not None
        and build.minimum <= limits[0]
        and limits[1] < build.minimum + build.domain
    )
    wraps = limits is None or limits[0] - build.minimum < -(2**63) or limits[1] - build.minimum >= 2**63
    if wraps:
        e.use("subtract_overflow")
        difference, over = e.fresh(), e.fresh("f")
        e.line(f"{difference}, {over} = subtract_overflow({key.words[0]}, {low})")
        e.line(f"{k} = u64({difference}) if {over} == u8(0) else {domain}")
    hit = f"(bit_u64({bits}, {k}) != u8(0))"
    if not safe:
        hit = f"({k} < {domain}) and {hit}"
    if key.valid is not None:
        hit = f"({key.valid} != u8(0)) and {hit}"
    return f"u64(rank_at({bits}, {_index(e, step, 'prefix', 'u32[]')}, {k}))", hit


def presence(e: Emitter, step: Step | None, builds: Mapping[int, BuildSink]) -> Callable[[], str] | None:
    """Writes the u8 that is 1 where an inner join by rank finds its key, for a mask pass; None where that may not be
    asked of every row: the key must be a stored column whose values all lie in the bitmap's range."""
    if not isinstance(step, ProbeStep) or step.kind is not JoinKind.INNER or builds[step.build].form != "rank":
        return None
    build = builds[step.build]
    origin = origin_of(e, step.keys[0])
    if origin is None or origin.index != "i" or origin.present is not None:
        return None
    seen = origin.column.statistics
    low, high = seen.minimum, seen.maximum
    if origin.column.validity is not None or not isinstance(low, int) or not isinstance(high, int):
        return None
    if not (build.minimum <= low and high < build.minimum + build.domain):
        return None

    def write() -> str:
        key = emit(e, step.keys[0])
        e.use("bit_u64")
        bits = _index(e, step, "bits", "u64[]")
        return f"bit_u64({bits}, u64({key.words[0]} - {_index(e, step, 'base', 'i64')}))"

    return write


def _one_word(e: Emitter, key: Value) -> Value:
    """A key that is looked up among one-word keys: one of more than 64 bits is like a NULL there."""
    if len(key.words) == 1:
        return key
    low, high = e.hold(key).words
    fits = e.temp(f"u8({high} == (i64(-1) if i64({low}) < i64(0) else i64(0)))", "n")
    return Value(key.type, (e.temp(f"i64({low})", "k"),), both(e, key.valid, fits))


def both(e: Emitter, a: str | None, b: str) -> str:
    """The u8 that is 1 where both are."""
    return b if a is None else e.temp(f"{a} & {b}", "n")


def _hash(e: Emitter, step: ProbeStep, build: BuildSink) -> tuple[str, str]:
    """(group local, condition that it was found) by open addressing over the build side's key words."""
    keys = probe_keys(e, step.keys, build)
    slots = _index(e, step, "slots", "i32[]")
    mask = _index(e, step, "mask", "u64")
    stored: list[str] = []
    for key in keys:
        stored += [_index(e, step, "key", f"{t}[]", len(stored) + j) for j, t in enumerate(key.types)]
    valid = both_valid(e, *(k.value for k, safe in zip(keys, build.null_safe, strict=True) if not safe))
    found = e.fresh("g")
    e.line(f"{found} = i64(-1)")
    if valid is not None:
        e.line(f"if {valid} != u8(0):")
        e.depth += 1
    h = hash_of(e, keys)
    s, row = e.fresh("s"), e.fresh("r")
    e.line(f"{s} = {h} & {mask}")
    e.line(f"{row} = i64({slots}[{s}])")
    e.line(f"while {row} >= i64(0):")
    e.line(f"    if {same_key(e, keys, stored, f'u64({row})')}:")
    e.line(f"        {found} = {row}")
    e.line(f"        {row} = i64(-1)")
    e.line("    else:")
    e.line(f"        {s} = ({s} + u64(1)) & {mask}")
    e.line(f"        {row} = i64({slots}[{s}])")
    if valid is not None:
        e.depth -= 1
    return f"u64({found})", f"{found} >= i64(0)"


def probe_keys(e: Emitter, keys: tuple[object, ...], build: BuildSink) -> list[KeyWords]:
    """Key words in the form that both sides agree on: two words for wide types, text as bytes."""
    return [
        key_words(e, k, safe, wide=True, nullable=safe)  # type: ignore[arg-type]
        for k, safe in zip(keys, build.null_safe, strict=True)
    ]


def _entry(e: Emitter, step: ProbeStep, build: BuildSink, group: str, used: frozenset[int]) -> str:
    """The entry as a local, unless nothing of the build side is read later."""
    residual_needs = step.residual is not None
    if not residual_needs and not any(f.id in used for f in step.fields):
        return "u64(0)"
    return e.temp(group, "j")


def _outer_unique(e: Emitter, step: ProbeStep, build: BuildSink, group: str, hit: str | None) -> None:
    present, entry = e.fresh("n"), e.fresh("j")
    e.line(f"{present} = u8(0)")
    e.line(f"{entry} = u64(0)")
    e.line(f"if {hit}:")
    e.line(f"    {present} = u8(1)")
    e.line(f"    {entry} = {group}")
    _reach(e, step, entry, present)


def _loop(e: Emitter, step: ProbeStep, build: BuildSink, group: str, hit: str | None, outer: bool) -> None:
    """A loop over a run of entries; LEFT takes one more turn, which is the row of NULLs if nothing matched (D14)."""
    first, end = e.fresh("j"), e.fresh("z")
    e.line(f"{first} = u64(0)")
    e.line(f"{end} = u64(0)")
    if build.form == "cross":
        e.line(f"{end} = {_index(e, step, 'rows', 'u64')}")
    else:
        e.line(f"if {hit}:")
        e.depth += 1
        at = e.temp(group, "x")
        if build.unique:
            e.line(f"{first} = {at}")
            e.line(f"{end} = {at} + u64(1)")
        else:
            offsets = _index(e, step, "offsets", "i64[]")
            e.line(f"{first} = u64({offsets}[{at}])")
            e.line(f"{end} = u64({offsets}[{at} + u64(1)])")
        e.depth -= 1
    if e.loops:
        cancel = e.state("cancel", "i64[]")
        e.use("atomic_load")
        e.line(f"if atomic_load({cancel}, u64(0)) != i64(0):")
        e.line(f"    {end} = {first}")
    e.loops += 1
    if not outer:
        entry = e.fresh("j")
        e.enter(f"for {entry} in range({first}, {end}):")
        _reach(e, step, entry, None)
        _residual(e, step)
        return
    matched, turn, present, entry = e.fresh("m"), e.fresh("j"), e.fresh("n"), e.fresh("j")
    e.line(f"{matched} = u8(0)")
    e.enter(f"for {turn} in range({first}, {end} + u64(1)):")
    e.line(f"{present} = u8({turn} < {end})")
    e.line(f"{entry} = {turn} if {present} != u8(0) else u64(0)")
    _reach(e, step, entry, present)
    passes = e.fresh("b")
    e.line(f"{passes} = u8(0)")
    e.line(f"if {present} != u8(0):")
    e.depth += 1
    e.scopes.append([])
    if step.residual is not None:
        e.line(f"{passes} = u8({truth(e, step.residual)})")
    else:
        e.line(f"{passes} = u8(1)")
    e.line(f"{matched} = {matched} | {passes}")
    e.forget()
    e.depth -= 1
    e.line("else:")
    e.line(f"    {passes} = {matched} ^ u8(1)")
    e.enter(f"if {passes} != u8(0):")


class BuildText:
    """Writes a build sink: keys and payload of every row, appended; the index is made of them afterwards."""

    def __init__(self, e: Emitter, sink: BuildSink) -> None:
        self.e = e
        self.sink = sink
        self.slots = Slots([], [])
        self.result = SinkLayout((), ())

    def row(self) -> None:
        e, sink = self.e, self.sink
        keys: list[KeyWords] = []
        if sink.form == "rank":
            value = emit(e, sink.keys[0])
            if value.valid is not None:
                e.enter(f"if {value.valid} != u8(0):")
            word = e.temp(value.words[0], "k")
            bits = e.state("bits", "u64[]!")
            low = e.datum(sink.minimum, "i64")
            e.use("atomic_or", "shift_left_u64")
            k = e.temp(f"u64({word} - {low})", "k")
            e.line(f"atomic_or({bits}, {k} >> u64(6), shift_left_u64(u64(1), {k} & u64(63)))")
            numbers = [KeySlots((self.slots.add("i64", word),), False)]
            if not sink.payload and sink.unique:
                self.slots, numbers = Slots([], []), []
        elif sink.form == "hash":
            keys = probe_keys(e, sink.keys, sink)
            valid = both_valid(e, *(k.value for k, safe in zip(keys, sink.null_safe, strict=True) if not safe))
            if valid is not None:
                e.enter(f"if {valid} != u8(0):")
            numbers = [
                KeySlots(tuple(self.slots.add(t, w) for t, w in zip(k.types, k.words, strict=True)), k.kind == "text")
                for k in keys
            ]
        else:
            numbers = []
        columns = store(e, sink.payload, self.slots)
        append(e, self.slots)
        self.result = self.slots.layout(columns, tuple(numbers))


def append(e: Emitter, slots: Slots) -> None:
    """Write one row of outputs if there is room, and count it in any case (D12)."""
    if slots.words:
        capacity = e.state("capacity", "u64")
        e.line(f"if n < {capacity}:")
        for k, (word, text_) in enumerate(zip(slots.words, slots.texts, strict=True)):
            e.line(f"    {e.state('slot', word + '[]!', k)}[n] = {text_}")
    e.line("n = n + u64(1)")
