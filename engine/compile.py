"""From generated text to something that can be called: interpreted, or compiled and kept.

A compiled kernel is found again by what it depends on: the text and its parameters, all sources of the
kernels and the devices, the versions of Headrace, numba, llvmlite and Python, and the processor. Literals are
parameters, so another constant is the same kernel. Nothing here imports numba before the first compilation.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from headrace.devices.base import Pipeline, Source
from headrace.devices.reference import ReferenceDevice
from headrace.kernel_folder import KernelFolder

KEPT = 2_000  # kernels of each kind kept in a process

_Key = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class CompileStats:
    """What compiling has cost so far: kernels compiled, kernels read from disk, milliseconds for both."""

    compiled: int = 0
    loaded_from_disk: int = 0
    compile_ms: float = 0.0
    load_ms: float = 0.0


class _Recent:
    """The pipelines used last, at most KEPT of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Pipeline] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: _Key) -> Pipeline | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def has(self, key: _Key) -> bool:
        return key in self._kept

    def put(self, key: _Key, pipeline: Pipeline) -> None:
        with self._lock:
            self._kept[key] = pipeline
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


class Kernels:
    """The kernels of a process, kept in memory and, up to `limit` bytes of them, in `folder`. Thread-safe."""

    def __init__(self, folder: str, limit: int) -> None:
        self.folder = KernelFolder(folder, limit)
        self.stats = CompileStats()
        self._reference = ReferenceDevice()
        self._interpreted = _Recent()
        self._compiled = _Recent()
        self._busy: dict[_Key, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()

    def interpreted(self, source: Source) -> Pipeline:
        """The pipeline as plain Python over lists and bytes; about a millisecond for a new text."""
        key = _key(source)
        found = self._interpreted.get(key)
        if found is None:
            found = self._reference.load(source)
            self._interpreted.put(key, found)
        return found

    def compiled(self, source: Source) -> Pipeline:
        """The pipeline as machine code over contiguous NumPy arrays; up to a second for a new text.

        Two threads that ask for one kernel compile it once. The caller passes exactly the parameter types of
        the source: anything else is a TypeError.
        """
        key = _key(source)
        found = self._compiled.get(key)
        if found is not None:
            return found
        with self._alone(key):
            found = self._compiled.get(key)
            if found is None:
                found = self._load(source)
                self._compiled.put(key, found)
            return found

    def is_ready(self, source: Source) -> bool:
        """Whether `compiled` answers at once."""
        return self._compiled.has(_key(source))

    def on_disk(self, source: Source) -> bool:
        """Whether `compiled` will probably find the kernel on disk, in some milliseconds."""
        return self.folder.has(_digest(source))

    def _load(self, source: Source) -> Pipeline:
        from headrace.devices import cpu

        began = time.perf_counter()
        digest = _digest(source)
        loaded = cpu.load(source, digest, self.folder.read(digest))
        if loaded.compiled is not None:
            self.folder.write(digest, loaded.compiled)
        spent = (time.perf_counter() - began) * 1000.0
        with self._lock:
            if loaded.is_stored:
                self.stats.loaded_from_disk += 1
                self.stats.load_ms += spent
            else:
                self.stats.compiled += 1
                self.stats.compile_ms += spent
        return loaded.pipeline

    @contextmanager
    def _alone(self, key: _Key) -> Iterator[None]:
        """Hold the lock of one kernel, which exists while someone wants it."""
        with self._lock:
            lock, waiting = self._busy.get(key, (threading.Lock(), 0))
            self._busy[key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                waiting = self._busy[key][1] - 1
                if waiting:
                    self._busy[key] = (lock, waiting)
                else:
                    del self._busy[key]


def warm_up() -> None:
    """Load numba and its tables (0.3 to 0.5 s) before the first compilation needs them; for any thread."""
    from headrace.devices import cpu

    cpu.warm_up()


def _key(source: Source) -> _Key:
    return source.text, source.parameters


def _digest(source: Source) -> str:
    """The name of a kernel on disk: 32 hexadecimal digits."""
    text = hashlib.sha256(_surroundings())
    text.update(repr((source.text, source.parameters, source.names)).encode())
    return text.hexdigest()[:32]


@functools.cache
def _surroundings() -> bytes:
    """A hash of all that compiled code depends on beside its source."""
    parts = hashlib.sha256()
    for package in ("headrace", "numba", "llvmlite"):
        try:
            parts.update(f"{package} {version(package)}\n".encode())
        except PackageNotFoundError:
            parts.update(f"{package} unknown\n".encode())
    parts.update(f"{sys.version}\n{platform.machine()}\n{_processor()}\n".encode())
    here = Path(__file__).resolve().parent
    kernels = Path(sys.modules["headrace.kernels"].__path__[0])
    for folder in (kernels, here / "devices"):
        for file in sorted(folder.glob("*.py")):
            parts.update(f"{file.name}\n".encode())
            parts.update(file.read_bytes())
    parts.update(Path(__file__).read_bytes())
    return parts.digest()


def _processor() -> str:
    """The processor's model and features as Linux tells them; elsewhere a stored kernel's own note
    decides."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n", 1)[0].splitlines()
    except OSError:
        return ""
    return "\n".join(line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part")))
