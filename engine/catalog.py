"""Names and what they stand for: stored tables, views, registered objects, files, variables of the caller."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.memory import Memory
from headrace.settings import Settings
from headrace.sql.source import Relation, SourceColumn, View
from headrace.table import StoredTable, TableVersion

if TYPE_CHECKING:
    import pyarrow as pa

Variables: TypeAlias = Callable[[str], "object | None"]
"""Finds a variable of the calling program by its exact name; None if there is none that can be queried."""


class Sources(Protocol):
    """Makes relations of files and of objects in memory."""

    def open_files(self, function: str, arguments: Sequence[object], options: Mapping[str, object]) -> Relation:
        """The relation of a table function, or of `file` for FROM 'path'."""
        ...

    def open_object(self, name: str, value: object) -> Relation:
        """The relation over a data frame or Arrow object; NotSupportedError for anything else."""
        ...


class Snapshot:
    """The catalog as it was at one moment: one statement binds against one snapshot."""

    def __init__(
        self,
        entries: Mapping[str, TableVersion | View],
        objects: Mapping[str, tuple[str, object]],
        sources: Sources,
        variables: Variables | None,
    ) -> None:
        self._entries = entries
        self._objects = objects
        self._sources = sources
        self._variables = variables

    def lookup(self, name: str) -> Relation | View | None:
        """A registered object, a table, a view, or else a variable of the caller; None if there is none."""
        registered = self._objects.get(name.lower())
        if registered is not None:
            return self._sources.open_object(*registered)
        found = self._entries.get(name.lower())
        if found is None and self._variables is not None:
            value = self._variables(name)
            if value is not None:
                return self._sources.open_object(name, value)
        return found

    def names(self) -> Sequence[str]:
        """Every table, view and registered object, sorted."""
        known = {key: entry.name for key, entry in self._entries.items()}
        known.update((key, label) for key, (label, _) in self._objects.items())
        return sorted(known.values())

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> Relation:
        """The relation of `read_parquet(...)`, `read_csv(...)` or a file."""
        return self._sources.open_files(name, arguments, options)


class Catalog:
    """The names of one database. Every change is made under one lock and publishes a new mapping; readers
    take no lock. Names are matched without regard to case."""

    def __init__(self, settings: Settings, sources: Callable[[Memory], Sources]) -> None:
        """`sources` is made once, with the memory whose limit is the setting `memory_limit`."""
        self.memory = Memory(lambda: settings.number("memory_limit"))
        self._sources = sources(self.memory)
        self._lock = threading.Lock()
        self._entries: Mapping[str, TableVersion | View] = {}
        self._objects: Mapping[str, tuple[str, object]] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """Grows with every change of a name or of a table's rows."""
        return self._version

    def snapshot(self, variables: Variables | None = None) -> Snapshot:
        """What a statement binds against. `variables` makes names that are unknown here variables of the
        caller."""
        with self._lock:
            return Snapshot(self._entries, self._objects, self._sources, variables)

    def lookup(self, name: str) -> Relation | View | None:
        """As `Snapshot.lookup`, now and without variables."""
        return self.snapshot().lookup(name)

    def names(self) -> Sequence[str]:
        """As `Snapshot.names`, now."""
        return self.snapshot().names()

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> Relation:
        """As `Snapshot.scan_function`."""
        return self._sources.open_files(name, arguments, options)

    def open_object(self, name: str, value: object) -> Relation:
        """The relation over a data frame or Arrow object; NotSupportedError for anything else."""
        return self._sources.open_object(name, value)

    def create_table(
        self,
        name: str,
        columns: Sequence[SourceColumn],
        rows: pa.Table | None = None,
        *,
        replace: bool = False,
        if_not_exists: bool = False,
        threads: int = 1,
    ) -> bool:
        """Create a table, with `rows` from the first moment on; whether it was created (IF NOT EXISTS may
        not).

        Raises ProgrammingError for a name in use, or a column name that occurs twice.
        """
        _refuse_duplicates(columns)
        made = StoredTable(name, columns, self.memory).empty()
        if rows is not None:
            made = made.appended(rows, threads)
        return self._create(name, made, replace, if_not_exists)

    def create_view(self, view: View, *, replace: bool = False, if_not_exists: bool = False) -> bool:
        """Create a view; whether it was created. Raises ProgrammingError for a name in use."""
        return self._create(view.name, view, replace, if_not_exists)

    def drop(self, kind: str, name: str, *, if_exists: bool = False) -> bool:
        """Drop a "table" or a "view"; whether there was one. Registered objects count as views.

        Raises ProgrammingError for an unknown name, or one of the other kind.
        """
        key = name.lower()
        with self._lock:
            if kind == "view" and key in self._objects:
                self._publish(objects={k: v for k, v in self._objects.items() if k != key})
                return True
            found = self._entries.get(key)
            if found is None:
                if if_exists:
                    return False
                raise ProgrammingError(f'there is no {kind} "{name}"', hint=self._nearest(name))
            if _kind(found) != kind:
                raise ProgrammingError(f'"{name}" is a {_kind(found)}', hint=f"DROP {_kind(found).upper()} {name}")
            self._publish({k: v for k, v in self._entries.items() if k != key})
        return True

    def append(self, name: str, rows: pa.Table, threads: int = 1) -> int:
        """Add rows to a table, visible to statements bound from now on; returns how many.

        The columns of `rows` match the table's in order and have the Arrow types of `to_arrow`.
        """
        key = name.lower()
        with self._lock:
            found = self._entries.get(key)
            if not isinstance(found, TableVersion):
                hint = self._nearest(name) if found is None else None
                what = "there is no table" if found is None else "only tables take rows, not the view"
                raise ProgrammingError(f'{what} "{name}"', hint=hint)
            self._publish({**self._entries, key: found.appended(rows, threads)})
        return int(rows.num_rows)

    def register(self, name: str, value: object) -> None:
        """Give an object a name, which goes before a table or view of that name. NotSupportedError if it
        cannot be queried."""
        if not isinstance(name, str) or not name:
            raise ProgrammingError("an object is registered under a name")
        self._sources.open_object(name, value)
        with self._lock:
            self._publish(objects={**self._objects, name.lower(): (name, value)})

    def unregister(self, name: str) -> None:
        """Forget a registered object; ProgrammingError if there is none of that name."""
        with self._lock:
            if name.lower() not in self._objects:
                labels = [label for label, _ in self._objects.values()]
                raise ProgrammingError(f'no object is registered as "{name}"', hint=_near(name, labels))
            self._publish(objects={k: v for k, v in self._objects.items() if k != name.lower()})

    def _create(self, name: str, made: TableVersion | View, replace: bool, if_not_exists: bool) -> bool:
        key = name.lower()
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                if replace and _kind(found) != _kind(made):
                    raise ProgrammingError(
                        f'"{name}" is a {_kind(found)}, which a {_kind(made)} cannot replace',
                        hint=f"DROP {_kind(found).upper()} {name} first",
                    )
                if if_not_exists and not replace:
                    return False
                if not replace:
                    raise ProgrammingError(
                        f'there is a {_kind(found)} "{found.name}" already',
                        hint=f"CREATE OR REPLACE {_kind(made).upper()}, or IF NOT EXISTS",
                    )
            self._publish({**self._entries, key: made})
        return True

    def _publish(
        self,
        entries: Mapping[str, TableVersion | View] | None = None,
        objects: Mapping[str, tuple[str, object]] | None = None,
    ) -> None:
        if entries is not None:
            self._entries = entries
        if objects is not None:
            self._objects = objects
        self._version += 1

    def _nearest(self, name: str) -> str | None:
        return _near(name, [entry.name for entry in self._entries.values()])


def _kind(entry: TableVersion | View) -> str:
    return "view" if isinstance(entry, View) else "table"


def _near(name: str, names: Sequence[str]) -> str | None:
    by_key = {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.lower(), by_key, 1)
    return f'did you mean "{by_key[close[0]]}"?' if close else None


def _refuse_duplicates(columns: Sequence[SourceColumn]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen:
            raise ProgrammingError(f'the column name "{column.name}" occurs twice')
        seen.add(column.name.lower())
    if not columns:
        raise NotSupportedError("a table without columns is not supported")
