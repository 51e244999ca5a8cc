"""Plans of texts seen before, so that a repeated text is parsed, bound and optimised once."""

from __future__ import annotations

import datetime
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from headrace.errors import Error
from headrace.sql.plan import Plan

Parameters = Sequence[object] | Mapping[str, object] | None

_PLAIN = (bool, int, float, str, bytes, Decimal, datetime.date, datetime.time, datetime.timedelta, type(None))


@dataclass(frozen=True, slots=True)
class CachedPlan:
    """An optimised query plan, and the versions its relations had when it was made."""

    plan: Plan
    versions: tuple[tuple[object, object], ...]  # (relation, its version then)

    def is_current(self) -> bool:
        """Whether every relation still has that version: no file has changed, no object been replaced."""
        try:
            return all(version_of(relation) == version for relation, version in self.versions)
        except Error:
            return False  # a file has gone, say: planning anew reports it, with its place in the text


def version_of(relation: object) -> object:
    """What changes when a relation's rows may have; never equal to an earlier one where nothing can tell."""
    return getattr(relation, "version", None) or object()


class PlanCache:
    """The plans used last, bounded, shared by the threads of a connection."""

    def __init__(self, capacity: int = 256) -> None:
        self.capacity = capacity
        self._plans: OrderedDict[Hashable, CachedPlan] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> CachedPlan | None:
        """The plan under a key, where it is still current; one that is not is forgotten."""
        with self._lock:
            found = self._plans.get(key)
            if found is not None:
                self._plans.move_to_end(key)
        if found is None:
            return None
        if found.is_current():
            return found
        with self._lock:
            if self._plans.get(key) is found:
                del self._plans[key]
        return None

    def put(self, key: Hashable, plan: CachedPlan) -> None:
        with self._lock:
            self._plans[key] = plan
            self._plans.move_to_end(key)
            while len(self._plans) > self.capacity:
                self._plans.popitem(last=False)

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._plans.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._plans.clear()

    def __len__(self) -> int:
        return len(self._plans)


def parameter_key(parameters: Parameters) -> Hashable | None:
    """The parameters as part of a key, with their types (1, 1.0 and True differ); None if they cannot be.

    Values are part of plans, as constants, hence part of the key.
    """
    if parameters is None:
        return ()
    if not isinstance(parameters, Iterable):
        return None
    if isinstance(parameters, Mapping):
        items: list[tuple[object, object]] = list(parameters.items())
    else:
        items = list(enumerate(parameters))
    if not all(isinstance(value, _PLAIN) for _, value in items):
        return None
    # Equal values can be spelled differently and mean different things (1.0 and 1.00, 0.0 and -0.0).
    return tuple((name, type(value).__qualname__, repr(value)) for name, value in items)
