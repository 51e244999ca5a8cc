"""What is installed is what the folders hold."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("engine", "sql", "kernels", "tpch")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]


def folders_with_modules() -> set[str]:
    found = {p.parent for folder in FOLDERS for p in (ROOT / folder).rglob("*.py")}
    return {p.relative_to(ROOT).as_posix() for p in found}


def modules() -> list[str]:
    return [
        package if path.stem == "__init__" else f"{package}.{path.stem}"
        for package, folder in PACKAGES.items()
        for path in sorted((ROOT / folder).glob("*.py"))
    ]


def test_every_folder_is_a_package() -> None:
    assert set(PACKAGES.values()) == folders_with_modules()


def test_the_list_of_packages_is_that_of_their_folders() -> None:
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(PACKAGES)
    assert len(listed) == len(set(listed))


def test_every_package_has_an_init() -> None:
    assert not [folder for folder in PACKAGES.values() if not (ROOT / folder / "__init__.py").is_file()]


@pytest.mark.parametrize("module", modules())
def test_every_module_can_be_imported(module: str) -> None:
    importlib.import_module(module)


def test_the_version_is_that_of_the_package() -> None:
    import headrace

    assert headrace.__version__ == PROJECT["project"]["version"]


def test_every_public_name_is_there() -> None:
    import headrace

    assert not [name for name in dir(headrace) if not hasattr(headrace, name)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy: a build leaves files where it runs, and stale ones get into wheels."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    leftovers = shutil.ignore_patterns("__pycache__")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=leftovers)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    build = f"from setuptools import build_meta; print(build_meta.build_wheel({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", build], cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(folder / done.stdout.splitlines()[-1])


def test_the_wheel_holds_every_source_file(wheel: zipfile.ZipFile) -> None:
    expected = set()
    for package, folder in PACKAGES.items():
        place = PurePosixPath(*package.split("."))
        sources = [p for p in (ROOT / folder).iterdir() if p.suffix in (".py", ".sql") or p.name == "py.typed"]
        expected |= {str(place / p.name) for p in sources}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == expected


def test_the_wheel_has_the_licence_and_the_command(wheel: zipfile.ZipFile) -> None:
    information = f"headrace-{PROJECT['project']['version']}.dist-info"
    licence = wheel.read(f"{information}/licenses/LICENSE").decode()
    assert "END OF TERMS AND CONDITIONS" in licence
    commands = wheel.read(f"{information}/entry_points.txt").decode()
    assert "headrace = headrace.shell.main:main" in commands
    metadata = wheel.read(f"{information}/METADATA").decode()
    assert "License-Expression: Apache-2.0" in metadata
