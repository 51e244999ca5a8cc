"""Functions of numbers."""

from __future__ import annotations

import pytest

from differential.harness import assert_case, assert_expressions_agree, assert_fails, expected, select

NUMBERS = (
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "hu::HUGEINT",
    "f4",
    "f8",
    "d4",
    "d15",
    "d18",
    "d38",
    "NULL",
)
SOME = ("i8", "i64", "u32", "hu::HUGEINT", "f4", "f8", "d4", "d18", "d38")


def _each(function: str, columns: tuple[str, ...] = SOME) -> tuple[str, ...]:
    return tuple(f"{function}({c})" for c in columns)


CASES: dict[str, tuple[str, ...]] = {
    "abs": (*_each("abs"), "@(-5)"),
    "round": (
        *_each("round"),
        *("round(f8, 1)", "round(f4, 2)", "round(f8 * 1000, -2)", "round(d15, 1)", "round(d4, 0)", "round(d18, -1)"),
        *(
            "round(d38, 2)",
            "round(d38, 0)",
            "round(i32, -1)",
            "round(f8, i8)",
            "round(f8, NULL)",
            "round(2.5)",
            "round(-2.5)",
        ),
    ),
    "floor": _each("floor"),
    "ceil": (*_each("ceil"), "ceiling(f8)"),
    "trunc": (*_each("trunc"), "trunc(NULL)"),
    "sign": _each("sign"),
    "even": _each("even", ("i32", "f8", "d4")),
    "sqrt": ("sqrt(abs(i32))", "sqrt(abs(f8))", "sqrt(u8)", "sqrt(2.25)", "sqrt(i32)", "cbrt(f8)", "cbrt(i64)"),
    "power": ("power(i32, 2)", "pow(f8, 2)", "power(2, d4)", "power(f4, 0.5)", "power(0, -1)", "power(NULL, 2)"),
    "mod": (
        "mod(i32, 7)",
        "mod(f8, 2)",
        "mod(d15, 2)",
        "mod(hu::HUGEINT, 3)",
        "mod(d38, 3::HUGEINT)",
        "fmod(f8, 3)",
        "fmod(f4, 2)",
    ),
    "exp": ("exp(f8)", "exp(i8)", "exp(d4)"),
    "logarithms": (
        "ln(u8 + 1)",
        "ln(f8)",
        "log10(i32)",
        "log10(u8 + 1)",
        "log2(u8 + 1)",
        "log(u8 + 1)",
        "log(2, u8 + 1)",
        "ln(f8 * f8 + 1)",
    ),
    "trigonometry": (
        "sin(i8)",
        "cos(i8)",
        "tan(i8)",
        "cot(i8 + 100)",
        "asin(d4 / 1000)",
        "acos(d4 / 1000)",
        "acos(i32 + 100)",
        "atan(f8)",
        "atan2(f8, i8)",
    ),
    "hyperbolic": ("sinh(i8 / 100)", "cosh(i8 / 100)", "tanh(f8)", "asinh(f8)", "acosh(u8 + 1)", "atanh(d4 / 1000)"),
    "degrees": ("degrees(f8)", "radians(i32)", "pi()"),
    "isnan": ("isnan(f8)", "isinf(f4)", "isfinite(f8)", "isnan(i32)"),
}

MATRICES: dict[str, list[str]] = {
    f: [f"{f}({a})" for a in NUMBERS]
    for f in (
        *(
            "abs",
            "round",
            "floor",
            "ceil",
            "sign",
            "trunc",
            "sqrt",
            "cbrt",
            "exp",
            "ln",
            "log10",
            "log2",
            "sin",
            "cos",
            "tan",
            "cot",
        ),
        *(
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "degrees",
            "radians",
            "even",
            "isnan",
            "isinf",
        ),
    )
} | {
    "round digits": [
        f"round({a}, {d})" for a in NUMBERS if a[0] != "d" for d in ("0", "1", "-1", "i32", "NULL", "400", "-400")
    ]
    + [f"round({a}, {d})" for a in ("d4", "d15", "d18") for d in ("0", "1", "2", "-1", "-2", "38")],
    "two": [
        f"{f}({a}, {b})"
        for f in ("power", "mod", "fmod", "atan2")
        for a in ("i32", "f4", "f8", "d4", "NULL")
        for b in ("i32", "f8", "d18", "0.5", "-1", "0", "NULL")
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    assert_case(CASES[case], compiled=("plain", "edge"))  # `edge` needs two words where `plain` needs one


@pytest.mark.parametrize("table", ["plain", "edge"])
@pytest.mark.parametrize("case", MATRICES)
def test_every_type(case: str, table: str) -> None:
    failing = [e for e in MATRICES[case] if expected(select([e], table)).table is None]
    assert_expressions_agree([e for e in MATRICES[case] if e not in failing], table, ("interpreted",))
    for e in failing:
        assert_fails(select([e], table), ("interpreted",))


FAILING = (
    "SELECT abs(i8) FROM edge",
    "SELECT exp(s) FROM plain",
    "SELECT round(i32, 'a') FROM plain",
    "SELECT power(i32) FROM plain",
)


@pytest.mark.parametrize("sql", FAILING)
def test_failures(sql: str) -> None:
    assert_fails(sql)
