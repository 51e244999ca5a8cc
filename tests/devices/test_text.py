"""Text by address: the same bytes, answers and hashes interpreted and compiled."""

from __future__ import annotations

import itertools
import random

import numpy as np

from device_texts import compiled, interpreted, source

TEXTS = [
    *(b"", b"a", b"b", b"ab", b"abc", b"abcdefgh", b"abcdefgi", b"abcdefghi", b"\xff\x00", b"\x00"),
    *(
        "größe".encode(),
        b"x" * 40 + b"needle" + b"y" * 40,
        b"x" * 70,
        b"x" * 69 + b"y",
        b"nee" * 30 + b"needle",
    ),
]


def buffers(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return np.frombuffer(b"".join(texts) or b"\0", np.uint8), offsets


def test_comparing_hashing_and_finding() -> None:
    pairs = list(itertools.product(TEXTS, TEXTS))
    pairs += [(text, bytes(random.Random(k).choice(b"abxy") for _ in range(k % 7))) for k, text in enumerate(TEXTS * 3)]
    left, right = buffers([a for a, _ in pairs]), buffers([b for _, b in pairs])
    parameters = [
        ("a", "u8[]"),
        ("ao", "i64[]"),
        ("b", "u8[]"),
        ("bo", "i64[]"),
        ("r", "i64[]!"),
        ("h", "u64[]!"),
    ]
    lines = [
        "for i in range(start, stop, step):",
        "    p = text_span(a, ao[i], ao[i + u64(1)])",
        "    n = ao[i + u64(1)] - ao[i]",
        "    q = text_span(b, bo[i], bo[i + u64(1)])",
        "    m = bo[i + u64(1)] - bo[i]",
        "    j = i * u64(5)",
        "    r[j] = i64(text_equal(p, n, q, m))",
        "    r[j + u64(1)] = text_compare(p, n, q, m)",
        "    r[j + u64(2)] = text_find(p, n, q, m, i64(0))",
        "    r[j + u64(3)] = text_find(p, n, q, m, i64(2))",
        "    r[j + u64(4)] = i64(load_u8(p, n - i64(1))) if n > i64(0) else i64(-1)",
        "    h[i] = text_hash(p, n)",
    ]
    names = ["text_span", "text_equal", "text_compare", "text_find", "text_hash", "load_u8", "u64", "i64"]
    kernel = source(parameters, lines, names)
    rows = len(pairs)
    found, hashes = np.zeros(rows * 5, np.int64), np.zeros(rows, np.uint64)
    compiled(kernel)(0, rows, 1, *left, *right, found, hashes)
    listed, listed_hashes = [0] * (rows * 5), [0] * rows
    lists = left[0].tobytes(), left[1].tolist(), right[0].tobytes(), right[1].tolist()
    interpreted(kernel)(0, rows, 1, *lists, listed, listed_hashes)
    assert found.tolist() == listed
    assert hashes.tolist() == listed_hashes
    for k, (a, b) in enumerate(pairs):
        assert listed[k * 5 : k * 5 + 4] == [a == b, (a > b) - (a < b), a.find(b), a.find(b, 2)]
    assert len(set(listed_hashes)) == len({a for a, _ in pairs})


def test_fresh_text() -> None:
    """Each text and its other case, written at two addresses; the compiled run's arena is too small for the
    last."""
    data, offsets = buffers([b"hello", b"", b"w\xc3\xb6rld", b"0123456789"])
    lines = [
        "for i in range(start, stop, step):",
        "    n = o[i + u64(1)] - o[i]",
        "    p = text_span(d, o[i], o[i + u64(1)])",
        "    t = text_new(arena, n + n)",
        "    text_copy(t, i64(0), p, n)",
        "    u = text_at(t, n)",
        "    for k in range(i64(n)):",
        "        store_u8(u, i64(k), load_u8(text_at(p, i64(k)), i64(0)) ^ u64(32))",
        "    r[i] = t",
    ]
    parameters = [("d", "u8[]"), ("o", "i64[]"), ("arena", "u64[]!"), ("r", "u64[]!")]

    names = ["text_span", "text_new", "text_copy", "text_at", "store_u8", "load_u8", "i64", "u64"]
    kernel = source(parameters, lines, names)
    memory = np.zeros(30, np.uint8)
    arena = np.array([memory.ctypes.data, 30, 0, 0], np.uint64)
    addresses = np.zeros(4, np.uint64)
    compiled(kernel)(0, 4, 1, data, offsets, arena, addresses)
    kept: list[object] = [None] * 4
    interpreted(kernel)(0, 4, 1, data.tobytes(), offsets.tolist(), None, kept)
    assert [bytes(text) for text in kept] == [
        b"helloHELLO",
        b"",
        b"w\xc3\xb6rldW\xe3\x96RLD",
        b"0123456789" + bytes(range(16, 26)),
    ]
    assert arena.tolist()[1:3] == [30, 42]
    assert addresses[3] == 0
    for k, text in enumerate(kept[:3]):
        start = int(addresses[k]) - memory.ctypes.data
        assert memory[start : start + len(text)].tobytes() == bytes(text)
