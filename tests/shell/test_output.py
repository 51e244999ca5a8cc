"""The forms in which the shell writes results."""

from __future__ import annotations

import csv
import datetime
import io
import json
from decimal import Decimal

import pyarrow as pa
import pytest

from headrace.result import Result
from headrace.shell.output import write_result
from headrace.types import BIGINT, BOOLEAN, DATE, DOUBLE, VARCHAR, decimal


@pytest.fixture
def result() -> Result:
    table = pa.table(
        [
            pa.array([1, None, 3], pa.int64()),
            pa.array(['a "quoted", text', "", None]),
            pa.array([Decimal("1.50"), None, Decimal("-0.05")], pa.decimal128(10, 2)),
            pa.array([1.0, float("nan"), None]),
            pa.array([datetime.date(2020, 1, 2), None, None]),
            pa.array([True, False, None]),
        ],
        names=["n", "text", "price", "x", "day", "flag"],
    )
    return Result(table, [BIGINT, VARCHAR, decimal(10, 2), DOUBLE, DATE, BOOLEAN])


def written(result: Result, mode: str) -> str:
    out = io.StringIO()
    write_result(result, mode, out, None)
    return out.getvalue()


def test_csv(result: Result) -> None:
    assert written(result, "csv") == (
        'n,text,price,x,day,flag\n1,"a ""quoted"", text",1.50,1.0,2020-01-02,true\n,"",,nan,,false\n3,,-0.05,,,\n'
    )
    rows = list(csv.DictReader(io.StringIO(written(result, "csv"))))
    assert rows[0]["text"] == 'a "quoted", text'


def test_json(result: Result) -> None:
    assert json.loads(written(result, "json")) == [
        {"n": 1, "text": 'a "quoted", text', "price": 1.5, "x": 1.0, "day": "2020-01-02", "flag": True},
        {"n": None, "text": "", "price": None, "x": "nan", "day": None, "flag": False},
        {"n": 3, "text": None, "price": -0.05, "x": None, "day": None, "flag": None},
    ]


def test_line(result: Result) -> None:
    assert written(result, "line").split("\n\n")[1].splitlines() == [
        "    n = NULL",
        " text = ",
        "price = NULL",
        "    x = nan",
        "  day = NULL",
        " flag = false",
    ]


def test_table(result: Result) -> None:
    lines = written(result, "table").splitlines()
    assert lines[4] == '│      1 │ a "quoted", text │          1.50 │    1.0 │ 2020-01-02 │ true    │'


def test_no_rows() -> None:
    empty = Result(pa.table({"a": pa.array([], pa.int64())}), [BIGINT])
    assert written(empty, "csv") == "a\n"
    assert written(empty, "json") == "[]\n"
    assert written(empty, "line") == ""
    assert written(empty, "table").endswith("0 rows\n")


def test_plans_are_written_as_they_are() -> None:
    plans = Result.of_columns(explain_key=["logical_plan"], explain_value=["Project\n  Scan"])
    assert written(plans, "table") == "logical plan\nProject\n  Scan\n\n"
