"""Small generated texts for the tests of the devices, loaded without a cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from headrace.devices.base import Pipeline
from headrace.devices.reference import ReferenceDevice
from headrace.pipeline import KernelSource


def source(parameters: Iterable[tuple[str, str]], lines: Sequence[str], names: Iterable[str]) -> KernelSource:
    """A kernel of these lines, given without their common indentation."""
    given = tuple(parameters)
    head = f"def pipeline({', '.join(['start', 'stop', 'step', *(name for name, _ in given)])}):"
    text = "\n".join([head, *(f"    {line}" for line in lines), ""])
    return KernelSource("test", text, given, tuple(names))


def compiled(kernel: KernelSource) -> Pipeline:
    from headrace.devices import cpu

    digest = hashlib.sha256(repr((kernel.text, kernel.parameters)).encode()).hexdigest()[:16]
    return cpu.load(kernel, digest, None).pipeline


def interpreted(kernel: KernelSource) -> Pipeline:
    return ReferenceDevice().load(kernel)


def dtype(word: str) -> np.dtype:
    """NumPy's type of a machine word such as `u8` or `f64`."""
    return np.dtype(f"{word[0]}{int(word[1:]) // 8}")
