"""Comparisons in the encoded domain: codes against bounds that are found when the query starts."""

from __future__ import annotations

from headrace.emit_expression import boolean, origin_of
from headrace.emitter import Emitter, Value
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.indirect import Indirect
from headrace.pipeline import EncodedBound
from headrace.sql.expr import Call, Cast, ColumnRef, Expr, Literal
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
