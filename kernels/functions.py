"""Importing this module declares every function, cast and aggregate."""

from __future__ import annotations

from headrace.kernels import (
    aggregate,
    arithmetic,
    cast,
    cast_temporal,
    cast_text,
    comparison,
    date_parts,
    decimal,
    interval,
    logic,
    mathematics,
    rounding,
    temporal,
    text,
    text_case,
    text_search,
)

DECLARED = (
    aggregate,
    arithmetic,
    comparison,
    date_parts,
    decimal,
    cast,
    cast_temporal,
    cast_text,
    interval,
    logic,
    mathematics,
    rounding,
    temporal,
    text,
    text_case,
    text_search,
)
