"""The primitives that touch memory as LLVM instructions: state, atomics, tiles, bitmaps, text by address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from headrace.devices.lowering_call import Call

I1, I8, I64, I128 = (ir.IntType(width) for width in (1, 8, 64, 128))


@dataclass(frozen=True, slots=True)
class Machine:
    """What a target does in its own way.

    `tile` is TILE; `shared_state` makes `accumulate` and the text arena atomic, as all threads have one
    state; `fence` emits a memory fence, `add_float` an atomic addition at an address, `load_acquire` a load
    after which what was written before the value is seen.
    """

    tile: int
    shared_state: bool
    fence: Callable[[Any], None]
    add_float: Callable[[Any, Any, Any], Any]
    load_acquire: Callable[[Any, Any], Any]


def _is_float(value: Any) -> bool:
    return isinstance(value.type, (ir.FloatType, ir.DoubleType))


def _is_signed(call: Call) -> bool:
    return bool(call.signature.args[0].dtype.signed)


def _replaces(call: Call, v: Any, old: Any, smaller: bool) -> Any:
    """Whether v takes the place of old: it is smaller (larger), NaN being larger than any number."""
    b = call.builder
    operator = "<" if smaller else ">"
    if _is_float(v):
        nan = old if smaller else v
        return b.or_(b.fcmp_ordered(operator, v, old), b.fcmp_unordered("uno", nan, nan))
    return (b.icmp_signed if _is_signed(call) else b.icmp_unsigned)(operator, v, old)


def _plain_add(call: Call, array: Any, i: Any, v: Any) -> None:
    at = call.element(0, array, i)
    add = call.builder.fadd if _is_float(v) else call.builder.add
    call.builder.store(add(call.builder.load(at), v), at)


def _plain_extreme(smaller: bool) -> Callable[..., None]:
    def emit(call: Call, array: Any, i: Any, v: Any) -> None:
        at = call.element(0, array, i)
        old = call.builder.load(at)
        call.builder.store(call.builder.select(_replaces(call, v, old, smaller), v, old), at)

    return emit


def _atomic_add(machine: Machine) -> Callable[..., Any]:
    def emit(call: Call, array: Any, i: Any, v: Any) -> Any:
        at = call.element(0, array, i)
        if _is_float(v):
            return machine.add_float(call.builder, at, v)
        return call.builder.atomic_rmw("add", at, v, "monotonic")

    return emit


def _atomic_or(call: Call, array: Any, i: Any, v: Any) -> Any:
    return call.builder.atomic_rmw("or", call.element(0, array, i), v, "monotonic")


def _atomic_extreme(smaller: bool) -> Callable[..., Any]:
    def emit(call: Call, array: Any, i: Any, v: Any) -> Any:
        at = call.element(0, array, i)
        if _is_float(v):
            return _float_extreme(call, at, v, smaller)
        operation = ("" if _is_signed(call) else "u") + ("min" if smaller else "max")
        return call.builder.atomic_rmw(operation, at, v, "monotonic")

    return emit


def _float_extreme(call: Call, at: Any, v: Any, smaller: bool) -> Any:
    """Compare and exchange the bits until no other thread comes between."""
    b = call.builder
    bits = ir.IntType(32 if isinstance(v.type, ir.FloatType) else 64)
    place = b.bitcast(at, bits.as_pointer())
    first = b.load(place)
    entry = b.block
    attempt = b.append_basic_block("attempt")
    done = b.append_basic_block("done")
    b.branch(attempt)
    b.position_at_end(attempt)
    seen = b.phi(bits)
    seen.add_incoming(first, entry)
    old = b.bitcast(seen, v.type)
    new = b.select(_replaces(call, v, old, smaller), b.bitcast(v, bits), seen)
    pair = b.cmpxchg(place, seen, new, "monotonic", "monotonic")
    seen.add_incoming(b.extract_value(pair, 0), attempt)
    b.cbranch(b.extract_value(pair, 1), done, attempt)
    b.position_at_end(done)
    return old


def _atomic_cas(machine: Machine) -> Callable[..., Any]:
    def emit(call: Call, array: Any, i: Any, old: Any, new: Any) -> Any:
        pair = call.builder.cmpxchg(call.element(0, array, i), old, new, "acq_rel", "acquire")
        if machine.shared_state:
            # A GPU's caches need it to see what the winner of the exchange wrote before.
            machine.fence(call.builder)
        return call.builder.extract_value(pair, 0)

    return emit


def _atomic_load(machine: Machine) -> Callable[..., Any]:
    return lambda call, array, i: machine.load_acquire(call.builder, call.element(0, array, i))


def _nothing(emit: Callable[..., Any]) -> Callable[..., None]:
    """The same instructions, without the value."""

    def run(call: Call, *values: Any) -> None:
        emit(call, *values)

    return run


def _wide_add(shared: bool) -> Callable[..., None]:
    def emit(call: Call, low: Any, high: Any, i: Any, vlo: Any, vhi: Any) -> None:
        b = call.builder
        low_at, high_at = call.element(0, low, i), call.element(1, high, i)
        if shared:
            old = b.atomic_rmw("add", low_at, vlo, "monotonic")
        else:
            old = b.load(low_at)
            b.store(b.add(old, vlo), low_at)
        carry = b.zext(b.icmp_unsigned("<", b.add(old, vlo), old), I64)
        upper = b.add(vhi, carry)
        if shared:
            b.atomic_rmw("add", high_at, upper, "monotonic")
        else:
            b.store(b.add(b.load(high_at), upper), high_at)

    return emit


def _tile_mask(tile: int) -> Callable[..., Any]:
    size = tile if tile < 8 else tile + 8

    def emit(call: Call) -> Any:
        b = call.builder
        with b.goto_entry_block():
            scratch = b.alloca(ir.ArrayType(I8, size), name="tile")
        scratch.align = 16
        array = call.arrays.make_array(call.signature.return_type)(call.context, b)
        word = call.context.get_value_type(call.arrays.types.intp)
        call.arrays.populate_array(
            array,
            data=b.bitcast(scratch, I8.as_pointer()),
            shape=[word(size)],
            strides=[word(1)],
            itemsize=word(1),
            meminfo=None,
        )
        return array._getvalue()

    return emit


def _mask_word(tile: int) -> Callable[..., Any]:
    def emit(call: Call, mask: Any, k: Any) -> Any:
        b = call.builder
        at = call.element(0, mask, k)
        if tile < 8:
            return b.zext(b.load(at), I64)
        return b.load(b.bitcast(at, I64.as_pointer()), align=1)

    return emit


def _mask_pad(tile: int) -> Callable[..., None]:
    def emit(call: Call, mask: Any, m: Any) -> None:
        if tile >= 8:
            at = call.builder.bitcast(call.element(0, mask, m), I64.as_pointer())
            call.builder.store(I64(0), at, align=1)

    return emit


def _row_step(shared: bool) -> Callable[..., Any]:
    return lambda call, step: step if shared else I64(1)


def _bit_u8(call: Call, bitmap: Any, i: Any) -> Any:
    b = call.builder
    byte = b.load(call.element(0, bitmap, b.lshr(i, I64(3))))
    return b.and_(b.lshr(byte, b.trunc(b.and_(i, I64(7)), I8)), I8(1))


def _bit_u64(call: Call, bitmap: Any, i: Any) -> Any:
    b = call.builder
    word = b.load(call.element(0, bitmap, b.lshr(i, I64(6))))
    return b.trunc(b.and_(b.lshr(word, b.and_(i, I64(63))), I64(1)), I8)


def _rank_at(call: Call, bitmap: Any, prefix: Any, i: Any) -> Any:
    b = call.builder
    at = b.lshr(i, I64(6))
    below = b.sub(b.shl(I64(1), b.and_(i, I64(63))), I64(1))
    inside = b.ctpop(b.and_(b.load(call.element(0, bitmap, at)), below))
    before = b.load(call.element(1, prefix, at))
    return b.add(inside, b.zext(before, I64) if before.type != I64 else before)


def _address(call: Call, a: Any, k: Any, width: ir.IntType = I8) -> Any:
    return call.builder.inttoptr(call.builder.add(a, k), width.as_pointer())


def _load_u8(call: Call, a: Any, k: Any) -> Any:
    return call.builder.zext(call.builder.load(_address(call, a, k)), I64)


def _load_u64(call: Call, a: Any, k: Any) -> Any:
    return call.builder.load(_address(call, a, k, I64), align=1)


def _store_u8(call: Call, a: Any, k: Any, byte: Any) -> None:
    b = call.builder
    with b.if_then(b.icmp_unsigned("!=", a, I64(0)), likely=True):
        b.store(b.trunc(byte, I8), _address(call, a, k))


def _text_copy(call: Call, target: Any, at: Any, a: Any, n: Any) -> None:
    b = call.builder
    kinds = [I8.as_pointer(), I8.as_pointer(), I64]
    with b.if_then(b.icmp_unsigned("!=", target, I64(0)), likely=True):
        copy = b.module.declare_intrinsic("llvm.memcpy", kinds)
        b.call(copy, [_address(call, target, at), _address(call, a, I64(0)), n, I1(0)])


def _text_at(call: Call, a: Any, k: Any) -> Any:
    b = call.builder
    return b.select(b.icmp_unsigned("==", a, I64(0)), a, b.add(a, k))


def _text_span(call: Call, data: Any, start: Any, stop: Any) -> Any:
    return call.builder.ptrtoint(call.element(0, data, start), I64)


def _text_new(shared: bool) -> Callable[..., Any]:
    def emit(call: Call, arena: Any, n: Any) -> Any:
        b = call.builder
        base, capacity = (b.load(call.element(0, arena, I64(k))) for k in (0, 1))
        used_at = call.element(0, arena, I64(2))
        if shared:
            used = b.atomic_rmw("add", used_at, n, "monotonic")
        else:
            used = b.load(used_at)
            b.store(b.add(used, n), used_at)
        fits = b.icmp_unsigned("<=", b.add(used, n), capacity)
        return b.select(fits, b.add(base, used), I64(0))

    return emit


def rules(machine: Machine) -> dict[str, tuple[str, str, Callable[..., Any]]]:
    """Arguments, results and instructions of each primitive that touches memory."""
    shared, tile = machine.shared_state, machine.tile
    add = _nothing(_atomic_add(machine)) if shared else _plain_add
    least, most = (_nothing(_atomic_extreme(low)) if shared else _plain_extreme(low) for low in (True, False))
    return {
        "accumulate": ("array! u64 element", "", add),
        "accumulate_min": ("array! u64 element", "", least),
        "accumulate_max": ("array! u64 element", "", most),
        "accumulate_wide": ("array! array! u64 u64 i64", "", _wide_add(shared)),
        "atomic_add": ("array! u64 element", "element", _atomic_add(machine)),
        "atomic_min": ("array! u64 element", "element", _atomic_extreme(True)),
        "atomic_max": ("array! u64 element", "element", _atomic_extreme(False)),
        "atomic_or": ("array! u64 element", "element", _atomic_or),
        "atomic_cas": ("array! u64 element element", "element", _atomic_cas(machine)),
        "atomic_load": ("array u64", "element", _atomic_load(machine)),
        "fence": ("", "", lambda call: machine.fence(call.builder)),
        "row_step": ("u64", "u64", _row_step(shared)),
        "mask_pad": ("array! u64", "", _mask_pad(tile)),
        "tile_mask": ("", "scratch", _tile_mask(tile)),
        "mask_word": ("array u64", "u64", _mask_word(tile)),
        "bit_u8": ("array u64", "u8", _bit_u8),
        "bit_u64": ("array u64", "u8", _bit_u64),
        "rank_at": ("array array u64", "i64", _rank_at),
        "load_u8": ("u64 i64", "u64", _load_u8),
        "load_u64": ("u64 i64", "u64", _load_u64),
        "store_u8": ("u64 i64 u64", "", _store_u8),
        "text_copy": ("u64 i64 u64 i64", "", _text_copy),
        "text_at": ("u64 i64", "u64", _text_at),
        "text_span": ("array i64 i64", "u64", _text_span),
        "text_new": ("array! i64", "u64", _text_new(shared)),
    }
