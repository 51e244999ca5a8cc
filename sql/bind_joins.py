"""Joins of FROM: their kinds, ON, USING and NATURAL, and what they make visible."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from headrace.sql.bind_calls import compare
from headrace.sql.bind_conditions import bind_coalesce
from headrace.sql.bind_expr import Context
from headrace.sql.coerce import Operand, to_boolean
from headrace.sql.expr import TRUE, Expr, Field, column, conjunction, conjuncts
from headrace.sql.join_conditions import on_terms
from headrace.sql.plan import Filter, Join, JoinKind, Plan, Project, free_columns
from headrace.sql.scope import Scope, Session, Source, check_clauses, nearest

_KINDS = {"SEMI": JoinKind.SEMI, "ANTI": JoinKind.ANTI}


def joined(left: Plan, right: Plan, scope: Scope, added: Scope, tree: exp.Join, beside: Context) -> Plan:
    """The join of `left`, whose columns are those of `scope`, with `right`, whose are those of `added`.

    `added` joins the scope. `beside` is the context of the right item: it makes the join a dependent one if
    it read columns of the left.
    """
    session = beside.session
    method, side, kind = (tree.text(k).upper() for k in ("method", "side", "kind"))
    if method not in ("", "NATURAL"):
        raise session.refused(f"{method} joins", tree)
    check_clauses(session, tree, "this", "method", "side", "kind", "on", "using")
    half = _KINDS.get(kind)
    merged = _using(tree, method, scope, added, session)
    seen = Scope(list(scope.sources), set(scope.merged), dict(scope.shown_as))
    for source in added.sources:
        seen.add(session, source, tree.this)
    seen.merged |= added.merged
    seen.shown_as |= added.shown_as
    condition = _condition(tree, merged, seen, beside)
    dependent = not free_columns(right).isdisjoint(scope.ids()) if _nested(tree.this) else False
    if dependent and (side in ("RIGHT", "FULL") or half is not None):
        raise session.wrong("the right side of a join can read the left only in INNER and LEFT joins", tree)
    terms = conjuncts(condition)
    if half is not None:
        return on_terms(half, left, right, terms)
    if not side or side == "LEFT":
        merged.drop_right(seen)
        plan = (
            replace(on_terms(JoinKind.LEFT, left, right, terms), dependent=dependent)
            if side
            else inner_join(left, right, condition, dependent)
        )
    elif side == "RIGHT":
        merged.show_right(seen)
        plan = _in_order(on_terms(JoinKind.LEFT, right, left, terms), left, right)
    else:
        plan = merged.coalesced(on_terms(JoinKind.FULL, left, right, terms), seen, beside, tree)
    # the condition reads the inputs; only what stands above the join sees the NULLs that it adds
    count = len(scope.sources)
    missing = {"LEFT": slice(count, None), "RIGHT": slice(count), "FULL": slice(None)}.get(side)
    if missing is not None:
        seen.sources[missing] = [s.as_nullable() for s in seen.sources[missing]]
    seen.sources.extend(merged.shown)
    scope.sources, scope.merged, scope.shown_as = seen.sources, seen.merged, seen.shown_as
    return plan


def _nested(tree: exp.Expr) -> bool:
    """Whether an item of FROM can read columns of the items before it."""
    return isinstance(tree, (exp.Subquery, exp.Lateral, exp.Values, exp.Paren))


def _condition(tree: exp.Join, merged: _Merged, seen: Scope, beside: Context) -> Expr:
    on = tree.args.get("on")
    if on is None:
        return conjunction(merged.equalities)
    if merged.pairs:
        raise beside.session.wrong("a join takes ON or USING, not both", tree)
    context = Context(beside.session, seen, "ON", environment=beside.environment, outer=beside.outer)
    return to_boolean(context.bind(on))


def _in_order(plan: Plan, left: Plan, right: Plan) -> Plan:
    """The columns of a join with exchanged sides, as written."""
    by_id = {f.id: f for f in plan.schema()}
    fields = [by_id[f.id] for f in (*left.schema(), *right.schema())]
    return Project(plan, tuple((f, column(f)) for f in fields))


@dataclass(slots=True)
class _Merged:
    """The pairs of columns that USING or NATURAL makes one, and the items that show the one of FULL joins."""

    pairs: list[tuple[Field, Field]] = field(default_factory=list)
    equalities: list[Expr] = field(default_factory=list)
    shown: list[Source] = field(default_factory=list)

    def drop_right(self, scope: Scope) -> None:
        scope.merged.update(right.id for _, right in self.pairs)

    def show_right(self, scope: Scope) -> None:
        for left, right in self.pairs:
            scope.merged.add(left.id)
            scope.shown_as[left.id] = right.id

    def coalesced(self, plan: Plan, scope: Scope, context: Context, tree: exp.Join) -> Plan:
        """The FULL join with one more column a pair: the value of the side that has a row."""
        if not self.pairs:
            return plan
        outputs: list[tuple[Field, Expr]] = [(f, column(f)) for f in plan.schema()]
        by_id = {f.id: f for f in plan.schema()}
        made: list[Field] = []
        for left, right in self.pairs:
            sides = [Operand(column(by_id[f.id])) for f in (left, right)]
            e = bind_coalesce(sides, context, tree)
            one = Field(context.session.new_id(), left.name, e.type, True)
            outputs.append((one, e))
            made.append(one)
            scope.merged |= {left.id, right.id}
            scope.shown_as[left.id] = one.id
        self.shown.append(Source("", tuple(made)))
        return Project(plan, tuple(outputs))


def _using(tree: exp.Join, method: str, scope: Scope, added: Scope, session: Session) -> _Merged:
    """The pairs of USING or NATURAL, with their equalities."""
    names = [i.name for i in tree.args.get("using") or ()]
    if method == "NATURAL":
        names = list(dict.fromkeys(n for s in scope.sources for n in s.names() if added.has(n)))
        if not names:
            raise session.wrong("NATURAL JOIN finds no common columns", tree, hint="CROSS JOIN joins all")
    merged = _Merged()
    for name in names:
        left = _side(name, scope, tree, "left", session)
        right = _side(name, added, tree, "right", session)
        merged.pairs.append((left, right))
        merged.equalities.append(compare("equal", Operand(column(left)), Operand(column(right)), session, tree))
    return merged


def _side(name: str, scope: Scope, tree: exp.Join, side: str, session: Session) -> Field:
    found = scope.find(name)
    if len(found) == 1:
        return found[0][1]
    if not found:
        scope.check_readable(session, name, tree)
    if found:
        raise session.wrong(f'column "{name}" of USING is ambiguous on the {side} side', tree)
    hint = nearest(name, (f.name for s in scope.sources for f in s.fields))
    raise session.wrong(f'the {side} side of USING has no column "{name}"', tree, hint=hint)


def inner_join(left: Plan, right: Plan, condition: Expr, dependent: bool = False) -> Plan:
    """A product under a filter; the optimiser turns the filter into keys."""
    product = Join(JoinKind.CROSS, left, right, dependent=dependent)
    return product if condition == TRUE else Filter(product, condition)
