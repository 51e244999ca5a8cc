"""Filters: comparisons in the encoded domain, and the tile form (a vectorised mask, then a walk over survivors)."""

from __future__ import annotations

from headrace.emit_expression import boolean, can_fail, emit, expand, origin_of, truth
from headrace.emitter import Emitter, Value
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.pipeline import EncodedBound
from headrace.sql.expr import Call, Cast, ColumnRef, Expr, Literal, walk
from headrace.types import Kind

_MIRROR = {
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}


def range_test(e: Emitter, expr: Call) -> Value | None:
    """column <op> constant on a narrow frame-of-reference column: compare codes with bounds found at launch.

    The codes are compared in their own machine type, so that one vector instruction tests as many rows as fit.
    """
    column, constant = expr.arguments
    function = expr.function
    if isinstance(column, Literal):
        column, constant = constant, column
        function = _MIRROR[function]
    column = _same_value(column)
    if not isinstance(column, ColumnRef) or not isinstance(constant, Literal) or type(constant.value) is not int:
        return None
    origin = origin_of(e, column)
    if origin is None or isinstance(origin.column.encoding, Indirect) or origin.present is not None:
        return None
    encoding = origin.column.encoding
    if not isinstance(encoding, FrameOfReference) or encoding.data.dtype.itemsize == 8:
        return None
    if origin.column.type.kind is Kind.BOOLEAN or origin.column.type.scale != constant.type.scale:
        return None
    raw = e.raw(origin)
    assert raw is not None
    text, word = raw
    value = constant.value
    low = {"greater": value + 1, "greater_equal": value, "equal": value, "not_equal": value}.get(function)
    high = {"less": value - 1, "less_equal": value, "equal": value, "not_equal": value}.get(function)
    least = e.parameter(EncodedBound(origin.table, origin.field, low, high, True), word)
    most = e.parameter(EncodedBound(origin.table, origin.field, low, high, False), word)
    valid = e.load(origin).valid if origin.column.validity is not None else None
    if function == "not_equal":
        return boolean(f"({text} < {least}) | ({text} > {most})", valid)
    return boolean(f"({text} >= {least}) & ({text} <= {most})", valid)


def _same_value(expr: Expr) -> Expr:
    """Look through casts that change the type's width and not the stored number."""
    while (
        isinstance(expr, Cast)
        and expr.type.is_exact
        and expr.argument.type.is_exact
        and expr.type.scale == expr.argument.type.scale
        and _widens(expr)
    ):
        expr = expr.argument
    return expr


def _widens(expr: Cast) -> bool:
    inner, outer = expr.argument.type.range, expr.type.range
    return inner is not None and outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def filter_rows(e: Emitter, terms: tuple[Expr, ...]) -> None:
    """Nested conditions: terms that cannot fail first, together; each other in an `if` of its own (D8)."""
    safe = [t for t in terms if not can_fail(t)]
    for term in [*safe, *(t for t in terms if can_fail(t))]:
        e.enter(f"if {truth(e, term)}:")


def fits_mask(e: Emitter, term: Expr) -> bool:
    """Whether a term belongs in the mask pass: it cannot fail and reads no text byte by byte."""
    if can_fail(term):
        return False
    with e.captured() as lines:
        emit(e, term)
    return not any("if " in line or "text_" in line for line in lines) and not any(
        x.type.is_text and not isinstance(x, (ColumnRef, Literal)) for x in walk(expand(e, term))
    )


def open_tiles(e: Emitter, terms: list[Expr]) -> None:
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
        e.line(f"mask[k] = {' & '.join(parts)}")
    with e.block("if TILE != 1:"), e.block("for k in range(m, (m + u64(7)) & u64(4294967288)):"):
        e.line("mask[k] = u8(0)")
    e.enter("for w in range(u64(0), m, u64(8)):")
    e.line("word = mask_word(mask, w)")
    e.enter("while word != u64(0):")
    e.line("i = t + (w + (trailing_zeros_u64(word) >> u64(3))) * step")
    e.line("word = word & (word - u64(1))")


def open_rows(e: Emitter) -> None:
    """The plain row loop."""
    e.enter("for i in range(u64(start), u64(stop), step):")
