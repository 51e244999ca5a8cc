"""Functions of text and patterns, over texts held by dictionary (`s`) and one by one (`t` of the table `tall`)."""

from __future__ import annotations

import pytest

from differential.harness import assert_case, assert_fails

CASES: dict[str, tuple[str, ...]] = {
    "||": ("s || t", "s || 'x'", "'x' || t", "s || NULL", "s || i32", "bl || bl", "s || '' = s", "s || bo"),
    "concat": ("concat(s, t)", "concat(s, NULL, t)", "concat(s, i32, 'x')", "concat(NULL)", "concat(s)"),
    "length": ("length(s)", "length(t)", "len(s)", "char_length(t)", "character_length(s)", "length('日本')"),
    "strlen": ("strlen(s)", "strlen(t)", "bit_length(s)", "octet_length(bl)"),
    "upper": ("upper(s)", "upper(t)", "ucase(t)", "upper('straße')", "upper(s) = s"),
    "lower": ("lower(s)", "lower(t)", "lcase(t)", "lower('ÄÖÜ')"),
    "trim": ("trim(s)", "trim(t, 'abc')", "trim(BOTH 'a' FROM s)", "trim(s, t)", "trim(t, '')"),
    "ltrim": ("ltrim(s)", "ltrim(t, 'abc')", "trim(LEADING 'a' FROM s)"),
    "rtrim": ("rtrim(s)", "rtrim(t, 'ß🙂 ')", "trim(TRAILING 'c' FROM s)"),
    "left": ("left(s, 2)", "left(t, -2)", "left(t, i32)", "left(s, 0)", "left(t, NULL)"),
    "right": ("right(s, 2)", "right(t, -2)", "right(t, i32)", "right(s, 100)"),
    "substring": (
        *("substring(s, 2)", "substring(t, 2, 3)", "substring(t, -2)", "substring(s, -3, 10)", "substring(s, 0, 2)"),
        *("substring(t, -2, 1)", "substring(t, 4, -2)", "substring(s, 2, 0)", "substring(t, i32, i16)"),
        *("substring(s FROM 2 FOR 2)", "substring(s FOR 2)", "substr(t, 2, 3)", "substring(s, NULL)"),
    ),
    "replace": (
        "replace(s, 'a', 'xy')",
        "replace(t, '', 'x')",
        "replace(t, s, '#')",
        "replace(s, NULL, 'a')",
        "replace(t, 'ä', 'a')",
        "replace(s, 'abc', '')",
    ),
    "reverse": ("reverse('abc')", "reverse(CASE WHEN strlen(s) = length(s) THEN s END)"),
    "repeat": ("repeat(s, 3)", "repeat(t, i8::BIGINT)", "repeat(s, 0)", "repeat('ab', -1)"),
    "lpad": ("lpad(s, 5, '*')", "lpad(t, 4, 'ä🙂')", "lpad(s, 0, 'x')", "lpad(t, i8, 'ab')"),
    "rpad": ("rpad(s, 5, '*')", "rpad(t, 9, 'ä🙂')", "rpad(s, -1, 'x')", "rpad(t, i8, 'ab')"),
    "ascii": ("ascii(s)", "ascii(t)", "unicode(s)", "ord(t)", "unicode('')"),
    "chr": ("chr(65)", "chr(228)", "chr(u8::INTEGER + 60)", "chr(128512)"),
    "starts_with": ("starts_with(s, 'a')", "starts_with(t, s)", "prefix(s, 'ab')", "s ^@ 'a'", "starts_with('abc', s)"),
    "ends_with": ("ends_with(s, 'c')", "ends_with(t, s)", "suffix(s, 'bc')"),
    "contains": ("contains(s, 'b')", "contains(t, s)", "contains(s, '')", "contains('abc', s)", "contains(t, '日')"),
    "position": (
        "strpos(s, 'b')",
        "instr(t, 'ä')",
        "position('b' IN s)",
        "position(s IN t)",
        "strpos(t, '')",
        "strpos(s, s)",
    ),
    "LIKE": (
        *(f"t LIKE '{p}'" for p in ("", "%", "_", "a%", "%a", "%a%", "%b%c%", "%_", "_🙂_", "%a%%b%")),
        *(f"s LIKE '{p}'" for p in ("", "a%", "%b%c%", "a_c", "ä__")),
        *("s LIKE t", "t LIKE '%' || s || '%'", "s LIKE NULL", "'abc' LIKE s", "s ~~ 'a%'", r"s LIKE 'a\%c'"),
    ),
    "NOT LIKE": ("s NOT LIKE 'a%'", "t NOT LIKE '%b%'", "s !~~ 'a%'", "s NOT LIKE t"),
    "ILIKE": (
        "s ILIKE 'A%'",
        "t ILIKE '%ä%'",
        "t ILIKE '%Ä%'",
        "t ILIKE upper(t)",
        "s NOT ILIKE 'a_C'",
        "s ~~* 'A%'",
        "s ILIKE 'STRASSE'",
    ),
    "ESCAPE": (
        "s LIKE 'a#%c' ESCAPE '#'",
        "s LIKE 'a#_c' ESCAPE '#'",
        "t LIKE '%#%%' ESCAPE '#'",
        "s NOT LIKE 'a#%c' ESCAPE '#'",
        "s ILIKE 'A#%C' ESCAPE '#'",
        "s LIKE '##%' ESCAPE '#'",
        "s LIKE 'a%' ESCAPE ''",
    ),
}

FAILING = (
    "SELECT s LIKE 'a%' ESCAPE '##' FROM plain",
    "SELECT s LIKE 'a#' ESCAPE '#' FROM plain",
    "SELECT upper(i32, 1) FROM plain",
    "SELECT substring(i32) FROM plain",
    "SELECT lpad(s, 5, '') FROM plain WHERE length(s) < 5",
    "SELECT chr(-1) FROM plain",
    "SELECT no_such_function(s) FROM plain",
)


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case], compiled=("plain", "tall"))


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
