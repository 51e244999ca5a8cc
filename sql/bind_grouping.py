"""GROUP BY: the keys, and the rule that everything above it is made of keys and aggregates."""

from __future__ import annotations

from sqlglot import exp

from headrace.sql.bind_expr import Aggregates, Context
from headrace.sql.expr import ColumnRef, Expr, Field, Literal, children, with_children
from headrace.sql.scope import Session, check_clauses


def has_aggregate(e: Expr, collector: Aggregates) -> bool:
    """Whether an expression reads the result of an aggregate."""
    if isinstance(e, ColumnRef):
        return e.id in collector.ids
    return any(has_aggregate(x, collector) for x in children(e))


def group_keys(tree: exp.Group | None, context: Context) -> list[Expr] | None:
    """The keys: by column, expression, alias, or position among the outputs; None for GROUP BY ALL."""
    if tree is None:
        return []
    session = context.session
    if tree.args.get("all") is True and not tree.expressions:
        return None
    check_clauses(session, tree, "expressions")
    keys: list[Expr] = []
    for e in tree.expressions:
        if isinstance(e, exp.Tuple):
            trees = e.expressions
        else:
            trees = [e]
        for t in trees:
            key = _key(t, context)
            if key not in keys:
                keys.append(key)
    return keys


def _key(tree: exp.Expr, context: Context) -> Expr:
    if isinstance(tree, exp.Literal) and not tree.args.get("is_string") and tree.name.isdigit():
        number, items = int(tree.name), context.items
        if not 1 <= number <= len(items):
            raise context.session.wrong(f"GROUP BY position {number} is not among the {len(items)} outputs", tree)
        item = items[number - 1]
        if item.expr is not None:
            return item.expr
        assert item.tree is not None
        kept, context.visible = context.visible, number - 1
        try:
            return context.bind(item.tree)
        finally:
            context.visible = kept
    return context.bind(tree)


class Groups:
    """The keys of an Aggregate as fields, and the rewriting of what stands above it."""

    __slots__ = ("_aggregates", "_columns", "_expressions", "_session", "keys")

    def __init__(self, session: Session, keys: list[Expr], collector: Aggregates) -> None:
        self._session = session
        self._aggregates = collector.ids
        self._columns: set[int] = set()
        self._expressions: dict[Expr, Field] = {}
        fields: list[tuple[Field, Expr]] = []
        for key in keys:
            if isinstance(key, ColumnRef):
                if key.id not in self._columns:
                    self._columns.add(key.id)
                    fields.append((Field(key.id, key.name, key.type, key.nullable), key))
            elif key not in self._expressions:
                f = Field(session.new_id(), "", key.type, key.nullable)
                self._expressions[key] = f
                fields.append((f, key))
        self.keys = tuple(fields)

    def above(self, e: Expr, tree: exp.Expr | None) -> Expr:
        """The expression over the Aggregate's outputs; raises ProgrammingError for a column that is none."""
        if isinstance(e, Literal):
            return e
        if self._expressions:
            found = self._expressions.get(e)
            if found is not None:
                return ColumnRef(found.id, found.name, found.type, found.nullable, e.position)
        if isinstance(e, ColumnRef):
            if e.id in self._columns or e.id in self._aggregates:
                return e
            raise self._ungrouped(e, tree)
        operands = tuple(self.above(x, tree) for x in children(e))
        return with_children(e, operands) if operands else e

    def _ungrouped(self, e: ColumnRef, tree: exp.Expr | None) -> Exception:
        error = self._session.wrong(
            f'column "{e.name}" must appear in GROUP BY or be used in an aggregate',
            tree,
            hint=f'any_value("{e.name}") takes one value of each group',
        )
        if e.position >= 0:
            error.position = e.position
        return error
