"""The CPU device: pipelines compiled by numba to machine code for this processor, called without the GIL."""

from __future__ import annotations

import pickle
import sys
import threading
import types as python_types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
from numba import extending
from numba.core import caching, compiler, serialize, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typing import templates
from numba.np import arrayobj

from headrace.devices.base import Pipeline, Source, bodies_of
from headrace.devices.declarations import Declarations
from headrace.devices.lowering import Target, parameter_type
from headrace.devices.lowering_memory import Machine
from headrace.kernels import primitives

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "fastmath": False,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}

_lock = threading.RLock()

# Numba's annotations are partial.
_overload: Any = extending.overload
_dumps: Any = serialize.dumps
_rebuild_result: Any = compiler.CompileResult._rebuild


@dataclass(frozen=True, slots=True)
class Loaded:
    """A pipeline ready to be called, whether it came from storage, and else what to store (None: nothing)."""

    pipeline: Pipeline
    is_stored: bool
    compiled: bytes | None


def _load_acquire(builder: Any, at: Any) -> Any:
    return builder.load_atomic(at, "acquire", at.type.pointee.width // 8)


MACHINE = Machine(
    tile=primitives.TILE,
    shared_state=False,
    fence=lambda builder: builder.fence("acq_rel"),
    add_float=lambda builder, at, v: builder.atomic_rmw("fadd", at, v, "monotonic"),
    load_acquire=_load_acquire,
)


def _compile_calls(function: Callable[..., Any], **options: Any) -> Any:
    # The flags of the pipeline reach what it calls, except these two.
    flags = {"error_model": "numpy", "boundscheck": False}
    return _overload(function, jit_options=flags, target="cpu", **options)


TARGET = Target(
    types=types,
    arrays=arrayobj,
    templates=templates,
    lower=extending.lower_builtin,
    overload=_compile_calls,
    typing_error=TypingError,
    mathematics=lambda name: name,
    machine=MACHINE,
)

DECLARATIONS = Declarations(TARGET)


def identity() -> tuple[Any, ...]:
    """What compiled code depends on beside its text: versions, and this processor's name and features."""
    import llvmlite

    magic = cpu_target.target_context.codegen().magic_tuple()
    return numba.__version__, llvmlite.__version__, sys.version, magic


class _Stored(caching._Cache):
    """Hands numba one stored compilation, and keeps the one that numba makes if there was none to use.

    `prepare` is called before numba compiles.
    """

    def __init__(self, stored: bytes | None, prepare: Callable[[], None]) -> None:
        self.stored = stored
        self.prepare = prepare
        self.compiled: bytes | None = None
        self.is_used = False

    @property
    def cache_path(self) -> str | None:
        return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        rebuilt = None if self.stored is None else _rebuild(self.stored, target_context)
        self.is_used = rebuilt is not None
        if rebuilt is None:
            self.prepare()
        return rebuilt

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.library.has_dynamic_globals and not data.lifted:
            self.compiled = _dumps((identity(), data._reduce()))

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass


def _rebuild(stored: bytes, target_context: Any) -> Any:
    """The compilation in `stored`; None where it is damaged, or of other versions or another processor."""
    try:
        made_by, payload = pickle.loads(stored)
        if made_by != identity():
            return None
        return _rebuild_result(target_context, *payload)
    except Exception:
        # Whatever is wrong with an entry, compiling again gives the kernel.
        return None


def load(source: Source, digest: str, stored: bytes | None) -> Loaded:
    """Compile a pipeline, or take it from `stored`, an earlier `Loaded.compiled` of the same `digest`."""
    module = python_types.ModuleType(f"headrace_kernel_{digest}")
    module.__dict__.update(bodies_of(source), TILE=primitives.TILE)
    exec(compile(source.text, f"<{source.name}>", "exec"), module.__dict__)
    arguments = [types.uint64] * 3 + [parameter_type(types, word) for _, word in source.parameters]
    cache = _Stored(stored, lambda: DECLARATIONS.require(source.names))
    with _lock:
        # Numba looks up the module of a function by name while it compiles or rebuilds it, and only then.
        sys.modules[module.__name__] = module
        try:
            dispatcher = numba.njit(**OPTIONS)(module.__dict__["pipeline"])
            dispatcher._cache = cache
            dispatcher.compile(types.void(*arguments))
        finally:
            del sys.modules[module.__name__]
    dispatcher.disable_compile()
    return Loaded(dispatcher, cache.is_used, cache.compiled)


def warm_up() -> None:
    """Fill numba's tables for this target and compile one empty function."""
    DECLARATIONS.require(())
    numba.njit(types.void(types.uint64), **OPTIONS)(lambda start: None)
