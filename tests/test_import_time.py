"""What importing the package and asking it little do not load. Modules are compared, since times vary."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HEAVY = (
    "numba",
    "llvmlite",
    "numpy",
    "pyarrow",
    "sqlglot",
    "duckdb",
    "pandas",
    "polars",
    "prompt_toolkit",
    "pygments",
    "cupy",
)


def loaded(code: str) -> set[str]:
    """The heavy libraries that are loaded after the code has run in a new process."""
    report = f"{code}\nimport sys\nprint(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded("import headrace") == set()


def test_errors_settings_and_types_are_light() -> None:
    assert loaded("import headrace.errors, headrace.settings, headrace.types") == set()


def test_the_command_line_is_parsed_without_the_engine() -> None:
    code = "import headrace.shell.main as m\ntry:\n    m.main(['--version'])\nexcept SystemExit:\n    pass"
    assert loaded(code) & {"numba", "llvmlite", "duckdb", "pandas", "polars"} == set()


@pytest.mark.parametrize("query", ["SELECT 42", "VALUES (1, 'a'), (2, NULL)"])
def test_a_small_query_is_answered_without_the_compiler(query: str) -> None:
    """Interpreted work must not pay for loading Numba, which takes longer than the query."""
    code = f"import headrace\nheadrace.connect().sql({query!r}).fetchall()"
    # Not pandas: pyarrow imports it, where it is installed, to make an array of Python values.
    assert loaded(code) & {"numba", "duckdb", "polars", "prompt_toolkit", "pygments"} == set()


def test_a_small_file_is_queried_without_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"n": list(range(1000)), "s": [None, "x"] * 500}), path)
    query = f"SELECT s, count(*), sum(n) FROM '{path}' WHERE n > 10 GROUP BY s ORDER BY s"
    code = f"import headrace\nheadrace.connect().sql({query!r}).fetch_arrow_table()"
    assert loaded(code) & {"numba", "duckdb", "polars", "prompt_toolkit", "pygments"} == set()
