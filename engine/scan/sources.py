"""Which relation a table function, a file name or an object of the caller's program stands for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.memory import Memory
from headrace.scan.arrow import MemoryRelation, open_arrow
from headrace.scan.csv import CsvRelation
from headrace.scan.csv_options import dialect
from headrace.scan.dataframes import open_dataframe
from headrace.scan.files import is_directory, paths_of
from headrace.scan.parquet import ParquetRelation

_CSV_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_PARQUET_ENDINGS = (".parquet", ".parq", ".pq")


class Sources:
    """Opens files and objects for one catalog; columns of files are cached in its memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def open_files(
        self, function: str, arguments: Sequence[object], options: Mapping[str, object]
    ) -> ParquetRelation | CsvRelation:
        """The relation of `read_parquet(...)`, `read_csv(...)`, or `file` for FROM 'path'.

        Raises ProgrammingError for arguments that make no sense, and what opening the files raises.
        """
        name = function.lower()
        patterns = paths_of(arguments, name)
        label = patterns[0] if len(patterns) == 1 else f"{patterns[0]} and {len(patterns) - 1} more"
        if name == "file":
            name = _function_for(patterns[0])
        if name in ("read_parquet", "parquet_scan"):
            if options:
                raise NotSupportedError(f"read_parquet has no option {next(iter(options))!r}")
            return ParquetRelation(label, patterns, self._memory)
        if name in ("read_csv", "read_csv_auto"):
            return CsvRelation(label, patterns, dialect(options), self._memory)
        raise NotSupportedError(f"the table function {function} is not supported yet", hint="read_parquet or read_csv")

    def open_object(self, name: str, value: object) -> MemoryRelation:
        """The relation over a data frame or Arrow object; NotSupportedError, naming its type, for anything
        else."""
        relation = open_dataframe(name, value) or open_arrow(name, value)
        if relation is None:
            raise NotSupportedError(
                f"{name} is a {type(value).__module__}.{type(value).__qualname__}, which cannot be queried",
                hint="pandas and polars frames, pyarrow tables, readers and datasets, and Arrow streams can",
            )
        return relation


def _function_for(path: str) -> str:
    ending = path.lower()
    if ending.endswith(_PARQUET_ENDINGS):
        return "read_parquet"
    if ending.endswith(_CSV_ENDINGS):
        return "read_csv"
    if os.path.isdir(os.path.expanduser(path)):
        raise is_directory(path, "parquet")
    raise ProgrammingError(
        f"the name of {path!r} does not tell what kind of file it is",
        hint="use read_parquet('...') or read_csv('...')",
    )
