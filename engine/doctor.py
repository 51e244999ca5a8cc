"""A report of what Headrace finds on this machine, for people and for bug reports."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from headrace.settings import SETTINGS, Settings

REQUIRED = ("numba", "llvmlite", "numpy", "pyarrow", "sqlglot", "prompt_toolkit", "pygments")
OPTIONAL = ("pandas", "polars", "duckdb", "tpchgen-cli", "datafusion", "numba-cuda", "cupy-cuda13x")


def report() -> str:
    """The report, one `name  value` line a fact; the last line is a verdict."""
    from headrace import __version__

    settings = Settings()
    lines = [
        ("headrace", __version__),
        ("python", f"{platform.python_version()} ({sys.executable})"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("processor", f"{_processor()}, {os.cpu_count()} CPUs, {settings.number('threads')} used"),
        ("memory", f"{_gibibytes(settings.number('memory_limit'))} may be used"),
        *((f"gpu {i}", text) for i, text in enumerate(_gpus())),
    ]
    if not any(name == "gpu 0" for name, _ in lines):
        lines.append(("gpu", "none found; queries run on the CPU"))
    lines.append(("kernel cache", _cache_facts(settings)))
    lines.extend((name, _version(name) or "missing") for name in REQUIRED)
    lines.append(("sqlglotc", _version("sqlglotc") or "missing: parsing is slower"))
    lines.extend((name, _version(name) or "not installed (optional)") for name in OPTIONAL)
    lines.extend(
        (f"{s.name} (set)", f"{settings.values[s.name]}") for s in SETTINGS.values() if s.variable in os.environ
    )
    width = max(len(name) for name, _ in lines)
    missing = [name for name in REQUIRED if _version(name) is None]
    verdict = f"missing packages: {', '.join(missing)}" if missing else "everything needed is there"
    return "\n".join([*(f"{name:{width}}  {value}" for name, value in lines), "", verdict])


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def _gibibytes(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def _cache_facts(settings: Settings) -> str:
    folder = Path(settings.text("kernel_cache"))
    try:
        sizes = [entry.stat().st_size for entry in folder.iterdir()]
    except OSError:
        return f"{folder} (empty)"
    limit = settings.number("kernel_cache_limit")
    return f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} of {limit / 1e6:.0f} MB"


def _gpus() -> Iterator[str]:
    """Name, memory and compute capability of each GPU that the CUDA driver shows."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return
    for device in range(count.value):
        name = ctypes.create_string_buffer(128)
        size = ctypes.c_size_t()
        major, minor = ctypes.c_int(), ctypes.c_int()
        driver.cuDeviceGetName(name, len(name), device)
        driver.cuDeviceTotalMem_v2(ctypes.byref(size), device)
        driver.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # compute capability, major and minor
        driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
        capability = f"compute capability {major.value}.{minor.value}"
        yield f"{name.value.decode()}, {_gibibytes(size.value)}, {capability}"
