"""The loops of the block verbs as text, compiled and kept like any pipeline.

Each is called with (0, rows, 1, *arrays): one thread, rows in order. `headrace.devices.verbs` says what they
do and has the NumPy form of each.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.devices.base import Text
from headrace.kernels import hashing

RANK_OF = Text(
    "rank_of",
    """
def pipeline(start, stop, step, keys, base, bits, prefix, out):
    step = row_step(step)
    for i in range(start, stop, step):
        out[i] = rank_at(bits, prefix, u64(keys[i] - base))
""",
    (("keys", "i64[]"), ("base", "i64"), ("bits", "u64[]"), ("prefix", "u32[]"), ("out", "i64[]!")),
    ("row_step", "rank_at", "u64"),
)

COUNT_GROUPS = Text(
    "count_groups",
    """
def pipeline(start, stop, step, groups, counts):
    step = row_step(step)
    for i in range(start, stop, step):
        accumulate(counts, u64(groups[i]), i64(1))
""",
    (("groups", "i64[]"), ("counts", "i64[]!")),
    ("row_step", "accumulate", "u64", "i64"),
)

PLACE_ROWS = Text(
    "place_rows",
    """
def pipeline(start, stop, step, groups, next, order):
    step = row_step(step)
    for i in range(start, stop, step):
        at = next[u64(groups[i])]
        order[u64(at)] = i64(i)
        next[u64(groups[i])] = at + i64(1)
""",
    (("groups", "i64[]"), ("next", "i64[]!"), ("order", "i64[]!")),
    ("row_step", "u64", "i64"),
)

GATHER_TEXT = Text(
    "gather_text",
    """
def pipeline(start, stop, step, address, length, offsets, data):
    step = row_step(step)
    out = text_span(data, i64(0), i64(0))
    for i in range(start, stop, step):
        text_copy(out, offsets[i], address[i], length[i])
""",
    (("address", "u64[]"), ("length", "i64[]"), ("offsets", "i64[]"), ("data", "u8[]!")),
    ("row_step", "text_span", "text_copy", "i64"),
)

TEXT_PREFIX = Text(
    "text_prefix",
    """
def pipeline(start, stop, step, address, length, out):
    step = row_step(step)
    for i in range(start, stop, step):
        word = u64(0)
        for k in range(i64(0), i64(8)):
            word = shift_left_u64(word, u64(8))
            if k < length[i]:
                word = word | load_u8(address[i], k)
        out[i] = word
""",
    (("address", "u64[]"), ("length", "i64[]"), ("out", "u64[]!")),
    ("row_step", "shift_left_u64", "load_u8", "u64", "i64"),
)


_HASH_BUILD = """
def pipeline(start, stop, step, {keys}, mask, slots, groups, rows, hashes, count):
    step = row_step(step)
    found = count[u64(0)]
    for i in range(start, stop, step):
        {hash}
        s = h & mask
        g = i64(-1)
        while g < i64(0):
            g = i64(slots[s])
            if g < i64(0):
                g = found
                slots[s] = found
                rows[u64(g)] = i64(i)
                hashes[u64(g)] = h
                found += i64(1)
            else:
                same = u64(0)
                if hashes[u64(g)] == h:
                    r = u64(rows[u64(g)])
                    if {same}:
                        same = u64(1)
                if same == u64(0):
                    g = i64(-1)
                    s = (s + u64(1)) & mask
        groups[i] = g
    count[u64(0)] = found
"""


def hash_build(words: Sequence[str], texts: frozenset[int]) -> Text:
    """Number the groups of equal keys by first appearance and index them by open addressing.

    `words` are `i64` or `u64`; a word whose place is in `texts` is an address, and the next one its length.
    Arguments: a key array for each word, mask, slots i32 (all -1), groups i64 (one a row), representatives
    i64 (enough for every group), hashes u64 (likewise), count i64[1].
    """
    names = {"row_step", "u64", "i64", hashing.hash_u64.__name__, hashing.hash_combine.__name__}
    hashes: list[str] = []
    terms: list[str] = []
    place = 0
    while place < len(words):
        here, there = f"k{place}[i]", f"k{place}[r]"
        if place in texts:
            names |= {"text_hash", "text_equal"}
            length, other = f"k{place + 1}[i]", f"k{place + 1}[r]"
            hashes.append(f"text_hash({here}, {length})")
            terms.append(f"text_equal({here}, {length}, {there}, {other}) != u8(0)")
            names.add("u8")
            place += 2
        else:
            hashes.append(f"u64({here})")
            terms.append(f"{here} == {there}")
            place += 1
    steps = [f"h = hash_u64({hashes[0]})", *(f"h = hash_combine(h, {part})" for part in hashes[1:])]
    keys = ", ".join(f"k{k}" for k in range(len(words)))
    text = _HASH_BUILD.format(keys=keys, hash="\n        ".join(steps), same=" and ".join(terms))
    parameters = (
        *((f"k{k}", f"{word}[]") for k, word in enumerate(words)),
        *(
            ("mask", "u64"),
            ("slots", "i32[]!"),
            ("groups", "i64[]!"),
            ("rows", "i64[]!"),
            ("hashes", "u64[]!"),
        ),
        ("count", "i64[]!"),
    )
    return Text("hash_build", text, parameters, tuple(sorted(names)))


FILL_SLOTS = Text(
    "fill_slots",
    """
def pipeline(start, stop, step, hashes, mask, slots):
    step = row_step(step)
    for g in range(start, stop, step):
        s = hashes[g] & mask
        while i64(slots[s]) >= i64(0):
            s = (s + u64(1)) & mask
        slots[s] = i64(g)
""",
    (("hashes", "u64[]"), ("mask", "u64"), ("slots", "i32[]!")),
    ("row_step", "u64", "i64"),
)
