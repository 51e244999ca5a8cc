"""The CUDA device: pipelines as one kernel each. Compiling and reporting need no GPU, running does."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from headrace.devices.base import Pipeline, Source
from headrace.errors import OperationalError

_lock = threading.Lock()

_ARCHITECTURE = re.compile(r"sm_(\d+)(\d)a?")
_USED = re.compile(r"Used (\d+) registers")
_SPILLED = re.compile(r"(\d+) bytes spill stores")
_SHARED = re.compile(r"(\d+) bytes smem")
_STACK = re.compile(r"(\d+) bytes stack frame")


@dataclass(frozen=True, slots=True)
class KernelReport:
    """What a kernel takes on one architecture: registers a thread, bytes spilled, of stack, shared; its
    code."""

    name: str
    architecture: str
    registers: int
    spill_bytes: int
    stack_bytes: int
    shared_bytes: int
    ptx: str
    cubin: bytes
    error: str | None = None  # why there is no code, where compiling failed


class CudaDevice:
    """Runs pipelines on an NVIDIA GPU."""

    name = "cuda"

    def load(self, source: Source) -> Pipeline:
        """The pipeline as a launch on the current GPU; OperationalError where there is none to use."""
        reason = unusable()
        raise OperationalError(
            f"device 'cuda' cannot run here: {reason or 'running on a GPU is not implemented yet'}",
            hint="set device = 'cpu', or 'auto'",
        )


def unusable() -> str | None:
    """Why no GPU can be used, in some words; None where one can."""
    try:
        from numba import cuda
    except ImportError as fault:
        return f"its packages are not installed ({fault})"
    try:
        available: Any = cuda.is_available
        return None if available() else "there is no usable GPU"
    except Exception as fault:
        return f"there is no usable GPU ({fault})"


def compile_ptx(source: Source, arch: str = "sm_90") -> KernelReport:
    """Compile a pipeline for an architecture such as `sm_90`, with no GPU at hand; 0.2 to 0.7 s.

    OperationalError where the packages of the `cuda13` extra are missing.
    """
    found = _ARCHITECTURE.fullmatch(arch)
    if found is None:
        raise OperationalError(f"{arch} is no GPU architecture", hint="sm_90 is one")
    capability = int(found[1]), int(found[2])
    try:
        from numba import cuda

        from headrace.devices import cuda_primitives
    except ImportError as fault:
        raise OperationalError(
            f"compiling for CUDA needs packages that are not installed ({fault})",
            hint="pip install 'headrace[cuda13]'",
        ) from fault
    with _lock, _compiling_for(capability):
        cuda_primitives.DECLARATIONS.require(("u64", *source.names))
        function = cuda_primitives.kernel_function(source)
        signature = cuda_primitives.kernel_signature(source)
        compile_function: Any = cuda.compile  # type: ignore[attr-defined]
        ptx, _ = compile_function(function, signature, device=False, abi="numba", cc=capability, output="ptx")
    return _link(source.name, ptx, arch)


@contextmanager
def _compiling_for(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba compile the functions that a kernel calls for this capability, whatever GPU there is or none.

    It asks the current device, and has no argument for it.
    """
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")

    class Device:
        compute_capability = capability

    ask = dispatcher.get_current_device
    dispatcher.get_current_device = Device
    try:
        yield
    finally:
        dispatcher.get_current_device = ask


def _link(name: str, ptx: str, arch: str) -> KernelReport:
    """Assemble PTX in this process and read what the assembler says about it."""
    from cuda.bindings import nvjitlink

    code = ptx.encode()
    handle = nvjitlink.create(3, [f"-arch={arch}", "-verbose", "-no-cache"])
    try:
        try:
            nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), name)
            nvjitlink.complete(handle)
        except nvjitlink.nvJitLinkError as fault:
            log = bytearray(nvjitlink.get_error_log_size(handle))
            nvjitlink.get_error_log(handle, log)
            message = log.decode(errors="replace").strip("\0\n ")
            raise OperationalError(f"the kernel {name} does not assemble for {arch}: {message}") from fault
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
        cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, cubin)
    finally:
        nvjitlink.destroy(handle)
    said = log.decode(errors="replace")

    def number(pattern: re.Pattern[str]) -> int:
        return sum(int(n) for n in pattern.findall(said))

    return KernelReport(name, arch, number(_USED), number(_SPILLED), number(_STACK), number(_SHARED), ptx, bytes(cubin))
