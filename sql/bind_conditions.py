"""CASE, IF, COALESCE and NULLIF: expressions that choose one of several values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.sql.bind_calls import compare
from headrace.sql.bind_expr import Context, handles
from headrace.sql.coerce import Operand, cast_to, common_super_type, to_boolean
from headrace.sql.expr import NULL_LITERAL, Call, Case, Expr
from headrace.sql.scope import Session, check_clauses
from headrace.types import SqlType


def unify(operands: Sequence[Operand], what: str, session: Session, tree: exp.Expr) -> tuple[SqlType, list[Expr]]:
    """The operands cast to their common type; raises ProgrammingError where they have none."""
    t = common_super_type(operands)
    if t is None:
        listed = ", ".join(dict.fromkeys(str(o.type) for o in operands))
        raise session.wrong(f"{what} mixes values of the types {listed}", tree, hint="cast them to one type")
    return t, [cast_to(o.expr, t) for o in operands]


@handles(exp.Case)
def bind_case(tree: exp.Case, context: Context) -> Expr:
    """CASE WHEN condition ..., and CASE value WHEN value ..., which compares with `=`."""
    check_clauses(context.session, tree, "this", "ifs", "default")
    subject = context.operand(tree.this) if tree.args.get("this") is not None else None
    conditions: list[Expr] = []
    results: list[Operand] = []
    for branch in tree.args["ifs"]:
        if subject is None:
            conditions.append(to_boolean(context.bind(branch.this)))
        else:
            value = context.operand(branch.this)
            conditions.append(compare("equal", subject, value, context.session, branch.this))
        results.append(context.operand(branch.args["true"]))
    default = tree.args.get("default")
    results.append(Operand(NULL_LITERAL) if default is None else context.operand(default))
    return choose(conditions, results, "CASE", context, tree)


def choose(conditions: Sequence[Expr], results: Sequence[Operand], what: str, context: Context, tree: exp.Expr) -> Expr:
    """CASE over bound conditions; the last of `results` is the default."""
    t, values = unify(results, what, context.session, tree)
    branches = tuple(zip(conditions, values[:-1], strict=True))
    return Case(branches, values[-1], t, any(v.nullable for v in values), context.position(tree))


@handles(exp.If)
def bind_if(tree: exp.If, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "true", "false")
    if tree.args.get("false") is None:
        raise context.session.wrong("if takes three arguments", tree)
    condition = to_boolean(context.bind(tree.this))
    results = [context.operand(tree.args["true"]), context.operand(tree.args["false"])]
    return choose([condition], results, "IF", context, tree)


def bind_coalesce(operands: Sequence[Operand], context: Context, tree: exp.Expr) -> Expr:
    if not operands:
        raise context.session.wrong("coalesce takes at least one argument", tree)
    t, values = unify(operands, "COALESCE", context.session, tree)
    if len(values) == 1:
        return values[0]
    return Call("coalesce", tuple(values), t, all(v.nullable for v in values), context.position(tree))


def bind_nullif(operands: Sequence[Operand], context: Context, tree: exp.Expr) -> Expr:
    """NULL where both are equal, else the first, in the first one's type."""
    if len(operands) != 2:
        raise context.session.wrong("nullif takes two arguments", tree)
    first, other = operands
    equal = compare("equal", first, other, context.session, tree)
    result = first.expr
    return Case(((equal, cast_to(NULL_LITERAL, result.type)),), result, result.type, True, context.position(tree))
