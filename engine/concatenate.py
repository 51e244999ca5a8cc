"""Puts tables that were collected plain one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from headrace.column import Column, pack
from headrace.encodings.addresses import Addresses
from headrace.encodings.base import Encoding
from headrace.encodings.dictionary import Dictionary, unify
from headrace.encodings.floats import Floats
from headrace.encodings.frame_of_reference import FrameOfReference
from headrace.encodings.intervals import Intervals
from headrace.encodings.wide import Wide
from headrace.errors import InternalError
from headrace.pipeline import Concatenation


def concatenated(
    made: Concatenation, tables: Mapping[int, Mapping[int, Column]], rows: Mapping[int, int]
) -> tuple[dict[int, Column], int]:
    """The whole table's columns by field id, and its number of rows."""
    total = sum(rows[number] for number, _ in made.parts)
    columns: dict[int, Column] = {}
    for k, (field, prototype) in enumerate(made.columns):
        parts = [tables[number][ids[k]] for number, ids in made.parts]
        validity = None
        if any(p.validity is not None for p in parts):
            masks = [np.ones(p.rows, np.bool_) if p.mask is None else p.mask for p in parts]
            validity = pack(np.concatenate(masks))
        seen = replace(prototype.statistics, rows=total)
        columns[field.id] = Column(field.type, total, _joined([p.encoding for p in parts]), validity, seen)
    return columns, total


def _joined(parts: Sequence[Encoding]) -> Encoding:
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(p, Dictionary) for p in parts):
        return _joined_codes([p for p in parts if isinstance(p, Dictionary)])
    kind = type(parts[0])
    if any(type(p) is not kind for p in parts):
        raise InternalError("columns of several forms cannot be put one after the other")
    arrays = [np.concatenate(arrays) for arrays in zip(*(p.arrays() for p in parts), strict=True)]
    if kind is Addresses:
        owners = tuple(o for p in parts if isinstance(p, Addresses) for o in p.owners)
        return Addresses(arrays[0], arrays[1], owners)
    if kind is FrameOfReference:
        return FrameOfReference(arrays[0], 0, 1)
    if kind is Floats:
        return Floats(arrays[0])
    if kind is Intervals:
        return Intervals(arrays[0], arrays[1], arrays[2])
    if kind is Wide:
        return Wide(arrays[0], arrays[1])
    raise InternalError(f"columns of the form {parts[0].form} cannot be put one after the other")


def _joined_codes(parts: Sequence[Dictionary]) -> Dictionary:
    """Codes of one dictionary, merged unless all parts share theirs."""
    values = parts[0].values
    if all(p.values is values for p in parts):
        return Dictionary(np.concatenate([p.codes for p in parts]), values)
    values, maps = unify([p.values.binary for p in parts])
    codes = []
    for part, new in zip(parts, maps, strict=True):
        # A NULL's code is arbitrary: it may name nothing.
        codes.append(np.append(new, [0]).astype(np.uint32)[np.minimum(part.codes, len(new))])
    return Dictionary(np.concatenate(codes), values)
