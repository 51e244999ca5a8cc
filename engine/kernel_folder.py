"""The folder of compiled kernels: one checksummed file each, private to the user, bounded by last use.

Entries are machine code and Python pickles, so whoever can write here can run code: a folder or file that
others own or may write is never read. A damaged, foreign or missing entry is a miss; no fault here raises an
exception.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from pathlib import Path

_MAGIC = b"headrace kernel 1\n"
_SUFFIX = ".kernel"
_PARTIAL = ".partial"
_PARTIAL_AGE = 3600.0  # seconds after which an unfinished file is a crashed writer's
_USED_STEP = 600.0  # seconds: the time of last use is kept no finer
_PRUNE_EVERY = 64  # writes


def _is_private(entry: os.stat_result) -> bool:
    """Whether the file or folder belongs to this user and no one else may write it."""
    if not hasattr(os, "geteuid"):
        return True
    return entry.st_uid == os.geteuid() and not entry.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


class KernelFolder:
    """Entries by name; safe for several threads, and for several processes on one folder.

    `path` is the folder in use: the one asked for, made with mode 0700, or, where that is not private to this
    user or cannot be made, a temporary one that lasts as long as this object.
    """

    def __init__(self, path: str, limit: int) -> None:
        self.limit = limit
        self.is_temporary = False
        self._wanted = Path(path)
        self._opened: Path | None = None
        self._writes = 0
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _open(self) -> Path:
        with contextlib.suppress(OSError):
            self._wanted.parent.mkdir(parents=True, exist_ok=True)
            self._wanted.mkdir(mode=0o700, exist_ok=True)
            folder = self._wanted.resolve()
            found = folder.stat()
            if stat.S_ISDIR(found.st_mode) and _is_private(found) and os.access(folder, os.W_OK | os.X_OK):
                return folder
        self.is_temporary = True
        folder = Path(tempfile.mkdtemp(prefix="headrace-kernels-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def has(self, name: str) -> bool:
        """Whether there is an entry of this name; it may still turn out damaged."""
        return (self.path / (name + _SUFFIX)).is_file()

    def read(self, name: str) -> bytes | None:
        """The content of an entry, or None where there is none that is whole and private."""
        file = self.path / (name + _SUFFIX)
        try:
            handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        except OSError:
            return None
        try:
            with os.fdopen(handle, "rb") as stream:
                found = os.fstat(handle)
                if not stat.S_ISREG(found.st_mode) or not _is_private(found):
                    return None
                entry = stream.read()
        except OSError:
            return None
        start = len(_MAGIC) + 32
        content = entry[start:]
        if entry[:start] != _MAGIC + hashlib.sha256(content).digest():
            return None
        if time.time() - found.st_mtime > _USED_STEP:
            with contextlib.suppress(OSError):
                os.utime(file)
        return content

    def write(self, name: str, content: bytes) -> None:
        """Publish an entry in one step, over an earlier one of its name; a full disk changes nothing."""
        folder = self.path
        temporary: str | None = None
        try:
            handle, temporary = tempfile.mkstemp(suffix=_PARTIAL, dir=folder)  # mode 0600
            with os.fdopen(handle, "wb") as stream:
                stream.write(_MAGIC + hashlib.sha256(content).digest())
                stream.write(content)
            os.replace(temporary, folder / (name + _SUFFIX))
        except OSError:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            return
        with self._lock:
            due = self._writes % _PRUNE_EVERY == 0
            self._writes += 1
        if due:
            self.prune()

    def prune(self) -> None:
        """Delete the entries used longest ago, down to the limit, and files left unfinished."""
        now = time.time()
        entries: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self.path) as listing:
            for file in listing:
                with contextlib.suppress(OSError):
                    found = file.stat(follow_symlinks=False)
                    if file.name.endswith(_SUFFIX):
                        entries.append((found.st_mtime, found.st_size, file.path))
                    elif file.name.endswith(_PARTIAL) and now - found.st_mtime > _PARTIAL_AGE:
                        os.unlink(file.path)
        total = sum(size for _, size, _ in entries)
        for _, size, file_path in sorted(entries):
            if total <= self.limit:
                break
            with contextlib.suppress(OSError):
                os.unlink(file_path)
            total -= size
