"""Which names a numba target can compile calls of: the primitives, and row bodies as they are needed."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

from headrace.devices import text_loops
from headrace.devices.lowering import Target, declare
from headrace.kernels import primitives, registry


class Declarations:
    """What has been declared to one target so far. Thread-safe."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._known: set[str] = set()
        self._lock = threading.RLock()

    def require(self, names: Iterable[str]) -> None:
        """Declare every primitive once, and the bodies among `names` with all the bodies that they call."""
        with self._lock:
            if not self._known:
                declare(self._target)
                self._known.update(primitives.PRIMITIVES)
                for name, loop in text_loops.LOOPS.items():
                    self._compile_calls(primitives.PRIMITIVES[name], loop)
            for name in names:
                self._require_body(name)

    def _require_body(self, name: str) -> None:
        body: Any = registry.BODIES.get(name)
        if body is None or name in self._known:
            return
        self._known.add(name)
        self._compile_calls(body, body)
        for inner in body.__code__.co_names:
            called = body.__globals__.get(inner)
            if isinstance(called, types.FunctionType):
                self._require_body(called.__name__)

    def _compile_calls(self, function: Callable[..., Any], body: Callable[..., Any]) -> None:
        """Calls of `function` in compiled code run `body`, compiled for the types of the arguments."""

        def choose(*arguments: Any) -> Callable[..., Any]:
            return body

        self._target.overload(function, strict=False)(choose)
