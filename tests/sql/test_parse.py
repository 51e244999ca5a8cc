"""Statement splitting, the tree's fidelity to the text, and the place of syntax errors."""

from __future__ import annotations

import logging

import pytest
from sqlglot import exp

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.sql.parse import parse


def test_a_text_is_split_at_semicolons_outside_quotes_and_comments() -> None:
    text = "select ';' -- ;\n; /* ; */ select 2;;"
    statements = parse(text)
    assert [s.text for s in statements] == ["select ';'", "select 2"]
    assert [text[s.start :][:6] for s in statements] == ["select", "select"]
    assert all(s.source == text for s in statements)


@pytest.mark.parametrize("text", ["", ";", " ;; ", "-- nothing", "/* nothing */"])
def test_a_text_without_statements_gives_none(text: str) -> None:
    assert parse(text) == ()


def test_function_calls_keep_their_names_and_arguments() -> None:
    (statement,) = parse("select date_diff('day', a, b), Left(x, 2), any_value(y), lower(hex(z)) from t")
    calls = statement.tree.expressions
    assert [type(c) for c in calls] == [exp.Anonymous] * 4
    assert [c.name for c in calls] == ["date_diff", "Left", "any_value", "lower"]
    assert [len(c.expressions) for c in calls] == [3, 2, 1, 1]
    assert calls[0].meta["start"] == len("select ")


def test_positions_count_from_the_start_of_the_whole_text() -> None:
    text = "select 1;\nselect 'é', foo from t"
    column = parse(text)[1].tree.expressions[1]
    assert text[column.this.meta["start"] :].startswith("foo from")


@pytest.mark.parametrize(
    ("text", "explain"),
    [("explain select 1", "plan"), ("EXPLAIN ANALYZE select 1", "analyze"), ("select 1", "")],
)
def test_explain_is_taken_off_the_statement(text: str, explain: str) -> None:
    (statement,) = parse(text)
    assert statement.explain == explain
    assert isinstance(statement.tree, exp.Select)
    assert statement.text == text


def test_question_marks_are_numbered_in_the_order_of_the_text() -> None:
    text = "select ? from t where a = ? limit ?"
    (statement,) = parse(text)
    assert [text[p] for p in statement.placeholders] == ["?"] * 3
    assert {p.name for p in statement.tree.find_all(exp.Placeholder)} == {"1", "2", "3"}
    assert statement.tree.args["limit"].expression.name == "3"


def test_a_view_keeps_the_text_of_its_query() -> None:
    (statement,) = parse("create view v (x, y) as\n  select a, b from t -- all\n;")
    assert statement.query_text == "select a, b from t"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("select a b c from t", 11),
        ("select a\nfrom t where x = = 2", 26),
        ("select a,, b from t", 9),
        ("foo bar", 0),
        ("select 1 +", 10),
        ("select (1", 9),
        ("select 'abc", 7),
        ('select "abc', 7),
        ("select 1 /* abc", 9),
        ("select 'a''b' || 'c", 17),
        ("create table", 12),
        ("explain", 0),
        ("select ?, $1", 7),
        ("select 1; select * frm t", 23),
    ],
)
def test_syntax_errors_show_their_place(text: str, position: int) -> None:
    with pytest.raises(ProgrammingError) as caught:
        parse(text)
    assert caught.value.position == position
    assert caught.value.sql == text
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["pragma x", "delete from t", "update t set a = 1", "attach 'x'", "copy t to 'x'", "summarize t"]
)
def test_other_statements_are_refused_without_a_word_on_the_log(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(NotSupportedError, match=text.split()[0].upper()):
        parse(text)
    assert not caplog.records
