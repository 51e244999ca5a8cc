"""Running text for a person: statements, dot commands, results, timings and errors."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TextIO

from headrace.connection import Connection
from headrace.errors import CancelledError, Error, InternalError
from headrace.shell.output import write_result
from headrace.shell.split import split


@dataclass(slots=True)
class Session:
    """One run of the shell: a connection and how its answers are shown."""

    connection: Connection
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    mode: str = "table"
    timer: bool = False
    finished: bool = False
    reading: tuple[Path, ...] = ()  # the files that .read is in, outermost first

    def run(self, text: str) -> bool:
        """Run each statement and dot command of a text, up to the first that fails; whether all went well."""
        from headrace.shell.commands import run_command

        for piece in split(text):
            if self.finished:
                break
            try:
                if piece.is_command:
                    if not run_command(self, piece.text):
                        return False
                else:
                    self._run_statement(piece.text)
            except Error as error:
                if error.sql == piece.text and error.position is not None:
                    # Lines are counted in the whole text, not in the one statement.
                    error.sql, error.position = text, error.position + piece.start
                self.report(error)
                return False
        return True

    def _run_statement(self, text: str) -> None:
        began = time.perf_counter()
        with self.cancellable():
            cursor = self.connection.execute(text)
            elapsed = time.perf_counter() - began
            result = cursor.result
            if result is not None:
                width = shutil.get_terminal_size().columns if self.out.isatty() else None
                write_result(result, self.mode, self.out, width)
            elif cursor.rowcount >= 0 and self.mode == "table":
                self.out.write(f"{cursor.rowcount:,} row{'' if cursor.rowcount == 1 else 's'} written\n")
        if self.timer:
            self.out.write(f"time: {elapsed:.3f} s{self._profile_note()}\n")
        self.out.flush()

    def _profile_note(self) -> str:
        profile = self.connection.last_profile
        if profile is None or not profile.compiled:
            return ""
        return f" ({profile.compiled} kernels compiled in {profile.compile_ms / 1000:.3f} s)"

    def report(self, error: Error) -> None:
        """Write an error, with its place in the text, to standard error."""
        self.out.flush()
        label = "internal error" if isinstance(error, InternalError) else "error"
        self.err.write(f"{label}: {error}\n")
        self.err.flush()

    @contextmanager
    def cancellable(self) -> Iterator[None]:
        """Ctrl-C within cancels the query: CancelledError. A second Ctrl-C does not wait for the engine."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        pressed = 0

        def interrupt(_signal: int, _frame: FrameType | None) -> None:
            nonlocal pressed
            pressed += 1
            if not self.connection.interrupt() or pressed > 1:
                raise KeyboardInterrupt

        previous = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        except KeyboardInterrupt:
            raise CancelledError("the query was cancelled") from None
        finally:
            signal.signal(signal.SIGINT, previous)
