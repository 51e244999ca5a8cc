"""Another revision of Headrace, installed in a temporary environment of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headrace.tpch.report import show_status
from headrace.tpch.suite import SuiteError


@dataclass(frozen=True, slots=True)
class Baseline:
    """An installed revision: the Python that imports it, the environment to run it in, its commit."""

    python: str
    environment: dict[str, str]
    commit: str


@contextmanager
def installed(revision: str) -> Iterator[Baseline]:
    """Install a revision of the repository that this package, or the current folder, lies in.

    It comes with the dependencies it names itself, and has its own kernel cache. Everything is removed at
    the end. Raises SuiteError when there is no such repository or revision, or the installation fails.
    """
    repository, commit = _find(revision)
    with tempfile.TemporaryDirectory(prefix="headrace-baseline-") as name:
        folder = Path(name)
        show_status(f"installing {revision} ({commit[:12]}) ...")
        # A clone that shares the objects leaves the repository as it is, its list of work trees included.
        source = str(folder / "source")
        _carry_out(["git", "clone", "--quiet", "--shared", "--no-checkout", str(repository), source])
        _carry_out(["git", "-C", source, "checkout", "--quiet", "--detach", commit])
        _carry_out([sys.executable, "-m", "venv", str(folder / "venv")])
        python = str(folder / "venv" / "bin" / "python")
        _carry_out([python, "-m", "pip", "install", "--quiet", source])
        show_status("")
        # A search path from outside could put this revision before the one installed.
        environment = {"HEADRACE_KERNEL_CACHE": str(folder / "kernels"), "PYTHONPATH": ""}
        yield Baseline(python, environment, commit)


def _find(revision: str) -> tuple[Path, str]:
    """The repository that knows the revision, and its commit."""
    for place in (Path(__file__).resolve().parent, Path.cwd()):
        command = [
            "git",
            "-C",
            str(place),
            "rev-parse",
            "--show-toplevel",
            "--verify",
            f"{revision}^{{commit}}",
        ]
        found = subprocess.run(command, capture_output=True, text=True)
        if found.returncode == 0:
            top, commit = found.stdout.split("\n")[:2]
            if (Path(top) / "pyproject.toml").is_file():
                return Path(top), commit
    raise SuiteError(f"--baseline {revision}: no git checkout of Headrace here has that revision")


def _carry_out(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        complaint = done.stderr.decode(errors="replace").strip().splitlines()
        raise SuiteError(f"{' '.join(command[:4])} ... failed: {complaint[-1] if complaint else 'no message'}")
