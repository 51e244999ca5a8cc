"""Headrace: an analytical SQL engine. `headrace.connect()` gives a PEP 249 connection.

Nothing heavy is imported here: each name is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.connection import Connection as Connection
    from headrace.connection import connect as connect
    from headrace.cursor import Cursor as Cursor
    from headrace.errors import CancelledError as CancelledError
    from headrace.errors import DatabaseError as DatabaseError
    from headrace.errors import DataError as DataError
    from headrace.errors import Error as Error
    from headrace.errors import IntegrityError as IntegrityError
    from headrace.errors import InterfaceError as InterfaceError
    from headrace.errors import InternalError as InternalError
    from headrace.errors import NotSupportedError as NotSupportedError
    from headrace.errors import OperationalError as OperationalError
    from headrace.errors import ProgrammingError as ProgrammingError
    from headrace.errors import Warning as Warning
    from headrace.result import Result as Result
    from headrace.type_objects import BINARY as BINARY
    from headrace.type_objects import DATETIME as DATETIME
    from headrace.type_objects import NUMBER as NUMBER
    from headrace.type_objects import ROWID as ROWID
    from headrace.type_objects import STRING as STRING
    from headrace.type_objects import Binary as Binary
    from headrace.type_objects import Date as Date
    from headrace.type_objects import DateFromTicks as DateFromTicks
    from headrace.type_objects import Time as Time
    from headrace.type_objects import TimeFromTicks as TimeFromTicks
    from headrace.type_objects import Timestamp as Timestamp
    from headrace.type_objects import TimestampFromTicks as TimestampFromTicks

__version__ = "0.1.0"

apilevel = "2.0"
threadsafety = 2  # threads may share the module and connections; a cursor belongs to one thread at a time
paramstyle = "qmark"  # $1, $name and :name work too

_HOMES = {
    "headrace.connection": ("connect", "Connection"),
    "headrace.cursor": ("Cursor",),
    "headrace.result": ("Result",),
    "headrace.errors": (
        "Warning",
        "Error",
        "InterfaceError",
        "DatabaseError",
        "DataError",
        "OperationalError",
        "IntegrityError",
        "InternalError",
        "ProgrammingError",
        "NotSupportedError",
        "CancelledError",
    ),
    "headrace.type_objects": (
        "STRING",
        "BINARY",
        "NUMBER",
        "DATETIME",
        "ROWID",
        "Date",
        "Time",
        "Timestamp",
        "DateFromTicks",
        "TimeFromTicks",
        "TimestampFromTicks",
        "Binary",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
