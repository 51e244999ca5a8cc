"""Every pipeline of the TPC-H queries compiles for the GPU, without one, and spills nothing."""

from __future__ import annotations

import pytest

import headrace
from headrace.tpch.generate import ensure_data
from headrace.tpch.tpch import TPCH

pytest.importorskip("numba.cuda")
pytest.importorskip("cuda.bindings")


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> headrace.Connection:
    folder = ensure_data(TPCH, 0.01, tmp_path_factory.mktemp("tpch") / "sf0.01")
    connection = headrace.connect()
    for table in TPCH.tables:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder}/{table}.parquet')")
    return connection


@pytest.mark.parametrize("name", ["1", "3", "5", "6", "10", "12", "14", "19"])
def test_kernels(connection: headrace.Connection, name: str) -> None:
    (query,) = TPCH.select([name])
    reports = connection.kernels(TPCH.text(query, 0.01, None), "sm_90")
    assert reports
    for report in reports:
        assert report.error is None
        assert report.spill_bytes == 0
        assert 0 < report.registers < 128
        assert ".entry" in report.ptx


def test_text_kernels(connection: headrace.Connection) -> None:
    """Text functions, arenas, hash groups of texts, outer joins and failures compile for the GPU too."""
    texts = [
        "SELECT upper(c_name) || '-' || substring(c_comment, 3, 5), length(c_phone) FROM customer",
        "SELECT c_comment, count(*), max(c_acctbal) FROM customer GROUP BY c_comment",
        "SELECT c_custkey, o_orderkey // (o_custkey - 1) FROM customer LEFT JOIN orders ON c_custkey = o_custkey",
        "SELECT count(*) FROM orders WHERE o_comment LIKE '%special%requests%'",
        "SELECT CAST(o_totalprice AS DOUBLE) * 2, year(o_orderdate) FROM orders WHERE o_orderkey IN (1, 2, 3)",
    ]
    for text in texts:
        for report in connection.kernels(text, "sm_90"):
            assert report.error is None, text
