"""Every primitive gives the same answer interpreted, as its plain-Python body, and compiled for the CPU."""

from __future__ import annotations

import itertools
import math
import random
import struct

import numpy as np
import pytest

from device_texts import compiled, dtype, interpreted, source
from headrace.devices import cpu, lowering, text_loops
from headrace.kernels import primitives

MAX, MIN, TOP = 2**63 - 1, -(2**63), 2**64 - 1
EDGES = {
    "i64": [
        0,
        1,
        -1,
        2,
        -3,
        7,
        63,
        64,
        10**9,
        -(10**9) - 7,
        3037000500,
        2**32,
        2**53 + 1,
        MAX,
        MAX - 1,
        MIN,
        MIN + 1,
    ],
    "u64": [0, 1, 2, 3, 8, 63, 64, 65, 255, 256, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, TOP - 1, TOP],
    "u8": [0, 1],
    "f64": [
        *(
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            1.5,
            2.5,
            -2.5,
            0.49999999999999994,
            0.1,
            3.0,
            -7.25,
            100.0,
            1e-310,
        ),
        *(2.0**52 + 1, -(2.0**53), 1e17, -1e300, 1.7e308, 709.0, 711.0, math.inf, -math.inf, math.nan),
    ],
}
NOT_ELEMENTWISE = {
    "f32",
    "row_step",
    "fail",
    "text_at",
    "text_copy",
    "load_u8",
    "load_u64",
    "store_u8",
    "fence",
    "tile_mask",
}
ROUNDED = {"power_f64", "tanh_f64", "cbrt_f64", "sinh_f64", "asinh_f64", "acosh_f64", "atanh_f64", "log2_f64"}

RULES = {
    name: rule
    for name, rule in lowering.rules(cpu.TARGET).items()
    if name not in NOT_ELEMENTWISE and not any(word.startswith("array") for word in rule.arguments)
}


def allowed(name: str, values: tuple[int | float, ...]) -> bool:
    if name in ("divide_i64", "remainder_i64"):
        return values[1] != 0 and values != (MIN, -1)
    if name in ("divide_u64", "remainder_u64"):
        return values[1] != 0
    if name == "f64_to_i64":
        return -(2.0**63) <= values[0] < 2.0**63
    return True


def cases(name: str, words: tuple[str, ...]) -> list[tuple[int | float, ...]]:
    edges = [EDGES[word] for word in words]
    if len(words) == 4:
        chooser = random.Random(name)
        pairs = [tuple(chooser.choice(values) for values in edges) for _ in range(600)]
    else:
        pairs = list(itertools.product(*edges))
    return [values for values in pairs if allowed(name, values)]


def same(name: str, left: float, right: float) -> bool:
    if isinstance(left, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        if name in ROUNDED:
            return left == right or math.isclose(left, right, rel_tol=4e-15)
        return struct.pack("d", left) == struct.pack("d", right)
    return left == right


FAMILIES = sorted({(rule.arguments, rule.results) for rule in RULES.values()})


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{'_'.join(f[0])}-{'_'.join(f[1])}")
def test_elementwise(family: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    words, results = family
    names = [name for name, rule in RULES.items() if (rule.arguments, rule.results) == family]
    inputs = [f"a{k}" for k in range(len(words))]
    body, parameters = [], [(name, f"{word}[]") for name, word in zip(inputs, words, strict=True)]
    for name in names:
        outputs = [f"{name}_{k}" for k in range(len(results))]
        call = f"{name}({', '.join(f'{a}[i]' for a in inputs)})"
        left = ", ".join(f"{name}_value_{k}" for k in range(len(results)))
        body.append(f"{left} = {call}")
        body += [f"{output}[i] = {name}_value_{k}" for k, output in enumerate(outputs)]
        parameters += [(output, f"{word}[]!") for output, word in zip(outputs, results, strict=True)]
    kernel = source(parameters, ["for i in range(start, stop, step):", *(f"    {line}" for line in body)], names)
    run = compiled(kernel)
    for name in names:
        values = cases(name, words)
        columns = [list(column) for column in zip(*values, strict=True)]
        arrays = [np.array(column, dtype(word)) for column, word in zip(columns, words, strict=True)]
        written = {p: np.zeros(len(values), dtype(w[:-3])) for p, w in parameters if w.endswith("!")}
        run(0, len(values), 1, *arrays, *written.values())
        for row, arguments in enumerate(values):
            expected = primitives.PRIMITIVES[name](*arguments)
            expected = expected if isinstance(expected, tuple) else (expected,)
            found = tuple(written[f"{name}_{k}"][row].item() for k in range(len(results)))
            assert all(map(same, itertools.repeat(name), expected, found)), (name, arguments, expected, found)


def test_every_primitive_is_lowered() -> None:
    lowered = set(lowering.rules(cpu.TARGET)) | set(text_loops.LOOPS)
    assert lowered == set(primitives.PRIMITIVES)


def test_single_precision_is_rounded_once() -> None:
    values = [
        2**63 - 1,
        -(2**63),
        2**62 + 2**38 + 1,
        2**53 + 2**29 + 1,
        9007199791611905,
        16777217,
        2**60 - 1,
        0,
        -1,
    ]
    kernel = source(
        [("a", "i64[]"), ("r", "f32[]!")],
        ["for i in range(start, stop, step):", "    r[i] = f32(a[i])"],
        ["f32"],
    )
    found = np.zeros(len(values), np.float32)
    compiled(kernel)(0, len(values), 1, np.array(values), found)
    assert found.tolist() == [primitives.f32(value) for value in values]
    assert found.tolist() == [float(np.float32(np.longdouble(value))) for value in values]
    assert primitives.f32(1e300) == math.inf
    assert primitives.f32(-1e300) == -math.inf


def test_conversions_of_flags_and_signs() -> None:
    parameters = [
        ("a", "i64[]"),
        ("b", "u64[]"),
        ("r", "u8[]!"),
        ("s", "i64[]!"),
        ("t", "u64[]!"),
        ("f", "f64[]!"),
    ]
    lines = [
        "for i in range(start, stop, step):",
        "    r[i] = u8(a[i] < i64(0)) | u8(u8(a[i] > i64(5)) << 1)",
        "    s[i] = i64(b[i])",
        "    t[i] = u64(a[i])",
        "    f[i] = f64(a[i]) + f64(b[i])",
    ]
    kernel = source(parameters, lines, ["u8", "i64", "u64", "f64"])
    signed, unsigned = EDGES["i64"], EDGES["u64"]
    outputs = [np.zeros(17, dtype(word[:-3])) for _, word in parameters[2:]]
    compiled(kernel)(0, 17, 1, np.array(signed), np.array(unsigned, np.uint64), *outputs)
    lists: list[list[float]] = [[0] * 17 for _ in outputs]
    interpreted(kernel)(0, 17, 1, signed, unsigned, *lists)
    assert [output.tolist() for output in outputs] == lists


def test_failures_or_into_a_flag_or_raise() -> None:
    lines = [
        "bad = u64(0)",
        "for i in range(start, stop, step):",
        "    bad = fail(bad, u8(a[i] > i64(2)), u64(5), i)",
    ]
    kernel = source([("a", "i64[]"), ("r", "u64[]!")], [*lines, "r[0] = bad"], ["fail", "u8", "u64", "i64"])
    for values, failed in (([0, 1, 2], 0), ([0, 3, 4], 1)):
        found = np.zeros(1, np.uint64)
        compiled(kernel)(0, 3, 1, np.array(values), found)
        assert found[0] == failed
    with pytest.raises(primitives.KernelFailure) as caught:
        interpreted(kernel)(0, 3, 1, [0, 3, 4], [0])
    assert (caught.value.site, caught.value.row) == (5, 1)


def test_a_wrong_argument_does_not_compile() -> None:
    from numba.core.errors import TypingError

    kernel = source([("a", "f64[]"), ("r", "u64[]!")], ["r[0] = popcount_u64(a[0])"], ["popcount_u64"])
    with pytest.raises(TypingError, match="popcount_u64 takes u64"):
        compiled(kernel)
    kernel = source([("a", "i64[]")], ["accumulate(a, u64(0), i64(1))"], ["accumulate", "u64", "i64"])
    with pytest.raises(TypingError, match="read only"):
        compiled(kernel)
