"""Finding a revision and installing it, with a small package in the place of Headrace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from headrace.tpch import baseline
from headrace.tpch.suite import SuiteError


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two commits, of which the second breaks the module; it is the current folder."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    project = '[project]\nname = "tiny-baseline"\nversion = "1"\n'
    modules = '[tool.setuptools]\npy-modules = ["tiny_baseline"]\n'
    (folder / "pyproject.toml").write_text(project + modules)
    (folder / "tiny_baseline.py").write_text("VALUE = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    (folder / "tiny_baseline.py").write_text("VALUE = 2\n")
    git(folder, "commit", "--quiet", "-a", "-m", "two")
    git(folder, "tag", "only-here")
    monkeypatch.chdir(folder)
    return folder


def test_a_revision_is_found(repository: Path) -> None:
    commit = git(repository, "rev-parse", "only-here~1")
    assert baseline._find("only-here~1") == (repository, commit)


def test_an_unknown_revision(repository: Path) -> None:
    with pytest.raises(SuiteError, match="no git checkout of Headrace here has that revision"):
        baseline._find("never-was")


def test_an_option_is_no_revision(repository: Path) -> None:
    with pytest.raises(SuiteError):
        baseline._find("--all")


def test_it_is_installed_apart_and_removed(repository: Path) -> None:
    program = "import tiny_baseline; print(tiny_baseline.VALUE, tiny_baseline.__file__)"
    with baseline.installed("only-here~1") as other:
        found = subprocess.run(
            [other.python, "-P", "-c", program],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        assert found[0] == "1"
        assert "headrace-baseline-" in found[1]
        assert "headrace-baseline-" in other.environment["HEADRACE_KERNEL_CACHE"]
    assert not Path(other.python).exists()
    # The checkout itself is as it was.
    assert (repository / "tiny_baseline.py").read_text() == "VALUE = 2\n"
    assert git(repository, "worktree", "list").count("\n") == 0
