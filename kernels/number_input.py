"""Numbers, BOOLEAN and BLOB from text. Every body returns a failure word last: the text is no such value."""

from __future__ import annotations

from headrace.kernels.decimal import outside_wide, widen
from headrace.kernels.float_text import float_of_digits
from headrace.kernels.primitives import (
    TextBytes,
    f32,
    f64,
    i64,
    load_u8,
    multiply_wide,
    shift_left_u64,
    shift_right_u64,
    store_u8,
    subtract_wide,
    text_new,
    u8,
    u64,
)
from headrace.kernels.registry import body
from headrace.kernels.utf8 import written


def packed(word: str) -> int:
    """A word of up to 12 letters as `letters_at` packs it."""
    code = 0
    for letter in word:
        code = code << 5 | (ord(letter) - 96)
    return code


NAN, INF, INFINITY = packed("nan"), packed("inf"), packed("infinity")
TRUE, T, YES, Y = packed("true"), packed("t"), packed("yes"), packed("y")
FALSE, F, NO, N = packed("false"), packed("f"), packed("no"), packed("n")


@body
def is_blank(byte: int) -> bool:
    """Space, tab, line feed, vertical tab, form feed, carriage return."""
    return byte == u64(32) or (byte >= u64(9) and byte <= u64(13))


@body
def skip_blanks(a: TextBytes, n: int, k: int) -> int:
    while k < n and is_blank(load_u8(a, k)):
        k = k + i64(1)
    return k


@body
def end_without_blanks(a: TextBytes, n: int) -> int:
    while n > i64(0) and is_blank(load_u8(a, n - i64(1))):
        n = n - i64(1)
    return n


@body
def is_digit(byte: int) -> bool:
    return byte >= u64(48) and byte <= u64(57)


@body
def digits_end(a: TextBytes, n: int, k: int) -> int:
    """The end of a run of digits from k on; single underscores may stand between two of them."""
    while k < n:
        if is_digit(load_u8(a, k)) or (
            load_u8(a, k) == u64(95)
            and k + i64(1) < n
            and is_digit(load_u8(a, k + i64(1)))
            and k > i64(0)
            and is_digit(load_u8(a, k - i64(1)))
        ):
            k = k + i64(1)
        else:
            return k
    return k


@body
def count_run(a: TextBytes, k: int, stop: int) -> int:
    """The digits in a run that `digits_end` delimits."""
    count = i64(0)
    for j in range(k, stop):
        if load_u8(a, i64(j)) != u64(95):
            count = count + i64(1)
    return count


@body
def scan_number(a: TextBytes, n: int, k: int) -> tuple[int, int, int, int, int]:
    """Digits, a point and digits, an exponent, to the end: (point, fraction, end, exponent, failed).

    `point` is the end of the digits before the point, `fraction` the start of those after it,
    `end` their end.
    """
    point = digits_end(a, n, k)
    fraction = point
    end = point
    if point < n and load_u8(a, point) == u64(46):
        fraction = point + i64(1)
        end = digits_end(a, n, fraction)
    exponent = i64(0)
    failed = u8(point == k and end == fraction)
    stop = end
    if stop < n and (load_u8(a, stop) | u64(32)) == u64(101):
        stop = stop + i64(1)
        negative = False
        if stop < n and (load_u8(a, stop) == u64(43) or load_u8(a, stop) == u64(45)):
            negative = load_u8(a, stop) == u64(45)
            stop = stop + i64(1)
        last = digits_end(a, n, stop)
        if last == stop:
            failed = u8(1)
        for j in range(stop, last):
            if load_u8(a, i64(j)) != u64(95) and exponent < i64(100000):
                exponent = exponent * i64(10) + i64(load_u8(a, i64(j)) - u64(48))
        if negative:
            exponent = i64(0) - exponent
        stop = last
    if stop != n:
        failed = u8(1)
    return point, fraction, end, exponent, failed


@body
def parse_based(a: TextBytes, n: int, k: int, shift: int) -> tuple[int, int, int]:
    """Digits of base 2**shift (shift 1 or 4) from k to the end, as a positive 128-bit number."""
    lo = u64(0)
    hi = u64(0)
    if k >= n:
        return lo, i64(hi), u8(1)
    while k < n:
        byte = load_u8(a, k)
        digit = u64(99)
        if is_digit(byte):
            digit = byte - u64(48)
        elif (byte | u64(32)) >= u64(97) and (byte | u64(32)) <= u64(102):
            digit = (byte | u64(32)) - u64(87)
        separator = byte == u64(95) and k + i64(1) < n and load_u8(a, k + i64(1)) != u64(95)
        if not separator:
            if digit >= shift_left_u64(u64(1), shift) or hi >= u64(0x0800000000000000):
                return lo, i64(hi), u8(1)
            hi = shift_left_u64(hi, shift) | shift_right_u64(lo, u64(64) - shift)
            lo = shift_left_u64(lo, shift) | digit
        k = k + i64(1)
    return lo, i64(hi), u8(0)


@body
def append_digits(lo: int, hi: int, unit: int, part: int) -> tuple[int, int, int]:
    """x * unit - part, with the overflow word."""
    lo, hi, wrapped = multiply_wide(lo, hi, unit, i64(0))
    lo, hi, carried = subtract_wide(lo, hi, part, i64(0))
    return lo, hi, wrapped | carried


@body
def parse_scaled(a: TextBytes, n: int, scale: int, whole: int) -> tuple[int, int, int]:
    """A number times 10**scale, rounded half away from zero: (low, high, failed).

    `whole` is not 0 for integer types, which know 0x and 0b too; and 2 for unsigned ones, where a minus goes
    with nothing but zero without a point.
    """
    n = end_without_blanks(a, n)
    k = skip_blanks(a, n, i64(0))
    negative = False
    if k < n and (load_u8(a, k) == u64(45) or load_u8(a, k) == u64(43)):
        negative = load_u8(a, k) == u64(45)
        k = k + i64(1)
    if whole != i64(0) and k + i64(1) < n and load_u8(a, k) == u64(48) and not negative:
        letter = load_u8(a, k + i64(1)) | u64(32)
        if letter == u64(120):
            return parse_based(a, n, k + i64(2), u64(4))
        if letter == u64(98):
            return parse_based(a, n, k + i64(2), u64(1))
    point, fraction, end, exponent, failed = scan_number(a, n, k)
    if failed != u8(0) or (negative and whole == i64(2) and end > point):
        return u64(0), i64(0), u8(1)
    # the digits that make the result, counted from the first; the one after them rounds it
    wanted = count_run(a, k, point) + exponent + scale
    # the number is built up negative, where one value more fits
    lo = u64(0)
    hi = i64(0)
    overflow = u8(0)
    part = u64(0)  # up to 18 digits in one word, then they move into the wide one
    unit = u64(1)
    seen = i64(0)
    for j in range(k, end):
        byte = load_u8(a, i64(j))
        if byte != u64(95) and (i64(j) < point or i64(j) >= fraction):
            if seen < wanted:
                part = part * u64(10) + (byte - u64(48))
                unit = unit * u64(10)
                if unit == u64(1000000000000000000):
                    lo, hi, wrapped = append_digits(lo, hi, unit, part)
                    overflow = overflow | wrapped
                    part = u64(0)
                    unit = u64(1)
            elif seen == wanted and byte >= u64(53):
                lo, hi, wrapped = append_digits(lo, hi, unit, part)
                overflow = overflow | wrapped
                part = u64(1)
                unit = u64(1)
            seen = seen + i64(1)
    lo, hi, wrapped = append_digits(lo, hi, unit, part)
    overflow = overflow | wrapped
    while seen < wanted and (lo != u64(0) or hi != i64(0)) and overflow == u8(0):
        lo, hi, wrapped = append_digits(lo, hi, u64(10), u64(0))
        overflow = overflow | wrapped
        seen = seen + i64(1)
    if not negative:
        lo, hi, wrapped = subtract_wide(u64(0), i64(0), lo, hi)
        overflow = overflow | wrapped
    return lo, hi, overflow


@body
def text_to_small(a: TextBytes, n: int, scale: int, whole: int, least: int, most: int) -> tuple[int, int]:
    lo, hi, failed = parse_scaled(a, n, scale, whole)
    r = i64(lo)
    _, sign = widen(r)
    return r, failed | u8(sign != hi or r < least or r > most)


@body
def text_to_wide(
    a: TextBytes, n: int, scale: int, whole: int, llo: int, lhi: int, mlo: int, mhi: int
) -> tuple[int, int, int]:
    lo, hi, failed = parse_scaled(a, n, scale, whole)
    return lo, hi, failed | outside_wide(lo, hi, llo, lhi, mlo, mhi)


@body
def letters_at(a: TextBytes, k: int, n: int) -> int:
    """Up to 12 ASCII letters from k to n, in any case, packed in 5 bits each; 0 for anything else."""
    packed = u64(0)
    if n - k > i64(12):
        return packed
    for j in range(k, n):
        letter = load_u8(a, i64(j)) | u64(32)
        if letter < u64(97) or letter > u64(122):
            return u64(0)
        packed = shift_left_u64(packed, u64(5)) | (letter - u64(96))
    return packed


@body
def parse_float(a: TextBytes, n: int, bits: int, least: int) -> tuple[float, int]:
    """A number of `bits` bits, rounded correctly; fails also where the nearest one cannot be told.

    That takes more than 19 digits which lie within one part in 2**55 of the middle between two numbers.
    """
    n = end_without_blanks(a, n)
    k = skip_blanks(a, n, i64(0))
    negative = False
    if k < n and load_u8(a, k) == u64(43):
        k = k + i64(1)
    if k < n and load_u8(a, k) == u64(45):
        negative = True
        k = k + i64(1)
    sign = f64(-1.0) if negative else f64(1.0)
    word = letters_at(a, k, n)
    if word == u64(NAN):
        return (f64(1e308) * f64(10.0) - f64(1e308) * f64(10.0)) * sign, u8(0)
    if word == u64(INF) or word == u64(INFINITY):
        return f64(1e308) * f64(10.0) * sign, u8(0)
    point, fraction, end, exponent, failed = scan_number(a, n, k)
    if failed != u8(0):
        return f64(0.0), u8(1)
    w = u64(0)
    count = i64(0)  # significant digits in w
    dropped = i64(0)  # digits after them
    rest = False  # whether one of those is not 0
    after = i64(0)  # digits of w after the point
    for j in range(k, end):
        byte = load_u8(a, i64(j))
        if byte != u64(95) and (i64(j) < point or i64(j) >= fraction):
            if count < i64(19):
                w = w * u64(10) + (byte - u64(48))
                if w != u64(0):
                    count = count + i64(1)
                if i64(j) >= fraction:
                    after = after + i64(1)
            else:
                rest = rest or byte != u64(48)
                if i64(j) < point:
                    dropped = dropped + i64(1)
    q = exponent + dropped - after
    r, certain = float_of_digits(w, q, bits, least)
    if rest:
        # the value lies between w and w + 1
        above, sure = float_of_digits(w + u64(1), q, bits, least)
        certain = u8(certain != u8(0) and sure != u8(0) and above == r)
    return r * sign, u8(certain == u8(0))


@body
def text_to_double(a: TextBytes, n: int) -> tuple[float, int]:
    return parse_float(a, n, i64(53), i64(-1022))


@body
def text_to_float(a: TextBytes, n: int) -> tuple[float, int]:
    r, failed = parse_float(a, n, i64(24), i64(-126))
    return f32(r), failed


@body
def text_to_boolean(a: TextBytes, n: int) -> tuple[int, int]:
    """true, t, yes, y, 1 and their opposites, in any case."""
    if n == i64(1) and (load_u8(a, i64(0)) == u64(48) or load_u8(a, i64(0)) == u64(49)):
        return u8(load_u8(a, i64(0)) == u64(49)), u8(0)
    word = letters_at(a, i64(0), n)
    if word == u64(TRUE) or word == u64(T) or word == u64(YES) or word == u64(Y):
        return u8(1), u8(0)
    no = word == u64(FALSE) or word == u64(F) or word == u64(NO) or word == u64(N)
    return u8(0), u8(not no)


@body
def hex_value(byte: int) -> int:
    """0 to 15; 16 for what is no hexadecimal digit."""
    if is_digit(byte):
        return byte - u64(48)
    letter = byte | u64(32)
    return letter - u64(87) if letter >= u64(97) and letter <= u64(102) else u64(16)


@body
def text_to_blob(arena: object, a: TextBytes, n: int) -> tuple[TextBytes, int, int]:
    r"""ASCII characters stand for themselves, \xHH for any byte; other backslashes and characters fail."""
    size = i64(0)
    k = i64(0)
    failed = u8(0)
    while k < n:
        byte = load_u8(a, k)
        if byte == u64(0x5C):
            if (
                k + i64(3) >= n
                or load_u8(a, k + i64(1)) != u64(0x78)
                or hex_value(load_u8(a, k + i64(2))) > u64(15)
                or hex_value(load_u8(a, k + i64(3))) > u64(15)
            ):
                failed = u8(1)
            k = k + i64(4)
        else:
            failed = failed | u8(byte > u64(127))
            k = k + i64(1)
        size = size + i64(1)
    if failed != u8(0):
        size = i64(0)
    out = text_new(arena, size)
    k = i64(0)
    for j in range(size):
        byte = load_u8(a, k)
        if byte == u64(0x5C):
            high = hex_value(load_u8(a, k + i64(2)))
            byte = shift_left_u64(high, u64(4)) | hex_value(load_u8(a, k + i64(3)))
            k = k + i64(3)
        store_u8(out, i64(j), byte)
        k = k + i64(1)
    return out, written(out, size), failed
