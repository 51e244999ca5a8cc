"""How expressions are bound: casts, constants, lists, and three-valued logic."""

from __future__ import annotations

import pytest

from bind_catalog import plan_of
from headrace.errors import DataError, NotSupportedError, ProgrammingError
from headrace.sql.expr import Call, Case, Cast, ColumnRef, Expr, InList, Literal
from headrace.sql.plan import Filter, Project
from headrace.types import BOOLEAN, DATE, INTEGER, INTERVAL, NULL, TIMESTAMP, TINYINT, VARCHAR, decimal


def output(expression: str) -> Expr:
    plan = plan_of(f"SELECT {expression} AS x FROM t")
    assert isinstance(plan, Project)
    return plan.outputs[0][1]


def condition(text: str) -> Expr:
    plan = plan_of(f"SELECT a FROM t WHERE {text}")
    assert isinstance(plan, Project)
    assert isinstance(plan.input, Filter)
    return plan.input.predicate


def call(e: Expr, function: str) -> tuple[Expr, ...]:
    assert isinstance(e, Call)
    assert e.function == function
    return e.arguments


def test_text_beside_a_date_is_a_date_constant() -> None:
    left, right = call(condition("d > '1995-01-01'"), "greater")
    assert isinstance(left, ColumnRef)
    assert right == Literal(9131, DATE)


def test_text_that_is_no_date_is_an_error_with_its_place() -> None:
    sql = "SELECT a FROM t WHERE d = 'foo'"
    with pytest.raises(DataError, match="Conversion Error") as caught:
        plan_of(sql)
    assert caught.value.position == sql.index("'foo'")


def test_an_explicit_cast_of_bad_text_fails_only_when_it_runs() -> None:
    assert isinstance(output("CASE WHEN n THEN CAST('x' AS INTEGER) END"), Case)


def test_integer_literals_take_the_type_of_the_column_where_they_fit() -> None:
    assert call(output("ti + 1"), "add")[1] == Literal(1, TINYINT)
    left, right = call(output("ti + 1000"), "add")
    assert isinstance(left, Cast)
    assert right == Literal(1000, INTEGER)
    assert call(condition("ti = 5"), "equal")[1] == Literal(5, TINYINT)


def test_integer_literals_beside_decimals_are_folded_into_decimals() -> None:
    left, right = call(condition('"dec" >= 24'), "greater_equal")
    assert left.type == right.type
    assert isinstance(right, Literal)
    assert right.type.is_decimal
    assert right.value == 24 * 10**right.type.scale


def test_minus_belongs_to_the_number() -> None:
    assert output("-9223372036854775808") == Literal(-(2**63), output("1::BIGINT").type)
    assert output("-1.5") == Literal(-15, decimal(2, 1))
    assert output("- -1") == Literal(1, INTEGER)


def test_in_is_a_list_of_constants() -> None:
    e = condition("a IN (3, 1, 3)")
    assert isinstance(e, InList)
    assert [v.value for v in e.values] == [3, 1]
    assert all(v.type == INTEGER for v in e.values)
    assert condition("c IN ('x')") == condition("c = 'x'")


def test_null_in_a_list_keeps_three_valued_logic() -> None:
    member, null = call(condition("a IN (1, NULL, 2)"), "or")
    assert isinstance(member, InList)
    assert null == Literal(None, BOOLEAN)
    assert condition("a IN (NULL)") == Literal(None, BOOLEAN)
    (negated,) = call(condition("a NOT IN (1, NULL)"), "not")
    assert call(negated, "or")[1] == Literal(None, BOOLEAN)


def test_in_with_columns_is_a_chain_of_equalities() -> None:
    terms = call(condition("a IN (1, b, 2, Mix + 1)"), "or")
    assert isinstance(terms[0], InList)
    assert [t.function for t in terms[1:] if isinstance(t, Call)] == ["equal", "equal"]


def test_in_takes_the_common_type_of_the_list() -> None:
    e = condition("ti IN (1, 1000)")
    assert isinstance(e, InList)
    assert isinstance(e.argument, Cast)
    assert e.argument.type == INTEGER
    dates = condition("d IN ('1995-01-01', '1996-01-01')")
    assert isinstance(dates, InList)
    assert [v.type for v in dates.values] == [DATE, DATE]


def test_between_is_two_comparisons() -> None:
    low, high = call(condition("a BETWEEN 1 AND 10"), "and")
    assert call(low, "greater_equal")[0] == call(high, "less_equal")[0]
    (inner,) = call(condition("a NOT BETWEEN 1 AND 10"), "not")
    assert len(call(inner, "and")) == 2


def test_junctions_are_flat() -> None:
    assert len(call(condition("n AND a = 1 AND b = 2 AND c = 'x'"), "and")) == 4
    left, right = call(condition("n OR a = 1 AND b = 2"), "or")
    assert isinstance(left, ColumnRef)
    assert len(call(right, "and")) == 2


def test_conditions_are_cast_to_boolean() -> None:
    assert condition("a") == Cast(ColumnRef(1, "a", INTEGER, True), BOOLEAN, True)


def test_tests_for_null_and_truth_are_never_null() -> None:
    for text in ("a IS NULL", "a IS NOT NULL", "n IS TRUE", "n IS NOT FALSE", "a IS DISTINCT FROM b"):
        assert not output(text).nullable, text
    assert call(output("a IS NOT NULL"), "is_not_null")
    assert call(output("n IS TRUE"), "is_not_distinct")[1] == Literal(True, BOOLEAN)


def test_like_takes_an_escape() -> None:
    assert len(call(condition("c LIKE 'x%'"), "like")) == 2
    assert len(call(condition("c ILIKE 'x$%' ESCAPE '$'"), "ilike")) == 3
    (inner,) = call(condition("c NOT LIKE 'x$%' ESCAPE '$'"), "not")
    assert len(call(inner, "like")) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("INTERVAL '3' MONTH", (3, 0, 0)),
        ("INTERVAL 3 months", (3, 0, 0)),
        ("INTERVAL '1' YEAR", (12, 0, 0)),
        ("INTERVAL 2 WEEK", (0, 14, 0)),
        ("INTERVAL '90' DAY", (0, 90, 0)),
        ("INTERVAL 1.9 DAY", (0, 1, 0)),
        ("INTERVAL '1.5' SECOND", (0, 0, 1_500_000)),
        ("INTERVAL '-2' HOUR", (0, 0, -7_200_000_000)),
        ("INTERVAL 1 CENTURY", (1200, 0, 0)),
        ("INTERVAL '1 day 2 hours'", (0, 1, 7_200_000_000)),
    ],
)
def test_intervals_are_constants(text: str, value: tuple[int, int, int]) -> None:
    assert output(text) == Literal(value, INTERVAL)


@pytest.mark.parametrize("text", ["INTERVAL (a) DAY", "INTERVAL (a + 1) MONTHS", "to_years(a)", "INTERVAL (f) HOUR"])
def test_computed_intervals_are_multiples_of_one(text: str) -> None:
    one, count = call(output(text), "multiply")
    assert isinstance(one, Literal)
    assert one.type == INTERVAL
    assert count.type.is_integer
    assert output(f"d + {text}").type == TIMESTAMP


def test_case_of_a_value_compares_with_equality() -> None:
    e = output("CASE a WHEN 1 THEN 'x' WHEN '2' THEN c END")
    assert isinstance(e, Case)
    assert [call(c, "equal")[1] for c, _ in e.branches] == [Literal(1, INTEGER), Literal(2, INTEGER)]
    assert e.type == VARCHAR
    assert e.default == Literal(None, VARCHAR)


def test_nullif_keeps_the_type_of_its_first_argument() -> None:
    e = output("nullif(ti, 1000)")
    assert isinstance(e, Case)
    assert e.type == TINYINT
    assert e.nullable


def test_bare_null_has_no_type_of_its_own() -> None:
    assert output("NULL").type == NULL
    assert call(output("NULL = NULL"), "equal") == (Literal(None, INTEGER), Literal(None, INTEGER))
    assert output("coalesce(NULL, a)").type == INTEGER


def test_division_follows_the_setting() -> None:
    from bind_catalog import catalog
    from headrace.sql.bind import bind
    from headrace.sql.parse import parse
    from headrace.sql.statement import Query

    for setting, function in ((False, "divide"), (True, "integer_divide")):
        statement = bind(parse("SELECT a / b FROM t")[0], catalog(), None, setting)
        assert isinstance(statement, Query)
        assert isinstance(statement.plan, Project)
        assert call(statement.plan.outputs[0][1], function)


@pytest.mark.parametrize(
    ("expression", "message", "place"),
    [
        ("sum(a) OVER ()", "window functions", "sum"),
        ("[1, 2]", "lists", "1"),
        ("{'k': 1}", "structs", None),
        ("(a, b)", "row values", "a,"),
        ("c[1]", "subscripts", "c"),
        ("columns('a')", "COLUMNS", "columns"),
        ("CAST(a AS INTEGER[])", "values", "a AS"),
        ("median(a)", "the function median", "median"),
        ("string_agg(c, ',')", "not supported", None),
        ("sum(a ORDER BY b)", "ORDER BY clauses inside", "sum"),
        ("current_timestamp", "TIME ZONE", None),
        ("c COLLATE nocase", "collations", "c COLL"),
        ("c SIMILAR TO 'x'", "SIMILAR TO", "c SIM"),
    ],
)
def test_constructs_are_refused_by_name(expression: str, message: str, place: str | None) -> None:
    sql = f"SELECT {expression} FROM t"
    with pytest.raises(NotSupportedError, match=message) as caught:
        plan_of(sql)
    if place is not None:
        assert caught.value.position == sql.index(place)


@pytest.mark.parametrize(
    ("expression", "message", "hint"),
    [
        ("summ(a)", "no function summ", "sum"),
        ("equal(a, b)", "no function equal", None),
        ("Mixx", 'no column "Mixx"', "Mix"),
        ("t.dd", 'no column "dd"', "d"),
        ("x.a", 'no table "x"', None),
        ("c + 1", "no operator", "cast"),
        ("c < 1", "cannot be compared", "cast"),
        ("d = 1", "cannot be compared", "cast"),
        ("CASE WHEN n THEN c ELSE 1 END", "mixes", "cast"),
        ("CAST(d AS BOOLEAN)", "cannot cast", None),
        ("CAST(a AS foo)", "no type", None),
        ("CAST(a AS DECIMAL(39, 2))", "out of range", None),
        ("date_part('foo', d)", "no date part", None),
        ("if(n, 1)", "three arguments", None),
        ("sum(a, b)", "does not take", None),
        ("sum(sum(a))", "cannot contain aggregates", None),
    ],
)
def test_mistakes_are_errors_with_a_place(expression: str, message: str, hint: str | None) -> None:
    sql = f"SELECT {expression} FROM t"
    with pytest.raises(ProgrammingError, match=message) as caught:
        plan_of(sql)
    assert caught.value.position is not None
    assert caught.value.sql == sql
    if hint is not None:
        assert hint in str(caught.value.hint)
