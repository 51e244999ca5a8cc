"""Subqueries in expressions: scalar ones, EXISTS, IN, and comparisons with ANY and ALL."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headrace.sql.bind_calls import compare
from headrace.sql.bind_expr import Context, handles
from headrace.sql.bind_select import bind_query
from headrace.sql.coerce import Operand
from headrace.sql.expr import Call, ColumnRef, Expr, Field, Subquery, SubqueryKind, column
from headrace.sql.plan import Plan, Project, free_columns
from headrace.sql.properties import NEGATED
from headrace.sql.scope import check_clauses
from headrace.types import BOOLEAN, NULL, SqlType

QUERIES = (exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Values)


def negated(e: Expr) -> Expr:
    return Call("not", (e,), BOOLEAN, e.nullable, e.position)


@handles(exp.Subquery, *QUERIES)
def bind_scalar(tree: exp.Expr, context: Context) -> Expr:
    """A subquery as a value."""
    inner = _query(tree)
    known = context.scope.subqueries
    text = inner.sql()
    found = known.get(text)
    if found is None:
        plan = _bound(inner, context)
        fields = plan.schema()
        if len(fields) != 1:
            raise _width(len(fields), 1, tree, context)
        found = _subquery(SubqueryKind.SCALAR, plan, fields[0].type, context, inner)
        known[text] = found
    return found


@handles(exp.Exists)
def bind_exists(tree: exp.Exists, context: Context) -> Expr:
    check_clauses(context.session, tree, "this")
    return exists(tree.this, context)


def exists(tree: exp.Expr, context: Context) -> Expr:
    """EXISTS (query)."""
    plan = _bound(_query(tree), context)
    return replace(_subquery(SubqueryKind.EXISTS, plan, BOOLEAN, context, tree), nullable=False)


def bind_membership(subject: exp.Expr, query: exp.Expr, context: Context) -> Expr:
    """`subject IN (query)`, of one value or of a row of values."""
    return _any("equal", subject, query, context)


def bind_quantified(name: str, tree: exp.Binary, context: Context) -> Expr:
    """`value comparison ANY (query)`, or ALL: the contrary for no row."""
    quantifier = quantifier_of(tree)
    assert quantifier is not None
    if name not in NEGATED or name.startswith("is_"):
        raise context.session.refused("ANY and ALL beside this operator", tree)
    (query,) = quantifier.expressions or [quantifier.this]
    query = _query(query)
    if not isinstance(query, QUERIES):
        raise context.session.refused("ANY and ALL of lists", tree)
    if isinstance(quantifier, exp.All) or quantifier.name.lower() == "all":
        return negated(_any(NEGATED[name], tree.this, query, context))
    return _any(name, tree.this, query, context)


def called_query(tree: exp.Expr) -> bool:
    """Whether a call is one of a query in parentheses, as EXISTS ((SELECT 1) UNION (SELECT 2)) is parsed."""
    return (
        isinstance(tree, exp.Anonymous)
        and len(tree.expressions) == 1
        and isinstance(tree.expressions[0], (exp.Subquery, *QUERIES))
    )


def quantifier_of(tree: exp.Binary) -> exp.Expr | None:
    """The ANY or ALL on the right of a comparison, None if there is none."""
    right: exp.Expr = tree.expression
    if isinstance(right, (exp.Any, exp.All)):
        return right
    return right if called_query(right) and right.name.lower() in ("all", "any", "some") else None


def row_values(tree: exp.Expr) -> list[exp.Expr] | None:
    """The values of (a, b) or row(a, b); None for any other expression."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    row = isinstance(tree, exp.Tuple) or (isinstance(tree, exp.Anonymous) and tree.name.lower() == "row")
    return tree.expressions if row else None


def _any(name: str, subject: exp.Expr, query: exp.Expr, context: Context) -> Expr:
    session = context.session
    query = _query(query)
    row = row_values(subject)
    operands = [context.operand(t) for t in (row or [subject])]
    if len(operands) > 1 and name != "equal":
        raise session.refused("comparisons of rows other than IN", subject)
    plan = _bound(query, context)
    fields = plan.schema()
    if len(fields) != len(operands):
        raise _width(len(fields), len(operands), query, context)
    arguments: list[Expr] = []
    outputs: list[tuple[Field, Expr]] = []
    for operand, f in zip(operands, fields, strict=True):
        if not operand.is_text_literal and NULL not in (operand.type, f.type) and _differ(operand, f):
            raise session.wrong(
                f"values of the types {operand.type} and {f.type} cannot be compared with IN, ANY or ALL",
                subject,
                hint="cast one of them",
            )
        call = compare(name, operand, Operand(column(f)), session, subject)
        assert isinstance(call, Call)
        value, e = call.arguments
        arguments.append(value)
        keeps = isinstance(e, ColumnRef) and e.id == f.id
        id_ = f.id if keeps else session.new_id()
        outputs.append((Field(id_, f.name, e.type, e.nullable), e))
    if any(not isinstance(e, ColumnRef) for _, e in outputs):
        plan = Project(plan, tuple(outputs))
    found = _subquery(SubqueryKind.ANY, plan, BOOLEAN, context, subject)
    nullable = any(a.nullable for a in arguments) or any(f.nullable for f, _ in outputs)
    return replace(found, comparison=name, arguments=tuple(arguments), nullable=nullable)


def _differ(operand: Operand, f: Field) -> bool:
    """Whether one is text and the other is not: nothing is cast then but what is written as text."""
    return operand.type.is_text != f.type.is_text


def _query(tree: exp.Expr) -> exp.Expr:
    """The query itself, without parentheses that say nothing."""
    while isinstance(tree, (exp.Subquery, exp.Paren)) and not any(v for k, v in tree.args.items() if k != "this"):
        tree = tree.this
    return tree


def _bound(tree: exp.Expr, context: Context) -> Plan:
    return bind_query(tree, context.session, context.environment, context)


def _width(found: int, expected: int, tree: exp.Expr, context: Context) -> Exception:
    return context.session.wrong(f"the subquery gives {found} columns where {expected} is needed", tree)


def _subquery(kind: SubqueryKind, plan: Plan, t: SqlType, context: Context, tree: exp.Expr) -> Subquery:
    position = context.position(tree)
    return Subquery(kind, context.session.new_id(), plan, free_columns(plan), t, True, position=position)
