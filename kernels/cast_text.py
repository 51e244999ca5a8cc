"""Casts to and from VARCHAR and BLOB."""

from __future__ import annotations

from headrace.kernels.arithmetic import range_constants
from headrace.kernels.float_output import double_to_text, float_to_text
from headrace.kernels.interval_input import text_to_interval
from headrace.kernels.number_input import (
    text_to_blob,
    text_to_boolean,
    text_to_double,
    text_to_float,
    text_to_small,
    text_to_wide,
)
from headrace.kernels.primitives import TextBytes
from headrace.kernels.registry import CASTS, Body, Overload, body
from headrace.kernels.temporal_input import (
    text_to_coarse_timestamp,
    text_to_date,
    text_to_nanoseconds,
    text_to_time,
    text_to_timestamp,
)
from headrace.kernels.text_output import (
    blob_to_text,
    boolean_to_text,
    date_to_text,
    decimal_to_text,
    decimal_wide_to_text,
    interval_to_text,
    nanoseconds_to_text,
    small_to_text,
    time_to_text,
    timestamp_to_text,
    wide_to_text,
)
from headrace.types import (
    BLOB,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTERVAL,
    TICKS_PER_SECOND,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NS,
    VARCHAR,
    Kind,
    SqlType,
    is_wide,
)


@body
def same_text(a: TextBytes, n: int) -> tuple[TextBytes, int]:
    return a, n


_TO_TEXT: dict[SqlType, Body] = {
    BOOLEAN: boolean_to_text,
    DATE: date_to_text,
    TIME: time_to_text,
    TIMESTAMP_NS: nanoseconds_to_text,
    INTERVAL: interval_to_text,
    BLOB: blob_to_text,
    DOUBLE: double_to_text,
    FLOAT: float_to_text,
}

_FROM_TEXT: dict[SqlType, Body] = {
    BOOLEAN: text_to_boolean,
    DATE: text_to_date,
    TIME: text_to_time,
    TIMESTAMP: text_to_timestamp,
    TIMESTAMP_NS: text_to_nanoseconds,
    INTERVAL: text_to_interval,
    DOUBLE: text_to_double,
    FLOAT: text_to_float,
}

_UNSIGNED = (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT)


def _to_text(source: SqlType, target: SqlType) -> Overload | None:
    if target != VARCHAR:
        return None
    wide = is_wide(source)
    if source.is_exact and source.scale == 0:
        return Overload((source,), target, wide_to_text if wide else small_to_text, arena=True)
    if source.is_decimal:
        leading = ("i64", int(source.precision > source.scale))
        scale = ("i64", source.scale)
        if wide:
            return Overload((source,), target, decimal_wide_to_text, arena=True, constants=(scale, leading))
        constants = (("i64", 10**source.scale), scale, leading)
        return Overload((source,), target, decimal_to_text, arena=True, constants=constants)
    if source.is_timestamp and source != TIMESTAMP_NS:
        each = ("i64", 10**6 // TICKS_PER_SECOND[source.kind])
        return Overload((source,), target, timestamp_to_text, arena=True, constants=(each,))
    row = _TO_TEXT.get(source)
    return None if row is None else Overload((source,), target, row, arena=True)


def _from_text(source: SqlType, target: SqlType) -> Overload | None:
    if source.is_text and source == target:
        return Overload((source,), target, same_text)
    if source != VARCHAR:
        return None
    fails = f"could not convert the text to {target}"
    if target == BLOB:
        return Overload((source,), target, text_to_blob, arena=True, fails=fails)
    if target.is_exact:
        whole = 0 if target.is_decimal else 2 if target.kind in _UNSIGNED else 1
        constants = (("i64", target.scale), ("i64", whole), *range_constants(target))
        number: Body = text_to_wide if is_wide(target) else text_to_small
        return Overload((source,), target, number, fails=fails, constants=constants)
    if target.kind in (Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS):
        each = ("i64", 10**6 // TICKS_PER_SECOND[target.kind])
        return Overload((source,), target, text_to_coarse_timestamp, fails=fails, constants=(each,))
    row = _FROM_TEXT.get(target)
    return None if row is None else Overload((source,), target, row, fails=fails)


CASTS.extend((_to_text, _from_text))
