"""Types of operators, functions and conditions are DuckDB's, over all pairs of types and over literals."""

from __future__ import annotations

import pytest

from bind_catalog import TYPES, columns_of, expected, plan_of
from headrace.errors import DataError, NotSupportedError, ProgrammingError

LITERALS = [
    "1",
    "100",
    "1000",
    "100000",
    "3000000000",
    "-1",
    "1.5",
    "1e3",
    "NULL",
    "date '1995-01-01'",
    "true",
]
COLUMNS = range(len(TYPES))
REFUSED = "refused"


def _ours(sql: str) -> str | None:
    try:
        return columns_of(plan_of(sql))[0][1]
    except NotSupportedError:
        return REFUSED
    except (ProgrammingError, DataError):
        return None


def _differences(expressions: list[str]) -> list[tuple[str, str | None, str | None]]:
    """Expressions whose type is not DuckDB's, or that only one side takes; a refusal is no difference."""
    found = []
    for expression in expressions:
        sql = f"SELECT {expression} AS x FROM types"
        described = expected(sql)
        theirs, ours = described[0][1] if described else None, _ours(sql)
        if theirs != ours and (ours != REFUSED or theirs is None):
            found.append((expression, theirs, ours))
    return found


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "<"])
def test_operators_over_all_pairs_of_types(operator: str) -> None:
    assert _differences([f"c{i} {operator} c{j}" for i in COLUMNS for j in COLUMNS]) == []


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "<"])
def test_operators_between_a_column_and_a_literal(operator: str) -> None:
    left = [f"c{i} {operator} {x}" for i in COLUMNS for x in LITERALS]
    right = [f"{x} {operator} c{i}" for i in COLUMNS for x in LITERALS]
    assert _differences(left + right) == []


def test_case_over_all_pairs_of_types() -> None:
    pairs = [f"CASE WHEN flag THEN c{i} ELSE c{j} END" for i in COLUMNS for j in COLUMNS]
    assert _differences(pairs) == []


def test_case_coalesce_and_between_with_literals() -> None:
    forms = ["CASE WHEN flag THEN c{0} ELSE {1} END", "coalesce({1}, c{0})", "c{0} BETWEEN {1} AND {1}"]
    assert _differences([f.format(i, x) for f in forms for i in COLUMNS for x in LITERALS]) == []


@pytest.mark.parametrize(
    ("literal", "type_name"),
    [
        ("1", "INTEGER"),
        ("2147483648", "BIGINT"),
        ("-2147483648", "BIGINT"),
        ("9223372036854775808", "HUGEINT"),
        ("-9223372036854775808", "BIGINT"),
        ("1.5", "DECIMAL(2,1)"),
        ("0.05", "DECIMAL(3,2)"),
        (".5", "DECIMAL(1,1)"),
        ("5.", "DECIMAL(1,0)"),
        ("00.10", "DECIMAL(4,2)"),
        ("1e3", "DOUBLE"),
        ("123456789012345678901234567890.123456789", "DOUBLE"),
        ("'x'", "VARCHAR"),
        ("NULL", "NULL"),
        ("true", "BOOLEAN"),
        ("1_000", "INTEGER"),
        ("coalesce('a', 'b')", "VARCHAR"),
        ("case when true then 1.5 else 2.25 end", "DECIMAL(3,2)"),
        ("coalesce(1, 3000000000)", "BIGINT"),
        ("1 + 1", "INTEGER"),
        ("1::TINYINT + 1", "TINYINT"),
        ("1::TINYINT + 1::INTEGER", "INTEGER"),
        ("interval '1' day", "INTERVAL"),
    ],
)
def test_types_of_literals(literal: str, type_name: str) -> None:
    sql = f"SELECT {literal} AS x"
    assert expected(sql) == [("x", type_name)]
    assert columns_of(plan_of(sql)) == [("x", type_name)]


FUNCTIONS = (
    *("-c{0}", "abs(c{0})", "round(c{0})", "round(c{0}, 1)", "floor(c{0})"),
    *("sqrt(c{0})", "greatest(c{0}, c{0})", "nullif(c{0}, c{0})", "c{0} IS NULL", "c{0} LIKE 'x'"),
    *("count(c{0})", "sum(c{0})", "min(c{0})", "stddev(c{0})", "bool_and(c{0})", "any_value(c{0})"),
)
WRITTEN = (
    *("int", "int4", "signed", "bigint", "long", "int128", "uint8", "uinteger", "real", "float8", "decimal"),
    *("decimal(5)", "numeric(4, 2)", "bool", "text", "string", "char(3)", "bytea", "binary", "datetime"),
    *("timestamp_ms", "interval"),
)


@pytest.mark.parametrize("form", FUNCTIONS)
def test_functions_and_aggregates_over_all_types(form: str) -> None:
    assert _differences([form.format(i) for i in COLUMNS]) == []


@pytest.mark.parametrize("written", WRITTEN)
def test_type_names(written: str) -> None:
    sql = f"SELECT TRY_CAST(NULL AS {written}) AS x"
    described = expected(sql)
    assert described is not None
    assert columns_of(plan_of(sql)) == described


def test_numbers_text_and_booleans_are_conditions() -> None:
    taken = [i for i in COLUMNS if TYPES[i] in ("BOOLEAN", "VARCHAR") or columns_are_numeric(i)]
    assert _differences([f.format(i) for f in ("NOT c{0}", "c{0} AND flag") for i in taken]) == []


def columns_are_numeric(index: int) -> bool:
    return TYPES[index].startswith(("DECIMAL", "FLOAT", "DOUBLE")) or TYPES[index].endswith("INT")
