"""Which type several values share: for comparison, for CASE and COALESCE, and for arithmetic."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTEGER_RANGES,
    NULL,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    VARCHAR,
    Kind,
    SqlType,
    decimal,
)

SIGNED = (TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT)
UNSIGNED = (UTINYINT, USMALLINT, UINTEGER, UBIGINT)
INTEGERS = (*SIGNED[:4], *UNSIGNED, HUGEINT)

# The later of two timestamp types is the one that both become; a DATE becomes any of them.
_TIMESTAMPS = (Kind.DATE, Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP, Kind.TIMESTAMP_NS)

_DIGITS = {
    Kind.BOOLEAN: 1,
    Kind.TINYINT: 3,
    Kind.SMALLINT: 5,
    Kind.INTEGER: 10,
    Kind.BIGINT: 19,
    Kind.UTINYINT: 3,
    Kind.USMALLINT: 5,
    Kind.UINTEGER: 10,
    Kind.UBIGINT: 20,
    Kind.HUGEINT: 38,
}


def as_decimal(t: SqlType) -> SqlType:
    """The decimal type that holds every value of an integer type (HUGEINT: all that 38 digits hold)."""
    return t if t.is_decimal else decimal(_DIGITS[t.kind], 0)


def _covers(a: SqlType, b: SqlType) -> bool:
    (alo, ahi), (blo, bhi) = INTEGER_RANGES[a.kind], INTEGER_RANGES[b.kind]
    return alo <= blo and bhi <= ahi


def _common_integer(a: SqlType, b: SqlType) -> SqlType:
    """The narrowest integer type that holds every value of both."""
    if _covers(a, b):
        return a
    return b if _covers(b, a) else next(t for t in SIGNED if _covers(t, a) and _covers(t, b))


def common_decimal(a: SqlType, b: SqlType) -> SqlType:
    """The decimal with room for the whole digits and the scale of both, at most 38 digits."""
    a, b = as_decimal(a), as_decimal(b)
    scale = max(a.scale, b.scale)
    return decimal(min(38, max(a.precision - a.scale, b.precision - b.scale) + scale), scale)


def _shared_decimal(a: SqlType, b: SqlType) -> SqlType:
    """As `common_decimal`; but between two decimals that need over 38 digits, the scale gives way."""
    if a.is_integer or b.is_integer:
        return common_decimal(a, b)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    scale = min(max(a.scale, b.scale), 38 - whole)
    return decimal(whole + scale, scale)


def common_type(a: SqlType, b: SqlType) -> SqlType | None:
    """The type of a value of either type (CASE, COALESCE, UNION, IN); None where they do not mix."""
    if a == b or b == NULL:
        return a
    if a == NULL:
        return b
    if a == BOOLEAN and b.is_integer:
        return b
    if b == BOOLEAN and a.is_integer:
        return a
    if a.is_numeric and b.is_numeric:
        if a.is_float or b.is_float:
            return DOUBLE if DOUBLE in (a, b) else a if a.is_float else b
        return _shared_decimal(a, b) if a.is_decimal or b.is_decimal else _common_integer(a, b)
    if a.kind in _TIMESTAMPS and b.kind in _TIMESTAMPS:
        return max(a, b, key=lambda t: _TIMESTAMPS.index(t.kind))
    return None


def common_type_of(types: Iterable[SqlType]) -> SqlType | None:
    """`common_type` over any number of types, from left to right; NULL for none."""
    result: SqlType | None = NULL
    for t in types:
        if result is None:
            return None
        result = common_type(result, t)
    return result


def ordering_type(a: SqlType, b: SqlType) -> SqlType | None:
    """The type in which two values are put in order: the common one, but no digit of a decimal gives way."""
    if a.is_exact and b.is_exact and (a.is_decimal or b.is_decimal):
        return common_decimal(a, b)
    return common_type(a, b)


def comparison_type(a: SqlType, b: SqlType) -> SqlType | None:
    """The type in which two values are compared: text becomes the other's type, a BOOLEAN any number."""
    shared = ordering_type(a, b)
    if shared is not None:
        return shared
    if VARCHAR in (a, b):
        return b if a == VARCHAR else a
    if a == BOOLEAN and b.is_numeric:
        return b
    return a if b == BOOLEAN and a.is_numeric else None


def arithmetic_type(a: SqlType, b: SqlType) -> SqlType | None:
    """The type in which + - * // % work on integers and floats; None for anything else.

    Where neither integer type holds the other, the signed one of 64 bits (of 128 beside UBIGINT) is taken; a
    bare NULL takes the other's type.
    """
    if a == NULL or b == NULL:
        other = b if a == NULL else a
        return BIGINT if other == NULL else other if other.is_integer or other.is_float else None
    if not (a.is_numeric and b.is_numeric):
        return None
    if a.is_float or b.is_float:
        return DOUBLE if DOUBLE in (a, b) else a if a.is_float else b
    if not (a.is_integer and b.is_integer):
        return None
    if _covers(a, b):
        return a
    return b if _covers(b, a) else HUGEINT if UBIGINT in (a, b) else BIGINT
