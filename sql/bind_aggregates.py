"""Aggregate functions: DISTINCT, FILTER, and the rule that they stand in SELECT, HAVING and ORDER BY only."""

from __future__ import annotations

from sqlglot import exp

from headrace.kernels.aggregate import resolve_aggregate
from headrace.sql.bind_calls import no_overload
from headrace.sql.bind_expr import Aggregates, Context
from headrace.sql.bind_names import expression_name
from headrace.sql.coerce import Operand, cast_to, to_boolean
from headrace.sql.expr import AggregateCall, Expr, column_ids
from headrace.sql.scope import check_clauses
from headrace.types import NULL

# the same aggregate under two names becomes one
_CANONICAL = {
    "mean": "avg",
    "stddev": "stddev_samp",
    "variance": "var_samp",
    "arbitrary": "first",
    "countif": "count_if",
}
# values once more change nothing in these
_BLIND_TO_DUPLICATES = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "any_value"})


def bind_aggregate(
    name: str,
    trees: list[exp.Expr],
    tree: exp.Expr,
    context: Context,
    condition: exp.Expr | None = None,
) -> Expr:
    """A reference to the result of an aggregate call, which joins the context's aggregates.

    `trees` are the arguments, `condition` the tree of FILTER (WHERE ...). Raises ProgrammingError where
    aggregates are not allowed, nested, or given arguments that they do not take.
    """
    session = context.session
    if context.aggregates is None and context.outer is None:
        raise session.wrong(f"{context.clause} cannot contain aggregates", tree)
    distinct = len(trees) == 1 and isinstance(trees[0], exp.Distinct)
    if distinct:
        check_clauses(session, trees[0], "expressions")
        trees = trees[0].expressions
    name = _CANONICAL.get(name, name)
    if name == "count" and (not trees or (isinstance(trees[0], exp.Star) and not distinct)):
        if trees:
            check_clauses(session, trees[0])
        name, trees = "count_star", []
    elif any(isinstance(t, exp.Order) for t in trees):
        raise session.refused("ORDER BY clauses inside aggregates", tree)
    with context.without_aggregates("the argument of an aggregate"):
        operands = [context.operand(t) for t in trees]
        kept = None if condition is None else to_boolean(context.bind(condition))
    overload = resolve_aggregate(name, tuple(o.type for o in operands))
    if overload is None and any(o.is_text_literal for o in operands):
        overload = resolve_aggregate(name, tuple(NULL if o.is_text_literal else o.type for o in operands))
    if overload is None:
        raise no_overload(name, tuple(o.type for o in operands), session, tree)
    arguments = _cast(operands, overload.arguments)
    call = AggregateCall(
        name,
        arguments,
        overload.result,
        overload.nullable,
        distinct and name not in _BLIND_TO_DUPLICATES,
        kept,
        context.position(tree),
    )
    return _collector(call, context, tree).add(call, expression_name(tree, session.source))


def _collector(call: AggregateCall, context: Context, tree: exp.Expr) -> Aggregates:
    """The aggregates of the query that the call belongs to: the innermost one of which it reads a column."""
    read: frozenset[int] = frozenset().union(*(column_ids(a) for a in call.arguments))
    if call.filter is not None:
        read |= column_ids(call.filter)
    owner = context
    while read and owner.outer is not None and read.isdisjoint(owner.scope.ids()):
        owner = owner.outer
    if owner.aggregates is None:
        raise context.session.wrong(f"{owner.clause} cannot contain aggregates", tree)
    return owner.aggregates


def _cast(operands: list[Operand], types: tuple[object, ...]) -> tuple[Expr, ...]:
    return tuple(cast_to(o.expr, t) for o, t in zip(operands, types, strict=True))  # type: ignore[arg-type]
