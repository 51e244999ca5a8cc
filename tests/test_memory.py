"""Reservations and the column cache count against one limit."""

from __future__ import annotations

import gc

import pyarrow as pa
import pytest

from headrace.column import Column
from headrace.encode import encode
from headrace.errors import OperationalError
from headrace.memory import Memory


def column(rows: int) -> Column:
    return encode(pa.array([float(k) for k in range(rows)]))


def test_reservations_add_up_and_end() -> None:
    memory = Memory(lambda: 1000)
    first = memory.reserve(600, "a sort")
    with memory.reserve(400, "a join"):
        assert memory.used == 1000
        with pytest.raises(OperationalError, match=r"a scan needs 1 bytes; 1\.0 KB of the limit of 1\.0 KB") as caught:
            memory.reserve(1, "a scan")
        assert "memory_limit" in str(caught.value)
    first.release()
    first.release()
    assert memory.used == 0


def test_a_reservation_grows_or_stays() -> None:
    memory = Memory(lambda: 1000)
    held = memory.reserve(100, "state")
    held.resize(900)
    with pytest.raises(OperationalError):
        held.resize(1001)
    assert memory.used == 900
    held.release()
    assert memory.used == 0
    with pytest.raises(OperationalError, match="released"):
        held.resize(5)


def test_the_least_recently_used_column_is_evicted() -> None:
    memory = Memory(lambda: 2500)
    for name in "abc":
        memory.put(name, column(100), name)
    memory.get("b")
    gc.collect()
    assert memory.cached == 2400
    with memory.reserve(1000, "state"):
        gc.collect()
        assert memory.get("a") is None
        assert memory.get("c") is None
        assert memory.get("b") is not None
        assert memory.cached == 800


def test_an_evicted_column_counts_while_it_is_used() -> None:
    memory = Memory(lambda: 1000)
    held = column(100)
    memory.put("a", held, "a")
    with pytest.raises(OperationalError):
        memory.reserve(500, "state")
    assert memory.get("a") is None
    assert memory.cached == 800
    del held
    gc.collect()
    assert memory.cached == 0
    memory.reserve(500, "state").release()


def test_the_limit_is_asked_each_time() -> None:
    limit = 10
    memory = Memory(lambda: limit)
    with pytest.raises(OperationalError):
        memory.reserve(11, "state")
    limit = 11
    memory.reserve(11, "state").release()


def test_keys_can_be_evicted_by_choice() -> None:
    memory = Memory(lambda: 10**6)
    memory.put(("x", 1), column(1), "x")
    memory.put(("y", 1), column(1), "y")
    memory.evict(lambda key: isinstance(key, tuple) and key[0] == "x")
    assert memory.get(("x", 1)) is None
    assert memory.get(("y", 1)) is not None
