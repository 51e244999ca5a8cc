"""A result as a table of text, drawn with boxes, for people to read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.types import Kind, SqlType
from headrace.value_text import value_texts

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_SHOWN = 40  # of a longer result: its first and last twenty
LEAST_WIDTH = 8  # a column is not narrowed below this before columns are left out
_CONTROL = {i: f"\\x{i:02x}" for i in range(32)} | {9: "\\t", 10: "\\n", 13: "\\r", 127: "\\x7f"}


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    cells: list[str]
    right: bool

    def width(self) -> int:
        return max(map(display_width, (self.name, self.type, *self.cells)))


def render_table(
    table: pa.Table, types: Sequence[SqlType], *, rows: int | None = ROWS_SHOWN, width: int | None = 120
) -> str:
    """The table with its names and types above and, where rows or columns are left out, a line that says so.

    `rows` and `width` bound what is shown, in rows and in character cells; None means all. Numbers stand on
    the right, NULL is written out, control characters are escaped.
    """
    if not types:
        return "(no columns)"
    total = table.num_rows
    cut = rows is not None and total > rows
    head = total if rows is None or not cut else (rows + 1) // 2
    tail = 0 if rows is None or not cut else rows - head
    columns = [_column(table.column(i), table.column_names[i], t, head, tail) for i, t in enumerate(types)]
    kept, widths = _fit(columns, width)
    left_out = len(columns) - sum(c is not _ELLIPSIS for c in kept)
    lines = [_rule(widths, "┌┬┐")]
    lines.append(_line([(c.name, "centre") for c in kept], widths))
    lines.append(_line([(c.type, "centre") for c in kept], widths))
    lines.append(_rule(widths, "├┼┤"))
    for i in range(head + tail):
        if cut and i == head:
            lines.extend([_line([("·", "right" if c.right else "left") for c in kept], widths)] * 3)
        lines.append(_line([(c.cells[i] if c.cells else "…", "right" if c.right else "left") for c in kept], widths))
    lines.append(_rule(widths, "└┴┘"))
    notes = []
    if cut:
        notes.append(f"{total:,} rows ({head + tail} shown)")
    elif total != 1:
        notes.append(f"{total:,} rows")
    if left_out:
        notes.append(f"{len(columns)} columns ({len(columns) - left_out} shown)")
    if notes:
        lines.append(", ".join(notes))
    return "\n".join(lines)


_ELLIPSIS = _Column("…", "", [], False)


def _column(values: pa.ChunkedArray, name: str, sql_type: SqlType, head: int, tail: int) -> _Column:
    texts = value_texts(values.slice(0, head), sql_type)
    if tail:
        texts += value_texts(values.slice(len(values) - tail), sql_type)
    cells = ["NULL" if t is None else _printable(t) for t in texts]
    return _Column(_printable(name), type_label(sql_type), cells, is_right_aligned(sql_type))


def type_label(sql_type: SqlType) -> str:
    """The type in small letters, as shown under a column's name."""
    return str(sql_type).lower()


def is_right_aligned(sql_type: SqlType) -> bool:
    return sql_type.is_numeric or sql_type.kind is Kind.NULL


def _printable(text: str) -> str:
    return text.translate(_CONTROL)


def display_width(text: str) -> int:
    """Character cells on a terminal: East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_cell_width(c) for c in text)


def _cell_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fit(columns: list[_Column], width: int | None) -> tuple[list[_Column], list[int]]:
    """Narrow the widest columns until all fit; if that is not enough, leave out columns from the middle."""
    widths = [c.width() for c in columns]
    if width is None or _total(widths) <= width:
        return columns, widths
    kept = list(range(len(columns)))
    while len(kept) > 2 and _total([min(widths[i], LEAST_WIDTH) for i in kept]) + 4 > width:
        del kept[len(kept) // 2]
    shown = [columns[i] for i in kept]
    limits = [widths[i] for i in kept]
    if len(kept) < len(columns):
        middle = (len(kept) + 1) // 2
        shown.insert(middle, _ELLIPSIS)
        limits.insert(middle, 1)
    while _total(limits) > width and max(limits) > LEAST_WIDTH:
        widest = max(limits)
        second = max((w for w in limits if w < widest), default=LEAST_WIDTH)
        excess = _total(limits) - width
        at = [i for i, w in enumerate(limits) if w == widest]
        step = max(1, min(widest - max(second, LEAST_WIDTH), -(-excess // len(at))))
        for i in at:
            limits[i] = widest - step
    return shown, limits


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 3 * len(widths) + 1


def _rule(widths: Sequence[int], corners: str) -> str:
    return corners[0] + corners[1].join("─" * (w + 2) for w in widths) + corners[2]


def _line(cells: Sequence[tuple[str, str]], widths: Sequence[int]) -> str:
    return "│" + "│".join(f" {_pad(text, w, side)} " for (text, side), w in zip(cells, widths, strict=True)) + "│"


def _pad(text: str, width: int, side: str) -> str:
    used = display_width(text)
    if used > width:
        text = _cut(text, width - 1) + "…"
        used = display_width(text)
    room = width - used
    if side == "right":
        return " " * room + text
    if side == "centre":
        return " " * (room // 2) + text + " " * (room - room // 2)
    return text + " " * room


def _cut(text: str, width: int) -> str:
    used = 0
    for i, character in enumerate(text):
        used += _cell_width(character)
        if used > width:
            return text[:i]
    return text
