"""Interpreted or compiled: what decides, what is compiled once, and that forms do not depend on literals (I5, I6)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import headrace


@pytest.fixture
def table() -> pa.Table:
    """300,000 rows: three morsels."""
    rng = np.random.default_rng(11)
    n = 300_000
    return pa.table(
        {
            "k": pa.array(rng.integers(0, 1000, n), pa.int64()),
            "q": pa.array(rng.integers(1, 50, n), pa.int32()),
            "s": pa.array(np.array(["red", "green", "blue", "grey", "teal"])[rng.integers(0, 5, n)]),
            "t": pa.array([f"text {x}" for x in rng.integers(0, 200_000, n)]),
        }
    )


@pytest.fixture
def connection(table: pa.Table, tmp_path: Path) -> Iterator[headrace.Connection]:
    """Compiled execution with an empty kernel cache of its own."""
    connection = headrace.connect(execution="compiled", kernel_cache=str(tmp_path / "kernels"))
    connection.register("t", table)
    yield connection
    connection.close()


FORMS = [
    ("SELECT sum(q) FROM t WHERE k < {} AND q BETWEEN {} AND {}", [(500, 3, 9), (9, 20, 20), (-5, 0, 99)]),
    ("SELECT count(*) FROM t WHERE s = '{}'", [("red",), ("blue",), ("no such colour",)]),
    (
        "SELECT s, count(*) FROM t WHERE k IN ({}) GROUP BY s",
        [("1, 2",), ("7, 7, 8",), (", ".join(map(str, range(400))),)],
    ),
    ("SELECT count(*) FROM t WHERE s LIKE '{}'", [("gr%",), ("%e%",), ("_ed",)]),
    ("SELECT count(*) FROM t WHERE t LIKE '{}'", [("text 1%",), ("%99",)]),
    ("SELECT k + {} AS x FROM t WHERE t > '{}' ORDER BY x LIMIT {}", [(1, "text 5", 3), (7, "text 9", 20)]),
]


@pytest.mark.parametrize(("form", "literals"), FORMS)
def test_new_literals_compile_nothing(
    connection: headrace.Connection, form: str, literals: list[tuple[object, ...]]
) -> None:
    first, *others = (form.format(*values) for values in literals)
    assert connection.execute(first).fetch_arrow_table() is not None
    assert connection.last_profile is not None
    assert connection.last_profile.compiled > 0
    for text in others:
        connection.execute(text)
        assert connection.last_profile.compiled == 0, text


def test_a_new_process_compiles_nothing(tmp_path: Path) -> None:
    program = """
import sys, headrace, pyarrow as pa
con = headrace.connect(execution="compiled", kernel_cache=sys.argv[1])
con.register("t", pa.table({"a": [1, 2, 3, 4], "b": [1.5, None, 2.5, 4.0]}))
text = "SELECT a % 2 AS g, count(*), sum(b) FROM t WHERE a < " + sys.argv[2] + " GROUP BY g ORDER BY g"
rows = con.execute(text).fetchall()
print(con.last_profile.compiled, rows)
"""
    outputs = []
    for limit in ("4", "3"):
        arguments = [sys.executable, "-c", program, str(tmp_path / "kernels"), limit]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        outputs.append(done.stdout.split(" ", 1))
    assert int(outputs[0][0]) > 0
    assert int(outputs[1][0]) == 0
    assert outputs[0][1].strip() == "[(0, 1, None), (1, 2, 4.0)]"
    assert outputs[1][1].strip() == "[(0, 1, None), (1, 1, 1.5)]"


def test_small_work_is_not_compiled(tmp_path: Path) -> None:
    connection = headrace.connect(kernel_cache=str(tmp_path / "kernels"))
    connection.register("t", pa.table({"a": list(range(1000))}))
    assert connection.execute("SELECT sum(a * a) FROM t WHERE a % 3 = 1").fetchall() == [(110_611_611,)]
    profile = connection.last_profile
    assert profile is not None
    assert profile.compiled == 0
    assert [p.compiled for p in profile.pipelines] == [False] * len(profile.pipelines)


def test_large_work_is_compiled(table: pa.Table, tmp_path: Path) -> None:
    connection = headrace.connect(kernel_cache=str(tmp_path / "kernels"))
    connection.register("t", pa.concat_tables([table] * 10))
    connection.execute("SELECT sum(q * k) FROM t WHERE s <> 'red'")
    assert connection.last_profile is not None
    assert connection.last_profile.pipelines[0].compiled


@pytest.mark.parametrize("execution", ["interpreted", "compiled"])
def test_a_failure_names_the_place_in_the_text(table: pa.Table, execution: str) -> None:
    connection = headrace.connect(execution=execution)
    connection.register("t", table)
    text = "SELECT sum(q // (k - 77)) FROM t"
    with pytest.raises(headrace.DataError, match="division by zero") as caught:
        connection.execute(text)
    assert caught.value.position is not None
    assert caught.value.line_and_column is not None
    assert caught.value.line_and_column[0] == 1


def test_threads_change_nothing(table: pa.Table) -> None:
    """Sums of floats, collected rows and top-k ties are the same bytes for any number of threads (I7)."""
    texts = [
        "SELECT s, sum(k / 7.0), avg(q * 0.1), stddev(q), min(t), max(t) FROM t GROUP BY s ORDER BY s",
        "SELECT k, sum(q / 3.0) AS x FROM t GROUP BY k ORDER BY x DESC, k",
        "SELECT sum(k / 3.0), any_value(t) FROM t WHERE q > 10",
        "SELECT k, t FROM t WHERE q = 7",
        "SELECT q, t FROM t ORDER BY q LIMIT 50",
        "SELECT t FROM t LIMIT 1000 OFFSET 140000",
    ]
    results = []
    for threads in (1, 2, 5):
        connection = headrace.connect(execution="compiled", threads=threads)
        connection.register("t", table)
        results.append([connection.execute(text).fetch_arrow_table() for text in texts])
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            assert ours.equals(theirs)


def test_generated_text_has_no_name_of_the_query(table: pa.Table) -> None:
    """Column names and literals never reach the text of a kernel."""
    name = "k'); import os; os.abort() #"
    connection = headrace.connect(execution="interpreted")
    connection.register("t", table.rename_columns([name, "q", "s", "t"]))
    quoted = '"' + name + '"'
    text = f"SELECT {quoted} + 1 AS {quoted}, s FROM t WHERE s <> 'x''); import os; os.abort() #' LIMIT 1"
    assert connection.execute(text).fetch_arrow_table().column_names[0] == name
