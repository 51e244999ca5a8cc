"""Names: the session of one statement, and the columns that an expression can see."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.sql.bind_parameters import Parameters
from headrace.sql.coerce import known
from headrace.sql.expr import ColumnRef, Field, Subquery, column
from headrace.sql.keywords import KEYWORDS
from headrace.sql.source import CatalogReader


@dataclass(slots=True)
class Session:
    """What binding one statement shares: the catalog, the parameters, the counter of column ids.

    `located` is False while a view's text is bound: offsets into that text mean nothing in the statement's.
    """

    catalog: CatalogReader
    parameters: Parameters
    source: str
    integer_division: bool = False
    located: bool = True
    views: tuple[str, ...] = ()
    placeholders: tuple[int, ...] = ()  # the offsets of the `?` marks
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self) -> int:
        return next(self.ids)

    def position(self, tree: exp.Expr | None) -> int:
        """The offset of the first token known under a node, -1 if there is none."""
        if tree is None or not self.located:
            return -1
        start = tree.meta.get("start")
        if start is not None:
            return int(start)
        if isinstance(tree, exp.Placeholder) and self.placeholders:
            return self.placeholders[int(tree.name) - 1]
        return min((int(n.meta["start"]) for n in tree.walk() if "start" in n.meta), default=-1)

    def wrong(self, message: str, tree: exp.Expr | None = None, hint: str | None = None) -> ProgrammingError:
        return ProgrammingError(message, position=known(self.position(tree)), hint=hint)

    def refused(self, what: str, tree: exp.Expr | None = None, hint: str | None = None) -> NotSupportedError:
        """The refusal of a construct; `what` is a plural noun."""
        return NotSupportedError(f"{what} are not supported yet", position=known(self.position(tree)), hint=hint)

    def unreadable(self, name: str, reason: str, tree: exp.Expr | None, hint: str | None = None) -> NotSupportedError:
        """The refusal of a column whose type is not supported."""
        message = f'column "{name}" cannot be read: {reason}'
        return NotSupportedError(message, position=known(self.position(tree)), hint=hint)


def check_clauses(session: Session, tree: exp.Expr, *handled: str) -> None:
    """Refuse a node with a clause that the binder does not read, so that none is ever ignored."""
    for name, value in tree.args.items():
        if value and name not in handled:
            where = value if isinstance(value, exp.Expr) else tree
            if isinstance(value, list) and isinstance(value[0], exp.Expr):
                where = value[0]
            words = name.strip("_").replace("_", " ").upper()
            raise session.refused(f"{words} clauses of {type(tree).__name__.upper()}", where)


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the closest of the candidates, None if nothing is close."""
    written = {c.lower(): c for c in candidates}
    close = difflib.get_close_matches(name.lower(), written, 1, 0.5)
    return f'did you mean "{written[close[0]]}"?' if close else None


def quoted(name: str) -> str:
    """A column's name as SQL writes it, in quotes unless it is plainly an identifier."""
    if name.isidentifier() and name.isascii() and name.lower() not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


@dataclass(slots=True)
class Source:
    """One item of FROM: its name, its columns by lower-case name, and why others of its columns cannot be read."""

    name: str
    fields: tuple[Field, ...]
    unsupported: Mapping[str, str] = field(default_factory=dict)
    by_name: dict[str, Field] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for f in self.fields:
            self.by_name.setdefault(f.name.lower(), f)

    def names(self) -> list[str]:
        """The names of all columns, those that cannot be read included."""
        return [*(f.name for f in self.fields), *self.unsupported]

    def as_nullable(self) -> Source:
        return Source(self.name, tuple(replace(f, nullable=True) for f in self.fields), self.unsupported)

    def refusal(self, session: Session, name: str, tree: exp.Expr | None) -> NotSupportedError | None:
        """The error for a column that the relation has but that cannot be read; None for any other name."""
        for column_name, reason in self.unsupported.items():
            if column_name.lower() == name.lower():
                return session.unreadable(column_name, reason, tree)
        return None


@dataclass(slots=True)
class Scope:
    """The items of one FROM clause. `merged` are the ids of columns that USING or NATURAL joined into
    another: they answer to a qualified name only, and `*` leaves them out.
    """

    sources: list[Source] = field(default_factory=list)
    merged: set[int] = field(default_factory=set)
    # RIGHT and FULL JOIN: the merged column of the left side, and the one that shows in its place
    shown_as: dict[int, int] = field(default_factory=dict)
    # by their text: one written twice, as in SELECT and GROUP BY, is the same expression
    subqueries: dict[str, Subquery] = field(default_factory=dict)

    def ids(self) -> frozenset[int]:
        """The columns of all items."""
        return frozenset(f.id for s in self.sources for f in s.fields)

    def add(self, session: Session, source: Source, tree: exp.Expr | None) -> None:
        name = source.name.lower()
        if name and any(s.name.lower() == name for s in self.sources):
            raise session.wrong(f'two items of FROM are called "{source.name}"', tree, hint="give one of them an alias")
        self.sources.append(source)

    def find(self, name: str) -> list[tuple[Source, Field]]:
        """The visible columns of a name, in any case."""
        key = name.lower()
        found = []
        for source in self.sources:
            f = source.by_name.get(key)
            if f is not None and f.id not in self.merged:
                found.append((source, f))
        return found

    def has(self, name: str) -> bool:
        """Whether some item has a column of this name, be it one that cannot be read."""
        unread = (c.lower() for s in self.sources for c in s.unsupported)
        return bool(self.find(name)) or name.lower() in unread

    def visible(self, source: Source | None = None) -> list[Field]:
        """What `*` (or `source.*`) stands for."""
        if source is not None:
            return list(source.fields)
        fields = [f for item in self.sources for f in item.fields]
        if not self.merged:
            return fields
        by_id = {f.id: f for f in fields}
        moved = frozenset(self.shown_as.values())
        shown: list[Field] = []
        for f in fields:
            if f.id in self.shown_as:
                place = f.id
                while place in self.shown_as:
                    place = self.shown_as[place]
                shown.append(by_id[place])
            elif f.id not in self.merged and f.id not in moved:
                shown.append(f)
        return shown

    def source(self, session: Session, name: str, tree: exp.Expr | None) -> Source:
        for item in self.sources:
            if item.name.lower() == name.lower():
                return item
        names = [s.name for s in self.sources if s.name]
        hint = nearest(name, names) or (f"the tables here are {', '.join(names)}" if names else None)
        raise session.wrong(f'there is no table "{name}" in FROM', tree, hint=hint)

    def resolve(self, session: Session, tree: exp.Column) -> ColumnRef | None:
        """The column that a name stands for; None where no item has the name or is called by the qualifier.

        Raises ProgrammingError for an ambiguous name and for a column that the item of the qualifier lacks.
        """
        name, table = tree.name, tree.table
        if tree.args.get("db") is not None and tree.text("db").lower() != "main":
            raise session.refused("columns qualified by another schema than main", tree)
        if tree.args.get("catalog") is not None:
            raise session.refused("columns qualified by a database", tree)
        if table:
            if not any(s.name.lower() == table.lower() for s in self.sources):
                self.check_readable(session, table, tree)
                return None
            source = self.source(session, table, tree)
            f = source.by_name.get(name.lower())
            if f is None:
                refusal = source.refusal(session, name, tree)
                if refusal is not None:
                    raise refusal
                hint = nearest(name, (c.name for c in source.fields))
                raise session.wrong(f'table "{source.name}" has no column "{name}"', tree, hint=hint)
            return column(f, session.position(tree.this))
        found = self.find(name)
        if not found:
            self.check_readable(session, name, tree)
        unread = [(s, c) for s in self.sources for c in s.unsupported if c.lower() == name.lower()]
        choices = [f"{s.name}.{f.name}" for s, f in found] + [f"{s.name}.{c}" for s, c in unread]
        if len(choices) > 1:
            raise session.wrong(f'column "{name}" is ambiguous', tree, hint=f"write {' or '.join(choices)}")
        return column(found[0][1], session.position(tree.this)) if found else None

    def check_readable(self, session: Session, name: str, tree: exp.Expr | None) -> None:
        """Raise NotSupportedError if an item of FROM has a column of this name that cannot be read."""
        for source in self.sources:
            refusal = source.refusal(session, name, tree)
            if refusal is not None:
                raise refusal

    def unknown(self, session: Session, tree: exp.Column, aliases: Iterable[str] = ()) -> ProgrammingError:
        """The error for a name that stands for nothing."""
        if tree.table:
            if self.find(tree.table):
                raise session.refused("nested types and access to their fields", tree)
            self.source(session, tree.table, tree)
        names = [f.name for s in self.sources for f in s.fields]
        if any(s.name.lower() == tree.name.lower() for s in self.sources):
            return session.wrong(
                f'"{tree.name}" is a table, and a whole row is no value yet',
                tree,
                hint=f"write {tree.name}.*",
            )
        if not self.sources:
            return session.wrong(f'there is no column "{tree.name}": there is no FROM', tree)
        hint = nearest(tree.name, (*names, *aliases))
        return session.wrong(f'there is no column "{tree.name}"', tree, hint=hint)
