"""What the commands share: their options, connections with the suite's tables, the versions in use."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from headrace.settings import Settings
from headrace.tpch.generate import location
from headrace.tpch.suite import Query, Suite, SuiteError
from headrace.tpch.worker import definitions

if TYPE_CHECKING:
    import duckdb

    from headrace.connection import Connection


@dataclass(frozen=True, slots=True)
class Options:
    """What every command that runs queries is told.

    `named` says that the queries were chosen one by one, so that a refusal is a failure; `seed` None stands
    for the validation parameters; `source` is "parquet" (views over the files) or "tables" (tables made
    from them).
    """

    folder: Path
    scale: float
    queries: tuple[Query, ...]
    named: bool
    seed: int | None
    device: str
    execution: str
    threads: int
    source: str


def presets() -> Settings:
    """Headrace's settings as the environment presets them: the defaults of the options."""
    return Settings()


def table_files(suite: Suite, options: Options) -> dict[str, str]:
    """The tables that the chosen queries name, each with its file or pattern of files."""
    return {table: location(options.folder, table) for table in suite.tables_of(options.queries)}


def connect(suite: Suite, options: Options) -> Connection:
    """A Headrace connection in which the tables of the chosen queries are defined."""
    import headrace

    connection = headrace.connect(device=options.device, execution=options.execution, threads=options.threads)
    for statement in definitions(table_files(suite, options), options.source):
        connection.execute(statement)
    return connection


def connect_duckdb(suite: Suite, options: Options) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with views over the same files."""
    connection: duckdb.DuckDBPyConnection = require("duckdb").connect(config={"threads": options.threads})
    for statement in definitions(table_files(suite, options), "parquet"):
        connection.execute(statement)
    return connection


def require(module: str) -> ModuleType:
    """Import an engine to compare with; raises SuiteError, with the cure, when it is not installed."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise SuiteError(f'{module} is not installed: pip install "headrace[compare]"') from fault


def versions(packages: Sequence[str]) -> dict[str, str | None]:
    """The versions of Python and of the packages; None for those that are not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


OWN_PACKAGES = ("headrace", "numba", "llvmlite", "numpy", "pyarrow", "sqlglot")
