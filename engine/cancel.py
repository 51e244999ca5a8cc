"""Cancelling a query: a flag that Python code waits on and that kernels read inside nested join loops."""

from __future__ import annotations

import threading


class Cancel(threading.Event):
    """Set once to end a query. `word` is the same fact as 8 bytes of shared memory, nonzero when set."""

    def __init__(self) -> None:
        super().__init__()
        self.word = bytearray(8)

    def set(self) -> None:
        """Ask the query to end at the next morsel, or at the next turn of a loop inside a join's loop."""
        self.word[0] = 1
        super().set()
