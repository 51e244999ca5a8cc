"""Results written as a table, CSV, JSON or lines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from headrace.frames import unique_names
from headrace.result import Result
from headrace.table_text import display_width, render_table
from headrace.types import Kind, SqlType
from headrace.value_text import decimal_text, value_texts

if TYPE_CHECKING:
    import pyarrow as pa

MODES = ("table", "csv", "json", "line")
_BLOCK_ROWS = 10_000  # rows turned into text at a time


def write_result(result: Result, mode: str, out: TextIO, width: int | None) -> None:
    """Write a whole result; `width` bounds the table mode, in character cells."""
    if mode == "csv":
        _write_csv(result, out)
    elif mode == "json":
        _write_json(result, out)
    elif mode == "line":
        _write_lines(result, out)
    elif result.columns == ["explain_key", "explain_value"]:
        for key, value in result:
            out.write(f"{str(key).replace('_', ' ')}\n{value}\n\n")
    else:
        out.write(render_table(result.fetch_arrow_table(), result.types, width=width) + "\n")


def _blocks(result: Result, text: Callable[[pa.ChunkedArray, SqlType], list[str]]) -> Iterator[zip[tuple[str, ...]]]:
    """The rows of a result as texts, a block at a time."""
    table = result.fetch_arrow_table()
    for at in range(0, len(result), _BLOCK_ROWS):
        columns = [text(table.column(i).slice(at, _BLOCK_ROWS), t) for i, t in enumerate(result.types)]
        yield zip(*columns, strict=True)


def _write_csv(result: Result, out: TextIO) -> None:
    out.write(",".join(map(_csv_field, result.columns)) + "\n")
    for block in _blocks(result, _csv_texts):
        out.writelines(",".join(row) + "\n" for row in block)


def _csv_texts(column: pa.ChunkedArray, sql_type: SqlType) -> list[str]:
    return ["" if t is None else _csv_field(t) for t in value_texts(column, sql_type)]


def _csv_field(text: str) -> str:
    """NULL is an empty field, so an empty text is quoted."""
    if not text or any(c in text for c in ',"\n\r') or text[0] == " " or text[-1] == " ":
        return '"' + text.replace('"', '""') + '"'
    return text


def _write_json(result: Result, out: TextIO) -> None:
    names = [json.dumps(n, ensure_ascii=False) for n in unique_names(result.columns)]
    separator = "["
    for block in _blocks(result, _json_texts):
        for row in block:
            out.write(separator + "{" + ",".join(f"{n}:{v}" for n, v in zip(names, row, strict=True)) + "}")
            separator = ",\n"
    out.write("]\n" if separator != "[" else "[]\n")


def _json_texts(column: pa.ChunkedArray, sql_type: SqlType) -> list[str]:
    """Numbers and booleans bare, NULL null, everything else as text; so are NaN and the infinities."""
    if sql_type.is_float:
        return ["null" if v is None else t if math.isfinite(v) else f'"{t}"' for v, t in _with_text(column, sql_type)]
    if sql_type.is_decimal:
        return ["null" if v is None else decimal_text(v) for v in column.to_pylist()]
    bare = sql_type.is_exact or sql_type.kind is Kind.BOOLEAN
    texts = value_texts(column, sql_type)
    return ["null" if t is None else t if bare else json.dumps(t, ensure_ascii=False) for t in texts]


def _with_text(column: pa.ChunkedArray, sql_type: SqlType) -> zip[tuple[float | None, str]]:
    texts = [t or "" for t in value_texts(column, sql_type)]
    return zip(column.to_pylist(), texts, strict=True)


def _write_lines(result: Result, out: TextIO) -> None:
    widest = max(map(display_width, result.columns), default=0)
    labels = [" " * (widest - display_width(n)) + n for n in result.columns]
    separator = ""
    for block in _blocks(result, _line_texts):
        for row in block:
            out.write(separator + "".join(f"{n} = {v}\n" for n, v in zip(labels, row, strict=True)))
            separator = "\n"


def _line_texts(column: pa.ChunkedArray, sql_type: SqlType) -> list[str]:
    return ["NULL" if t is None else t for t in value_texts(column, sql_type)]
