"""The row loop and its filters: row by row, or as tiles (a vectorised mask, then a walk over survivors)."""

from __future__ import annotations

from collections.abc import Callable

from headrace.emit_call import truth
from headrace.emit_expression import emit, expand
from headrace.emitter import Emitter
from headrace.sql.expr import Call, ColumnRef, Expr, Literal, walk
from headrace.sql.properties import can_raise


def filter_rows(e: Emitter, terms: tuple[Expr, ...]) -> None:
    """Nested conditions: terms that cannot fail first, together; each other in an `if` of its own (D8)."""
    safe = in_order([t for t in terms if not can_raise(t)])
    for term in [*safe, *(t for t in terms if can_raise(t))]:
        e.enter(f"if {truth(e, term)}:")


def fits_mask(e: Emitter, term: Expr) -> bool:
    """Whether a term belongs in the mask pass: it cannot fail and reads no text byte by byte."""
    if can_raise(term):
        return False
    with e.captured() as lines:
        emit(e, term)
    return not any("if " in line or "text_" in line for line in lines) and not any(
        x.type.is_text and not isinstance(x, (ColumnRef, Literal)) for x in walk(expand(e, term))
    )


def open_tiles(e: Emitter, terms: list[Expr], more: Callable[[], str] | None = None) -> None:
    """The row loop in tile form: 0/1 bytes for `terms` over TILE rows, then a walk over the ones.

    On CUDA a tile is one row a thread, and the same text becomes a plain condition.
    """
    e.use("tile_mask", "mask_word", "trailing_zeros_u64", "TILE")
    e.line("mask = tile_mask()")
    e.enter("for t in range(u64(start), u64(stop), step * u64(TILE)):")
    e.line("m = min(u64(TILE), u64(stop) - t)")
    with e.block("for k in range(u64(0), m):"):
        e.line("i = t + k * step")
        parts = []
        for term in terms:
            value = emit(e, term)
            parts.append(value.words[0] if value.valid is None else f"{value.words[0]} & {value.valid}")
        if more is not None:
            parts.append(more())
        e.line(f"mask[k] = {' & '.join(parts)}")
    with e.block("if TILE != 1:"), e.block("for k in range(m, (m + u64(7)) & u64(4294967288)):"):
        e.line("mask[k] = u8(0)")
    e.enter("for w in range(u64(0), m, u64(8)):")
    e.line("word = mask_word(mask, w)")
    e.enter("while word != u64(0):")
    e.line("i = t + (w + (trailing_zeros_u64(word) >> u64(3))) * step")
    e.line("word = word & (word - u64(1))")


def in_order(terms: list[Expr]) -> list[Expr]:
    """Terms that cannot fail in an order that does not depend on literals: by estimates, other constants would give
    another text. Terms that compute with text come last."""
    return sorted(terms, key=_shape)


def _shape(term: Expr) -> tuple[object, ...]:
    parts = [(type(x).__name__, getattr(x, "id", 0), getattr(x, "function", "")) for x in walk(term)]
    texts = any(isinstance(x, Call) and any(a.type.is_text for a in x.arguments) for x in walk(term))
    return (texts, *parts)


def open_rows(e: Emitter) -> None:
    """The plain row loop."""
    e.enter("for i in range(u64(start), u64(stop), step):")
