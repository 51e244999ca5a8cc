"""CSV files as a relation: types and dialect from the first rows, the rest read when a column is needed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import pyarrow as pa
import pyarrow.csv as pacsv

from headrace.column import Column
from headrace.encode import encode
from headrace.errors import DataError, NotSupportedError, OperationalError, ProgrammingError
from headrace.memory import Memory
from headrace.scan.csv_types import FALSE_VALUES, TRUE_VALUES, guess, named_type
from headrace.scan.files import FileKey, find_files
from headrace.scan.names import distinct_names
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.types import VARCHAR, SqlType, to_arrow

_SAMPLE_BYTES = 1 << 20
_DELIMITERS = (",", "|", ";", "\t")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of `read_csv`. `delimiter` None: found from the first line. `header` None: told from the types of
    the first line and of the others. `types` by column name or position."""

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


def dialect(options: Mapping[str, object]) -> Dialect:
    """The options by DuckDB's names; ProgrammingError for an unknown one or a value that does not fit."""
    values: dict[str, object] = {}
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
        elif key != "auto_detect":
            raise NotSupportedError(
                f"read_csv has no option {name!r}",
                hint="header, delim, quote, escape, nullstr, skip, names, columns, types, all_varchar",
            )
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


class CsvRelation:
    """The rows of one or more CSV files of one layout, in order. A snapshot: files that changed are
    refused."""

    def __init__(self, name: str, patterns: Sequence[str], options: Dialect, memory: Memory) -> None:
        """Finds the files and reads the first rows; OperationalError or DataError names the file at fault."""
        self._name = name
        self._patterns = tuple(patterns)
        self._memory = memory
        self._files = find_files(self._patterns, "csv")
        self._dialect = _with_header(_with_delimiter(options, self._files[0]), self._files[0])
        self._schema = _schema(self._dialect, self._files[0])

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> tuple[FileKey, ...]:
        """The files as they are now; it differs from that of a relation made before any of them changed."""
        return find_files(self._patterns, "csv")

    def schema(self) -> tuple[SourceColumn, ...]:
        return self._schema

    def unsupported(self) -> dict[str, str]:
        return {}

    def row_count(self) -> int | None:
        return None

    def estimate(self, column: str) -> ColumnEstimate:
        return ColumnEstimate()

    def load(self, columns: Sequence[str], threads: int) -> dict[str, Column]:
        """The columns, each whole. DataError names the line of a row that does not fit."""
        key = (self._files, self._dialect)
        loaded: dict[str, Column] = {}
        for name in dict.fromkeys(columns):
            cached = self._memory.get(("csv", key, name))
            if isinstance(cached, Column):
                loaded[name] = cached
        missing = [c for c in self._schema if c.name in set(columns) and c.name not in loaded]
        if missing:
            self._check_unchanged()
            size = sum(file.size for file in self._files)
            with self._memory.reserve(size, f"reading {self._name}"):
                tables = [_read(file, self._dialect, self._schema, missing, threads) for file in self._files]
                for column in missing:
                    chunks = [chunk for table in tables for chunk in table.column(column.name).chunks]
                    array = pa.chunked_array(chunks, to_arrow(column.type))
                    loaded[column.name] = encode(array, column.type)
            self._check_unchanged()
            for column in missing:
                owner = f"column {column.name} of {self._name}"
                self._memory.put(("csv", key, column.name), loaded[column.name], owner)
        return loaded

    def _check_unchanged(self) -> None:
        if find_files([key.path for key in self._files], "csv") != self._files:
            raise OperationalError(
                f"the files of {self._name} changed while a query was using them", hint="run the query again"
            )


def _with_delimiter(options: Dialect, file: FileKey) -> Dialect:
    """The dialect with the delimiter that the first line has most of."""
    if options.delimiter is not None:
        return options
    try:
        with pa.input_stream(file.path) as stream:
            start = stream.read(65_536)
    except (OSError, pa.ArrowException) as fault:
        raise OperationalError(f"cannot read {file.path!r}: {fault}") from None
    lines = start.split(b"\n")
    line = lines[min(options.skip, len(lines) - 1)].decode("utf-8", "replace")
    if options.quote is not None:
        mark = re.escape(options.quote)
        line = re.sub(f"{mark}[^{mark}]*{mark}", "", line)
    found = max(_DELIMITERS, key=line.count)
    return Dialect(**{**_as_dict(options), "delimiter": found})  # type: ignore[arg-type]


def _with_header(options: Dialect, file: FileKey) -> Dialect:
    """The dialect with its header found: the first line is one unless it fits the types of all other lines and not
    all columns are text."""
    if options.header is not None:
        return options
    found = True
    if not (options.names or options.all_text or options.whole_schema or file.size == 0):
        sample = _sample(Dialect(**{**_as_dict(options), "header": False}), file)[1]  # type: ignore[arg-type]
        every = [guess(column) for column in sample.columns]
        others = [guess(column.slice(1)) for column in sample.columns] if sample.num_rows > 1 else every
        found = sample.num_rows == 0 or every != others or all(t == VARCHAR for t in every)
    return Dialect(**{**_as_dict(options), "header": found})  # type: ignore[arg-type]


def _as_dict(options: Dialect) -> dict[str, object]:
    return {name: getattr(options, name) for name in Dialect.__dataclass_fields__}


def _schema(options: Dialect, file: FileKey) -> tuple[SourceColumn, ...]:
    """Names from the header or `names`, types as given or guessed."""
    if file.size == 0:
        raise DataError(f"{file.path!r} is empty; a CSV file has at least a header")
    names, sample = _sample(options, file)
    given = dict(options.types)
    unknown = [key for key in given if isinstance(key, str) and key not in names]
    if unknown:
        raise ProgrammingError(f"{file.path!r} has no column {unknown[0]!r}", hint=f"it has {', '.join(names)}")
    return tuple(
        SourceColumn(name, given.get(name) or given.get(k) or _guessed(options, sample.column(k)), True)
        for k, name in enumerate(names)
    )


def _sample(options: Dialect, file: FileKey) -> tuple[list[str], pa.Table]:
    """The names of the columns, and the first rows as texts."""
    try:
        with pacsv.open_csv(
            file.path,
            read_options=_read_options(options, None, False, _SAMPLE_BYTES),
            parse_options=_parse_options(options),
            convert_options=_convert_options(options, {}),
        ) as reader:
            labels = list(reader.schema.names)
        names = _names(options, labels)
        with pacsv.open_csv(
            file.path,
            read_options=_read_options(options, names, False, _SAMPLE_BYTES),
            parse_options=_parse_options(options),
            convert_options=_convert_options(options, dict.fromkeys(names, pa.string())),
        ) as reader:
            try:
                sample = pa.Table.from_batches([reader.read_next_batch()])
            except StopIteration:
                sample = reader.schema.empty_table()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:
        raise _fault(file, fault, options) from None
    return names, sample


def _guessed(options: Dialect, sample: pa.ChunkedArray) -> SqlType:
    return VARCHAR if options.all_text else guess(sample)


def _names(options: Dialect, labels: Sequence[str]) -> list[str]:
    if options.whole_schema and len(options.names) != len(labels):
        raise DataError(f"columns names {len(options.names)} columns, and the file has {len(labels)}")
    if len(options.names) > len(labels):
        raise DataError(f"names has {len(options.names)} columns, and the file has {len(labels)}")
    result: list[str] = []
    for position, label in enumerate(labels):
        if position < len(options.names):
            name = options.names[position]
        elif not options.header or label == "":
            name = f"column{position}"
        else:
            name = label.strip()
        result.append(name)
    return distinct_names(result)


def _read_options(options: Dialect, names: Sequence[str] | None, parallel: bool, block: int) -> pacsv.ReadOptions:
    """Without `names` those of the header are read; with them the header is skipped."""
    skip = options.skip + (1 if names is not None and options.header else 0)
    return pacsv.ReadOptions(
        use_threads=parallel,
        block_size=block,
        skip_rows=skip,
        column_names=names,
        autogenerate_column_names=names is None and not options.header,
    )


def _parse_options(options: Dialect) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(
        delimiter=options.delimiter or ",",
        quote_char=options.quote or False,
        double_quote=options.escape in (None, options.quote),
        escape_char=False if options.escape in (None, options.quote) else options.escape,
        newlines_in_values=True,
    )


def _cases(words: Sequence[str]) -> list[str]:
    """Every mixture of upper and lower case."""
    return ["".join(p) for word in words for p in product(*({c, c.upper()} for c in word))]


_TRUE, _FALSE = _cases(TRUE_VALUES), _cases(FALSE_VALUES)


def _convert_options(
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


def _read(
    file: FileKey,
    options: Dialect,
    schema: Sequence[SourceColumn],
    wanted: Sequence[SourceColumn],
    threads: int,
) -> pa.Table:
    names = [c.name for c in schema]
    types = {c.name: to_arrow(c.type) for c in schema}
    convert = _convert_options(options, types, [c.name for c in wanted])
    arguments = {"parse_options": _parse_options(options), "convert_options": convert}
    try:
        return pacsv.read_csv(
            file.path, read_options=_read_options(options, names, threads > 1, _SAMPLE_BYTES), **arguments
        )
    except (pa.ArrowException, OSError) as first:
        fault: Exception = first
    if threads > 1:
        # Only a reader on one thread counts the rows, so the bad one is looked for again.
        try:
            return pacsv.read_csv(
                file.path, read_options=_read_options(options, names, False, _SAMPLE_BYTES), **arguments
            )
        except (pa.ArrowException, OSError) as again:
            fault = again
    raise _fault(file, fault, options) from None


_ROW = re.compile(r"Row #(\d+): ")
_COLUMN = re.compile(r"In CSV column #(\d+): ")


def _fault(file: FileKey, fault: Exception, options: Dialect) -> DataError | OperationalError:
    text = str(fault).strip()
    if isinstance(fault, FileNotFoundError | PermissionError):
        return OperationalError(f"cannot read {file.path!r}: {text}")
    row, column = _ROW.search(text), _COLUMN.search(text)
    place = f"line {row[1]} of {file.path!r}" if row is not None else repr(file.path)
    if column is not None:
        place += f", column {int(column[1]) + 1}"
    text = _COLUMN.sub("", _ROW.sub("", text))
    text = text.removeprefix("CSV parse error: ").replace("CSV conversion error to", "no")
    hint = "give the types: read_csv('...', types={'column': 'VARCHAR'})" if column is not None else None
    return DataError(f"{place}: {text[:1].lower() + text[1:]}", hint=hint)
