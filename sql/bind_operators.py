"""Operators: arithmetic, comparison, AND, OR, NOT, IS, BETWEEN, IN, LIKE."""

from __future__ import annotations

from sqlglot import exp

from headrace.kernels.registry import SCALARS
from headrace.sql.bind_calls import arithmetic, call_operands, compare
from headrace.sql.bind_expr import Context, handles
from headrace.sql.coerce import Operand, cast_to, comparable_type, to_boolean
from headrace.sql.expr import Call, Expr, InList, Literal, conjunction, disjunction
from headrace.sql.scope import check_clauses
from headrace.types import BOOLEAN, NULL

_ARITHMETIC: dict[type, str] = {
    exp.Add: "add",
    exp.Sub: "subtract",
    exp.Mul: "multiply",
    exp.Div: "divide",
    exp.IntDiv: "integer_divide",
    exp.Mod: "modulo",
}
_COMPARISONS: dict[type, str] = {
    exp.EQ: "equal",
    exp.NEQ: "not_equal",
    exp.LT: "less",
    exp.LTE: "less_equal",
    exp.GT: "greater",
    exp.GTE: "greater_equal",
    exp.NullSafeEQ: "is_not_distinct",
    exp.NullSafeNEQ: "is_distinct",
}
_FUNCTIONS: dict[type, str] = {
    exp.Pow: "power",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "xor",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.StartsWith: "starts_with",
}


@handles(*_ARITHMETIC)
def bind_arithmetic(tree: exp.Binary, context: Context) -> Expr:
    """`/` between integers is a DOUBLE, unless the setting integer_division makes it truncate."""
    name = _ARITHMETIC[type(tree)]
    left, right = context.operand(tree.this), context.operand(tree.expression)
    if name == "divide" and context.session.integer_division and left.type.is_integer and right.type.is_integer:
        name = "integer_divide"
    return arithmetic(name, left, right, context.session, tree)


@handles(*_COMPARISONS)
def bind_comparison(tree: exp.Binary, context: Context) -> Expr:
    left, right = context.operand(tree.this), context.operand(tree.expression)
    return compare(_COMPARISONS[type(tree)], left, right, context.session, tree)


@handles(*_FUNCTIONS)
def bind_operator_function(tree: exp.Binary, context: Context) -> Expr:
    name = _FUNCTIONS[type(tree)]
    if name not in SCALARS:
        raise context.session.refused(f"{name} operators", tree)
    operands = context.operand(tree.this), context.operand(tree.expression)
    return call_operands(name, operands, context.session, tree)


@handles(exp.DPipe)
def bind_concatenation(tree: exp.DPipe, context: Context) -> Expr:
    """`||`; with a bare NULL it is one, of no type."""
    operands = context.operand(tree.this), context.operand(tree.expression)
    for operand in operands:
        if operand.type == NULL:
            return operand.expr
    return call_operands("concat_operator", operands, context.session, tree)


@handles(exp.And, exp.Or)
def bind_junction(tree: exp.Expr, context: Context) -> Expr:
    """A chain of AND or OR as one call over all its terms."""
    kind, terms = type(tree), []
    while type(tree) is kind:
        terms.append(tree.expression)
        tree = tree.this
    terms.append(tree)
    bound = tuple(to_boolean(context.bind(t)) for t in reversed(terms))
    name = "and" if kind is exp.And else "or"
    return Call(name, bound, BOOLEAN, any(b.nullable for b in bound), bound[0].position)


def negated(e: Expr) -> Expr:
    return Call("not", (e,), BOOLEAN, e.nullable, e.position)


@handles(exp.Not)
def bind_not(tree: exp.Not, context: Context) -> Expr:
    inner = tree.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        e = context.bind(inner.this)
        return Call("is_not_null", (e,), BOOLEAN, False, e.position)
    return negated(to_boolean(context.bind(inner)))


@handles(exp.Is)
def bind_is(tree: exp.Is, context: Context) -> Expr:
    """IS NULL and IS TRUE / FALSE; the latter compares as a BOOLEAN and is never NULL."""
    e, other = context.bind(tree.this), tree.expression
    if isinstance(other, exp.Null):
        return Call("is_null", (e,), BOOLEAN, False, e.position)
    if not isinstance(other, exp.Boolean):
        raise context.session.refused("IS tests of this kind", tree)
    truth = to_boolean(e)
    return Call("is_not_distinct", (truth, context.bind(other)), BOOLEAN, False, e.position)


@handles(exp.Between)
def bind_between(tree: exp.Between, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "low", "high")
    operands = [context.operand(tree.args[k]) for k in ("this", "low", "high")]
    t = comparable_type(operands, ordered=True)
    if t is None:
        listed = ", ".join(str(o.type) for o in operands)
        raise context.session.wrong(f"values of the types {listed} cannot be compared with BETWEEN", tree)
    value, low, high = (cast_to(o.expr, t) for o in operands)
    at_least = Call("greater_equal", (value, low), BOOLEAN, value.nullable or low.nullable, value.position)
    at_most = Call("less_equal", (value, high), BOOLEAN, value.nullable or high.nullable, value.position)
    return conjunction((at_least, at_most))


@handles(exp.In)
def bind_in(tree: exp.In, context: Context) -> Expr:
    """`x IN (...)`: one list of the constants, OR an equality for each other value, OR NULL for a NULL."""
    session = context.session
    if tree.args.get("query") is not None:
        raise session.refused("IN subqueries", tree)
    check_clauses(session, tree, "this", "expressions")
    operands = [context.operand(t) for t in (tree.this, *tree.expressions)]
    t = comparable_type(operands, ordered=False)
    if t is None:
        listed = ", ".join(sorted({str(o.type) for o in operands}))
        raise session.wrong(f"values of the types {listed} cannot be compared with IN", tree)
    value = cast_to(operands[0].expr, t)
    constants: list[Literal] = []
    terms: list[Expr] = []
    null: Expr | None = None
    for operand in operands[1:]:
        e = cast_to(operand.expr, t)
        if not isinstance(e, Literal):
            terms.append(Call("equal", (value, e), BOOLEAN, value.nullable or e.nullable, value.position))
        elif e.value is None:
            null = Literal(None, BOOLEAN, e.position)
        else:
            constants.append(e)
    if constants:
        terms.insert(0, _membership(value, constants))
    if null is not None:
        terms.append(null)
    return disjunction(terms)


def _membership(value: Expr, constants: list[Literal]) -> Expr:
    unique = tuple(dict.fromkeys(constants))
    if len(unique) == 1:
        return Call("equal", (value, unique[0]), BOOLEAN, value.nullable, value.position)
    return InList(value, unique, value.nullable, value.position)


@handles(exp.Like, exp.ILike)
def bind_like(tree: exp.Binary, context: Context) -> Expr:
    return _like(tree, None, context)


@handles(exp.Escape)
def bind_escape(tree: exp.Escape, context: Context) -> Expr:
    like = tree.this
    if not isinstance(like, (exp.Like, exp.ILike)):
        raise context.session.refused("ESCAPE clauses outside LIKE and ILIKE", tree)
    return _like(like, tree.expression, context)


def _like(tree: exp.Binary, escape: exp.Expr | None, context: Context) -> Expr:
    check_clauses(context.session, tree, "this", "expression", "negate")
    operands = [context.operand(tree.this), context.operand(tree.expression)]
    if escape is not None:
        operands.append(context.operand(escape))
    operands = [Operand(o.expr, o.literal and o.type != NULL) for o in operands]
    name = "like" if isinstance(tree, exp.Like) else "ilike"
    result = call_operands(name, operands, context.session, tree)
    return negated(result) if tree.args.get("negate") else result
