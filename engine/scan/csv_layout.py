"""What a CSV file looks like, told from its first rows: delimiter, header, names and types, with DuckDB's rules."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import pyarrow as pa
import pyarrow.csv as pacsv

from headrace.errors import DataError, OperationalError, ProgrammingError
from headrace.scan.csv_options import Dialect
from headrace.scan.csv_types import FALSE_VALUES, TRUE_VALUES, fits, guess, is_plain_text
from headrace.scan.files import FileKey
from headrace.scan.names import distinct_names
from headrace.sql.source import SourceColumn
from headrace.types import VARCHAR, SqlType

SAMPLE_BYTES = 1 << 20
_START_BYTES = 65_536
_DELIMITERS = (",", "|", ";", "\t")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Layout:
    """The dialect with everything in it found, and the columns. `labels` is the header's line, if there is one."""

    dialect: Dialect
    columns: tuple[SourceColumn, ...]
    labels: tuple[str | None, ...] | None


def find_layout(options: Dialect, file: FileKey) -> Layout:
    """The layout of a file; DataError or OperationalError, naming it, where it cannot be read."""
    if file.size == 0:
        raise DataError(f"{file.path!r} is empty; a CSV file has at least a header")
    options = _with_start(options, file)
    options, sample = _sample(options, file)
    first, others = [column[0].as_py() for column in sample.columns], sample.slice(1)
    if options.whole_schema and len(options.names) != len(first):
        raise DataError(f"columns names {len(options.names)} columns, and the file has {len(first)}")
    if len(options.names) > len(first):
        raise DataError(f"names has {len(options.names)} columns, and the file has {len(first)}")
    told = options.header is None
    if told:
        options = replace(options, header=_is_header(options, first, others if others.num_rows else sample))
    body = others if options.header or (told and others.num_rows) else sample
    names = _names(options, first)
    given = dict(options.types)
    unknown = [key for key in given if isinstance(key, str) and key not in names]
    if unknown:
        raise ProgrammingError(f"{file.path!r} has no column {unknown[0]!r}", hint=f"it has {', '.join(names)}")
    columns = tuple(
        SourceColumn(name, given.get(name) or given.get(k) or _guessed(options, body.column(k)), True)
        for k, name in enumerate(names)
    )
    return Layout(options, columns, tuple(first) if options.header else None)


def check_layout(layout: Layout, options: Dialect, first: FileKey, file: FileKey) -> None:
    """Raise DataError unless a further file begins as the first does: with the same header, or with none.

    A header that is missing or another would cost a row, or put values into the wrong columns.
    """
    if layout.labels is None or file.size == 0:
        return
    found = [column[0].as_py() for column in _sample(_with_start(options, file), file)[1].columns]
    if tuple(found) != layout.labels:
        ours, theirs = (", ".join(label or "" for label in labels) for labels in (layout.labels, found))
        raise DataError(
            f"{file.path!r} begins with another line than {first.path!r}: {theirs}; not the header {ours}",
            hint="read the files apart, or give header = false where none has a header",
        )


def _with_start(options: Dialect, file: FileKey) -> Dialect:
    """The dialect with the delimiter that the first line has most of, which blank lines may precede."""
    try:
        with pa.input_stream(file.path) as stream:
            start = stream.read(_START_BYTES)
    except (OSError, pa.ArrowException) as fault:
        raise OperationalError(f"cannot read {file.path!r}: {fault}") from None
    if options.encoding == "utf-8" and start.startswith(_UTF16_MARKS):
        raise DataError(
            f"line 1 of {file.path!r}: the file is UTF-16, not UTF-8",
            hint=f"read_csv('{file.path}', encoding = 'utf-16')",
        )
    lines = start.decode(options.encoding, "replace").split("\n")
    skip = options.skip
    while skip < len(lines) - 1 and lines[skip] in ("", "\r"):
        skip += 1
    line = lines[min(skip, len(lines) - 1)]
    if options.quote is not None:
        mark = re.escape(options.quote)
        line = re.sub(f"{mark}[^{mark}]*{mark}", "", line)
    return replace(options, skip=skip, delimiter=options.delimiter or max(_DELIMITERS, key=line.count))


def _is_header(options: Dialect, first: Sequence[str | None], others: pa.Table) -> bool:
    """Whether the first line holds names: when all columns are text, or it does not fit the others' types."""
    if all(text is None for text in first):
        return True
    if options.whole_schema:
        types = [t for _, t in options.types]
        return all(t == VARCHAR for t in types) or not all(map(fits, first, types))
    columns = [others.column(k) for k in range(len(first))]
    types = [guess(column) for column in columns]
    # A column without values has no type: it is no text, and no name fits it.
    empty = [column.null_count == len(column) for column in columns]
    plain = [t == VARCHAR and is_plain_text(text, c) for text, t, c in zip(first, types, columns, strict=True)]
    fit = [text is None if e else fits(text, t) for text, t, e in zip(first, types, empty, strict=True)]
    return not all(fit) or (all(plain) and not any(empty))


def _sample(options: Dialect, file: FileKey) -> tuple[Dialect, pa.Table]:
    """The first rows as texts, NULL where the dialect says so; at least one row. And the dialect, which the number
    of columns is a part of."""
    try:
        with pacsv.open_csv(
            file.path,
            read_options=pacsv.ReadOptions(
                use_threads=False,
                block_size=SAMPLE_BYTES,
                skip_rows=options.skip,
                autogenerate_column_names=True,
                encoding=options.encoding,
            ),
            parse_options=parse_options(options),
            convert_options=convert_options(options, {}),
        ) as reader:
            names = list(reader.schema.names)
        options = replace(options, one_column=len(names) == 1)
        with pacsv.open_csv(
            file.path,
            read_options=read_options(replace(options, header=False), names, False),
            parse_options=parse_options(options),
            convert_options=convert_options(options, dict.fromkeys(names, pa.string())),
        ) as reader:
            sample = pa.Table.from_batches([reader.read_next_batch()])
    except StopIteration:
        raise DataError(f"{file.path!r} has no rows after the first {options.skip} lines") from None
    except (pa.ArrowException, OSError, UnicodeError) as fault:
        raise fault_of(file, fault, options) from None
    return options, sample


def _guessed(options: Dialect, sample: pa.ChunkedArray) -> SqlType:
    return VARCHAR if options.all_text else guess(sample)


def _names(options: Dialect, labels: Sequence[str | None]) -> list[str]:
    result: list[str] = []
    for position, label in enumerate(labels):
        if position < len(options.names):
            name = options.names[position]
        elif not options.header or not label:
            name = f"column{position}"
        else:
            name = label.strip()
        result.append(name)
    return distinct_names(result)


# ---- the dialect as pyarrow's options


def read_options(options: Dialect, names: Sequence[str], parallel: bool) -> pacsv.ReadOptions:
    """For columns called `names`, the header skipped."""
    return pacsv.ReadOptions(
        use_threads=parallel,
        block_size=SAMPLE_BYTES,
        skip_rows=options.skip,
        skip_rows_after_names=int(bool(options.header)),
        column_names=names,
        encoding=options.encoding,
    )


def parse_options(options: Dialect) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(
        delimiter=options.delimiter or ",",
        quote_char=options.quote or False,
        double_quote=options.escape in (None, options.quote),
        escape_char=False if options.escape in (None, options.quote) else options.escape,
        newlines_in_values=True,
        ignore_empty_lines=not options.one_column,
    )


def _cases(words: Sequence[str]) -> list[str]:
    """Every mixture of upper and lower case."""
    return ["".join(p) for word in words for p in product(*({c, c.upper()} for c in word))]


_TRUE, _FALSE = _cases(TRUE_VALUES), _cases(FALSE_VALUES)


def convert_options(
    options: Dialect, types: Mapping[str, pa.DataType], include: Sequence[str] = ()
) -> pacsv.ConvertOptions:
    return pacsv.ConvertOptions(
        column_types=dict(types),
        null_values=list(options.null_text),
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
        true_values=_TRUE,
        false_values=_FALSE,
        include_columns=list(include) or None,
    )


# ---- faults

_ROW = re.compile(r"Row #(\d+): ")
_COLUMN = re.compile(r"In CSV column #(\d+): ")


def fault_of(file: FileKey, fault: Exception, options: Dialect) -> DataError | OperationalError:
    """The error for what pyarrow complains of, with the file, the line and what to do."""
    text = str(fault).strip()
    if isinstance(fault, FileNotFoundError | PermissionError):
        return OperationalError(f"cannot read {file.path!r}: {text}")
    if isinstance(fault, UnicodeError):
        return DataError(f"{file.path!r} is not {options.encoding}: {text}")
    if "Empty CSV file" in text:
        return DataError(f"{file.path!r} has no rows, nor a header")
    if "invalid UTF8" in text:
        line, byte = _bad_byte(file)
        return DataError(
            f"line {line} of {file.path!r}: the byte 0x{byte:02X} is not UTF-8",
            hint=f"if the file is Latin-1: read_csv('{file.path}', encoding = 'latin-1')",
        )
    row, column = _ROW.search(text), _COLUMN.search(text)
    place = f"line {row[1]} of {file.path!r}" if row is not None else repr(file.path)
    if column is not None:
        place += f", column {int(column[1]) + 1}"
    text = _COLUMN.sub("", _ROW.sub("", text))
    text = text.removeprefix("CSV parse error: ").replace("CSV conversion error to", "no")
    hint = "give the types: read_csv('...', types={'column': 'VARCHAR'})" if column is not None else None
    return DataError(f"{place}: {text[:1].lower() + text[1:]}", hint=hint)


def _bad_byte(file: FileKey) -> tuple[int, int]:
    """The line, from 1, and the value of the first byte that is not UTF-8."""
    line, rest = 1, b""
    with pa.input_stream(file.path) as stream:
        while chunk := stream.read(SAMPLE_BYTES):
            whole, newline, rest = (rest + chunk).rpartition(b"\n")
            part = whole + newline
            try:
                part.decode("utf-8")
            except UnicodeDecodeError as fault:
                return line + part.count(b"\n", 0, fault.start), part[fault.start]
            line += part.count(b"\n")
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as fault:
        return line, rest[fault.start]
    raise OperationalError(f"{file.path!r} changed while it was read", hint="run the query again")
