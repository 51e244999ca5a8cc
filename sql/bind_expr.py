"""Binding expressions: the context they are read in, and the dispatch on sqlglot's node types.

The handlers live in the `bind_*` modules and register themselves with `handles`; `bind_expression` is the way
in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.sql.coerce import Operand
from headrace.sql.expr import AggregateCall, ColumnRef, Expr, Field
from headrace.sql.scope import Scope, Session, check_clauses
from headrace.types import VARCHAR


@dataclass(frozen=True, slots=True)
class Cte:
    """A common table expression: its query, its column names, and what the query sees: the expressions
    before it, and the query around it.
    """

    query: exp.Expr
    columns: tuple[exp.Expr, ...]
    environment: Mapping[str, Cte]
    name: str
    outer: Context | None


Handler = Callable[[Any, "Context"], Expr]

HANDLERS: dict[type, Handler] = {}


def handles(*kinds: type) -> Callable[[Handler], Handler]:
    """Register the binder of some node types."""

    def declare(handler: Handler) -> Handler:
        for kind in kinds:
            HANDLERS[kind] = handler
        return handler

    return declare


@dataclass(slots=True)
class Item:
    """One output of SELECT: its tree (None when a star made it), its name, and its expression once bound."""

    tree: exp.Expr | None
    name: str
    alias: bool
    expr: Expr | None = None


@dataclass(slots=True)
class Aggregates:
    """The aggregates met while binding one SELECT, each once, with the fields that hold their results."""

    session: Session
    calls: list[tuple[Field, AggregateCall]] = field(default_factory=list)

    def add(self, call: AggregateCall, name: str) -> ColumnRef:
        f = next((f for f, known in self.calls if known == call), None)
        if f is None:
            f = Field(self.session.new_id(), name, call.type, call.nullable)
            self.calls.append((f, call))
        return ColumnRef(f.id, f.name, f.type, f.nullable, call.position)

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(f.id for f, _ in self.calls)


@dataclass(slots=True)
class Context:
    """Where an expression stands.

    `clause` names the place for messages; `aggregates` collects aggregates, None where they are not allowed.
    `items` are the SELECT items whose aliases are visible, the first `visible` of them. `alias_first` are
    column names (in lower case) for which an alias wins over a column. `environment` are the common table
    expressions that a subquery sees here, `outer` is where the query itself stands, if that is a subquery.
    """

    session: Session
    scope: Scope
    clause: str
    aggregates: Aggregates | None = None
    items: list[Item] = field(default_factory=list)
    visible: int = 0
    alias_first: Callable[[ColumnRef], bool] | None = None
    environment: Mapping[str, Cte] = field(default_factory=dict)
    outer: Context | None = None

    def bind(self, tree: exp.Expr) -> Expr:
        return bind_expression(tree, self)

    def operand(self, tree: exp.Expr) -> Operand:
        """The expression, with the flag whether it is a number or text as written."""
        return Operand(bind_expression(tree, self), is_literal(tree, self.session))

    def position(self, tree: exp.Expr) -> int:
        return self.session.position(tree)

    @contextmanager
    def without_aggregates(self, clause: str) -> Iterator[None]:
        """Refuse aggregates for a while: inside the arguments of one."""
        kept, self.aggregates = self.aggregates, None
        name, self.clause = self.clause, clause
        chooser, self.alias_first = self.alias_first, None
        try:
            yield
        finally:
            self.aggregates, self.clause, self.alias_first = kept, name, chooser


def is_literal(tree: exp.Expr, session: Session) -> bool:
    """Whether a node is a number or text as written, signed or in parentheses; text parameters count too."""
    while isinstance(tree, (exp.Paren, exp.Neg)):
        tree = tree.this
    if isinstance(tree, exp.Placeholder):
        return session.parameters.literal(tree.name, -1).type == VARCHAR
    return isinstance(tree, exp.Literal)


_CONSTRUCTS: dict[type, str] = {
    exp.Any: "ANY and ALL outside comparisons",
    exp.All: "ANY and ALL outside comparisons",
    exp.Window: "window functions",
    exp.WithinGroup: "WITHIN GROUP aggregates",
    exp.Array: "lists",
    exp.List: "lists",
    exp.Struct: "structs",
    exp.ToMap: "maps",
    exp.Map: "maps",
    exp.Bracket: "subscripts",
    exp.Dot: "nested types and access to their fields",
    exp.Lambda: "lambda functions",
    exp.Tuple: "row values",
    exp.AtTimeZone: "time zones",
    exp.Collate: "collations",
    exp.PositionalColumn: "columns by position (#1)",
    exp.JSONExtract: "JSON operators",
    exp.JSONExtractScalar: "JSON operators",
    exp.Rollup: "ROLLUP groupings",
    exp.Cube: "CUBE groupings",
    exp.GroupingSets: "GROUPING SETS",
    exp.SimilarTo: "SIMILAR TO patterns",
    exp.RegexpLike: "regular expressions",
    exp.RegexpFullMatch: "regular expressions",
    exp.Glob: "GLOB patterns",
    exp.Order: "ORDER BY clauses inside calls",
    exp.IgnoreNulls: "IGNORE NULLS clauses",
    exp.RespectNulls: "RESPECT NULLS clauses",
    exp.Distinct: "DISTINCT arguments outside aggregates",
    exp.PropertyEQ: "named arguments of scalar functions",
    exp.CurrentTimestamp: "TIMESTAMP WITH TIME ZONE values (current_timestamp)",
}


def bind_expression(tree: exp.Expr, context: Context) -> Expr:
    """The typed expression of a tree; raises ProgrammingError or NotSupportedError, with the position."""
    handler = HANDLERS.get(type(tree))
    if handler is None:
        raise refusal(tree, context.session)
    return handler(tree, context)


def refusal(tree: exp.Expr, session: Session) -> NotSupportedError | ProgrammingError:
    what = _CONSTRUCTS.get(type(tree))
    if what is not None:
        return session.refused(what, tree)
    if isinstance(tree, exp.Star):
        return session.wrong("* stands for columns of SELECT only, not for a value", tree)
    return session.refused(f"{type(tree).__name__} expressions", tree)


@handles(exp.Paren)
def bind_paren(tree: exp.Paren, context: Context) -> Expr:
    return bind_expression(tree.this, context)


@handles(exp.Column)
def bind_column(tree: exp.Column, context: Context) -> Expr:
    """A column, or else the alias of an earlier SELECT item; of the query itself, or of one around it."""
    check_clauses(context.session, tree, "this", "table", "db", "catalog")
    if isinstance(tree.this, exp.Star):
        raise context.session.wrong("* stands for columns of SELECT only, not for a value", tree)
    place: Context | None = context
    while place is not None:
        found = _named(tree, place)
        if found is not None:
            return found
        place = place.outer
    raise context.scope.unknown(context.session, tree, (i.name for i in context.items if i.alias))


def _named(tree: exp.Column, context: Context) -> Expr | None:
    """What a name stands for in one query; None if nothing."""
    found = context.scope.resolve(context.session, tree)
    chooser = context.alias_first
    if found is not None and (chooser is None or tree.table or not chooser(found)):
        return found
    if not tree.table:
        aliased = _alias(tree, context)
        if aliased is not None:
            return aliased
    return found


def _alias(tree: exp.Column, context: Context) -> Expr | None:
    name = tree.name.lower()
    for k, item in enumerate(context.items):
        if item.alias and item.name.lower() == name:
            if k >= context.visible:
                break
            if item.expr is not None:
                return item.expr
            if item.tree is None:
                return None
            kept, context.visible = context.visible, k
            try:
                return bind_expression(item.tree, context)
            finally:
                context.visible = kept
    else:
        return None
    raise context.session.wrong(f'the alias "{tree.name}" is used before it is defined', tree)
