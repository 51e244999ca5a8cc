"""Text as it is typed or piped in, cut into SQL statements and dot commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What can hide a semicolon is skipped a piece at a time; an unterminated piece runs to the end of the text.
_PIECE = re.compile(
    r"""
      --[^\n]*
    | /\*
    | '(?:[^']|'')*(?P<open_text>\Z|')
    | "(?:[^"]|"")*(?P<open_name>\Z|")
    | (?<![\w$])\$(?P<tag>(?:[A-Za-z_]\w*)?)\$
    | (?P<semicolon>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement, with its semicolon if it has one, or one dot command; `start` is its offset."""

    text: str
    start: int
    is_command: bool
    complete: bool


def split(text: str) -> Iterator[Piece]:
    """The pieces of a text, in order. Only the last can be incomplete: a statement without its semicolon."""
    at = 0
    while at < len(text):
        at += len(text[at:]) - len(text[at:].lstrip())
        if at >= len(text):
            return
        if text[at] == ".":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            yield Piece(text[at:end].rstrip(), at, True, True)
            at = end
            continue
        stop, complete = statement_end(text, at)
        piece = text[at:stop]
        if not is_blank(piece):
            yield Piece(piece, at, False, complete)
        at = stop


def statement_end(text: str, start: int) -> tuple[int, bool]:
    """The offset behind the semicolon that ends the statement at `start`; (end, False) without one."""
    at = start
    while True:
        found = _PIECE.search(text, at)
        if found is None:
            return len(text), False
        if found["semicolon"]:
            return found.end(), True
        at = _behind(text, found)


def _behind(text: str, found: re.Match[str]) -> int:
    """The offset behind a comment, quoted text or quoted name."""
    if found[0] == "/*":
        depth, at = 1, found.end()
        while depth:
            edge = _COMMENT_EDGE.search(text, at)
            if edge is None:
                return len(text)
            depth += 1 if edge[0] == "/*" else -1
            at = edge.end()
        return at
    if found["tag"] is not None:
        closing = text.find(found[0], found.end())
        return len(text) if closing < 0 else closing + len(found[0])
    return found.end()


def is_blank(text: str) -> bool:
    """Whether a text holds nothing but space, comments and semicolons."""
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ";":
            at += 1
            continue
        found = _PIECE.match(text, at)
        if found is None or not found[0].startswith(("--", "/*")):
            return False
        at = _behind(text, found)
    return True


def is_complete(text: str) -> bool:
    """Whether a text can be run as it stands: blank, a dot command, or ended by a semicolon."""
    stripped = text.strip()
    if not stripped or stripped.startswith("."):
        return True
    last = None
    for piece in split(text):
        last = piece
    return last is None or last.complete
