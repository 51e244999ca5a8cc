"""Looking keys up in a finished build side: whether a key is there, and where its entries are."""

from __future__ import annotations

from headrace.emit_exact import both_valid
from headrace.emit_expression import emit
from headrace.emit_keys import KeyWords, hash_of, key_words, same_key
from headrace.emitter import Emitter, Origin, Value
from headrace.pipeline import BuildSink, IndexPart, ProbeStep
from headrace.sql.expr import Expr


def index_part(e: Emitter, build: int, part: str, word: str, k: int = 0) -> str:
    """The parameter that carries a part of a build side."""
    return e.parameter(IndexPart(build, part, k), word)


def find(e: Emitter, step: ProbeStep, build: BuildSink) -> tuple[str, str]:
    """(the key's group, a condition that the build side has one); without keys all entries are one group."""
    if build.form == "cross":
        return "u64(0)", f"({index_part(e, step.build, 'rows', 'u64')} != u64(0))"
    return _rank(e, step, build) if build.form == "rank" else _hash(e, step, build)


def entries(e: Emitter, step: ProbeStep, build: BuildSink, group: str, hit: str) -> tuple[str, str]:
    """Locals with the first entry of the key's group and the one after its last; equal where there is none."""
    first, end = e.fresh("j"), e.fresh("z")
    e.line(f"{first} = u64(0)")
    e.line(f"{end} = u64(0)")
    if build.form == "cross":
        e.line(f"{end} = {index_part(e, step.build, 'rows', 'u64')}")
        return _unless_cancelled(e, first, end)
    e.line(f"if {hit}:")
    e.depth += 1
    at = e.temp(group, "x")
    if build.unique:
        e.line(f"{first} = {at}")
        e.line(f"{end} = {at} + u64(1)")
    else:
        offsets = index_part(e, step.build, "offsets", "i64[]")
        e.line(f"{first} = u64({offsets}[{at}])")
        e.line(f"{end} = u64({offsets}[{at} + u64(1)])")
    e.depth -= 1
    return _unless_cancelled(e, first, end)


def _unless_cancelled(e: Emitter, first: str, end: str) -> tuple[str, str]:
    """A loop inside another has no turns once the query is cancelled (D26)."""
    if e.loops:
        cancel = e.state("cancel", "i64[]")
        e.use("atomic_load")
        e.line(f"if atomic_load({cancel}, u64(0)) != i64(0):")
        e.line(f"    {end} = {first}")
    e.loops += 1
    return first, end


def reach(e: Emitter, step: ProbeStep, entry: str, present: str | None) -> None:
    """Put the build side's columns in reach, at an entry; NULLs where the local `present` is 0."""
    for f in step.fields:
        e.columns[f.id] = Origin(step.build, f.id, e.tables[step.build][f.id], entry, present)


def _rank(e: Emitter, step: ProbeStep, build: BuildSink) -> tuple[str, str]:
    """(entry expression, condition that the key is there) by the bitmap over the key's range."""
    key = one_word(e, emit(e, step.keys[0]))
    low = index_part(e, step.build, "base", "i64")
    domain = index_part(e, step.build, "domain", "u64")
    bits = index_part(e, step.build, "bits", "u64[]")
    e.use("bit_u64")
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
    if build.presence:
        return "u64(0)", hit
    e.use("rank_at")
    return f"u64(rank_at({bits}, {index_part(e, step.build, 'prefix', 'u32[]')}, {k}))", hit


def one_word(e: Emitter, key: Value) -> Value:
    """A key that is looked up among one-word keys: one of more than 64 bits is like a NULL there."""
    if len(key.words) == 1:
        return key
    low, high = e.hold(key).words
    fits = e.temp(f"u8({high} == (i64(-1) if i64({low}) < i64(0) else i64(0)))", "n")
    return Value(key.type, (e.temp(f"i64({low})", "k"),), _both(e, key.valid, fits))


def _both(e: Emitter, a: str | None, b: str) -> str:
    """The u8 that is 1 where both are."""
    return b if a is None else e.temp(f"{a} & {b}", "n")


def _hash(e: Emitter, step: ProbeStep, build: BuildSink) -> tuple[str, str]:
    """(group local, condition that it was found) by open addressing over the build side's key words."""
    keys = key_words_of(e, step.keys, build)
    slots = index_part(e, step.build, "slots", "i32[]")
    mask = index_part(e, step.build, "mask", "u64")
    stored: list[str] = []
    for key in keys:
        stored += [index_part(e, step.build, "key", f"{t}[]", len(stored) + j) for j, t in enumerate(key.types)]
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


def key_words_of(e: Emitter, keys: tuple[Expr, ...], build: BuildSink) -> list[KeyWords]:
    """Key words in the form that both sides agree on: two words for wide types, text as bytes, and a word that tells
    NULLs where the build side keeps them."""
    kept = [safe or build.keeps_nulls for safe in build.null_safe]
    return [key_words(e, k, keep, wide=True, nullable=keep) for k, keep in zip(keys, kept, strict=True)]
