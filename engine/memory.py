"""Accounting of host memory: what is reserved, by whom, and the cache of encoded columns that gives way
first."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Protocol

from headrace.errors import OperationalError

if TYPE_CHECKING:
    from types import TracebackType


class Sized(Protocol):
    """What the cache holds; it must allow weak references."""

    @property
    def nbytes(self) -> int: ...


class Reservation:
    """Bytes set aside for one owner until `release`, or the end of a `with` block."""

    def __init__(self, memory: Memory, size: int, owner: str) -> None:
        self.size = size
        self.owner = owner
        self._memory: Memory | None = memory

    def resize(self, size: int) -> None:
        """Ask for another size; raises OperationalError if it does not fit, and then keeps the old one."""
        if self._memory is None:
            raise OperationalError(f"the memory of {self.owner} was released already")
        self._memory.resize(self, size)

    def release(self) -> None:
        """Give the bytes back; a second call does nothing."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.give_back(self.size)

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Memory:
    """Counts bytes against a limit. Thread-safe.

    Cached objects count until they are gone: evicting one that a running query still holds frees its bytes
    when the query lets go of it.
    """

    def __init__(self, limit: Callable[[], int]) -> None:
        """`limit` is asked at each reservation, so that a changed setting holds at once."""
        self._limit = limit
        self._lock = threading.RLock()  # weak references may die, and call back, inside of it
        self._reserved = 0
        self._cached = 0
        self._cache: OrderedDict[Hashable, Sized] = OrderedDict()

    @property
    def reserved(self) -> int:
        """Bytes reserved by `reserve`."""
        return self._reserved

    @property
    def cached(self) -> int:
        """Bytes of cached objects that are alive."""
        return self._cached

    @property
    def used(self) -> int:
        """All bytes that count against the limit."""
        return self._reserved + self._cached

    def reserve(self, size: int, owner: str) -> Reservation:
        """Set `size` bytes aside, evicting cached columns as needed; OperationalError when that is not
        enough."""
        with self._lock:
            self._make_room(size, owner)
            self._reserved += size
        return Reservation(self, size, owner)

    def resize(self, reservation: Reservation, size: int) -> None:
        """Change a reservation's size, under the rules of `reserve`."""
        with self._lock:
            self._make_room(size - reservation.size, reservation.owner)
            self._reserved += size - reservation.size
            reservation.size = size

    def give_back(self, size: int) -> None:
        """End of a reservation of `size` bytes."""
        with self._lock:
            self._reserved -= size

    def get(self, key: Hashable) -> Sized | None:
        """The cached object, which becomes the last to be evicted."""
        with self._lock:
            found = self._cache.get(key)
            if found is not None:
                self._cache.move_to_end(key)
            return found

    def put(self, key: Hashable, value: Sized, owner: str) -> None:
        """Cache an object. Raises OperationalError if it does not fit beside what is reserved."""
        with self._lock:
            self._cache.pop(key, None)
            size = value.nbytes
            self._make_room(size, owner)
            self._cached += size
            self._cache[key] = value
        weakref.finalize(value, self._forget, size).atexit = False

    def evict(self, matches: Callable[[Hashable], bool]) -> None:
        """Drop the cached objects whose keys match."""
        with self._lock:
            for key in [k for k in self._cache if matches(k)]:
                del self._cache[key]

    def _forget(self, size: int) -> None:
        with self._lock:
            self._cached -= size

    def _make_room(self, size: int, owner: str) -> None:
        limit = self._limit()
        while self.used + size > limit and self._cache:
            self._cache.popitem(last=False)
        if size > 0 and self.used + size > limit:
            raise OperationalError(
                f"out of memory: {owner} needs {_shown(size)}; "
                f"{_shown(self.used)} of the limit of {_shown(limit)} are in use",
                hint=f"SET memory_limit = '{-(-(self.used + size) // 10**9)}GB' goes further; or read fewer columns",
            )


def _shown(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    value, unit = size / 1000, 0
    while value >= 1000 and unit < 3:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {('KB', 'MB', 'GB', 'TB')[unit]}"
