"""Plans and pipelines of the TPC-H queries at SF 0.01, as they were last looked at.

`pytest tests/test_golden_plans.py --regenerate` writes them anew; the difference is then for reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace
from headrace.tpch.generate import ensure_data
from headrace.tpch.tpch import TPCH

GOLDEN = Path(__file__).parent / "golden"
QUERIES = ("1", "3", "5", "6", "10", "12", "14", "19")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Parquet files."""
    return ensure_data(TPCH, 0.01, tmp_path_factory.mktemp("tpch") / "sf0.01")


@pytest.fixture(scope="module")
def connection(folder: Path) -> Iterator[headrace.Connection]:
    """Headrace with a view over each table's file."""
    with headrace.connect(device="cpu", execution="auto") as opened:
        for table in TPCH.tables:
            opened.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folder / table}.parquet'")
        yield opened


@pytest.mark.parametrize("name", QUERIES)
def test_plan(name: str, connection: headrace.Connection, folder: Path, regenerate: bool) -> None:
    text = TPCH.text(TPCH.select([name])[0], 0.01, None)
    sections = dict(connection.sql(f"EXPLAIN {text}").fetchall())
    found = "\n\n".join(
        f"-- {title}\n{sections[key]}" for title, key in (("plan", "optimized_plan"), ("pipelines", "pipelines"))
    )
    found = found.replace(f"{folder}/", "")
    path = GOLDEN / f"q{int(name):02d}.txt"
    if regenerate:
        path.write_text(found + "\n")
        return
    assert found + "\n" == path.read_text(), "the plan changed: run with --regenerate and read the difference"
