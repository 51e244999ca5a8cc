"""Pipelines compile and assemble for CUDA with no GPU at hand, every primitive among them, without spills."""

from __future__ import annotations

import pytest

from device_texts import source
from headrace.devices import cuda
from headrace.errors import OperationalError
from headrace.kernels import (
    hashing,  # noqa: F401 - registers bodies
    primitives,
)

pytest.importorskip("cuda.bindings.nvjitlink")

TILED = source(
    [("c", "u16[]"), ("low", "i64"), ("high", "i64"), ("d", "u32[]"), ("s", "i64[]!"), ("t", "u64[]!")],
    [
        "acc = i64(0)",
        "h = u64(0)",
        "step = row_step(step)",
        "mask = tile_mask()",
        "for t_ in range(u64(start), u64(stop), step * u64(TILE)):",
        "    m = min(u64(TILE), u64(stop) - t_)",
        "    for k in range(u64(0), m):",
        "        x = i64(c[t_ + k * step])",
        "        mask[k] = u8(x >= low) & u8(x < high)",
        "    mask_pad(mask, m)",
        "    for w in range(u64(0), m, u64(8)):",
        "        bits = mask_word(mask, w)",
        "        while bits != u64(0):",
        "            i = t_ + (w + shift_right_u64(trailing_zeros_u64(bits), u64(3))) * step",
        "            acc += i64(d[i])",
        "            h = hash_combine(h, u64(d[i]))",
        "            bits &= bits - u64(1)",
        "accumulate(s, u64(0), acc)",
        "atomic_or(t, u64(0), h)",
    ],
    [
        *("row_step", "tile_mask", "TILE", "mask_pad", "mask_word", "shift_right_u64", "trailing_zeros_u64"),
        *("hash_combine", "accumulate", "atomic_or", "u64", "i64", "u8"),
    ],
)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_a_tile_is_a_row_in_registers(arch: str) -> None:
    report = cuda.compile_ptx(TILED, arch)
    assert (report.name, report.architecture) == ("test", arch)
    assert 8 < report.registers <= 48
    assert (report.spill_bytes, report.stack_bytes, report.shared_bytes) == (0, 0, 0)
    assert "atom.global.add.u64" in report.ptx
    assert "call" not in report.ptx
    assert report.cubin[:4] == b"\x7fELF"


NUMBERS = {"u64": "u[i]", "i64": "v[i]", "f64": "f[i]", "u8": "b[i]", "f32": "f[i]"}


def test_every_primitive_assembles() -> None:
    from headrace.devices import cuda_primitives
    from headrace.devices.lowering import rules

    lines = ["for i in range(start, stop, step):"]
    names = ["u64", "i64", "f64", "text_equal", "text_compare", "text_hash", "text_find"]
    memory = {"text_at", "text_copy", "load_u8", "load_u64", "store_u8", "tile_mask", "text_new", "fail"}
    for name, rule in rules(cuda_primitives.TARGET).items():
        names.append(name)
        if name in memory or any(word.startswith("array") for word in rule.arguments) or not rule.arguments:
            continue
        results = [f"r{k}" for k in range(len(rule.results))]
        call = f"{name}({', '.join(NUMBERS[word] for word in rule.arguments)})"
        lines.append(f"    {', '.join(results)} = {call}")
        for result, word in zip(results, rule.results, strict=True):
            lines.append(f"    {'g' if word[0] == 'f' else 'o'}[i] = {'f64' if word[0] == 'f' else 'u64'}({result})")
    lines += [
        "    o[i] = fail(u[i], b[i], u64(1), i)",
        "    accumulate_min(s, u64(0), v[i])",
        "    accumulate_max(g, u64(1), f[i])",
        "    accumulate_wide(o, s, u64(3), u[i], v[i])",
        "    accumulate(g, u64(2), f[i])",
        "    s[i] = atomic_add(s, u64(4), v[i]) + atomic_min(s, u64(5), v[i]) + atomic_max(s, u64(6), v[i])",
        "    g[i] = atomic_min(g, u64(7), f[i])",
        "    o[i] = atomic_or(o, u64(8), u[i])",
        "    s[i] = atomic_cas(s, u64(9), v[i], i64(1))",
        "    fence()",
        "    s[i] = atomic_load(s, i) + rank_at(u, u, i) + i64(bit_u8(b, i)) + i64(bit_u64(u, i))",
        "    p = text_span(b, v[i], v[i + u64(1)])",
        "    q = text_new(o, v[i])",
        "    text_copy(q, i64(0), p, v[i])",
        "    store_u8(text_at(q, i64(1)), i64(2), load_u8(p, v[i]))",
        "    o[i] = load_u64(p, v[i]) + u64(text_equal(p, v[i], q, v[i])) + text_hash(p, v[i])",
        "    s[i] = text_compare(p, v[i], q, v[i]) + text_find(p, v[i], q, v[i], i64(0))",
    ]
    parameters = [("u", "u64[]"), ("v", "i64[]"), ("f", "f64[]"), ("b", "u8[]")]
    parameters += [("o", "u64[]!"), ("s", "i64[]!"), ("g", "f64[]!")]
    assert set(names) >= set(primitives.PRIMITIVES)
    report = cuda.compile_ptx(source(parameters, lines, names))
    assert report.spill_bytes == 0


def test_a_kernel_that_does_not_assemble() -> None:
    with pytest.raises(OperationalError, match="sm_90 is one"):
        cuda.compile_ptx(TILED, "hopper")
    with pytest.raises(OperationalError, match="does not assemble"):
        cuda._link("broken", ".version 9.0\n.target sm_90\n.address_size 64\nnonsense", "sm_90")


def test_running_needs_a_gpu() -> None:
    if cuda.unusable() is None:
        pytest.skip("there is a GPU")
    with pytest.raises(OperationalError, match="no usable GPU"):
        cuda.CudaDevice().load(TILED)
