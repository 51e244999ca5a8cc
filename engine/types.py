"""SQL types: names, ranges, the machine words of a value (`words`), and the mapping to Arrow."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.errors import NotSupportedError

if TYPE_CHECKING:
    import pyarrow as pa


class Kind(enum.Enum):
    NULL = "NULL"  # the type of a bare NULL literal; never the type of a table's column
    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INTEGER = "INTEGER"
    BIGINT = "BIGINT"
    UTINYINT = "UTINYINT"
    USMALLINT = "USMALLINT"
    UINTEGER = "UINTEGER"
    UBIGINT = "UBIGINT"
    HUGEINT = "HUGEINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP_S = "TIMESTAMP_S"
    TIMESTAMP_MS = "TIMESTAMP_MS"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NS = "TIMESTAMP_NS"
    INTERVAL = "INTERVAL"
    VARCHAR = "VARCHAR"
    BLOB = "BLOB"

    __hash__ = object.__hash__  # types are hashed all the time, and Enum's own hash is a Python function


@dataclass(frozen=True, slots=True)
class SqlType:
    """One SQL type. `precision` and `scale` are zero for everything but DECIMAL."""

    kind: Kind
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.precision},{self.scale})"
        return str(self.kind.value)

    @property
    def is_integer(self) -> bool:
        return self.kind in INTEGER_RANGES

    @property
    def is_decimal(self) -> bool:
        return self.kind is Kind.DECIMAL

    @property
    def is_float(self) -> bool:
        return self.kind in (Kind.FLOAT, Kind.DOUBLE)

    @property
    def is_exact(self) -> bool:
        """Integers and decimals: values held as (scaled) whole numbers."""
        return self.is_integer or self.is_decimal

    @property
    def is_numeric(self) -> bool:
        return self.is_exact or self.is_float

    @property
    def is_timestamp(self) -> bool:
        return self.kind in TICKS_PER_SECOND

    @property
    def is_text(self) -> bool:
        """VARCHAR and BLOB: values held as runs of bytes."""
        return self.kind in (Kind.VARCHAR, Kind.BLOB)

    @property
    def range(self) -> tuple[int, int] | None:
        """The least and greatest value of a type held as whole numbers, in its scaled units; else None."""
        if self.kind is Kind.DECIMAL:
            limit = 10**self.precision - 1
            return -limit, limit
        if self.kind is Kind.BOOLEAN:
            return 0, 1
        if self.kind is Kind.DATE:
            return -(2**31), 2**31 - 1
        if self.kind is Kind.TIME or self.is_timestamp:
            return -(2**63), 2**63 - 1
        return INTEGER_RANGES.get(self.kind)


INTEGER_RANGES: dict[Kind, tuple[int, int]] = {
    Kind.TINYINT: (-(2**7), 2**7 - 1),
    Kind.SMALLINT: (-(2**15), 2**15 - 1),
    Kind.INTEGER: (-(2**31), 2**31 - 1),
    Kind.BIGINT: (-(2**63), 2**63 - 1),
    Kind.UTINYINT: (0, 2**8 - 1),
    Kind.USMALLINT: (0, 2**16 - 1),
    Kind.UINTEGER: (0, 2**32 - 1),
    Kind.UBIGINT: (0, 2**64 - 1),
    Kind.HUGEINT: (-(2**127), 2**127 - 1),
}

TICKS_PER_SECOND: dict[Kind, int] = {
    Kind.TIMESTAMP_S: 1,
    Kind.TIMESTAMP_MS: 10**3,
    Kind.TIMESTAMP: 10**6,
    Kind.TIMESTAMP_NS: 10**9,
}

NULL = SqlType(Kind.NULL)
BOOLEAN = SqlType(Kind.BOOLEAN)
TINYINT = SqlType(Kind.TINYINT)
SMALLINT = SqlType(Kind.SMALLINT)
INTEGER = SqlType(Kind.INTEGER)
BIGINT = SqlType(Kind.BIGINT)
UTINYINT = SqlType(Kind.UTINYINT)
USMALLINT = SqlType(Kind.USMALLINT)
UINTEGER = SqlType(Kind.UINTEGER)
UBIGINT = SqlType(Kind.UBIGINT)
HUGEINT = SqlType(Kind.HUGEINT)
FLOAT = SqlType(Kind.FLOAT)
DOUBLE = SqlType(Kind.DOUBLE)
DATE = SqlType(Kind.DATE)
TIME = SqlType(Kind.TIME)
TIMESTAMP_S = SqlType(Kind.TIMESTAMP_S)
TIMESTAMP_MS = SqlType(Kind.TIMESTAMP_MS)
TIMESTAMP = SqlType(Kind.TIMESTAMP)
TIMESTAMP_NS = SqlType(Kind.TIMESTAMP_NS)
INTERVAL = SqlType(Kind.INTERVAL)
VARCHAR = SqlType(Kind.VARCHAR)
BLOB = SqlType(Kind.BLOB)


def decimal(precision: int, scale: int) -> SqlType:
    """DECIMAL(precision, scale), 1 <= precision <= 38, 0 <= scale <= precision."""
    if not 1 <= precision <= 38 or not 0 <= scale <= precision:
        raise NotSupportedError(
            f"DECIMAL({precision},{scale}) is out of range: 1 <= precision <= 38, 0 <= scale <= precision"
        )
    return SqlType(Kind.DECIMAL, precision, scale)


def words(t: SqlType) -> tuple[str, ...]:
    """The machine words that hold one value of type `t` in generated text, as word names.

    BOOLEAN is `u8`; whole numbers that fit 64 bits, DATE (days), TIME and TIMESTAMP (ticks since the epoch) and
    DECIMAL to 18 digits (scaled) are one `i64`; UBIGINT, HUGEINT and wider DECIMAL are (low `u64`, high `i64`);
    INTERVAL is (months, days, microseconds); text is (address `u64`, length in bytes `i64`).
    """
    kind = t.kind
    if kind in (Kind.BOOLEAN, Kind.NULL):
        return ("u8",)
    if kind is Kind.FLOAT:
        return ("f32",)
    if kind is Kind.DOUBLE:
        return ("f64",)
    if kind is Kind.INTERVAL:
        return ("i64", "i64", "i64")
    if t.is_text:
        return ("u64", "i64")
    if kind in (Kind.HUGEINT, Kind.UBIGINT) or (kind is Kind.DECIMAL and t.precision > 18):
        return ("u64", "i64")
    return ("i64",)


def is_wide(t: SqlType) -> bool:
    """Whether a whole-number type needs two words, (low, high)."""
    return len(words(t)) == 2 and not t.is_text


def to_arrow(t: SqlType) -> pa.DataType:
    """The Arrow type that results carry; equal to DuckDB's export (HUGEINT travels as decimal128(38, 0))."""
    import pyarrow as pa

    if t.kind is Kind.DECIMAL:
        return pa.decimal128(t.precision, t.scale)
    return {
        Kind.NULL: pa.null(),
        Kind.BOOLEAN: pa.bool_(),
        Kind.TINYINT: pa.int8(),
        Kind.SMALLINT: pa.int16(),
        Kind.INTEGER: pa.int32(),
        Kind.BIGINT: pa.int64(),
        Kind.UTINYINT: pa.uint8(),
        Kind.USMALLINT: pa.uint16(),
        Kind.UINTEGER: pa.uint32(),
        Kind.UBIGINT: pa.uint64(),
        Kind.HUGEINT: pa.decimal128(38, 0),
        Kind.FLOAT: pa.float32(),
        Kind.DOUBLE: pa.float64(),
        Kind.DATE: pa.date32(),
        Kind.TIME: pa.time64("us"),
        Kind.TIMESTAMP_S: pa.timestamp("s"),
        Kind.TIMESTAMP_MS: pa.timestamp("ms"),
        Kind.TIMESTAMP: pa.timestamp("us"),
        Kind.TIMESTAMP_NS: pa.timestamp("ns"),
        Kind.INTERVAL: pa.month_day_nano_interval(),
        Kind.VARCHAR: pa.string(),
        Kind.BLOB: pa.binary(),
    }[t.kind]


def from_arrow(t: pa.DataType) -> SqlType:
    """The SQL type of an Arrow column; raises NotSupportedError, naming the type, for what has none yet."""
    import pyarrow as pa
    import pyarrow.types as pt

    simple = {
        pa.null(): NULL,
        pa.bool_(): BOOLEAN,
        pa.int8(): TINYINT,
        pa.int16(): SMALLINT,
        pa.int32(): INTEGER,
        pa.int64(): BIGINT,
        pa.uint8(): UTINYINT,
        pa.uint16(): USMALLINT,
        pa.uint32(): UINTEGER,
        pa.uint64(): UBIGINT,
        pa.float16(): FLOAT,
        pa.float32(): FLOAT,
        pa.float64(): DOUBLE,
        pa.date32(): DATE,
        pa.date64(): DATE,
        pa.string(): VARCHAR,
        pa.large_string(): VARCHAR,
        pa.string_view(): VARCHAR,
        pa.binary(): BLOB,
        pa.large_binary(): BLOB,
        pa.binary_view(): BLOB,
        pa.month_day_nano_interval(): INTERVAL,
    }.get(t)
    if simple is not None:
        return simple
    if pt.is_dictionary(t):
        return from_arrow(t.value_type)
    if pt.is_decimal128(t) or pt.is_decimal32(t) or pt.is_decimal64(t) or (pt.is_decimal256(t) and t.precision <= 38):
        return decimal(t.precision, t.scale)
    if pt.is_fixed_size_binary(t):
        return BLOB
    if pt.is_time(t):
        return TIME
    if pt.is_duration(t):
        return INTERVAL
    if pt.is_timestamp(t) and t.tz is None:
        return {"s": TIMESTAMP_S, "ms": TIMESTAMP_MS, "us": TIMESTAMP, "ns": TIMESTAMP_NS}[t.unit]
    if pt.is_timestamp(t):
        raise NotSupportedError(
            "TIMESTAMP WITH TIME ZONE is not supported yet",
            hint="cast the column to a plain timestamp before reading it",
        )
    raise NotSupportedError(f"columns of the Arrow type {t} are not supported yet")
