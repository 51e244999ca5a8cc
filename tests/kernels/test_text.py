"""Text functions against DuckDB."""

from __future__ import annotations

from itertools import product

import pytest

from headrace.kernels.case_lower import lower_code
from headrace.kernels.case_upper import upper_code
from headrace.kernels.registry import resolve
from headrace.types import BIGINT, BLOB, INTEGER, VARCHAR, SqlType
from kernel_oracle import FAILED, Oracle, run
from kernel_samples import TEXTS, samples


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


ONE = (
    "length", "strlen", "bit_length", "ascii", "unicode", "ord", "upper", "lower", "trim", "ltrim", "rtrim",
    "len", "ucase", "lcase", "char_length", "character_length",
)  # fmt: skip
SPACED = ("  a  ", "\u00a0a\u3000", "\ta ", " ", "a b", "\n")


@pytest.mark.parametrize("name", ONE)
def test_one_text(oracle: Oracle, name: str) -> None:
    oracle.check(resolve(name, (VARCHAR,)), f"{name}(a)", [(x,) for x in (*TEXTS, *SPACED)])


def test_reverse(oracle: Oracle) -> None:
    plain = [(x,) for x in TEXTS if "😀" not in x]
    oracle.check(resolve("reverse", (VARCHAR,)), "reverse(a)", plain)


def test_every_code_point_changes_case_as_in_duckdb(oracle: Oracle) -> None:
    rows = oracle.connection.execute(
        "SELECT i, unicode(upper(chr(i))), unicode(lower(chr(i))) FROM (SELECT CAST(i AS INTEGER) i "
        "FROM range(1, 1114112) r(i) WHERE i < 55296 OR i > 57343) q WHERE i <> unicode(upper(chr(i))) "
        "OR i <> unicode(lower(chr(i)))"
    ).fetchall()
    changed = {code: (up, low) for code, up, low in rows}
    for code in (*range(1, 0xD800), *range(0x10000, 0x1F000)):
        assert (upper_code(code), lower_code(code)) == changed.get(code, (code, code))


NUMBERS = ("-100", "-7", "-3", "-2", "-1", "0", "1", "2", "3", "5", "40", "2000000000")
SHORT = ("", "a", "abc", "äbc", "日本語", "a😀b", "Hello")


@pytest.mark.parametrize("name", ["substring", "substr"])
def test_substring(oracle: Oracle, name: str) -> None:
    overload = resolve(name, (VARCHAR, BIGINT, BIGINT))
    rows = list(product(SHORT, NUMBERS, NUMBERS))
    oracle.check(overload, f"{name}(a, b, c)", rows)
    oracle.check(resolve(name, (VARCHAR, INTEGER)), f"{name}(a, b)", list(product(SHORT, NUMBERS)))


@pytest.mark.parametrize("name", ["left", "right"])
def test_ends(oracle: Oracle, name: str) -> None:
    oracle.check(resolve(name, (VARCHAR, BIGINT)), f'"{name}"(a, b)', list(product(SHORT, NUMBERS)))


@pytest.mark.parametrize("name", ["trim", "ltrim", "rtrim"])
def test_trim_of_a_set(oracle: Oracle, name: str) -> None:
    rows = list(product((*TEXTS, *SPACED), ("", "a", "äé", "xo ", "😀a", "日語")))
    oracle.check(resolve(name, (VARCHAR, VARCHAR)), f"{name}(a, b)", rows)


NEEDLES = ("", "a", "b", "ab", "ä", "本", "lo", "😀", "World!", "%", "\\")


@pytest.mark.parametrize("name", ["contains", "starts_with", "prefix", "ends_with", "suffix", "strpos", "instr"])
def test_search(oracle: Oracle, name: str) -> None:
    oracle.check(resolve(name, (VARCHAR, VARCHAR)), f"{name}(a, b)", list(product(TEXTS, NEEDLES)))


def test_making_text(oracle: Oracle) -> None:
    oracle.check(resolve("concat_operator", (VARCHAR, VARCHAR)), "a || b", list(product(TEXTS, NEEDLES)))
    oracle.check(resolve("concat_operator", (BLOB, BLOB)), "a || b", list(product(samples(BLOB), samples(BLOB))))
    triples = list(product(TEXTS, NEEDLES, ("", "Z", "ÄÖ")))
    oracle.check(resolve("replace", (VARCHAR,) * 3), "replace(a, b, c)", triples)
    counts = ("-1", "0", "1", "2", "7")
    oracle.check(resolve("repeat", (VARCHAR, BIGINT)), "repeat(a, b)", list(product(TEXTS, counts)))
    codes = [(x,) for x in ("0", "1", "65", "228", "26085", "128512", "1114111", "1114112", "-1", "55296")]
    oracle.check(resolve("chr", (INTEGER,)), "chr(a)", codes)


@pytest.mark.parametrize("name", ["lpad", "rpad"])
def test_padding(oracle: Oracle, name: str) -> None:
    rows = list(product(SHORT, ("-1", "0", "2", "3", "9"), ("", "x", "äy", "日本")))
    oracle.check(resolve(name, (VARCHAR, INTEGER, VARCHAR)), f"{name}(a, b, c)", rows)


PATTERNS = (
    "", "%", "_", "__", "%%", "a%", "%a", "%b%", "a_c", "_b_", "%_b%", "%o, W%", "H%o%d", "Hello_ World",
    "%日%", "_本_", "a😀_", "a_b", "%\\%", "a\\_b", "%é%_", "x%x", "%a%b%", "%ab%ab%", "_%_%_", "ä", "Ä%",
    "%ПРИВ%", "abab%", "%語",
)  # fmt: skip


@pytest.mark.parametrize(("name", "operator"), [("like", "LIKE"), ("ilike", "ILIKE")])
def test_like(oracle: Oracle, name: str, operator: str) -> None:
    rows = list(product(TEXTS, PATTERNS))
    oracle.check(resolve(name, (VARCHAR, VARCHAR)), f"a {operator} b", rows)
    # DuckDB's errors about a pattern that ends with its escape stop the whole query
    escaped = [(*row, e) for row in rows for e in ("\\", "", "%", "_", "a") if not e or not row[1].endswith(e)]
    overload = resolve(name, (VARCHAR, VARCHAR, VARCHAR))
    oracle.check(overload, f"{name}_escape(a, b, c)", escaped)


def test_like_with_a_wrong_escape() -> None:
    for name in ("like", "ilike"):
        overload = resolve(name, (VARCHAR, VARCHAR, VARCHAR))
        assert overload is not None
        assert run(overload, (b"abc", b"abc", b"xy")) == FAILED
        assert run(overload, (b"abc", b"abcx", b"x")) == FAILED


@pytest.mark.parametrize(
    ("name", "types"), [("length", (INTEGER,)), ("upper", (BLOB,)), ("substring", (VARCHAR, VARCHAR))]
)
def test_other_types_are_not_declared(name: str, types: tuple[SqlType, ...]) -> None:
    assert resolve(name, types) is None
