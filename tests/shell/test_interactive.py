"""The interactive shell on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory

from headrace.connection import connect
from headrace.shell.complete import SqlCompleter
from headrace.shell.interactive import history_path, open_history
from headrace.shell.words import quoted

CODE = "import sys; from headrace.shell.main import main; sys.exit(main())"
ENTERED = r"\x1b\[\?2004l"  # the terminal leaves the mode that only the prompt uses
SLOW = """
import sys, threading, time
from headrace import executor, errors

def run(self, plan, profile=None, cancel=None):
    if not cancel.wait(30):
        raise AssertionError('never cancelled')
    raise errors.CancelledError('the query was cancelled')

executor.Executor.run = run
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sample.csv").write_text("alpha,beta\n1,x\n2,y\n")
    return tmp_path


def start(folder: Path, code: str = CODE) -> pexpect.spawn[str]:
    environment = {
        **os.environ,
        "XDG_STATE_HOME": str(folder),
        "HEADRACE_EXECUTION": "interpreted",
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    child = pexpect.spawn(
        sys.executable,
        ["-c", code],
        cwd=str(folder),
        env=environment,
        encoding="utf-8",
        timeout=20,
        dimensions=(50, 120),
    )
    child.expect("headrace>")
    return child


@pytest.fixture
def shell(folder: Path) -> Iterator[pexpect.spawn[str]]:
    child = start(folder)
    yield child
    child.close(force=True)


def test_statements_over_several_lines(shell: pexpect.spawn[str], folder: Path) -> None:
    shell.send("SELECT alpha + 1 AS n\r")
    shell.expect(r"\.\.\.>")
    shell.send("FROM 'sample.csv';\r")
    shell.expect("│ +2 │")
    shell.expect("│ +3 │")
    shell.expect("2 rows")
    shell.expect("headrace>")
    shell.send(".quit\r")
    shell.expect(pexpect.EOF)
    shell.wait()
    assert shell.exitstatus == 0
    assert "FROM 'sample.csv';" in (folder / "headrace" / "history").read_text()


def test_errors_do_not_end_the_shell(shell: pexpect.spawn[str]) -> None:
    shell.send("SELECT nothing FROM 'sample.csv';\r")
    shell.expect("error: ")
    shell.expect("line 1, column 8")
    shell.expect("headrace>")
    shell.send(".tabels\r")
    shell.expect(r"did you mean \.tables\?")
    shell.expect("headrace>")
    shell.sendeof()
    shell.expect(pexpect.EOF)
    shell.wait()
    assert shell.exitstatus == 0


def test_control_c_at_the_prompt_drops_the_line(shell: pexpect.spawn[str]) -> None:
    shell.send("SELECT nonsense")
    shell.expect("nonsense")
    shell.sendintr()
    shell.expect("headrace>")
    shell.send("SELECT max(alpha) AS n FROM 'sample.csv';\r")
    shell.expect("│ +2 │")


def test_control_c_cancels_the_query_and_not_the_shell(folder: Path) -> None:
    child = start(folder, SLOW + CODE)
    child.send("SELECT alpha FROM 'sample.csv';\r")
    child.expect(ENTERED)
    time.sleep(1.0)  # until the query, which never ends by itself, is under way
    child.sendintr()
    child.expect("error: the query was cancelled")
    child.expect("headrace>")
    child.send(".tables\r")
    child.expect("headrace>")
    child.close(force=True)


def test_completion() -> None:
    with connect() as con:
        con.execute('CREATE TABLE trades (price INTEGER, "order" INTEGER); CREATE TABLE "Odd Name" (x INTEGER)')
        completer = SqlCompleter(con)

        def offered(before: str, after: str = "") -> list[str]:
            document = Document(before + after, len(before))
            return [c.text for c in completer.get_completions(document, CompleteEvent())]

        assert offered("sel") == ["select"]
        assert offered("SEL") == ["SELECT"]
        assert offered("SELECT * FROM tr") == ["trades", "true", "try_cast"]
        assert offered("SELECT pri", " FROM trades") == ["price"]
        assert offered("SELECT trades.") == ["price", '"order"']
        assert offered("SELECT nothing.") == []
        assert offered("SELECT ") == []
        assert offered(".ta") == [".tables"]
        assert offered(".mode c") == ["csv"]
        assert offered(".schema t") == ["trades"]
        assert offered(".timer ") == ["on", "off"]


def test_names_are_quoted_where_they_must_be() -> None:
    assert [quoted(n) for n in ("a_1", "date", "order", "Upper", "1a", "a b", 'q"q', "é")] == [
        "a_1",
        "date",
        '"order"',
        '"Upper"',
        '"1a"',
        '"a b"',
        '"q""q"',
        '"é"',
    ]


def test_history_without_a_place_to_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    assert history_path() == blocked / "headrace" / "history"
    assert isinstance(open_history(), InMemoryHistory)
