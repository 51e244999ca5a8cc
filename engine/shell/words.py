"""SQL words: those that completion offers, and those that a name must be quoted for."""

from __future__ import annotations

_OFFERED = """
    all analyze and as asc avg between by case cast count create cross current_date date describe desc
    distinct drop else end escape exclude exists explain extract false filter first from full group having
    if ilike in inner insert interval into is join last left like limit max min natural not null nulls
    offset on or order outer read_csv read_parquet replace right select set show sum table tables then
    timestamp true try_cast union using values view when where with
"""
_RESERVED = """
    all analyse analyze and any array as asc asymmetric both case cast check collate column constraint
    create default deferrable desc describe distinct do else end except false fetch for foreign from group
    having in initially intersect into lambda lateral leading limit not null offset on only or order pivot
    placing primary qualify references returning select show some summarize symmetric table then to trailing
    true union unique unpivot using variadic when where window with
"""
KEYWORDS = tuple(_OFFERED.split())
RESERVED = frozenset(_RESERVED.split())


def quoted(name: str) -> str:
    """The name as SQL, in double quotes where it needs them."""
    plain = (
        name.isascii()
        and name.replace("_", "a").isalnum()
        and not name[0].isdigit()
        and name == name.lower()
        and name not in RESERVED
    )
    return name if plain else '"' + name.replace('"', '""') + '"'
