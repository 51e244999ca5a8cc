"""Lay out build/links/headrace like the installed package: type checkers do not follow editable installs."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKS = ROOT / "build" / "links"

settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
folders = {package: ROOT / folder for package, folder in settings["package-dir"].items()}
shutil.rmtree(LINKS, ignore_errors=True)
top = LINKS / "headrace"
top.mkdir(parents=True)
for entry in folders.pop("headrace").iterdir():
    (top / entry.name).symlink_to(entry)
for package, folder in sorted(folders.items()):
    place = LINKS.joinpath(*package.split("."))
    if not place.exists():  # else it lies within a folder that is linked already
        place.symlink_to(folder)
