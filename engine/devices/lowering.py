"""The primitives as LLVM instructions, written once for every target that numba lowers to.

`declare(target)` gives each primitive of `headrace.kernels.primitives` a typing rule and its instructions in
the registries of one numba target. Numba's CPU and CUDA packages have separate copies of their types and
helper modules; a `Target` names those of one, and what really differs: where the mathematical functions come
from, and how memory is shared between threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from headrace.devices import lowering_memory as memory
from headrace.devices.lowering_call import Call
from headrace.kernels import primitives

Emit = Callable[..., Any]

I1, I8, I64, I128 = (ir.IntType(width) for width in (1, 8, 64, 128))
F64 = ir.DoubleType()


@dataclass(frozen=True, slots=True)
class Target:
    """One of numba's targets: its modules and decorators, and what the target does in its own way.

    `types`, `arrays`, `templates` are numba's modules of types, array structures and typing rules; `lower`
    and `overload` its decorators for this target. `mathematics` maps a name of C's mathematical library to
    the function to call.
    """

    types: Any
    arrays: Any
    templates: Any
    lower: Callable[..., Any]
    overload: Callable[..., Any]
    typing_error: type[Exception]
    mathematics: Callable[[str], str]
    machine: memory.Machine


@dataclass(frozen=True, slots=True)
class Rule:
    """How one primitive is typed and lowered.

    `arguments` and `results` are words; `array` and `array!` take any array (`!`: one that is written),
    `element` an element of the first array, `scratch` a fresh u8 array. `emit(call, *values)` gives the
    value, a tuple of them, or None.
    """

    arguments: tuple[str, ...]
    results: tuple[str, ...]
    emit: Emit


def _rule(arguments: str, results: str, emit: Emit) -> Rule:
    return Rule(tuple(arguments.split()), tuple(results.split()), emit)


def _same(call: Call, x: Any) -> Any:
    return x


def _checked(operation: str) -> Emit:
    """The wrapped result of an operation on signed words, and its overflow flag."""

    def emit(call: Call, a: Any, b: Any) -> tuple[Any, Any]:
        pair = getattr(call.builder, f"{operation}_with_overflow")(a, b)
        return call.builder.extract_value(pair, 0), call.builder.zext(call.builder.extract_value(pair, 1), I8)

    return emit


def _join(call: Call, low: Any, high: Any) -> Any:
    b = call.builder
    return b.or_(b.zext(low, I128), b.shl(b.zext(high, I128), I128(64)))


def _split(call: Call, wide: Any) -> tuple[Any, Any]:
    b = call.builder
    return b.trunc(wide, I64), b.trunc(b.lshr(wide, I128(64)), I64)


# NVVM has no overflow intrinsics of 128 bits: sums by their signs, products by the magnitudes' halves.


def _add_wide(call: Call, alo: Any, ahi: Any, blo: Any, bhi: Any) -> tuple[Any, Any, Any]:
    b = call.builder
    low, high = _split(call, b.add(_join(call, alo, ahi), _join(call, blo, bhi)))
    odd = b.and_(b.xor(ahi, high), b.xor(bhi, high))
    return low, high, b.zext(b.icmp_signed("<", odd, I64(0)), I8)


def _subtract_wide(call: Call, alo: Any, ahi: Any, blo: Any, bhi: Any) -> tuple[Any, Any, Any]:
    b = call.builder
    low, high = _split(call, b.sub(_join(call, alo, ahi), _join(call, blo, bhi)))
    odd = b.and_(b.xor(ahi, bhi), b.xor(ahi, high))
    return low, high, b.zext(b.icmp_signed("<", odd, I64(0)), I8)


def _multiply_wide(call: Call, alo: Any, ahi: Any, blo: Any, bhi: Any) -> tuple[Any, Any, Any]:
    b = call.builder

    def magnitude(low: Any, high: Any) -> tuple[Any, Any]:
        wide = _join(call, low, high)
        return _split(call, b.select(b.icmp_signed("<", high, I64(0)), b.neg(wide), wide))

    def product(left: Any, right: Any) -> Any:
        return b.mul(b.zext(left, I128), b.zext(right, I128))

    xlo, xhi = magnitude(alo, ahi)
    ylo, yhi = magnitude(blo, bhi)
    both = b.and_(b.icmp_unsigned("!=", xhi, I64(0)), b.icmp_unsigned("!=", yhi, I64(0)))
    cross_low, cross_high = _split(call, b.add(product(xhi, ylo), product(yhi, xlo)))
    low = product(xlo, ylo)
    total = b.add(low, b.shl(b.zext(cross_low, I128), I128(64)))
    negative = b.icmp_signed("<", b.xor(ahi, bhi), I64(0))
    limit = b.add(I128((1 << 127) - 1), b.zext(negative, I128))
    too_large = b.or_(b.icmp_unsigned("<", total, low), b.icmp_unsigned(">", total, limit))
    overflow = b.or_(both, b.or_(b.icmp_unsigned("!=", cross_high, I64(0)), too_large))
    return (*_split(call, b.select(negative, b.neg(total), total)), b.zext(overflow, I8))


def _product(extend: str) -> Emit:
    def emit(call: Call, a: Any, b: Any) -> tuple[Any, Any]:
        widen = getattr(call.builder, extend)
        return _split(call, call.builder.mul(widen(a, I128), widen(b, I128)))

    return emit


def _binary(operation: str) -> Emit:
    return lambda call, a, b: getattr(call.builder, operation)(a, b)


def _division(operation: str) -> Emit:
    """Division that cannot trap: an excluded pair, should one come, divides by 1."""
    signed = operation[0] == "s"

    def emit(call: Call, a: Any, b: Any) -> Any:
        builder = call.builder
        excluded = builder.icmp_unsigned("==", b, I64(0))
        if signed:
            least = builder.icmp_unsigned("==", a, I64(1 << 63))
            minus = builder.icmp_unsigned("==", b, I64(-1))
            excluded = builder.or_(excluded, builder.and_(least, minus))
        return getattr(builder, operation)(a, builder.select(excluded, I64(1), b))

    return emit


def _shift(operation: str) -> Emit:
    def emit(call: Call, x: Any, k: Any) -> Any:
        shifted = getattr(call.builder, operation)(x, call.builder.and_(k, I64(63)))
        return call.builder.select(call.builder.icmp_unsigned("<", k, I64(64)), shifted, I64(0))

    return emit


def _count(intrinsic: str) -> Emit:
    def emit(call: Call, x: Any) -> Any:
        return getattr(call.builder, intrinsic)(x, I1(0))

    return emit


def _is_nan(call: Call, x: Any) -> Any:
    return call.builder.zext(call.builder.fcmp_unordered("uno", x, x), I8)


def _absolute(call: Call, x: Any) -> Any:
    return call.builder.bitcast(call.builder.and_(call.builder.bitcast(x, I64), I64((1 << 63) - 1)), F64)


def _is_infinite(call: Call, x: Any) -> Any:
    infinity = ir.Constant(F64, float("inf"))
    return call.builder.zext(call.builder.fcmp_ordered("==", _absolute(call, x), infinity), I8)


def _fail(call: Call, bad: Any, failed: Any, site: Any, row: Any) -> Any:
    return call.builder.or_(bad, call.builder.zext(failed, I64))


_ARITHMETIC: dict[str, Rule] = {
    "u8": _rule("u8", "u8", _same),
    "u64": _rule("u64", "u64", _same),
    "i64": _rule("i64", "i64", _same),
    "f64": _rule("f64", "f64", _same),
    "f32": _rule("f32", "f32", _same),
    "f64_to_i64": _rule("f64", "i64", lambda call, x: call.builder.fptosi(x, I64)),
    "float_bits": _rule("f64", "u64", lambda call, x: call.builder.bitcast(x, I64)),
    "bits_float": _rule("u64", "f64", lambda call, x: call.builder.bitcast(x, F64)),
    "add_overflow": _rule("i64 i64", "i64 u8", _checked("sadd")),
    "subtract_overflow": _rule("i64 i64", "i64 u8", _checked("ssub")),
    "multiply_overflow": _rule("i64 i64", "i64 u8", _checked("smul")),
    "divide_i64": _rule("i64 i64", "i64", _division("sdiv")),
    "remainder_i64": _rule("i64 i64", "i64", _division("srem")),
    "divide_u64": _rule("u64 u64", "u64", _division("udiv")),
    "remainder_u64": _rule("u64 u64", "u64", _division("urem")),
    "wrap_add_u64": _rule("u64 u64", "u64", _binary("add")),
    "wrap_multiply_u64": _rule("u64 u64", "u64", _binary("mul")),
    "shift_left_u64": _rule("u64 u64", "u64", _shift("shl")),
    "shift_right_u64": _rule("u64 u64", "u64", _shift("lshr")),
    "popcount_u64": _rule("u64", "u64", lambda call, x: call.builder.ctpop(x)),
    "trailing_zeros_u64": _rule("u64", "u64", _count("cttz")),
    "leading_zeros_u64": _rule("u64", "u64", _count("ctlz")),
    "add_wide": _rule("u64 i64 u64 i64", "u64 i64 u8", _add_wide),
    "subtract_wide": _rule("u64 i64 u64 i64", "u64 i64 u8", _subtract_wide),
    "multiply_wide": _rule("u64 i64 u64 i64", "u64 i64 u8", _multiply_wide),
    "multiply_64": _rule("i64 i64", "u64 i64", _product("sext")),
    "multiply_u64": _rule("u64 u64", "u64 u64", _product("zext")),
    "divide_f64": _rule("f64 f64", "f64", _binary("fdiv")),
    "is_nan": _rule("f64", "u8", _is_nan),
    "is_infinite": _rule("f64", "u8", _is_infinite),
    "absolute_f64": _rule("f64", "f64", _absolute),
    "copysign_f64": _rule("f64 f64", "f64", lambda call, x, s: call.intrinsic("llvm.copysign", x, s)),
    "fail": _rule("u64 u8 u64 u64", "u64", _fail),
}

_MATHEMATICS = {
    "remainder_f64": "fmod",
    "floor_f64": "floor",
    "ceil_f64": "ceil",
    "truncate_f64": "trunc",
    "round_even_f64": "rint",
    "round_f64": "round",
    "sqrt_f64": "sqrt",
    "cbrt_f64": "cbrt",
    "exp_f64": "exp",
    "ln_f64": "log",
    "log10_f64": "log10",
    "log2_f64": "log2",
    "power_f64": "pow",
    "sin_f64": "sin",
    "cos_f64": "cos",
    "tan_f64": "tan",
    "asin_f64": "asin",
    "acos_f64": "acos",
    "atan_f64": "atan",
    "atan2_f64": "atan2",
    "sinh_f64": "sinh",
    "cosh_f64": "cosh",
    "tanh_f64": "tanh",
    "asinh_f64": "asinh",
    "acosh_f64": "acosh",
    "atanh_f64": "atanh",
}
_TWO_ARGUMENTS = frozenset(("remainder_f64", "power_f64", "atan2_f64"))


def _mathematics(target: Target, name: str) -> Rule:
    symbol = target.mathematics(_MATHEMATICS[name])

    def emit(call: Call, *values: Any) -> Any:
        return call.function(symbol, F64, *values)

    return _rule("f64 f64" if name in _TWO_ARGUMENTS else "f64", "f64", emit)


def rules(target: Target) -> dict[str, Rule]:
    """The rule of every primitive that is lowered to instructions; the others are loops (`text_loops`)."""
    found = dict(_ARITHMETIC)
    found.update({name: _mathematics(target, name) for name in _MATHEMATICS})
    for name, (arguments, results, emit) in memory.rules(target.machine).items():
        found[name] = _rule(arguments, results, emit)
    return found


def declare(target: Target) -> None:
    """Teach numba's `target` every primitive but the loops; once a process."""
    for name, rule in rules(target).items():
        _declare(target, primitives.PRIMITIVES[name], rule)


def word_type(types: Any, word: str) -> Any:
    """Numba's type of a machine word: `u8 u16 u32 u64 i8 i16 i32 i64 f32 f64`."""
    return getattr(types, {"u": "uint", "i": "int", "f": "float"}[word[0]] + word[1:])


def parameter_type(types: Any, word: str) -> Any:
    """Numba's type of a parameter of generated text: a word, `u8[]` that is read, `u8[]!` that is written."""
    element, bracket, mark = word.partition("[]")
    scalar = word_type(types, element)
    return types.Array(scalar, 1, "C", readonly=mark != "!") if bracket else scalar


def _declare(target: Target, function: Callable[..., Any], rule: Rule) -> None:
    types = target.types
    name = function.__name__
    returned = [word_type(types, word) for word in rule.results if word not in ("element", "scratch")]

    def argument_types(given: Sequence[Any]) -> list[Any]:
        chosen: list[Any] = []
        element = None
        for word, actual in zip(rule.arguments, given, strict=True):
            if word.startswith("array"):
                if not isinstance(actual, types.Array) or actual.ndim != 1:
                    raise target.typing_error(f"{name} takes an array, not {actual}")
                if word == "array!" and not actual.mutable:
                    raise target.typing_error(f"{name} writes an array that is declared as read only")
                element = actual.dtype
                chosen.append(actual)
                continue
            wanted = element if word == "element" else word_type(types, word)
            whole = isinstance(wanted, types.Integer)
            if not isinstance(actual, (types.Integer, types.Boolean) if whole else types.Number):
                raise target.typing_error(f"{name} takes {word}, not {actual}")
            chosen.append(wanted)
        return chosen

    def generic(template: Any, given: Sequence[Any], keywords: object) -> Any:
        if len(given) != len(rule.arguments):
            raise target.typing_error(f"{name} takes {len(rule.arguments)} arguments")
        chosen = argument_types(given)
        if not rule.results:
            result = types.none
        elif rule.results[0] == "scratch":
            result = types.Array(types.uint8, 1, "C")
        elif rule.results[0] == "element":
            result = chosen[0].dtype
        elif len(returned) == 1:
            result = returned[0]
        else:
            result = types.BaseTuple.from_types(returned)
        return result(*chosen)

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        call = Call(context, builder, sig, target.arrays)
        value = rule.emit(call, *args)
        if value is None:
            return context.get_dummy_value()
        if isinstance(value, tuple):
            return context.make_tuple(builder, sig.return_type, value)
        return value

    template = type(f"{name}_template", (target.templates.AbstractTemplate,), {"key": function, "generic": generic})
    target.templates.infer_global(function, types.Function(template))
    target.lower(function, types.VarArg(types.Any))(lowering)
