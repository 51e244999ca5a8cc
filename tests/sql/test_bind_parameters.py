"""Parameters are typed constants."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np
import pytest

from bind_catalog import plan_of, twin
from headrace.errors import DataError, NotSupportedError, ProgrammingError
from headrace.sql.bind_parameters import python_literal
from headrace.sql.expr import Call, Literal
from headrace.sql.plan import Limit, Project
from headrace.types import DATE, INTEGER, INTERVAL, TIME, TIMESTAMP

VALUES: tuple[object, ...] = (
    *(True, 1, -5, 2**31, 2**63, 1.5, "x", b"x", Decimal("1.50"), Decimal("0.05"), Decimal("1e3")),
    *(Decimal("-0.5"), Decimal("0"), Decimal("0.0"), Decimal("0.10"), Decimal("123.456")),
    *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 1, 2, 3, 4), datetime.time(1, 2, 3)),
    datetime.timedelta(days=1, seconds=3),
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_types_of_python_values_are_duckdbs(value: object) -> None:
    row = twin().execute("SELECT typeof(?)", [value]).fetchone()
    assert row == (str(python_literal(value).type),)


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (datetime.date(1970, 1, 2), Literal(1, DATE)),
        (datetime.date(1969, 12, 31), Literal(-1, DATE)),
        (datetime.datetime(1969, 12, 31, 23, 59, 59), Literal(-1_000_000, TIMESTAMP)),
        (datetime.time(0, 1, 0, 5), Literal(60_000_005, TIME)),
        (datetime.timedelta(days=2, hours=1), Literal((0, 2, 3_600_000_000), INTERVAL)),
        (np.int32(7), Literal(7, INTEGER)),
    ],
)
def test_values_of_parameters(value: object, literal: Literal) -> None:
    assert python_literal(value) == literal


@pytest.mark.parametrize(
    ("sql", "parameters", "values"),
    [
        ("SELECT ?, ?", [1, "x"], [1, "x"]),
        ("SELECT $2, $1, $2", [1, 2], [2, 1, 2]),
        ("SELECT $a, :b", {"a": 1, "b": 2}, [1, 2]),
        ("SELECT $a", {"$a": 1}, [1]),
        ("SELECT ? AS x WHERE x = ?", (1, 2), [1]),
    ],
)
def test_parameters_are_found_by_place_and_by_name(
    sql: str, parameters: Sequence[object] | Mapping[str, object], values: list[object]
) -> None:
    plan = plan_of(sql, parameters)
    assert isinstance(plan, Project)
    assert [e.value for _, e in plan.outputs if isinstance(e, Literal)] == values


def test_an_integer_parameter_keeps_its_type_and_text_adapts() -> None:
    plan = plan_of("SELECT ti + ?, ts > ? FROM t LIMIT ?", [1, "1995-01-01", 5])
    assert isinstance(plan, Limit)
    assert plan.limit == 5
    assert [str(f.type) for f in plan.schema()] == ["INTEGER", "BOOLEAN"]
    assert isinstance(plan.input, Project)
    comparison = plan.input.outputs[1][1]
    assert isinstance(comparison, Call)
    assert comparison.arguments[1].type == TIMESTAMP


@pytest.mark.parametrize(
    ("sql", "parameters", "message"),
    [
        ("SELECT ?, ?", [1], "parameter 2 has no value"),
        ("SELECT ?", None, "parameter 1 has no value"),
        ("SELECT ?", [1, 2], "takes 1 parameters, 2 were given"),
        ("SELECT 1", [1], "takes 0 parameters"),
        ("SELECT $a", {"b": 1}, '"a" has no value'),
        ("SELECT $a", {"a": 1, "b": 1}, "no parameter b"),
        ("SELECT ?", "x", "not one text"),
    ],
)
def test_missing_and_surplus_parameters(sql: str, parameters: Sequence[object], message: str) -> None:
    with pytest.raises(ProgrammingError, match=message):
        plan_of(sql, parameters)


def test_values_without_a_type() -> None:
    with pytest.raises(NotSupportedError, match="list"):
        python_literal([1])
    with pytest.raises(NotSupportedError, match="TIME ZONE"):
        python_literal(datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC))
    with pytest.raises(DataError, match="HUGEINT"):
        python_literal(2**127)


def test_a_parameter_that_is_no_value_shows_its_place() -> None:
    sql = "SELECT d = ?, ts = ? FROM t"
    with pytest.raises(DataError, match="Conversion Error") as caught:
        plan_of(sql, ["1995-01-01", "x"])
    assert caught.value.position == sql.rindex("?")
