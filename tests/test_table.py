"""Stored tables: versions, the tail of rows not yet encoded, and its joining to the columns."""

from __future__ import annotations

import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from headrace import types
from headrace.decode import decode
from headrace.errors import InternalError, OperationalError
from headrace.memory import Memory
from headrace.sql.source import SourceColumn
from headrace.table import TAIL_ROWS, StoredTable, TableVersion

COLUMNS = (
    SourceColumn("k", types.INTEGER, True),
    SourceColumn("v", types.VARCHAR, True),
    SourceColumn("d", types.decimal(20, 2), True),
    SourceColumn("h", types.HUGEINT, True),
)
SCHEMA = pa.schema([(c.name, types.to_arrow(c.type)) for c in COLUMNS])


def table(memory: Memory | None = None) -> TableVersion:
    return StoredTable("t", COLUMNS, memory or Memory(lambda: 10**9)).empty()


def batch(start: int, count: int) -> pa.Table:
    numbers = list(range(start, start + count))
    whole = pa.array(numbers, pa.int64())
    return pa.table(
        {
            "k": pa.array([None if n % 5 == 0 else n for n in numbers], pa.int32()),
            "v": pa.array([f"v{n % 300}" for n in numbers]),
            "d": whole.cast(pa.decimal128(19, 0)).cast(pa.decimal128(20, 2), safe=False),
            "h": whole.cast(pa.decimal128(19, 0)).cast(pa.decimal128(38, 0)),
        },
        schema=SCHEMA,
    )


def rows(version: TableVersion) -> pa.Table:
    loaded = version.load([c.name for c in COLUMNS], 1)
    return pa.table({name: decode(column) for name, column in loaded.items()}, schema=SCHEMA)


def test_versions_keep_their_rows() -> None:
    versions = [table()]
    for k in range(20):
        versions.append(versions[-1].appended(batch(k * 3, 3)))
    for k in (20, 0, 7, 13, 1):
        assert versions[k].row_count() == 3 * k
        assert rows(versions[k]).equals(batch(0, 3 * k))
    assert len({v.version for v in versions}) == 21
    assert versions[0].schema() == COLUMNS


def test_reading_between_appends_gives_the_same() -> None:
    version = table()
    for k in range(30):
        version = version.appended(batch(k, 1))
        assert rows(version).equals(batch(0, k + 1))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_tail_is_joined_to_the_columns(threads: int) -> None:
    first = table().appended(batch(0, TAIL_ROWS - 1), threads)
    second = first.appended(batch(TAIL_ROWS - 1, 2), threads)
    third = second.appended(batch(TAIL_ROWS + 1, 5), threads)
    assert rows(third).equals(batch(0, TAIL_ROWS + 6))
    assert rows(first).equals(batch(0, TAIL_ROWS - 1))
    assert rows(second).equals(batch(0, TAIL_ROWS + 1))


def test_whole_tables_are_encoded_at_once() -> None:
    version = table().appended(batch(0, 300_000), 2)
    assert rows(version).equals(batch(0, 300_000))
    assert version.load(["v"], 1)["v"].encoding.form == "dictionary:uint16"


def test_nothing_appended_is_no_new_version() -> None:
    version = table()
    assert version.appended(batch(0, 0)) is version


def test_ten_thousand_single_rows_are_cheap() -> None:
    version = table()
    pieces = [batch(k, 1) for k in range(10_000)]
    start = time.perf_counter()
    for piece in pieces:
        version = version.appended(piece)
    appended = time.perf_counter() - start
    found = rows(version)
    assert found.equals(batch(0, 10_000))
    assert appended < 2.0
    assert time.perf_counter() - start < 4.0


def test_rows_are_taken_by_position_and_checked() -> None:
    renamed = batch(0, 2).rename_columns(["w", "x", "y", "z"])
    assert rows(table().appended(renamed)).equals(batch(0, 2))
    with pytest.raises(InternalError, match="do not match"):
        table().appended(batch(0, 2).select(["k", "v"]))
    with pytest.raises(InternalError, match="do not match"):
        table().appended(batch(0, 2).select(["v", "k", "d", "h"]))


def test_estimates_are_of_the_rows_there_are() -> None:
    version = table().appended(batch(1, 4))
    estimate = version.estimate("k")
    assert (estimate.minimum, estimate.maximum, estimate.null_count, estimate.unique) == (1, 4, 0, True)
    assert version.appended(batch(5, 1)).estimate("k").null_count == 1
    assert version.estimate("k").null_count == 0


def test_memory_is_counted_and_given_back() -> None:
    memory = Memory(lambda: 10**8)
    version = table(memory).appended(batch(0, 200_000))
    columns = version.load(["k", "v", "d", "h"], 1)
    assert memory.reserved == sum(c.nbytes for c in columns.values())
    del version, columns
    assert memory.reserved == 0
    with pytest.raises(OperationalError, match="table t needs"):
        table(Memory(lambda: 1000)).appended(batch(0, 200_000))


def test_readers_and_a_writer_at_once() -> None:
    versions = [table()]
    faults: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            r = np.random.default_rng()
            while not done.is_set():
                version = versions[r.integers(len(versions))]
                assert rows(version).equals(batch(0, version.row_count()))
        except BaseException as fault:
            faults.append(fault)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for k in range(150):
        versions.append(versions[-1].appended(batch(k * 2, 2)))
    done.set()
    for reader in readers:
        reader.join()
    assert not faults
