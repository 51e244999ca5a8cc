"""The other end of a worker: starts it, sends it requests, and starts it again when it dies."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

WORKER = Path(__file__).with_name("worker.py")


class WorkerProcess:
    """One engine in a process of its own.

    `name` is what reports call it, `engine` which of worker.py's engines it is, `python` the interpreter of
    the environment that holds it. A request that takes longer than `timeout` seconds, or kills the process,
    is answered as a failure; the next one finds a new process with the tables loaded again.
    """

    def __init__(
        self,
        name: str,
        engine: str,
        python: str,
        opening: Mapping[str, Any],
        timeout: float,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.version: str | None = None
        self._python = python
        self._scratch = tempfile.mkdtemp(prefix="headrace-compare-")
        self._opening = {"op": "open", "engine": engine, "scratch": self._scratch, **opening}
        self._timeout = timeout
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> dict[str, Any]:
        """Start the process and load the tables; the answer says whether that went well."""
        self._stop()
        for leftover in Path(self._scratch).iterdir():
            leftover.unlink()
        self._process = subprocess.Popen(
            [self._python, "-P", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
        )
        answer = self._ask(self._opening)
        if answer["ok"]:
            self.version = answer["version"]
        else:
            self._stop()
        return answer

    def run(self, sql: str) -> dict[str, Any]:
        """Run one text, in a new process if the last one is gone."""
        if self._process is None:
            answer = self.open()
            if not answer["ok"]:
                return answer
        return self._ask({"op": "run", "sql": sql})

    def close(self) -> None:
        """End the process and remove what it stored."""
        self._stop()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _stop(self) -> None:
        if self._process is None:
            return
        process, self._process, self._pending = self._process, None, b""
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("the worker is not running")
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(process)
        except BrokenPipeError:
            line = b""
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        if line is None:
            reason = f"gave no answer within {self._timeout:g} s"
        else:
            reason = f"the process ended with exit status {process.wait()}"
        self._stop()
        return {"ok": False, "status": "failed", "reason": reason}

    def _read_line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """The next line; empty when the process has ended, None when the time is up."""
        if process.stdout is None:
            raise RuntimeError("the worker has no output")
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(self._timeout):
                    return None
                received = os.read(process.stdout.fileno(), 65_536)
                if not received:
                    return b""
                self._pending += received
        line, _, self._pending = self._pending.partition(b"\n")
        return line
