"""What a device is: it turns the text of a pipeline into something that can be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from headrace.errors import InternalError
from headrace.kernels import primitives, registry

Pipeline = Callable[..., None]
"""`pipeline(start, stop, step, *parameters)`: runs the rows start, start + step, ... below stop."""


class Source(Protocol):
    """The part of a `KernelSource` that devices need."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def parameters(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A source that a device writes itself."""

    name: str
    text: str
    parameters: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


class Device(Protocol):
    """One way to run pipelines; `load` may take long and is safe to call from several threads."""

    @property
    def name(self) -> str: ...

    def load(self, source: Source) -> Pipeline: ...


def body_of(name: str) -> Callable[..., Any]:
    """The plain-Python body of a name that a text uses: a primitive, or a registered row body."""
    found = primitives.PRIMITIVES.get(name) or registry.BODIES.get(name)
    if found is None:
        raise InternalError(f"generated code uses {name}, which is neither a primitive nor a registered body")
    return found


def bodies_of(source: Source) -> Mapping[str, Callable[..., Any]]:
    """The plain-Python body of each name that the text of a pipeline uses."""
    return {name: body_of(name) for name in source.names if name != "TILE"}


def run_text(source: Source, namespace: dict[str, Any], file: str) -> Pipeline:
    """Execute the text in `namespace`; the function `pipeline` that it defines."""
    exec(compile(source.text, file, "exec"), namespace)
    pipeline: Pipeline = namespace["pipeline"]
    return pipeline
