"""What a logical plan means, in the plainest Python: every node over lists of rows, in three-valued logic.

A row is a dict from column id to value. A subquery is run again for each row of the query around it. Made for
comparing a plan with its rewritten form, so it knows just the functions that such tests use.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterable

from headrace.sql.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Expr,
    InList,
    Literal,
    Subquery,
    SubqueryKind,
    conjuncts,
    walk,
)
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    Repeat,
    Scan,
    Sort,
    SortKey,
    TopK,
    Union,
    Values,
)

Row = dict[int, object]


class RowError(Exception):
    """A row without an answer."""


_outer: list[Row] = [{}]
"""The last one holds the columns of all queries around the one that is being run."""


def _inside(plan: Plan, row: Row) -> list[Row]:
    """The rows of a plan that may read the columns of an outer row."""
    _outer.append({**_outer[-1], **row})
    try:
        return run(plan)
    finally:
        _outer.pop()


def evaluate(plan: Plan) -> list[tuple[object, ...]]:
    """The rows of a plan, in order, as tuples of its schema."""
    ids = [f.id for f in plan.schema()]
    return [tuple(row[i] for i in ids) for row in run(plan)]


def run(plan: Plan) -> list[Row]:
    match plan:
        case Scan():
            return _scan(plan)
        case Values():
            return [{f.id: value(e, {}) for f, e in zip(plan.fields, row, strict=True)} for row in plan.rows]
        case Filter():
            return [row for row in run(plan.input) if holds(plan.predicate, row)]
        case Project():
            return [{f.id: value(e, row) for f, e in plan.outputs} for row in run(plan.input)]
        case Join():
            return _join(plan)
        case Aggregate():
            return _aggregate(plan)
        case Union():
            return _union(plan)
        case Repeat():
            return [row for row in run(plan.input) for _ in range(_count(value(plan.times, row)))]
        case Sort():
            return _sorted(run(plan.input), plan.keys)
        case Limit():
            stop = None if plan.limit is None else plan.offset + plan.limit
            return run(plan.input)[plan.offset : stop]
        case TopK():
            return _sorted(run(plan.input), plan.keys)[plan.offset : plan.offset + plan.limit]


def _scan(plan: Scan) -> list[Row]:
    names = [c.name for c in plan.relation.schema()]
    places = [names.index(c) for c in plan.columns]
    rows: Iterable[tuple[object, ...]] = plan.relation.rows  # type: ignore[attr-defined]
    return [{f.id: row[k] for f, k in zip(plan.fields, places, strict=True)} for row in rows]


def _raises(e: Expr) -> bool:
    return any(
        isinstance(x, Subquery)
        or (isinstance(x, Call) and x.function == "integer_divide")
        or (isinstance(x, Cast) and x.type.kind.value == "TINYINT")
        for x in walk(e)
    )


def holds(condition: Expr, row: Row) -> bool:
    """Whether a condition is true; terms that can raise are asked last, and only if all others are true."""
    terms = sorted(conjuncts(condition), key=_raises)
    return all(value(t, row) is True for t in terms)


def _count(v: object) -> int:
    return v if isinstance(v, int) else 0


def _union(plan: Union) -> list[Row]:
    out: list[Row] = []
    for side in (plan.left, plan.right):
        ids = [f.id for f in side.schema()]
        out.extend({f.id: row[i] for f, i in zip(plan.fields, ids, strict=True)} for row in run(side))
    return out


def _compared(plan: Join, left: Row, right: Row) -> object:
    """A mark join's comparison of a pair, three-valued; False where the pair differs in a null-safe key."""
    found = []
    for key in plan.keys:
        a, b = value(key.left, left), value(key.right, right)
        if key.null_safe:
            found.append(a == b)
        else:
            found.append(_strict(lambda a, b: a == b, a, b))
    if False not in found and plan.residual is not None:
        found.append(value(plan.residual, {**left, **right}))
    return _and(found)


def _matches(plan: Join, left: Row, right: Row) -> bool:
    for key in plan.keys:
        a, b = value(key.left, left), value(key.right, right)
        if a is None or b is None:
            if not (key.null_safe and a is None and b is None):
                return False
        elif a != b:
            return False
    return plan.residual is None or holds(plan.residual, {**left, **right})


def _join(plan: Join) -> list[Row]:
    left = run(plan.left)
    if plan.dependent:
        return [row for a in left for row in _dependent(plan, a)]
    right = run(plan.right)
    no_left = {f.id: None for f in plan.left.schema()}
    no_right = {f.id: None for f in plan.right.schema()}
    seen: set[int] = set()
    out: list[Row] = []
    for a in left:
        if plan.kind is JoinKind.MARK:
            assert plan.mark is not None
            out.append({**a, plan.mark.id: _or([_compared(plan, a, b) for b in right])})
            continue
        found = [k for k, b in enumerate(right) if _matches(plan, a, b)]
        seen.update(found)
        if plan.kind is JoinKind.SEMI:
            out.extend([a] if found else [])
        elif plan.kind is JoinKind.ANTI:
            out.extend([] if found else [a])
        elif plan.kind is JoinKind.SINGLE and len(found) > 1:
            raise RowError("more than one row")
        else:
            out.extend({**a, **right[k]} for k in found)
            if not found and plan.kind in (JoinKind.LEFT, JoinKind.SINGLE, JoinKind.FULL):
                out.append({**a, **no_right})
    if plan.kind is JoinKind.FULL:
        out.extend({**no_left, **b} for k, b in enumerate(right) if k not in seen)
    return out


def _dependent(plan: Join, left: Row) -> list[Row]:
    rows = [{**left, **b} for b in _inside(plan.right, left) if _matches(plan, left, b)]
    if not rows and plan.kind is JoinKind.LEFT:
        return [{**left, **{f.id: None for f in plan.right.schema()}}]
    return rows


def _subquery(e: Subquery, row: Row) -> object:
    ids = [f.id for f in e.plan.schema()]
    rows = [[r[i] for i in ids] for r in _inside(e.plan, row)]
    if e.kind is SubqueryKind.EXISTS:
        return bool(rows)
    if e.kind is SubqueryKind.SCALAR:
        if len(rows) > 1:
            raise RowError("more than one row")
        return rows[0][0] if rows else None
    compare = _STRICT[e.comparison]
    arguments = [value(a, row) for a in e.arguments]
    return _or([_and([_strict(compare, a, b) for a, b in zip(arguments, r, strict=True)]) for r in rows])


def _aggregate(plan: Aggregate) -> list[Row]:
    groups: dict[tuple[object, ...], list[Row]] = {}
    if not plan.keys:
        groups[()] = []
    for row in run(plan.input):
        groups.setdefault(tuple(value(e, row) for _, e in plan.keys), []).append(row)
    out = []
    for key, rows in groups.items():
        made: Row = {f.id: v for (f, _), v in zip(plan.keys, key, strict=True)}
        made.update({f.id: _aggregated(call, rows) for f, call in plan.aggregates})
        out.append(made)
    return out


def _aggregated(call: AggregateCall, rows: list[Row]) -> object:
    kept = [row for row in rows if call.filter is None or holds(call.filter, row)]
    if call.function == "count_star":
        return len(kept)
    if call.function == "first":
        return value(call.arguments[0], kept[0]) if kept else None
    values = [v for row in kept if (v := value(call.arguments[0], row)) is not None]
    if call.distinct:
        values = list(dict.fromkeys(values))
    if call.function == "count":
        return len(values)
    if not values:
        return None
    numbers: list[float] = [v for v in values if isinstance(v, (int, float))]
    match call.function:
        case "sum":
            return sum(numbers)
        case "avg":
            return round(sum(numbers) / len(numbers), 9)
        case "min":
            return min(values)  # type: ignore[type-var]
        case "max":
            return max(values)  # type: ignore[type-var]
        case "stddev":
            return None if len(numbers) < 2 else round(statistics.stdev(numbers), 9)
    raise NotImplementedError(call.function)


def _sorted(rows: list[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    def compare(a: Row, b: Row) -> int:
        for key in keys:
            x, y = value(key.expr, a), value(key.expr, b)
            if x is None or y is None:
                if x is not None or y is not None:
                    first = (x is None) == key.nulls_first
                    return -1 if first else 1
            elif x != y:
                return (-1 if x < y else 1) * (-1 if key.descending else 1)  # type: ignore[operator]
        return 0

    return sorted(rows, key=functools.cmp_to_key(compare))


def value(e: Expr, row: Row) -> object:
    """The value of an expression for one row; None is NULL. Raises RowError where SQL raises."""
    match e:
        case Literal():
            return e.value
        case ColumnRef():
            return row[e.id] if e.id in row else _outer[-1][e.id]
        case Case():
            for condition, result in e.branches:
                if value(condition, row) is True:
                    return value(result, row)
            return value(e.default, row)
        case InList():
            return _or([_strict(lambda a, b: a == b, value(e.argument, row), v.value) for v in e.values])
        case Cast():
            return _cast(e, value(e.argument, row))
        case Subquery():
            return _subquery(e, row)
        case Call():
            return _call(e, [value(x, row) for x in e.arguments])


def _cast(e: Cast, v: object) -> object:
    if v is None:
        return None
    if e.type.kind.value == "DOUBLE":
        return float(v)  # type: ignore[arg-type]
    if e.type.range is not None and isinstance(v, int) and not e.type.range[0] <= v <= e.type.range[1]:
        if e.lenient:
            return None
        raise RowError("out of range")
    return v


def _strict(f: Callable[..., object], *values: object) -> object:
    return None if any(v is None for v in values) else f(*values)


def _or(values: list[object]) -> object:
    return True if True in values else None if None in values else False


def _and(values: list[object]) -> object:
    return False if False in values else None if None in values else True


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise RowError("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_STRICT: dict[str, Callable[..., object]] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "not": lambda a: not a,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negate": lambda a: -a,
    "abs": abs,
    "integer_divide": _divide,
    "divide": lambda a, b: round(a / b, 9) if b else float("nan"),
}


def _call(e: Call, values: list[object]) -> object:
    match e.function:
        case "and":
            return _and(values)
        case "or":
            return _or(values)
        case "is_null":
            return values[0] is None
        case "is_not_null":
            return values[0] is not None
        case "is_distinct":
            return values[0] != values[1]
        case "is_not_distinct":
            return values[0] == values[1]
        case "least":
            return min(v for v in values if v is not None)  # type: ignore[type-var]
        case "coalesce":
            return next((v for v in values if v is not None), None)
    return _strict(_STRICT[e.function], *values)
