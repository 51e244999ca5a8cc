"""Rewriting one expression into a simpler one with the same value for every row.

Constants come to the right of a comparison.
A rewrite may drop an operand that could raise (`FALSE AND x // 0 = 1` is FALSE, as in DuckDB) but never makes
one be evaluated for more rows.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.sql.constant import evaluate
from headrace.sql.expr import (
    FALSE,
    TRUE,
    Call,
    Case,
    Cast,
    ColumnRef,
    Expr,
    InList,
    Literal,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    transform,
)
from headrace.sql.properties import COMPARISONS, NEGATED, can_raise, distinct_terms, is_strict
from headrace.types import BOOLEAN


def simplify(e: Expr) -> Expr:
    """The expression with constants folded and trivial logic removed; `e` itself if nothing changes."""
    return transform(e, _simplify_node)


def simplify_condition(e: Expr) -> Expr:
    """`simplify` where only TRUE matters (a filter, ON): a NULL term is as good as FALSE there."""
    terms: list[Expr] = []
    simplified = simplify(e)
    for term in conjuncts(simplified):
        if isinstance(term, Literal) and term.value is not True:
            return FALSE
        alternatives = disjuncts(term)
        if len(alternatives) > 1 and any(_is_null(x) for x in alternatives):
            term = disjunction([x for x in alternatives if not _is_null(x)])
        terms.append(term)
    terms = distinct_terms(terms)
    if len(terms) == 1:
        return terms[0]
    if isinstance(simplified, Call) and simplified.function == "and" and _same(terms, simplified.arguments):
        return simplified
    return conjunction(terms)


def negate(e: Expr) -> Expr:
    """NOT e, with the negation moved inwards as far as it goes."""
    if isinstance(e, Literal):
        return e if e.value is None else Literal(not e.value, BOOLEAN, e.position)
    if isinstance(e, Call):
        if e.function == "not":
            return e.arguments[0]
        if e.function in NEGATED:
            return replace(e, function=NEGATED[e.function])
        if e.function == "and":
            return disjunction([negate(x) for x in e.arguments])
        if e.function == "or":
            return conjunction([negate(x) for x in e.arguments])
    return Call("not", (e,), BOOLEAN, e.nullable)


def _simplify_node(e: Expr) -> Expr:
    if isinstance(e, Call):
        if e.function == "and" or e.function == "or":
            return _simplify_junction(e)
        if e.function == "not":
            negated = negate(e.arguments[0])
            return e if negated == e else negated
        return _simplify_call(e)
    if isinstance(e, Cast):
        if e.argument.type == e.type:
            return e.argument
        return evaluate(e) or e
    if isinstance(e, Case):
        return _simplify_case(e)
    if isinstance(e, InList):
        return _simplify_in(e)
    return e


def _simplify_junction(e: Call) -> Expr:
    """AND and OR: flatten, drop the neutral constant and repeated terms, stop at the deciding constant."""
    conjunctive = e.function == "and"
    terms: list[Expr] = []
    for term in conjuncts(e) if conjunctive else disjuncts(e):
        if isinstance(term, Literal) and term.value is not None:
            if term.value is not conjunctive:
                return FALSE if conjunctive else TRUE
        else:
            terms.append(term)
    terms = distinct_terms(terms)
    listed = None if conjunctive or len(terms) < 2 else either_equal(terms)
    if listed is not None:
        return listed
    if _same(terms, e.arguments):
        return e
    return conjunction(terms) if conjunctive else disjunction(terms)


def _simplify_call(e: Call) -> Expr:
    folded = evaluate(e)
    if folded is not None:
        return folded
    first = e.arguments[0] if e.arguments else None
    if e.function in ("is_null", "is_not_null") and first is not None:
        if not first.nullable and not can_raise(first):
            return FALSE if e.function == "is_null" else TRUE
        if isinstance(first, Literal):
            return TRUE if e.function == "is_null" else FALSE
    if e.function in ("is_distinct", "is_not_distinct"):
        return _simplify_distinct(e)
    if e.function == "coalesce":
        return _simplify_coalesce(e)
    if any(_is_null(x) for x in e.arguments) and is_strict(e):
        return Literal(None, e.type, e.position)
    if e.function in COMPARISONS and isinstance(first, Literal) and not isinstance(e.arguments[1], Literal):
        return replace(e, function=COMPARISONS[e.function], arguments=(e.arguments[1], first))
    return e


def _simplify_distinct(e: Call) -> Expr:
    """IS [NOT] DISTINCT FROM NULL is a NULL test."""
    test = "is_not_null" if e.function == "is_distinct" else "is_null"
    for one, other in (e.arguments, e.arguments[::-1]):
        if _is_null(other):
            return _simplify_call(Call(test, (one,), BOOLEAN, False, e.position))
    return e


def _simplify_coalesce(e: Call) -> Expr:
    """Drop NULL arguments and what follows the first argument that is never NULL."""
    kept: list[Expr] = []
    for argument in e.arguments:
        if _is_null(argument):
            continue
        kept.append(argument)
        if not argument.nullable:
            break
    if not kept:
        return Literal(None, e.type, e.position)
    if len(kept) == 1 and kept[0].type == e.type:
        return kept[0]
    if _same(kept, e.arguments) or any(x.type != e.type for x in kept):
        return e
    return replace(e, arguments=tuple(kept), nullable=kept[-1].nullable)


def _simplify_case(e: Case) -> Expr:
    """Drop branches that are never taken; a branch always taken becomes the default."""
    branches: list[tuple[Expr, Expr]] = []
    default = e.default
    for condition, result in e.branches:
        if isinstance(condition, Literal):
            if condition.value is True:
                default = result
                break
            continue
        branches.append((condition, result))
    if not branches:
        return default
    if len(branches) == len(e.branches) and default is e.default:
        return e
    nullable = default.nullable or any(r.nullable for _, r in branches)
    return replace(e, branches=tuple(branches), default=default, nullable=nullable)


def _simplify_in(e: InList) -> Expr:
    """An empty list is FALSE, a list of one value an equality, a constant argument folds."""
    if not e.values:
        return FALSE
    if _is_null(e.argument):
        return Literal(None, BOOLEAN, e.position)
    if len(e.values) == 1:
        call = Call("equal", (e.argument, e.values[0]), BOOLEAN, e.nullable, e.position)
        return _simplify_call(call)
    if isinstance(e.argument, Literal):
        matches = [_simplify_call(Call("equal", (e.argument, v), BOOLEAN, e.nullable)) for v in e.values]
        if all(isinstance(m, Literal) for m in matches):
            return _simplify_node(Call("or", tuple(matches), BOOLEAN, e.nullable, e.position))
    return e


def either_equal(terms: list[Expr]) -> Expr | None:
    """`x = 1 OR x = 2 OR x IN (3, 4)` as one IN list; None where the alternatives are of another form."""
    subject: Expr | None = None
    values: dict[Literal, None] = {}
    for term in terms:
        if isinstance(term, InList):
            argument, found = term.argument, term.values
        elif isinstance(term, Call) and term.function == "equal" and isinstance(term.arguments[1], Literal):
            argument, found = term.arguments[0], (term.arguments[1],)
        else:
            return None
        if not isinstance(argument, ColumnRef) or (subject is not None and argument != subject):
            return None
        if any(v.type != argument.type for v in found):
            return None
        subject = argument
        values.update(dict.fromkeys(found))
    if subject is None:
        return None
    nullable = subject.nullable or any(v.value is None for v in values)
    return InList(subject, tuple(values), nullable)


def _is_null(e: Expr) -> bool:
    return isinstance(e, Literal) and e.value is None


def _same(a: list[Expr], b: tuple[Expr, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
