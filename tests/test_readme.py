"""The README says what is so: its examples run, its tables of SQL hold, its settings are the code's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import headrace
from headrace.settings import SETTINGS, Setting

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Defaults that depend on the machine, in words.
MACHINE = {
    "threads": "the CPUs that the process may use",
    "memory_limit": "80 percent of the machine's",
    "kernel_cache": "`~/.cache/headrace/kernels`",
}


def blocks() -> list[tuple[str, str]]:
    """The code blocks of the README, as (language, text)."""
    return [(m[1], m[2]) for m in BLOCK.finditer(README)]


def rows(heading: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading, as cells."""
    lines = README.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


def code(cell: str) -> list[str]:
    return [text.replace(r"\|", "|") for text in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the examples run, the files of earlier ones at hand."""
    return tmp_path_factory.mktemp("readme")


def test_python_examples_print_what_is_shown(folder: Path) -> None:
    program, expected = "", ""
    for language, text in blocks():
        program += text if language == "python" else ""
        expected += text if language == "text" else ""
    assert program
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == expected


def test_shell_examples_print_what_is_shown(folder: Path) -> None:
    assert (folder / "orders.parquet").exists(), "the Python examples write it"
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    commands = 0
    for language, text in blocks():
        if language != "console":
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                ["bash", "-c", f"{command} 2>&1"],
                cwd=folder,
                env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE,
                text=True,
            )
            assert done.stdout == expected
            commands += 1
    assert commands


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headrace.Connection]:
    """The tables that the README's examples of SQL use, and a folder with the CSV file."""
    folder = tmp_path_factory.mktemp("sql")
    (folder / "people.csv").write_text("name,born\nada,1815\nbob,1912\n")
    before = Path.cwd()
    os.chdir(folder)
    with headrace.connect(execution="interpreted") as connection:
        connection.sql("CREATE TABLE orders (id INTEGER, customer VARCHAR, price DECIMAL(9, 2), day DATE)")
        connection.sql("INSERT INTO orders VALUES (1, 'ada', 20, NULL), (2, 'bob', 5.5, NULL)")
        connection.sql("INSERT INTO orders SELECT id + 2, NULL, price, make_date(2026, 1, id) FROM orders")
        connection.register("customers", pa.table({"name": ["ada", "cyd"], "city": ["Oslo", "Bonn"]}))
        yield connection
    os.chdir(before)


@pytest.mark.parametrize("sql", [sql for row in rows("Supported") for sql in code(row[1])])
def test_what_is_called_supported_runs(connection: headrace.Connection, sql: str) -> None:
    connection.sql(sql)


@pytest.mark.parametrize("sql", [sql for row in rows("Refused, so far") for sql in code(row[1])])
def test_what_is_called_refused_is_refused(connection: headrace.Connection, sql: str) -> None:
    with pytest.raises(headrace.NotSupportedError):
        connection.sql(sql)


@pytest.mark.parametrize("name", [name for row in rows("Functions") for name in code(row[1])])
def test_functions_listed_are_there(connection: headrace.Connection, name: str) -> None:
    """Called with too many arguments, a function complains of those, not of its name."""
    arguments = ", ".join(["DATE '2026-01-01'", "true", "id", "price"] * 2)
    message = ""
    try:
        connection.sql(f"SELECT {name}({arguments}) FROM orders")
    except headrace.Error as error:
        message = error.message
    assert "no function" not in message
    assert "not supported" not in message


def settings_table() -> str:
    """The README's table of settings, made from the code."""
    return "\n".join(
        f"| `{s.name}` | `{s.variable}` | {_default(s)} | {s.description}{_choices(s)} |" for s in SETTINGS.values()
    )


def _default(setting: Setting) -> str:
    value = setting.default()
    return MACHINE.get(setting.name) or f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _choices(setting: Setting) -> str:
    try:
        setting.parse("?")
    except ValueError as fault:
        listed = str(fault)
        return f" ({listed})" if listed.startswith("one of") else ""
    return ""


def test_settings_are_those_of_the_code() -> None:
    shown = "\n".join(f"| {' | '.join(row)} |" for row in rows("Setting"))
    assert shown == settings_table(), f"the table of settings should be\n\n{settings_table()}\n"


def test_links_to_files_lead_somewhere() -> None:
    root = Path(__file__).resolve().parent.parent
    paths = re.findall(r"`((?:engine|sql|kernels|tpch|tests|\.ci)/[\w./*-]*)`", README)
    assert paths
    assert not [path for path in paths if not (any(root.glob(path)) if "*" in path else (root / path).exists())]
