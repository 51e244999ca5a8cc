"""Parquet files as a relation: columns are read when first needed, encoded, and kept while memory allows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.column import Column
from headrace.encode import Piece, assemble, prepare
from headrace.encodings.dictionary import DictionaryPiece, limit
from headrace.errors import DataError, NotSupportedError, OperationalError
from headrace.memory import Memory
from headrace.scan.files import FileKey, find_files
from headrace.scan.footers import Footer, claimed, clustered, damaged, footer, open_file, with_distinct
from headrace.sql.source import ColumnEstimate, SourceColumn
from headrace.statistics import scaled_distinct
from headrace.types import TIMESTAMP, SqlType

_AHEAD = 1
"""Columns being read while one is assembled: it bounds the memory that values take before they are
encoded."""

_PART_ROWS = 100_000
"""Rows read by one call: few enough for the processor's cache, many enough to be worth the call."""

_SMALL = 65_536
"""Values below which waking threads costs more than they save."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Row groups first..last-1 of one file, `rows` rows in all: what one call reads of a column."""

    file: Footer
    first: int
    last: int
    rows: int


class ParquetRelation:
    """The rows of one or more Parquet files, in order. A snapshot: it refuses to read files that have
    changed."""

    def __init__(self, name: str, patterns: Sequence[str], memory: Memory) -> None:
        """Finds the files and reads their footers; raises OperationalError or DataError naming the file at
        fault."""
        self._name = name
        self._patterns = tuple(patterns)
        self._memory = memory
        self._files = find_files(self._patterns, "parquet")
        self._footers = tuple(footer(key) for key in self._files)
        first = self._footers[0]
        for other in self._footers[1:]:
            _match(first, other)
        others = [{c.name for c in f.columns if c.nullable} for f in self._footers[1:]]
        self._schema = tuple(
            SourceColumn(c.name, c.type, c.nullable or any(c.name in names for names in others)) for c in first.columns
        )
        self._columns = {c.name: c for c in self._schema}

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> tuple[FileKey, ...]:
        """The files as they are now; it differs from that of a relation made before any of them changed."""
        return find_files(self._patterns, "parquet")

    def schema(self) -> tuple[SourceColumn, ...]:
        """The columns that can be read; `unsupported` has the others."""
        return self._schema

    def unsupported(self) -> dict[str, str]:
        """Columns that cannot be read, each with the reason."""
        return dict(self._footers[0].unsupported)

    def row_count(self) -> int:
        """As the footers claim; reading checks it."""
        return sum(file.rows for file in self._footers)

    def estimate(self, column: str) -> ColumnEstimate:
        """Bounds from the footers, and distinct values guessed from the first row group."""
        return _estimate(self._footers, self._require(column))

    def load(self, columns: Sequence[str], threads: int) -> dict[str, Column]:
        """The columns, each whole; those not cached are read and encoded on up to `threads` threads.

        Raises OperationalError when a file has changed since the relation was made, is gone, or memory is
        short; DataError when a file is damaged; NotSupportedError for a column that cannot be read.
        """
        wanted = [self._require(name) for name in dict.fromkeys(columns)]
        loaded: dict[str, Column] = {}
        for column in wanted:
            cached = self._memory.get(("parquet", self._files, column.name))
            if isinstance(cached, Column):
                loaded[column.name] = cached
        missing = [column for column in wanted if column.name not in loaded]
        if missing:
            self._check_unchanged()
            transient = (1 + min(_AHEAD, len(missing))) * max(self._raw_size(column) for column in missing)
            with self._memory.reserve(transient, f"reading {self._name}"):
                fresh = self._read_columns(missing, threads)
            self._check_unchanged()
            for name, column_read in fresh.items():
                self._memory.put(("parquet", self._files, name), column_read, f"column {name} of {self._name}")
            loaded.update(fresh)
        return loaded

    def head(self, columns: Sequence[str], rows: int) -> dict[str, Column] | None:
        """The first row groups of the columns, with at least `rows` rows if there are so many; not cached.

        None where that is no advantage: the columns are cached, or most of the file would be read anyhow. Raises
        what `load` raises.
        """
        wanted = [self._require(name) for name in dict.fromkeys(columns)]
        if all(self._memory.get(("parquet", self._files, c.name)) is not None for c in wanted):
            return None
        chosen: list[_Part] = []
        for part in _parts(self._footers, 1):
            chosen.append(part)
            if sum(p.rows for p in chosen) >= rows:
                break
        found = sum(part.rows for part in chosen)
        if 2 * found >= self.row_count():
            return None
        self._check_unchanged()
        readers = _Readers(found)
        return {c.name: assemble(c.type, _flat([readers.read(c, p) for p in chosen])) for c in wanted}

    def _require(self, name: str) -> SourceColumn:
        found = self._columns.get(name)
        if found is None:
            reason = self._footers[0].unsupported.get(name, "there is no such column")
            raise NotSupportedError(f"column {name!r} of {self._name} cannot be read: {reason}")
        return found

    def _check_unchanged(self) -> None:
        if find_files([key.path for key in self._files], "parquet") != self._files:
            raise OperationalError(
                f"the files of {self._name} changed while a query was using them", hint="run the query again"
            )

    def _raw_size(self, column: SourceColumn) -> int:
        """Bytes that a column's values may take before they are encoded."""
        total = 0
        for file in self._footers:
            for number in range(file.metadata.num_row_groups):
                group = file.metadata.row_group(number)
                chunk = group.column(file.leaves[column.name])
                total += max(16 * int(group.num_rows), int(chunk.total_uncompressed_size))
        return total

    def _read_columns(self, columns: Sequence[SourceColumn], threads: int) -> dict[str, Column]:
        parts = _parts(self._footers)
        readers = _Readers(self.row_count())
        if threads == 1 or self.row_count() * len(columns) <= _SMALL:
            return {c.name: assemble(c.type, _flat([readers.read(c, p) for p in parts])) for c in columns}
        with ThreadPoolExecutor(threads, "headrace-read") as pool:
            return _pipelined(columns, parts, readers, pool)


def _pipelined(
    columns: Sequence[SourceColumn], parts: Sequence[_Part], readers: _Readers, pool: ThreadPoolExecutor
) -> dict[str, Column]:
    """Read row groups on the pool, a few columns ahead of the one being assembled."""

    def each(function: Callable[[Any], None], items: Sequence[Any]) -> None:
        _results([pool.submit(function, item) for item in items])

    reading: dict[str, list[Future[list[Piece]]]] = {}
    result: dict[str, Column] = {}
    try:
        for position, column in enumerate(columns):
            for ahead in columns[position : position + 1 + _AHEAD]:
                if ahead.name not in reading:
                    reading[ahead.name] = [pool.submit(readers.read, ahead, part) for part in parts]
            pieces = _flat(_results(reading[column.name]))
            reading[column.name] = []
            result[column.name] = assemble(column.type, pieces, each)
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    return result


def _results(futures: Sequence[Future[Any]]) -> list[Any]:
    return [future.result() for future in futures]


def _flat(runs: Sequence[list[Piece]]) -> list[Piece]:
    return [piece for run in runs for piece in run]


def _parts(footers: Sequence[Footer], size: int = _PART_ROWS) -> list[_Part]:
    """All rows, in parts of at least `size` rows each but the last of a file; row groups without rows are left out."""
    result: list[_Part] = []
    for file in footers:
        first, rows = 0, 0
        groups = int(file.metadata.num_row_groups)
        for number in range(groups):
            rows += int(file.metadata.row_group(number).num_rows)
            if rows >= size or number == groups - 1:
                if rows:
                    result.append(_Part(file, first, number + 1, rows))
                first, rows = number + 1, 0
    return result


class _Readers:
    """Open files, apart for each thread, and which text columns are read as dictionaries."""

    def __init__(self, rows: int) -> None:
        self._limit = limit(rows)
        self._own = threading.local()
        self._plain: set[str] = set()

    def read(self, column: SourceColumn, part: _Part) -> list[Piece]:
        """One column of one row group."""
        coded = column.type.is_text and column.name not in self._plain and _has_dictionary(column, part)
        files: dict[tuple[str, bool], pq.ParquetFile] = self._own.__dict__.setdefault("files", {})
        key = (part.file.key.path, coded)
        file = files.get(key)
        if file is None:
            dictionaries = [c.name for c in part.file.columns if c.type.is_text] if coded else []
            file = files[key] = open_file(part.file.key, part.file.metadata, dictionaries)
        pieces = _read(file, part, column)
        for piece in pieces:
            if isinstance(piece, DictionaryPiece) and len(piece.values) > min(self._limit, piece.rows // 2):
                # So many values in one row group: the rest of the column is read as plain text.
                self._plain.add(column.name)
        return pieces


def _has_dictionary(column: SourceColumn, part: _Part) -> bool:
    chunk = part.file.metadata.row_group(part.first).column(part.file.leaves[column.name])
    return bool(chunk.has_dictionary_page)


def _read(file: pq.ParquetFile, part: _Part, column: SourceColumn) -> list[Piece]:
    key = part.file.key
    try:
        table = file.read_row_groups(range(part.first, part.last), columns=[column.name], use_threads=False)
        array = table.column(0)
        if array.num_chunks > 1 and pa.types.is_dictionary(array.type):
            array = pa.chunked_array([array.unify_dictionaries().combine_chunks()])
    except (pa.ArrowException, OSError) as fault:
        raise damaged(key, fault) from None
    if table.num_rows != part.rows:
        raise DataError(
            f"{key.path!r}: row groups {part.first} to {part.last - 1} hold {table.num_rows} rows and claim {part.rows}"
        )
    try:
        return [prepare(_in_units(chunk, column.type), column.type) for chunk in array.chunks]
    except (pa.ArrowException, DataError) as fault:
        raise DataError(f"{key.path!r}, column {column.name!r}: {fault}") from None


def _in_units(chunk: pa.Array, t: SqlType) -> pa.Array:
    """Timestamps are microseconds whatever unit the file has, except nanoseconds; durations are plain
    numbers."""
    if t == TIMESTAMP and chunk.type != pa.timestamp("us"):
        return chunk.cast(pa.timestamp("us"))
    if pa.types.is_duration(chunk.type):
        return chunk.view(pa.int64())
    return chunk


@lru_cache(4096)
def _estimate(footers: tuple[Footer, ...], column: SourceColumn) -> ColumnEstimate:
    """Remembered by the identity of the footers, which are themselves kept while their files do not
    change."""
    estimate = claimed(footers, column)
    rows = sum(file.rows for file in footers)
    part = next((_first_group(file) for file in footers if file.rows), None)
    if part is None:
        return estimate
    sample = assemble(column.type, _Readers(rows).read(column, part))
    distinct = scaled_distinct(sample, rows, clustered(footers, column.name))
    return with_distinct(estimate, distinct, rows)


def _first_group(file: Footer) -> _Part:
    counts = [int(file.metadata.row_group(k).num_rows) for k in range(file.metadata.num_row_groups)]
    first = next(k for k, count in enumerate(counts) if count)
    return _Part(file, first, first + 1, counts[first])


def _match(first: Footer, other: Footer) -> None:
    """Every readable column of the first file must be in the other, with the same type."""
    theirs = {c.name: c for c in other.columns}
    for column in first.columns:
        found = theirs.get(column.name)
        if found is None:
            raise DataError(f"{other.key.path!r} has no readable column {column.name!r}, which {first.key.path!r} has")
        if found.type != column.type:
            raise DataError(
                f"column {column.name!r} is {column.type} in {first.key.path!r} and {found.type} in {other.key.path!r}"
            )
