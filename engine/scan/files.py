"""Paths and globs -> the files that a query reads, with an identity that changes when a file does."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from headrace.errors import OperationalError, ProgrammingError


@dataclass(frozen=True, slots=True)
class FileKey:
    """A file and what changes when it is written again."""

    path: str
    size: int
    mtime_ns: int
    inode: int


def paths_of(arguments: Sequence[object], function: str) -> tuple[str, ...]:
    """The path patterns in the arguments of `read_parquet` and the like: one str, or one list of str."""
    if len(arguments) == 1:
        argument = arguments[0]
        if isinstance(argument, str):
            return (argument,)
        if isinstance(argument, list | tuple) and argument and all(isinstance(p, str) for p in argument):
            return tuple(argument)
    raise ProgrammingError(
        f"{function} takes a path, or a list of paths", hint=f"{function}('folder/*.{function[5:]}')"
    )


def find_files(patterns: Sequence[str], extension: str) -> tuple[FileKey, ...]:
    """The files that the paths and globs name, in order, those of one glob sorted.

    Raises OperationalError, naming the path, for what is missing, unreadable or a directory, and for a glob
    that matches nothing. `extension` is only for hints.
    """
    return tuple(_key(path, extension) for pattern in patterns for path in _expand(pattern))


def _expand(pattern: str) -> list[str]:
    pattern = os.path.expanduser(pattern)
    if not glob.has_magic(pattern) or os.path.exists(pattern):
        return [pattern]
    found = sorted(path for path in glob.glob(pattern, recursive=True) if not os.path.isdir(path))
    if not found:
        raise OperationalError(f"no file matches {pattern!r}", hint=_where())
    return found


def _key(path: str, extension: str) -> FileKey:
    try:
        facts = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise OperationalError(f"there is no file {path!r}", hint=_where()) from None
    except PermissionError:
        raise OperationalError(f"no permission to look at {path!r}") from None
    except (OSError, ValueError) as fault:
        raise OperationalError(f"cannot look at {path!r}: {fault}") from None
    if stat.S_ISDIR(facts.st_mode):
        raise is_directory(path, extension)
    if not os.access(path, os.R_OK):
        raise OperationalError(f"no permission to read {path!r}")
    return FileKey(path, facts.st_size, facts.st_mtime_ns, facts.st_ino)


def is_directory(path: str, extension: str) -> OperationalError:
    """The error for a directory in the place of a file."""
    return OperationalError(f"{path!r} is a directory", hint=f"name its files: '{path.rstrip('/')}/*.{extension}'")


def _where() -> str:
    return f"relative paths start at {os.getcwd()}"
