"""Cutting text into statements and dot commands."""

from __future__ import annotations

import pytest

from headrace.shell.split import is_blank, is_complete, split


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("  ;; \n ; -- nothing\n", []),
        ("select 1", ["select 1"]),
        ("select 1;", ["select 1;"]),
        ("select 1; select 2;\n", ["select 1;", "select 2;"]),
        ("select ';'; select 2", ["select ';';", "select 2"]),
        ("select 'it''s; '; 2", ["select 'it''s; ';", "2"]),
        ('select "a;""b;"; 2', ['select "a;""b;";', "2"]),
        ("select 1 -- one; two\n; 2", ["select 1 -- one; two\n;", "2"]),
        ("select /* ; /* ; */ ; */ 1; 2", ["select /* ; /* ; */ ; */ 1;", "2"]),
        ("select $$ ; $$; 2", ["select $$ ; $$;", "2"]),
        ("select $a$ ; $$ ; $a$; 2", ["select $a$ ; $$ ; $a$;", "2"]),
        ("select $1; select $b", ["select $1;", "select $b"]),
        ("select 'open ; 2", ["select 'open ; 2"]),
        ("/* open ; 2", ["/* open ; 2"]),
        ("-- first\nselect 1;", ["-- first\nselect 1;"]),
        (".tables\nselect 1;\n.mode csv", [".tables", "select 1;", ".mode csv"]),
        ("select 1\n.5;", ["select 1\n.5;"]),
    ],
)
def test_pieces(text: str, pieces: list[str]) -> None:
    found = list(split(text))
    assert [p.text for p in found if not is_blank(p.text)] == [p for p in pieces if not is_blank(p)]
    assert all(text[p.start :].startswith(p.text) for p in found)


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", True),
        ("  \n", True),
        (".tables", True),
        ("select 1", False),
        ("select 1;", True),
        ("select 1; -- done", True),
        ("select 1; select", False),
        ("select ';", False),
        ("select ';'", False),
        ("-- a comment", True),
    ],
)
def test_completeness(text: str, complete: bool) -> None:
    assert is_complete(text) is complete
