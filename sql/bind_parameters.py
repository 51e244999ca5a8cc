"""Parameters: Python values as typed literals, by position or by name."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable, Mapping, Sequence

from headrace.errors import DataError, NotSupportedError, ProgrammingError
from headrace.sql.coerce import integer_type, known
from headrace.sql.expr import Literal
from headrace.types import BLOB, BOOLEAN, DATE, DOUBLE, INTERVAL, NULL, TIME, TIMESTAMP, UBIGINT, VARCHAR
from headrace.types import decimal as decimal_type

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_DAY = _EPOCH.toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)


class Parameters:
    """The values given for `?`, `$1`, `$name` and `:name`, and which of them the statement has used."""

    __slots__ = ("_given", "_named", "_used")

    def __init__(self, given: Sequence[object] | Mapping[str, object] | None) -> None:
        self._given: dict[str, object]
        self._named = isinstance(given, Mapping)
        if given is None:
            self._given = {}
        elif isinstance(given, Mapping):
            self._given = {str(k).lstrip("$:"): v for k, v in given.items()}
        elif isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise ProgrammingError(
                f"parameters are a sequence or a mapping, not one {_kind(given)}",
                hint="write [value] for a single one",
            )
        else:
            self._given = {str(k): v for k, v in enumerate(given, 1)}
        self._used: set[str] = set()

    def literal(self, name: str, position: int) -> Literal:
        """The value of one parameter; raises ProgrammingError if none was given."""
        place = known(position)
        if name not in self._given:
            if name.isdigit() and not self._named:
                raise ProgrammingError(f"parameter {name} has no value: {len(self._given)} given", position=place)
            raise ProgrammingError(f'parameter "{name}" has no value', position=place)
        self._used.add(name)
        return python_literal(self._given[name], position)

    def check_all_used(self) -> None:
        """Raise ProgrammingError for values that no parameter of the statement took."""
        surplus = [n for n in self._given if n not in self._used]
        if not surplus:
            return
        if self._named:
            raise ProgrammingError(f"the statement has no parameter {', '.join(surplus)}")
        raise ProgrammingError(f"the statement takes {len(self._used)} parameters, {len(self._given)} were given")


def python_literal(value: object, position: int = -1) -> Literal:
    """A Python value as a constant; raises NotSupportedError for a type that has no SQL type."""
    item = getattr(value, "item", None)
    if item is not None and not isinstance(value, (int, float, str, bytes)) and callable(item):
        value = item()  # a NumPy scalar
    if value is None:
        return Literal(None, NULL, position)
    if isinstance(value, bool):
        return Literal(value, BOOLEAN, position)
    if isinstance(value, int):
        t = UBIGINT if 2**63 <= value < 2**64 else integer_type(value)
        if t is None:
            raise DataError(f"{value} is out of the range of HUGEINT")
        return Literal(int(value), t, position)
    if isinstance(value, float):
        return Literal(float(value), DOUBLE, position)
    if isinstance(value, str):
        if not _encodes(value):
            raise DataError("a text parameter is not Unicode text: it has half of a surrogate pair")
        return Literal(str(value), VARCHAR, position)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Literal(bytes(value), BLOB, position)
    if isinstance(value, decimal.Decimal):
        return _decimal(value, position)
    return _temporal(value, position)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _temporal(value: object, position: int) -> Literal:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            raise NotSupportedError(
                "TIMESTAMP WITH TIME ZONE is not supported yet", hint="pass a datetime without tzinfo"
            )
        return Literal((value - _EPOCH) // _MICROSECOND, TIMESTAMP, position)
    if isinstance(value, datetime.date):
        return Literal(value.toordinal() - _EPOCH_DAY, DATE, position)
    if isinstance(value, datetime.time):
        if value.tzinfo is not None:
            raise NotSupportedError("TIME WITH TIME ZONE is not supported yet")
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return Literal(seconds * 10**6 + value.microsecond, TIME, position)
    if isinstance(value, datetime.timedelta):
        micros = value.seconds * 10**6 + value.microseconds
        return Literal((0, value.days, micros), INTERVAL, position)
    raise NotSupportedError(f"parameters of the Python type {type(value).__name__} are not supported")


def _decimal(value: decimal.Decimal, position: int) -> Literal:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return Literal(float(value), DOUBLE, position)
    number = int("".join(map(str, digits)) or "0")
    if exponent > 0:
        number, exponent = number * 10**exponent, 0
    scale, width = -exponent, len(str(number)) if number else len(digits)
    precision = scale + 1 if scale > width else width
    if precision > 38:
        return Literal(float(value), DOUBLE, position)
    return Literal(-number if sign else number, decimal_type(precision, scale), position)


def _kind(value: object) -> str:
    return "text" if isinstance(value, (str, bytes)) else type(value).__name__
