"""The `headrace` command: the shell, SQL given as an argument or on standard input, and its subcommands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, or 1 when a statement failed, or 130 after Ctrl-C."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["tpch"]:
            return _tpch(given[1:])
        if given[:1] == ["doctor"]:
            return _doctor(given[1:])
        return _sql(given)
    except BrokenPipeError:
        # The reader (head, less) has left. Output goes nowhere from here, or Python complains at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _tpch(arguments: list[str]) -> int:
    from headrace.tpch.cli import main as run
    from headrace.tpch.tpch import TPCH

    return run(arguments, TPCH)


def _doctor(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("headrace doctor", description="Report what Headrace finds on this machine.")
    parser.parse_args(arguments)
    from headrace.doctor import report
    from headrace.errors import Error

    try:
        print(report())
    except Error as error:  # an environment variable that does not fit
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _sql(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    from headrace.connection import connect
    from headrace.errors import Error
    from headrace.shell.session import Session

    try:
        settings: dict[str, Any] = {}
        for assignment in options.set:
            name, _, value = assignment.partition("=")
            settings[name.strip()] = value.strip()
        connection = connect(**settings)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    with connection:
        session = Session(connection, mode=options.mode, timer=options.timer)
        if options.command:
            return 0 if all(session.run(text) for text in options.command) else 1
        if sys.stdin.isatty():
            from headrace.shell.interactive import run_interactive

            return run_interactive(session)
        try:
            text = sys.stdin.read()
        except UnicodeDecodeError as fault:
            print(f"error: standard input is no text: {fault}", file=sys.stderr)
            return 1
        return 0 if session.run(text) else 1


def _parser() -> argparse.ArgumentParser:
    from headrace import __version__
    from headrace.shell.output import MODES

    parser = argparse.ArgumentParser(
        "headrace",
        description="Headrace, an analytical SQL engine. Without -c, SQL is read from standard input, "
        "or from a prompt where that is a terminal.",
        epilog="subcommands: headrace tpch (generate, run, verify, compare TPC-H), headrace doctor (report)",
    )
    parser.add_argument("-c", "--command", action="append", metavar="SQL", help="run SQL and leave; can be repeated")
    parser.add_argument("-m", "--mode", choices=MODES, default="table", help="how results are written")
    parser.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    parser.add_argument("--timer", action="store_true", help="show the time each statement takes")
    parser.add_argument("--version", action="version", version=f"headrace {__version__}")
    return parser
