"""The options of `read_csv`, by DuckDB's names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.scan.csv_types import named_type
from headrace.types import SqlType

ENCODINGS = ("utf-8", "latin-1", "utf-16")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of `read_csv`. `delimiter` None: found from the first line. `header` None: told from the types of
    the first line and of the others. `types` by column name or position. `whole_schema`: names and types are all
    given. `one_column`: the file has one, so that a blank line is a row."""

    header: bool | None = None
    delimiter: str | None = None
    quote: str | None = '"'
    escape: str | None = None
    null_text: tuple[str, ...] = ("",)
    skip: int = 0
    names: tuple[str, ...] = ()
    types: tuple[tuple[str | int, SqlType], ...] = field(default=())
    whole_schema: bool = False
    all_text: bool = False
    encoding: str = "utf-8"
    one_column: bool = False


def dialect(options: Mapping[str, object]) -> Dialect:
    """The options by DuckDB's names; ProgrammingError for an unknown one or a value that does not fit."""
    values: dict[str, object] = {}
    detect = True
    for name, value in options.items():
        key = name.lower()
        if key == "header":
            values["header"] = _flag(key, value)
        elif key in ("delim", "sep", "delimiter"):
            values["delimiter"] = _one_character(key, value)
        elif key in ("quote", "escape"):
            values[key] = None if value == "" else _one_character(key, value)
        elif key in ("nullstr", "null"):
            values["null_text"] = (value,) if isinstance(value, str) else _strings(key, value)
        elif key == "skip":
            values["skip"] = _count(key, value)
        elif key in ("names", "column_names"):
            values["names"] = _strings(key, value)
        elif key == "columns":
            pairs = _pairs(key, value)
            values["names"] = tuple(n for n, _ in pairs)
            values["types"] = pairs
            values["whole_schema"] = True
        elif key in ("types", "dtypes", "column_types"):
            if isinstance(value, Mapping):
                values["types"] = _pairs(key, value)
            else:
                values["types"] = tuple((k, named_type(t)) for k, t in enumerate(_strings(key, value)))
        elif key == "all_varchar":
            values["all_text"] = _flag(key, value)
        elif key == "encoding":
            values["encoding"] = _encoding(value)
        elif key == "auto_detect":
            detect = _flag(key, value)
        else:
            raise NotSupportedError(
                f"read_csv has no option {name!r}",
                hint="header, delim, quote, escape, nullstr, skip, names, columns, types, all_varchar, encoding",
            )
    if not detect:
        if "whole_schema" not in values:
            raise ProgrammingError("read_csv: without auto_detect, columns gives the names and types")
        values = {"header": False, "delimiter": ",", **values}
    return Dialect(**values)  # type: ignore[arg-type]


def _flag(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ProgrammingError(f"read_csv: {key} is true or false, not {value!r}")


def _one_character(key: str, value: object) -> str:
    text = value.replace("\\t", "\t") if isinstance(value, str) else ""
    if len(text) != 1 or not text.isascii():
        raise ProgrammingError(f"read_csv: {key} is one ASCII character, not {value!r}")
    return text


def _encoding(value: object) -> str:
    name = value.lower() if isinstance(value, str) else ""
    if name not in ENCODINGS:
        raise NotSupportedError(f"read_csv: no encoding {value!r}", hint=f"one of {', '.join(ENCODINGS)}")
    return name


def _count(key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ProgrammingError(f"read_csv: {key} is a number of lines, not {value!r}")


def _strings(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ProgrammingError(f"read_csv: {key} is a list of strings, not {value!r}")


def _pairs(key: str, value: object) -> tuple[tuple[str | int, SqlType], ...]:
    if isinstance(value, Mapping) and all(isinstance(n, str) and isinstance(t, str) for n, t in value.items()):
        return tuple((n, named_type(t)) for n, t in value.items())
    raise ProgrammingError(f"read_csv: {key} names a type for each column, as in {{'a': 'INTEGER'}}, not {value!r}")
