"""The `headrace` command without a terminal: -c, standard input, exit statuses, dot commands."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.shell.main import main

SAMPLE = "a,b\n1,x\n2,\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sample.csv").write_text(SAMPLE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADRACE_EXECUTION", "interpreted")
    return tmp_path


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "SELECT * FROM 'sample.csv'", "--mode", "csv"]) == 0
    assert capsys.readouterr().out == "a,b\n1,x\n2,\n"


def test_every_statement_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = "CREATE TABLE t AS SELECT * FROM 'sample.csv'; SELECT a FROM t; .mode json\nSELECT b FROM t"
    assert main(["-m", "csv", "-c", text.replace("; .mode", ";\n.mode")]) == 0
    assert capsys.readouterr().out == 'a\n1\n2\n[{"b":"x"},\n{"b":null}]\n'


def test_tables_are_drawn_and_writes_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "CREATE TABLE t AS SELECT * FROM 'sample.csv'", "-c", "SELECT a FROM t"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "2 rows written"
    assert out[1] == "┌────────┐"
    assert out[-1] == "2 rows"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(
        monkeypatch,
        "-- a script\nCREATE VIEW v AS\n  SELECT a FROM 'sample.csv';\n.mode line\nSELECT a FROM v",
    )
    assert main([]) == 0
    assert capsys.readouterr().out == "a = 1\n\na = 2\n"


@pytest.mark.parametrize("text", ["", "\n;\n", "-- only a comment"])
def test_nothing_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str) -> None:
    feed(monkeypatch, text)
    assert main([]) == 0
    assert capsys.readouterr() == ("", "")


def test_errors_go_to_standard_error_with_a_caret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(
        monkeypatch,
        "SELECT a FROM 'sample.csv';\nSELECT\n  nothing FROM 'sample.csv';\nSELECT b FROM 'sample.csv';",
    )
    assert main(["-m", "csv"]) == 1
    out, err = capsys.readouterr()
    assert out == "a\n1\n2\n"  # what comes after the error is not run
    lines = err.splitlines()
    assert lines[0].startswith("error: ")
    assert lines[1:4] == ["line 3, column 3:", "    nothing FROM 'sample.csv';", "    ^"]


def test_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-s", "threads=1", "-c", "SELECT a FROM 'sample.csv'"]) == 0
    assert main(["-s", "thread=1", "-c", "SELECT a FROM 'sample.csv'"]) == 1
    assert "no setting thread" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["--no-such-option"])
    assert left.value.code == 2


def test_timer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--timer", "-m", "csv", "-c", "SELECT a FROM 'sample.csv'"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("time: 0.")


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "EXPLAIN SELECT a FROM 'sample.csv'"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("logical plan\nProject [a]\n")
    assert "\n\npipelines\n" in out


def test_dot_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "script.sql").write_text('CREATE TABLE "Odd name" (a INTEGER, "order" DECIMAL(10, 2));\n')
    script = (
        ".read script.sql\nCREATE TABLE t AS SELECT a FROM 'sample.csv';\n"
        "CREATE VIEW v AS SELECT a FROM t;\n.tables\n.tables ODD\n.schema\n.help\n.quit\n.nosuch"
    )
    assert main(["-m", "csv", "-c", script]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        'Odd name\nt\nv\nOdd name\nCREATE TABLE "Odd name" (\n    a INTEGER,\n    "order" DECIMAL(10,2)\n);\n'
        "CREATE TABLE t (\n    a BIGINT\n);\nCREATE VIEW v AS SELECT a FROM t;\n"
    )
    assert ".timer on|off" in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (".nosuch", "no command .nosuch"),
        (".tabels", "did you mean .tables?"),
        (".mode", "table, csv, json, line"),
        (".mode xml", "table, csv, json, line"),
        (".timer maybe", "on, off"),
        (".schema nothing", "no table nothing"),
        (".read", "one file name"),
        (".read missing.sql", "cannot read missing.sql"),
    ],
)
def test_wrong_dot_commands(capsys: pytest.CaptureFixture[str], command: str, words: str) -> None:
    assert main(["-c", command]) == 1
    assert words in capsys.readouterr().err


def test_errors_in_a_file_that_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.sql").write_text("\n\nSELECT nothing;\n")
    assert main(["-c", ".read bad.sql\n.tables"]) == 1
    err = capsys.readouterr().err
    assert "line 3, column 8:" in err
    assert err.count("error:") == 1


def test_a_file_that_reads_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "self.sql").write_text(".read self.sql\n")
    assert main(["-c", ".read self.sql"]) == 1
    assert capsys.readouterr().err == "error: self.sql is being read already\n"


def test_input_that_is_no_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"SELECT '\xff'"), encoding="utf-8"))
    assert main([]) == 1
    assert capsys.readouterr().err.startswith("error: standard input is no text")


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for word in ("headrace", "python", "pyarrow", "kernel cache", "everything needed is there"):
        assert word in out
    monkeypatch.setenv("HEADRACE_THREADS", "none")
    assert main(["doctor"]) == 1
    assert "threads" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == "headrace 0.1.0\n"


def test_a_reader_that_leaves_early(folder: Path) -> None:
    (folder / "long.csv").write_text("n\n" + "1\n" * 200_000)
    code = "import sys; from headrace.shell.main import main; sys.exit(main())"
    shell = f"'{sys.executable}' -c '{code}' -m csv -c \"SELECT n FROM 'long.csv'\" | head -n 1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, env=os.environ, check=True)
    assert (done.stdout, done.stderr) == ("n\n", "")


def test_json_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-m", "json", "-c", "SELECT * FROM 'sample.csv'"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
