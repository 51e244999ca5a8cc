"""CSV files as a relation: layout from the first rows, the rest read when a column is needed."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.csv as pacsv

from headrace.column import Column
from headrace.encode import encode
from headrace.errors import OperationalError
from headrace.memory import Memory
from headrace.scan.csv_layout import check_layout, convert_options, fault_of, find_layout, parse_options, read_options
from headrace.scan.csv_options import Dialect
from headrace.scan.files import FileKey, find_files
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.types import to_arrow


class CsvRelation:
    """The rows of one or more CSV files of one layout, in order. A snapshot: files that changed are
    refused."""

    def __init__(self, name: str, patterns: Sequence[str], options: Dialect, memory: Memory) -> None:
        """Finds the files and reads the first rows; OperationalError or DataError names the file at fault."""
        self._name = name
        self._patterns = tuple(patterns)
        self._memory = memory
        self._files = find_files(self._patterns, "csv")
        layout = find_layout(options, self._files[0])
        for other in self._files[1:]:
            check_layout(layout, options, self._files[0], other)
        self._dialect = layout.dialect
        self._schema = layout.columns

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


def _read(
    file: FileKey,
    options: Dialect,
    schema: Sequence[SourceColumn],
    wanted: Sequence[SourceColumn],
    threads: int,
) -> pa.Table:
    names = [c.name for c in schema]
    types = {c.name: to_arrow(c.type) for c in schema}
    convert = convert_options(options, types, [c.name for c in wanted])
    arguments = {"parse_options": parse_options(options), "convert_options": convert}
    try:
        return pacsv.read_csv(file.path, read_options=read_options(options, names, threads > 1), **arguments)
    except (pa.ArrowException, OSError, UnicodeError) as first:
        fault: Exception = first
    if threads > 1:
        # Only a reader on one thread counts the rows, so the bad one is looked for again.
        try:
            return pacsv.read_csv(file.path, read_options=read_options(options, names, False), **arguments)
        except (pa.ArrowException, OSError, UnicodeError) as again:
            fault = again
    raise fault_of(file, fault, options) from None
