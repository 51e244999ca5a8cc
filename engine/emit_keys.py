"""Keys in generated text: their words, hash, and the comparison with a stored key (joins and GROUP BY alike)."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.emit_call import text
from headrace.emit_exact import widened
from headrace.emit_expression import emit
from headrace.emitter import Emitter, Value
from headrace.sql.expr import Expr
from headrace.types import Kind, is_wide


@dataclass(frozen=True, slots=True)
class KeyWords:
    """A key as machine words. `kind` is text (address, length; compared by bytes) or plain.

    `valid` is the NULL flag where NULLs are keys like others; it is one more word, and the others are 0 under it.
    """

    value: Value
    words: tuple[str, ...]
    types: tuple[str, ...]
    kind: str


def key_words(
    e: Emitter, expr: Expr, grouped: bool, *, wide: bool = False, coded: bool = False, nullable: bool = False
) -> KeyWords:
    """The words of one key.

    `grouped` keys hold NULLs too, behind a valid word (written when the value can be NULL, or `nullable` says
    that the other side can). `wide` forces two words for wide types, so that both sides of a join agree; `coded`
    keeps dictionary codes.
    """
    value = emit(e, expr)
    t = value.type
    words: tuple[str, ...]
    types: tuple[str, ...]
    if t.is_text and not (coded and value.dictionary is not None):
        value = text(e, value)
        words, types, kind = value.words, ("u64", "i64"), "text"
    elif t.is_text:
        words, types, kind = value.words, ("i64",), "plain"
    elif t.is_float:
        e.use("key_bits", "f64")
        words, types, kind = (f"key_bits(f64({value.words[0]}))",), ("u64",), "plain"
    elif t.kind is Kind.INTERVAL:
        e.use("normal_months", "normal_days", "normal_micros")
        m, d, u = e.hold(value).words
        words = (f"normal_months({m}, {d}, {u})", f"normal_days({d}, {u})", f"normal_micros({u})")
        types, kind = ("i64", "i64", "i64"), "plain"
    elif is_wide(t) and (wide or len(value.words) == 2):
        words, types, kind = widened(e, value).words, ("u64", "i64"), "plain"
    elif t.kind in (Kind.BOOLEAN, Kind.NULL):
        words, types, kind = (f"i64({value.words[0]})",), ("i64",), "plain"
    else:
        words, types, kind = value.words, ("i64",), "plain"
    words = tuple(e.temp(w, "k") for w in words)
    if grouped and (value.valid is not None or nullable):
        valid = value.valid or "u8(1)"
        if value.valid is not None and kind == "plain":
            zero = {"i64": "i64(0)", "u64": "u64(0)"}
            words = tuple(
                e.temp(f"{w} if {valid} != u8(0) else {zero[t_]}", "k") for w, t_ in zip(words, types, strict=True)
            )
        words, types = (*words, e.temp(f"i64({valid})", "k")), (*types, "i64")
    return KeyWords(value, words, types, kind)


def hash_of(e: Emitter, keys: list[KeyWords]) -> str:
    """A u64 local with the hash of all key words, the same that the block verbs compute for build sides."""
    parts = []
    for key in keys:
        words = key.words
        if key.kind == "text":
            e.use("text_hash")
            parts.append(f"text_hash({words[0]}, {words[1]})")
            words = words[2:]
        parts += [f"u64({w})" for w in words]
    result = e.temp(f"{e.use('hash_u64')}({parts[0]})", "h")
    for part in parts[1:]:
        e.use("hash_combine")
        result = e.temp(f"hash_combine({result}, {part})", "h")
    return result


def same_key(e: Emitter, keys: list[KeyWords], stored: list[str], row: str) -> str:
    """A condition: the stored key at `row` (one array name a word, in order) is this key."""
    terms = []
    k = 0
    for key in keys:
        words = key.words
        if key.kind == "text":
            e.use("text_equal")
            terms.append(f"(text_equal({stored[k]}[{row}], {stored[k + 1]}[{row}], {words[0]}, {words[1]}) != u8(0))")
            k, words = k + 2, words[2:]
        for word in words:
            terms.append(f"({stored[k]}[{row}] == {word})")
            k += 1
    return " and ".join(terms)
