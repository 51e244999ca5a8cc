"""The primitives for numba's CUDA target, and the kernel around a pipeline. Needs no GPU."""

from __future__ import annotations

import re
from typing import Any

from llvmlite import ir
from numba import cuda
from numba.cuda import extending, types
from numba.cuda.core.errors import TypingError
from numba.cuda.np import arrayobj
from numba.cuda.typing import templates

from headrace.devices.base import Source, bodies_of
from headrace.devices.declarations import Declarations
from headrace.devices.lowering import Target, parameter_type
from headrace.devices.lowering_memory import Machine
from headrace.errors import InternalError
from headrace.kernels import primitives

# Numba's annotations are partial.
_extending: Any = extending
_types: Any = types

TILE = 1
"""A tile is one row: neighbouring threads take neighbouring rows."""


def _fence(builder: Any) -> None:
    _call(builder, "llvm.nvvm.membar.gl", ir.VoidType())


def _add_float(builder: Any, at: Any, v: Any) -> Any:
    word = "f32" if isinstance(v.type, ir.FloatType) else "f64"
    return _call(builder, f"llvm.nvvm.atomic.load.add.{word}.p0{word}", v.type, at, v)


def _load_acquire(builder: Any, at: Any) -> Any:
    # NVVM has no atomic loads.
    word = at.type.pointee
    bits, register = (32, "r") if word.width == 32 else (64, "l")
    kind = ir.FunctionType(word, [at.type])
    text = f"ld.acquire.gpu.b{bits} $0, [$1];"
    return builder.call(ir.InlineAsm(kind, text, f"={register},l,~{{memory}}", side_effect=True), [at])


def _call(builder: Any, name: str, result: Any, *values: Any) -> Any:
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(result, [v.type for v in values]), name=name)
    return builder.call(function, values)


MACHINE = Machine(tile=TILE, shared_state=True, fence=_fence, add_float=_add_float, load_acquire=_load_acquire)


def _overload(function: Any, **options: Any) -> Any:
    return _extending.overload(function, target="cuda", **options)


TARGET = Target(
    types=_types,
    arrays=arrayobj,
    templates=templates,
    lower=_extending.lower_builtin,
    overload=_overload,
    typing_error=TypingError,
    mathematics=lambda name: f"__nv_{name}",
    machine=MACHINE,
)

DECLARATIONS = Declarations(TARGET)


_HEAD = re.compile(r"^def pipeline\([^)]*\):\n", re.MULTILINE)
_PLACE = "    start = u64(start) + u64(cuda.grid(1))\n    step = u64(cuda.gridsize(1))\n"


def kernel_function(source: Source) -> Any:
    """The pipeline as the function of a kernel with the same parameters.

    Each thread takes its own first row, and as step the number of threads in the grid instead of the one
    given.
    """
    text, heads = _HEAD.subn(lambda head: head[0] + _PLACE, source.text)
    if heads != 1:
        raise InternalError(f"the text of {source.name} does not define one pipeline")
    namespace: dict[str, Any] = {"TILE": TILE, "cuda": cuda, "u64": primitives.u64, **bodies_of(source)}
    exec(compile(text, f"<{source.name}>", "exec"), namespace)
    return namespace["pipeline"]


def kernel_signature(source: Source) -> Any:
    """Numba's type of that kernel."""
    words = ("u64", "u64", "u64", *(word for _, word in source.parameters))
    return _types.void(*(parameter_type(_types, word) for word in words))
