"""The parts of times of day and of intervals."""

from __future__ import annotations

from headrace.kernels.primitives import divide_f64, divide_i64, f64, i64, remainder_i64
from headrace.kernels.registry import body

# ---- bodies: parts of a time (microseconds since midnight)


@body
def hour_of_time(micros: int) -> int:
    return divide_i64(micros, i64(3600000000))


@body
def minute_of_time(micros: int) -> int:
    return remainder_i64(divide_i64(micros, i64(60000000)), i64(60))


@body
def second_of_time(micros: int) -> int:
    return remainder_i64(divide_i64(micros, i64(1000000)), i64(60))


@body
def millisecond_of_time(micros: int) -> int:
    """Those since the minute began."""
    return divide_i64(remainder_i64(micros, i64(60000000)), i64(1000))


@body
def microsecond_of_time(micros: int) -> int:
    return remainder_i64(micros, i64(60000000))


@body
def epoch_of_time(micros: int) -> float:
    return divide_f64(f64(micros), f64(1000000.0))


# ---- bodies: parts of an interval


@body
def year_of_interval(months: int, days: int, micros: int) -> int:
    return divide_i64(months, i64(12))


@body
def month_of_interval(months: int, days: int, micros: int) -> int:
    return remainder_i64(months, i64(12))


@body
def day_of_interval(months: int, days: int, micros: int) -> int:
    return days


@body
def quarter_of_interval(months: int, days: int, micros: int) -> int:
    return divide_i64(remainder_i64(months, i64(12)), i64(3)) + i64(1)


@body
def decade_of_interval(months: int, days: int, micros: int) -> int:
    return divide_i64(months, i64(120))


@body
def century_of_interval(months: int, days: int, micros: int) -> int:
    return divide_i64(months, i64(1200))


@body
def millennium_of_interval(months: int, days: int, micros: int) -> int:
    return divide_i64(months, i64(12000))


@body
def hour_of_interval(months: int, days: int, micros: int) -> int:
    return hour_of_time(micros)


@body
def minute_of_interval(months: int, days: int, micros: int) -> int:
    return minute_of_time(micros)


@body
def second_of_interval(months: int, days: int, micros: int) -> int:
    return second_of_time(micros)


@body
def millisecond_of_interval(months: int, days: int, micros: int) -> int:
    return millisecond_of_time(micros)


@body
def microsecond_of_interval(months: int, days: int, micros: int) -> int:
    return microsecond_of_time(micros)


@body
def epoch_of_interval(months: int, days: int, micros: int) -> float:
    """Seconds, a year taken as 365.25 days and a month beside it as 30."""
    years = divide_i64(months, i64(12))
    whole_days = years * i64(365) + remainder_i64(months, i64(12)) * i64(30) + days
    seconds = whole_days * i64(86400) + years * i64(21600)
    return f64(seconds) + divide_f64(f64(micros), f64(1000000.0))
