"""TPC-H at SF 0.01, as files and in DuckDB, and a connection in the place of Headrace's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from headrace.tpch.generate import ensure_data
from headrace.tpch.tpch import TPCH
from tpch_stand_in import StandIn


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the Parquet files."""
    return ensure_data(TPCH, 0.01, tmp_path_factory.mktemp("tpch") / "sf0.01")


@pytest.fixture(scope="session")
def oracle(data: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with a view over each table."""
    with duckdb.connect() as connection:
        for table in TPCH.tables:
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{data / table}.parquet')")
        yield connection


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """What the commands get when they connect to Headrace."""
    import headrace

    connection = StandIn()

    def connect(**options: object) -> StandIn:
        connection.options = options
        connection.duckdb = duckdb.connect()
        return connection

    # The module loads its names when they are asked for: put in its dictionary, this one is there already.
    monkeypatch.setitem(vars(headrace), "connect", connect)
    return connection
