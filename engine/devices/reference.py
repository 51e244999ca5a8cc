"""The reference device: generated text as plain Python over lists and bytes, the meaning of every kernel."""

from __future__ import annotations

import re
from typing import Any

from headrace.devices.base import Pipeline, Source, Text, bodies_of, run_text
from headrace.kernels import primitives

_CONSTANT = re.compile(r"\b[iu]64\((\d{1,18})\)")


class ReferenceDevice:
    """Runs pipelines uncompiled: arrays are lists of Python numbers, byte buffers are bytes."""

    name = "reference"

    def load(self, source: Source) -> Pipeline:
        """The pipeline as a Python function; takes about a millisecond."""
        # Constants become bare, `u64(33)` is 33 here: a call costs more than an addition.
        plain = Text(source.name, _CONSTANT.sub(r"\1", source.text), source.parameters, source.names)
        namespace: dict[str, Any] = {"TILE": primitives.TILE, **bodies_of(source)}
        return run_text(plain, namespace, f"<{source.name}>")
