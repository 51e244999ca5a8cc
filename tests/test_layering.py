"""The order of the package's layers, which libraries each may use, and the rules for files."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("engine", "sql", "kernels", "tpch")

# Each layer imports from itself and from those above it in this list. A trailing dot stands for a subpackage.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "types", "settings", "cancel"),
    ("kernels.",),
    ("sql.",),
    (
        "memory",
        "column",
        "statistics",
        "encodings.",
        "encode",
        "decode",
        "extend",
        "table",
        "catalog",
        "devices.",
        "kernel_folder",
    ),
    ("pipeline", "emitter", "emit_*", "lower*", "codegen", "compile", "explain_pipelines"),
    ("scan.", "executor", "launch", "morsels", "state", "finish", "concatenate", "run_pipeline", "profile"),
    (
        "connection",
        "cursor",
        "statements",
        "plan_cache",
        "bulk_insert",
        "replacement",
        "result",
        "frames",
        "python_values",
        "value_text",
        "table_text",
        "type_objects",
        "doctor",
    ),
    ("shell.", "tpch."),
)

# Libraries, and the files that may import them. What is not listed may be imported anywhere.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "numba": ("engine/devices/*", "engine/compile.py", "tpch/bandwidth.py"),
    "llvmlite": ("engine/devices/*", "engine/compile.py"),
    "numba.cuda": ("engine/devices/cuda*",),
    "cupy": ("engine/devices/cuda*",),
    "cuda": ("engine/devices/cuda*",),
    "sqlglot": ("sql/parse.py", "sql/bind*.py", "sql/scope.py"),
    "numpy": ("engine/*", "tpch/*"),
    "pyarrow": ("engine/*", "tpch/*"),
    "pandas": ("engine/*", "tpch/*"),
    "polars": ("engine/*", "tpch/*"),
    "prompt_toolkit": ("engine/shell/*",),
    "pygments": ("engine/shell/*",),
    "duckdb": ("tpch/*",),
    "datafusion": ("tpch/*",),
}

# What the benchmark suites may use of the package: what users have.
PUBLIC = ("headrace", "headrace.errors", "headrace.settings")

LONGEST = 500
VAGUE_NAMES = ("util", "utils", "helper", "helpers", "common", "manager", "managers", "misc")
UNFINISHED = ("TO" + "DO", "FIX" + "ME")
SOURCES = (*FOLDERS, "tests", ".ci")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module; `runtime` is False where only type checkers see it."""

    module: str
    line: int
    runtime: bool


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Path] = {}
    for package, folder in settings["tool"]["setuptools"]["package-dir"].items():
        for path in (ROOT / folder).glob("*.py"):
            found[package if path.stem == "__init__" else f"{package}.{path.stem}"] = path
    return found


def imports(path: Path) -> Iterator[Import]:
    """The modules that a file imports, wherever in it; of `from a import b`, a.b where that is a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node, runtime in _walk(tree, True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, runtime)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}:{node.lineno}: relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                known = full in modules() or full in LIBRARIES
                yield Import(full if known else node.module, node.lineno, runtime)


def _walk(node: ast.AST, runtime: bool) -> Iterator[tuple[ast.AST, bool]]:
    guarded = node.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" else ()
    for child in ast.iter_child_nodes(node):
        reached = runtime and child not in guarded
        yield child, reached
        yield from _walk(child, reached)


def layer_of(module: str) -> int | None:
    """The number of a module's layer, None if it has none."""
    name = module.removeprefix("headrace.")
    for number, patterns in enumerate(LAYERS):
        for pattern in patterns:
            if name == pattern.rstrip(".") or fnmatch(name, f"{pattern}*" if pattern.endswith(".") else pattern):
                return number
    return None


def _place(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def test_every_module_has_a_layer() -> None:
    homeless = [m for m in modules() if m != "headrace" and layer_of(m) is None]
    assert not homeless, f"add these to LAYERS: {homeless}"


def test_every_layer_names_modules_that_exist() -> None:
    names = [m.removeprefix("headrace.") for m in modules()]
    patterns = [f"{p}*" if p.endswith(".") else p for layer in LAYERS for p in layer]
    assert not [p for p in patterns if not any(fnmatch(name, p) for name in names)]


def test_imports_go_down() -> None:
    wrong = []
    for module, path in modules().items():
        own = layer_of(module)
        if own is None:
            continue  # the package itself, whose names are those of every layer
        for found in imports(path):
            if not found.module.startswith("headrace."):
                continue
            assert found.module in modules(), f"{_place(path, found.line)} imports {found.module}: no such module"
            other = layer_of(found.module)
            if other is not None and other > own:
                wrong.append(f"{_place(path, found.line)} imports {found.module}, which is above it")
    assert not wrong, "\n".join(wrong)


def test_nothing_below_imports_the_package_itself() -> None:
    """`import headrace` inside the package would tie every layer to the highest."""
    wrong = [
        _place(path, found.line)
        for path in modules().values()
        if path.parts[len(ROOT.parts)] != "tpch"
        for found in imports(path)
        if found.module == "headrace" and not _is_version(path, found.line)
    ]
    assert not wrong, "\n".join(wrong)


def _is_version(path: Path, line: int) -> bool:
    return "import __version__" in path.read_text(encoding="utf-8").splitlines()[line - 1]


def test_benchmarks_use_the_public_interface() -> None:
    wrong = [
        f"{_place(path, found.line)} imports {found.module}"
        for module, path in modules().items()
        if module.startswith("headrace.tpch")
        for found in imports(path)
        if found.runtime
        and found.module.startswith("headrace")
        and not found.module.startswith("headrace.tpch")
        and found.module not in PUBLIC
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_is_imported_only_where_it_belongs(library: str) -> None:
    wrong = []
    for path in modules().values():
        place = path.relative_to(ROOT).as_posix()
        if any(fnmatch(place, pattern) for pattern in LIBRARIES[library]):
            continue
        wrong += [
            f"{_place(path, found.line)} imports {found.module}"
            for found in imports(path)
            if found.module == library or found.module.startswith(f"{library}.")
        ]
    assert not wrong, "\n".join(wrong)


@cache
def source_files() -> tuple[Path, ...]:
    """Our own files of text, tests included; golden texts and data are not code."""
    found = [p for folder in SOURCES for p in (ROOT / folder).rglob("*") if p.is_file()]
    return tuple(sorted(p for p in found if p.suffix == ".py" or p.parent.name == ".ci"))


def test_files_are_of_a_readable_length() -> None:
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in source_files()}
    long = [f"{p.relative_to(ROOT)}: {n} lines" for p, n in lengths.items() if n > LONGEST]
    assert not long, f"over {LONGEST} lines: {long}"


def test_names_of_files_say_what_is_in_them() -> None:
    vague = [
        p.relative_to(ROOT).as_posix()
        for p in source_files()
        if p.stem.lower().split("_")[-1] in VAGUE_NAMES or p.parent.name in VAGUE_NAMES
    ]
    assert not vague, f"name the subject: {vague}"


def test_nothing_is_left_unfinished() -> None:
    marks = [
        f"{_place(p, n)}: {word}"
        for p in (*source_files(), ROOT / "README.md", ROOT / "pyproject.toml")
        for n, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1)
        for word in UNFINISHED
        if word in line
    ]
    assert not marks, "\n".join(marks)
