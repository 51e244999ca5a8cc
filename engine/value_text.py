"""Values as text, exactly as a cast to VARCHAR spells them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from headrace.types import TICKS_PER_SECOND, Kind, SqlType

if TYPE_CHECKING:
    import pyarrow as pa

_SECONDS_A_DAY = 86_400
_INFINITE_DATE = 2**31 - 1
_INFINITE_TIMESTAMP = 2**63 - 1


def value_texts(column: pa.ChunkedArray, sql_type: SqlType) -> list[str | None]:
    """One text a row, None for NULL."""
    import pyarrow as pa

    kind = sql_type.kind
    if kind is Kind.INTERVAL:
        return [None if v is None else interval_text(v[0], v[1], v[2] // 1000) for v in column.to_pylist()]
    if kind is Kind.DATE:
        return _each(column.cast(pa.int32()), date_text)
    if kind is Kind.TIME:
        return _each(column.cast(pa.int64()), lambda v: clock_text(v, 10**6))
    if sql_type.is_timestamp:
        per_second = TICKS_PER_SECOND[kind]
        return _each(column.cast(pa.int64()), lambda v: timestamp_text(v, per_second))
    if kind is Kind.BLOB:
        return _each(column, blob_text)
    if kind is Kind.FLOAT:
        return _each(column, float_text)
    if kind is Kind.DECIMAL:
        return _each(column, decimal_text)
    if kind is Kind.BOOLEAN:
        return _each(column, lambda v: "true" if v else "false")
    return _each(column, str)


def _each(column: pa.ChunkedArray, text: Callable[..., str]) -> list[str | None]:
    return [None if v is None else text(v) for v in column.to_pylist()]


def decimal_text(value: Decimal) -> str:
    """Plain digits, never an exponent."""
    return f"{value:f}"


def float_text(value: float) -> str:
    """The shortest digits that read back as the same FLOAT (32 bits)."""
    import numpy as np

    return repr(float(str(np.float32(value))))


def blob_text(value: bytes) -> str:
    """Printable ASCII as it is, but for quotes and backslashes; every other byte as \\xHH."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b"\"'\\" else f"\\x{b:02X}" for b in value)


def date_text(days: int) -> str:
    """A day counted from 1970-01-01, in the proleptic Gregorian calendar; years before 1 end in (BC)."""
    if abs(days) == _INFINITE_DATE:
        return "infinity" if days > 0 else "-infinity"
    year, month, day = civil(days)
    if year <= 0:
        return f"{1 - year:04d}-{month:02d}-{day:02d} (BC)"
    return f"{year:04d}-{month:02d}-{day:02d}"


def civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day counted from 1970-01-01, for any whole number; year 0 is 1 BC."""
    shifted = days + 719_468  # from 0000-03-01, so that leap days end their year
    era, day_of_era = divmod(shifted, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return year_of_era + era * 400 + (month <= 2), month, day


def clock_text(ticks: int, per_second: int) -> str:
    """A span within a day or longer, HH:MM:SS with a fraction where there is one."""
    seconds, fraction = divmod(ticks, per_second)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    if fraction:
        digits = len(str(per_second)) - 1
        text += f".{fraction:0{digits}d}".rstrip("0")
    return text


def timestamp_text(ticks: int, per_second: int) -> str:
    """A timestamp in ticks since the epoch."""
    if abs(ticks) == _INFINITE_TIMESTAMP:
        return "infinity" if ticks > 0 else "-infinity"
    days, within_day = divmod(ticks, _SECONDS_A_DAY * per_second)
    return f"{date_text(days)} {clock_text(within_day, per_second)}"


def interval_text(months: int, days: int, microseconds: int) -> str:
    """`1 year 2 months 3 days 04:05:06.7`, each part with its own sign and only where it is not zero."""
    sign = -1 if months < 0 else 1
    years, months = abs(months) // 12 * sign, abs(months) % 12 * sign
    parts = [
        f"{count} {unit}{'' if abs(count) == 1 else 's'}"
        for count, unit in ((years, "year"), (months, "month"), (days, "day"))
        if count
    ]
    if microseconds or not parts:
        parts.append(("-" if microseconds < 0 else "") + clock_text(abs(microseconds), 10**6))
    return " ".join(parts)
