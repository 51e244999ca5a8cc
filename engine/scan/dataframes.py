"""pandas and polars frames as relations."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from headrace.errors import NotSupportedError
from headrace.scan.arrow import MemoryRelation, open_arrow


def open_dataframe(name: str, value: Any) -> MemoryRelation | None:
    """A relation over a pandas DataFrame (its index is left out) or a polars frame; None for any other
    object."""
    pandas = sys.modules.get("pandas")  # a frame cannot exist before its module is loaded
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return _pandas_relation(name, value)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(value, polars.LazyFrame):
        value = value.collect()
    if polars is not None and isinstance(value, polars.Series):
        value = value.to_frame()
    if polars is not None and isinstance(value, polars.DataFrame):
        return open_arrow(name, value)
    return None


def _pandas_relation(name: str, frame: Any) -> MemoryRelation:
    series = [frame.iloc[:, position] for position in range(frame.shape[1])]
    known: dict[int, pa.ChunkedArray] = {}
    fields: list[tuple[str, pa.DataType | NotSupportedError, bool]] = []
    for position, column in enumerate(series):
        kind: pa.DataType | NotSupportedError
        try:
            if column.dtype == object:
                # Only the values tell the type, so they are converted here, once.
                known[position] = _converted(column)
                kind = known[position].type
            else:
                kind = _converted(column.iloc[:0]).type
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as fault:
            reason = str(fault).strip().split("\n")[0]
            kind = NotSupportedError(f"pandas values of the dtype {column.dtype} do not convert to Arrow: {reason}")
        fields.append((str(frame.columns[position]), kind, True))

    def fetch(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        return [known[p] if p in known else _converted(series[p]) for p in positions]

    return MemoryRelation(name, fields, len(frame), fetch, own=True)


def _converted(series: Any) -> pa.ChunkedArray:
    """NaN, NaT and None become NULL, as in DuckDB."""
    array = pa.array(series, from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
