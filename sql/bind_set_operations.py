"""UNION, INTERSECT and EXCEPT, and ORDER BY and LIMIT over a whole query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headrace.kernels.coercion import common_type
from headrace.sql.bind_expr import Context, Cte, Item
from headrace.sql.bind_order import bind_limit, order_keys
from headrace.sql.coerce import cast_to
from headrace.sql.expr import AggregateCall, Call, ColumnRef, Expr, Field, Literal, column
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Plan,
    Project,
    Repeat,
    Sort,
    SortKey,
    Union,
)
from headrace.sql.scope import Scope, Session, Source, check_clauses
from headrace.types import BIGINT, BOOLEAN, VARCHAR

SET_OPERATIONS = (exp.Union, exp.Intersect, exp.Except)
_CLAUSES = ("this", "expression", "distinct", "order", "limit", "offset", "with_")


def combined(tree: exp.Expr, left: Plan, right: Plan, session: Session) -> Plan:
    """The rows of both sides as the operation says, in columns of their common types, named as the left's."""
    name = type(tree).__name__.upper()
    if tree.args.get("by_name"):
        raise session.refused(f"{name} BY NAME queries", tree)
    check_clauses(session, tree, *_CLAUSES)
    one, two = left.schema(), right.schema()
    if len(one) != len(two):
        raise session.wrong(f"the sides of {name} have {len(one)} and {len(two)} columns", tree)
    types = []
    for a, b in zip(one, two, strict=True):
        t = common_type(a.type, b.type)
        if t is None and VARCHAR in (a.type, b.type):
            t = VARCHAR
        if t is None:
            raise session.wrong(
                f'column "{a.name}" of {name} has the types {a.type} and {b.type}',
                tree,
                hint="cast one of them",
            )
        types.append(t)
    left = _of_types(left, [replace(f, type=t) for f, t in zip(one, types, strict=True)], session)
    right = _of_types(right, [replace(f, type=t) for f, t in zip(two, types, strict=True)], session)
    everything = tree.args.get("distinct") is False
    if isinstance(tree, exp.Union):
        plan = _union(left, right, session)
        return plan if everything else distinct(plan)
    if everything:
        return _counted(left, right, isinstance(tree, exp.Intersect), session)
    kind = JoinKind.SEMI if isinstance(tree, exp.Intersect) else JoinKind.ANTI
    return Join(kind, distinct(left), right, _same_row(left, right))


def _of_types(plan: Plan, fields: Sequence[Field], session: Session) -> Plan:
    """The plan with its columns cast to the types of `fields`, no two columns of one id."""
    outputs: list[tuple[Field, Expr]] = []
    for f, wanted in zip(plan.schema(), fields, strict=True):
        e = cast_to(column(f), wanted.type)
        id_ = f.id if isinstance(e, ColumnRef) else session.new_id()
        outputs.append((Field(id_, f.name, e.type, e.nullable), e))
    if all(isinstance(e, ColumnRef) for _, e in outputs):
        return plan
    return Project(plan, tuple(outputs))


def _union(left: Plan, right: Plan, session: Session) -> Plan:
    fields = tuple(
        Field(session.new_id(), a.name, a.type, a.nullable or b.nullable)
        for a, b in zip(left.schema(), right.schema(), strict=True)
    )
    return Union(left, right, fields)


def distinct(plan: Plan) -> Plan:
    """Each different row once."""
    return Aggregate(plan, tuple((f, column(f)) for f in plan.schema()), ())


def _same_row(left: Plan, right: Plan) -> tuple[JoinKey, ...]:
    """Keys that hold for equal rows, NULL being equal to NULL."""
    pairs = zip(left.schema(), right.schema(), strict=True)
    return tuple(JoinKey(column(a), column(b), True) for a, b in pairs)


def _counted(left: Plan, right: Plan, intersect: bool, session: Session) -> Plan:
    """INTERSECT ALL and EXCEPT ALL: how often a row stands on each side says how often in the result."""
    fields = left.schema()
    sides: list[Plan] = []
    counts: list[Field] = []
    for side in (left, right):
        count = Field(session.new_id(), "count", BIGINT, False)
        call = AggregateCall("count_star", (), BIGINT, False)
        sides.append(Aggregate(side, tuple((f, column(f)) for f in side.schema()), ((count, call),)))
        counts.append(count)
    keys = _same_row(left, right)
    a, b = column(counts[0]), column(counts[1])
    if intersect:
        plan: Plan = Join(JoinKind.INNER, sides[0], sides[1], keys)
        times: Expr = Call("least", (a, b), BIGINT, False)
    else:
        plan = Join(JoinKind.LEFT, sides[0], sides[1], keys)
        missing = replace(b, nullable=True)
        taken = Call("coalesce", (missing, Literal(0, BIGINT)), BIGINT, False)
        plan = Filter(plan, Call("greater", (a, taken), BOOLEAN, False))
        times = Call("subtract", (a, taken), BIGINT, False)
    return Project(Repeat(plan, times), tuple((f, column(f)) for f in fields))


def ordered(
    plan: Plan,
    tree: exp.Expr,
    names: Sequence[tuple[Field, ...]],
    session: Session,
    environment: Mapping[str, Cte],
    outer: Context | None,
) -> Plan:
    """The plan under the ORDER BY and LIMIT of `tree`.

    Keys name columns by position or by name; each of `names` calls the plan's columns by its own names, the
    first that knows a name decides.
    """
    order = tree.args.get("order")
    if order is not None:
        fields = plan.schema()
        items = [Item(None, f.name, True, column(f)) for f in fields]
        known = {f.name.lower() for f in fields}
        sources = [Source("", fields)]
        for other in names[1:]:
            renamed = [replace(f, name=o.name) for f, o in zip(fields, other, strict=True)]
            new = tuple(f for f in renamed if f.name.lower() not in known)
            known.update(f.name.lower() for f in new)
            sources.append(Source("", new))
        for c in order.find_all(exp.Column):
            if c.table and c.find_ancestor(exp.Query) is tree:
                raise session.refused("qualified names in ORDER BY of a set operation", c)
        context = Context(session, Scope(sources), "ORDER BY", environment=environment, outer=outer)
        plan = _sorted(plan, order_keys(order, context, items), session)
    limit, offset = bind_limit(tree, session)
    return plan if limit is None and offset == 0 else Limit(plan, limit, offset)


def _sorted(plan: Plan, keys: list[SortKey], session: Session) -> Plan:
    """The plan sorted; keys that are no columns are computed beside them and dropped."""
    if not keys:
        return plan
    fields = plan.schema()
    outputs: list[tuple[Field, Expr]] = [(f, column(f)) for f in fields]
    sort: list[SortKey] = []
    for key in keys:
        e = key.expr
        if not isinstance(e, ColumnRef):
            f = Field(session.new_id(), "", e.type, e.nullable)
            outputs.append((f, e))
            e = column(f, e.position)
        sort.append(replace(key, expr=e))
    if len(outputs) == len(fields):
        return Sort(plan, tuple(sort))
    return Project(Sort(Project(plan, tuple(outputs)), tuple(sort)), tuple(outputs[: len(fields)]))
