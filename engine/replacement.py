"""Names of data frames and Arrow objects in the code that calls Headrace."""

from __future__ import annotations

import sys
from types import FrameType

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


def caller_variable(name: str) -> object | None:
    """A variable of the frame that called Headrace, local or else global, that can be scanned; else None.

    The name is matched as Python would, letter case included.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    while frame is not None:
        for variables in (frame.f_locals, frame.f_globals):
            value: object = variables.get(name)
            if value is not None and can_scan(value):
                return value
        if frame.f_code.co_name not in _COMPREHENSIONS:
            return None
        frame = frame.f_back  # a comprehension's variables continue in the function around it
    return None


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module == "headrace" or module.startswith("headrace.")


def can_scan(value: object) -> bool:
    """Whether a value offers rows: an Arrow stream, a pandas or polars frame, a pyarrow dataset."""
    if isinstance(value, type):
        return False
    return hasattr(value, "__arrow_c_stream__") or any(
        (base.__module__.partition(".")[0], base.__name__) in _FRAMES for base in type(value).__mro__
    )


_FRAMES = {("pandas", "DataFrame"), ("polars", "LazyFrame"), ("pyarrow", "Dataset")}
"""Classes that are scanned though they export no stream, by package and name: the test imports nothing."""
