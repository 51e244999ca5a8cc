"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from sqlglot import exp

from headrace.sql.bind_expr import Context, Item
from headrace.sql.coerce import cast_to
from headrace.sql.constant import evaluate
from headrace.sql.expr import Call, Cast, Expr, Literal, transform
from headrace.sql.plan import SortKey
from headrace.sql.scope import Scope, Session, check_clauses
from headrace.types import BIGINT


def order_keys(tree: exp.Order | None, context: Context, items: list[Item]) -> list[SortKey]:
    """The sort keys: by alias, position, ALL, column, or any expression over the input.

    An alias wins over a column of the same name where it stands alone, and loses inside an expression.
    """
    if tree is None:
        return []
    session = context.session
    check_clauses(session, tree, "expressions")
    keys: list[SortKey] = []
    for ordered in tree.expressions:
        check_clauses(session, ordered, "this", "desc", "nulls_first")
        descending, nulls_first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
        e = ordered.this
        if isinstance(e, exp.Var) and e.name.upper() == "ALL":
            keys.extend(SortKey(i.expr, descending, nulls_first) for i in items if i.expr is not None)
            continue
        key = _order_key(e, context, items)
        if key is not None:
            keys.append(SortKey(key, descending, nulls_first))
    return keys


def _order_key(tree: exp.Expr, context: Context, items: list[Item]) -> Expr | None:
    """The expression of one key; None for a constant, which orders nothing."""
    session = context.session
    if isinstance(tree, exp.Literal):
        if tree.args.get("is_string") or not tree.name.isdigit():
            raise session.wrong("ORDER BY a constant has no effect", tree)
        number = int(tree.name)
        if not 1 <= number <= len(items):
            raise session.wrong(f"ORDER BY position {number} is not among the {len(items)} outputs", tree)
        return items[number - 1].expr
    if isinstance(tree, exp.Collate):
        raise session.refused("collations", tree)
    if isinstance(tree, exp.Column) and not tree.table:
        name = tree.name.lower()
        for item in items:
            if item.alias and item.name.lower() == name:
                return item.expr
    return context.bind(tree)


def bind_limit(tree: exp.Expr, session: Session) -> tuple[int | None, int]:
    """The limit (None: all rows) and the offset."""
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    count: int | None = None
    if isinstance(limit, exp.Fetch):
        raise session.refused("FETCH clauses", limit, hint="write LIMIT")
    if limit is not None:
        if limit.args.get("limit_options") is not None:
            raise session.refused("LIMIT in percent or WITH TIES", limit)
        check_clauses(session, limit, "expression", "offset")
        if limit.args.get("offset") is not None:
            raise session.refused("LIMIT with two numbers", limit, hint="write OFFSET")
        e = limit.expression
        if not (isinstance(e, exp.Var) and e.name.upper() == "ALL"):
            count = _number(e, "LIMIT", session)
    start = 0
    if offset is not None:
        check_clauses(session, offset, "this", "expression")
        start = _number(offset.args.get("expression") or offset.this, "OFFSET", session) or 0
    return count, start


def _number(tree: exp.Expr, clause: str, session: Session) -> int | None:
    """The value of a constant or parameter; None for NULL."""
    e = transform(Context(session, Scope(), clause).bind(tree), _folded)
    e = transform(cast_to(e, BIGINT), _folded)
    if not isinstance(e, Literal):
        if tree.find(exp.Query) is not None:
            raise session.refused(f"subqueries in {clause}", tree)
        raise session.wrong(f"{clause} takes a constant or a parameter", tree)
    if e.value is None:
        return None
    if not isinstance(e.value, int) or e.value < 0:
        raise session.wrong(f"{clause} must not be negative", tree)
    return e.value


def _folded(e: Expr) -> Expr:
    return (evaluate(e) or e) if isinstance(e, (Call, Cast)) else e
