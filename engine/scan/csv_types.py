"""Types of CSV columns: guessed from the first rows with DuckDB's rules, or written by name."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.types import (
    BIGINT,
    BLOB,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    VARCHAR,
    SqlType,
    decimal,
    to_arrow,
)

TRUE_VALUES = ("true", "t", "yes", "y", "1")
FALSE_VALUES = ("false", "f", "no", "n", "0")

_WORDS = r"(?i)^(true|false|t|f|yes|no)$"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
_WHOLE = r"^\s*-?(0|[1-9][0-9]*)\s*$"
_PATTERNS: tuple[tuple[str, SqlType], ...] = (
    (_WORDS, BOOLEAN),
    (_WHOLE, BIGINT),
    (r"(?i)^\s*-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?\s*$|^nan$", DOUBLE),
    (f"^{_CLOCK}$", TIME),
    (r"^\s*[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\s*$", DATE),
    (rf"^[0-9]{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[ T]{_CLOCK}$", TIMESTAMP),
)

_OTHER_PATTERNS = (
    r"^\s*[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}([ T][0-9]{1,2}:[0-9]{2}.*)?\s*$",
    r"^\s*(0[xX][0-9a-fA-F]+|-?(0|[1-9][0-9]*))\s*$",
)


def guess(sample: pa.ChunkedArray) -> SqlType:
    """The type of a column of strings (NULL where a field was empty), from a sample of its values."""
    values = sample.drop_null()
    if len(values) == 0:
        return VARCHAR
    for pattern, found in _PATTERNS:
        if not pc.all(pc.match_substring_regex(values, pattern)).as_py():
            continue
        if found == BIGINT:
            return _integer(values)
        if found.kind in (DATE.kind, TIMESTAMP.kind) and not _converts(values, found):
            continue
        return found
    return VARCHAR


def _integer(values: pa.ChunkedArray) -> SqlType:
    longest = pc.max(pc.utf8_length(values)).as_py()
    if longest <= 18:
        return BIGINT
    numbers = [int(text) for text in values.to_pylist()]
    least, greatest = min(numbers), max(numbers)
    if least >= -(2**63) and greatest < 2**63:
        return BIGINT
    # The text is converted by way of decimal128, which stops at 38 digits.
    return HUGEINT if max(-least, greatest) < 10**38 else VARCHAR


def fits(text: str | None, t: SqlType) -> bool:
    """Whether one value of a file, NULL where its field was empty, can be read as the type."""
    if text is None or t in (VARCHAR, BLOB):
        return True
    if t == BOOLEAN:
        return re.match(_WORDS, text) is not None
    if t == TIME:
        return re.fullmatch(_CLOCK, text) is not None
    return not text.startswith("+") and _converts(pa.chunked_array([[text]]), t)


def is_plain_text(first: str | None, others: pa.ChunkedArray) -> bool:
    """Whether a column of texts is that to DuckDB too, which reads more forms of dates and whole numbers.

    What is read as VARCHAR here can thus tell data from a header all the same.
    """
    values = others.drop_null()
    if len(values) == 0:
        return True
    return not any(
        (first is None or re.match(pattern, first)) and pc.all(pc.match_substring_regex(values, pattern)).as_py()
        for pattern in _OTHER_PATTERNS
    )


def _converts(values: pa.ChunkedArray, t: SqlType) -> bool:
    try:
        pc.utf8_trim_whitespace(values).cast(to_arrow(t))
    except pa.ArrowException:
        return False
    return True


_NAMES: dict[str, SqlType] = {
    "BOOLEAN": BOOLEAN,
    "BOOL": BOOLEAN,
    "TINYINT": TINYINT,
    "INT1": TINYINT,
    "SMALLINT": SMALLINT,
    "INT2": SMALLINT,
    "SHORT": SMALLINT,
    "INTEGER": INTEGER,
    "INT": INTEGER,
    "INT4": INTEGER,
    "SIGNED": INTEGER,
    "BIGINT": BIGINT,
    "INT8": BIGINT,
    "LONG": BIGINT,
    "UTINYINT": UTINYINT,
    "USMALLINT": USMALLINT,
    "UINTEGER": UINTEGER,
    "UBIGINT": UBIGINT,
    "HUGEINT": HUGEINT,
    "FLOAT": FLOAT,
    "REAL": FLOAT,
    "FLOAT4": FLOAT,
    "DOUBLE": DOUBLE,
    "FLOAT8": DOUBLE,
    "DATE": DATE,
    "TIME": TIME,
    "TIMESTAMP": TIMESTAMP,
    "DATETIME": TIMESTAMP,
    "TIMESTAMP_S": TIMESTAMP_S,
    "TIMESTAMP_MS": TIMESTAMP_MS,
    "TIMESTAMP_NS": TIMESTAMP_NS,
    "VARCHAR": VARCHAR,
    "TEXT": VARCHAR,
    "STRING": VARCHAR,
    "CHAR": VARCHAR,
    "BLOB": BLOB,
    "BYTEA": BLOB,
}
_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC|DEC)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")


def named_type(text: str) -> SqlType:
    """The type of a name such as 'INTEGER' or 'DECIMAL(10,2)'; ProgrammingError for an unknown one."""
    name = text.strip().upper()
    found = _NAMES.get(re.sub(r"^(VARCHAR|CHAR)\(\d+\)$", r"\1", name))
    if found is not None:
        return found
    parts = _DECIMAL.fullmatch(name)
    if parts is not None:
        return decimal(int(parts[1] or 18), int(parts[2] or (0 if parts[1] else 3)))
    if name in ("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID", "JSON", "UHUGEINT") or "[" in name:
        raise NotSupportedError(f"CSV columns of the type {name} are not supported yet")
    raise ProgrammingError(f"there is no type {text!r}")
