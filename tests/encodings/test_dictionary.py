"""When text becomes a dictionary, and what its values offer."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from headrace.decode import decode
from headrace.encode import encode
from headrace.encodings.dictionary import Dictionary, TextValues, limit
from headrace.encodings.text import Text
from headrace.extend import extend


def texts(distinct: int, rows: int) -> pa.Array:
    numbers = np.random.default_rng(7).permutation(np.arange(rows) % distinct)
    return pa.array(numbers).cast(pa.string())


@pytest.mark.parametrize(
    ("distinct", "rows", "kind"),
    [
        (256, 256, Dictionary),
        (257, 257, Text),
        (257, 8 * 257, Dictionary),
        (258, 8 * 257, Text),
        (20_000, 200_000, Dictionary),
        (26_000, 200_000, Text),
    ],
)
def test_the_limit(distinct: int, rows: int, kind: type) -> None:
    array = texts(distinct, rows)
    column = encode(array)
    assert isinstance(column.encoding, kind)
    assert decode(column).equals(array)
    as_dictionary = encode(array.dictionary_encode())
    assert isinstance(as_dictionary.encoding, kind)
    assert decode(as_dictionary).equals(array)
    assert limit(10**9) == 65_536


def test_a_sample_of_few_values_does_not_settle_it() -> None:
    array = pa.concat_arrays([pa.array(["same"] * 50_000), texts(50_000, 50_000)])
    column = encode(array)
    assert isinstance(column.encoding, Text)
    assert decode(column).equals(array)


def test_codes_are_as_narrow_as_the_values_allow() -> None:
    encoding = encode(texts(300, 10_000)).encoding
    assert isinstance(encoding, Dictionary)
    assert encoding.codes.dtype == np.uint16


def test_rank_is_byte_order() -> None:
    words = ["b", "", "ä", "a", "aa", "Z"]
    encoding = encode(pa.array(words)).encoding
    assert isinstance(encoding, Dictionary)
    values = encoding.values
    assert values.strings == words
    assert values.texts == [w.encode() for w in words]
    by_rank = [words[k] for k in np.argsort(values.rank)]
    assert by_rank == sorted(words, key=str.encode)


def test_values_are_equal_only_to_themselves() -> None:
    one, two = (TextValues(np.array([0, 1]), np.frombuffer(b"x", np.uint8)) for _ in range(2))
    assert one != two
    assert len({one, two, one}) == 2


def test_an_all_null_column_has_one_value_to_look_up() -> None:
    encoding = encode(pa.nulls(5, pa.string())).encoding
    assert isinstance(encoding, Dictionary)
    assert encoding.values.count == 1


def test_growing_keeps_codes_and_the_dictionary_where_nothing_is_new() -> None:
    column = encode(pa.array(["x", "y", "x"]))
    again = extend(column, pa.array(["y", None]))
    more = extend(again, pa.array(["z", "x"]))
    first, second, third = column.encoding, again.encoding, more.encoding
    assert isinstance(first, Dictionary)
    assert isinstance(second, Dictionary)
    assert isinstance(third, Dictionary)
    assert second.values is first.values
    assert third.values.strings == ["x", "y", "z"]
    assert decode(more).to_pylist() == ["x", "y", "x", "y", None, "z", "x"]
