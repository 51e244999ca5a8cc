"""How many rows a plan gives and what part of them meets a condition: guesses, for choosing among plans.

Nothing here proves anything. A column's statistics are of the stored relation, before any filter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from headrace.sql.expr import (
    Call,
    Case,
    Cast,
    ColumnRef,
    Expr,
    InList,
    Literal,
    Subquery,
    column_ids,
    conjuncts,
    disjuncts,
)
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    Scan,
    TopK,
    Union,
    Values,
    inputs,
)
from headrace.types import SqlType

UNKNOWN_ROWS = 1000.0
UNKNOWN_SELECTIVITY = 0.3
EQUALITY_SELECTIVITY = 0.1
LIKE_SELECTIVITY = 0.1
TEXT_DISTINCT = 20.0
"""Distinct values presumed of a text column that is compared with a constant, where nothing is known."""

_RANGES = {"less": 1, "less_equal": 1, "greater": -1, "greater_equal": -1}


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What is believed of a column, in its relation before any filter.

    `distinct` is an upper bound where it is not `known`; `rows` are those of the stored relation; `minimum`
    and `maximum` are in the type's units, None where unknown.
    """

    type: SqlType
    rows: float
    distinct: float
    known: bool = False
    minimum: float | None = None
    maximum: float | None = None
    null_fraction: float = 0.0


class Estimator:
    """Estimates over one plan; answers about a node are kept, so a rule makes one and uses it throughout."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[Plan, float]] = {}
        self._profiles: dict[tuple[int, int], tuple[Plan, ColumnProfile | None]] = {}

    def rows(self, plan: Plan) -> float:
        """The expected number of rows; at least 1 unless there are certainly none."""
        known = self._rows.get(id(plan))
        if known is not None:
            return known[1]
        found = self._count(plan)
        self._rows[id(plan)] = (plan, found)
        return found

    def _count(self, plan: Plan) -> float:
        if isinstance(plan, Scan):
            count = plan.relation.row_count()
            return UNKNOWN_ROWS if count is None else float(count)
        if isinstance(plan, Values):
            return float(len(plan.rows))
        if isinstance(plan, Join):
            return self._count_join(plan)
        if isinstance(plan, Union):
            return self.rows(plan.left) + self.rows(plan.right)
        rows = self.rows(plan.input)
        if isinstance(plan, Filter):
            return min(rows, max(1.0, rows * self.selectivity(plan.predicate, plan.input)))
        if isinstance(plan, Aggregate):
            return self.groups(tuple(e for _, e in plan.keys), plan.input)
        if isinstance(plan, (Limit, TopK)):
            rows = max(0.0, rows - plan.offset)
            return rows if plan.limit is None else min(rows, float(plan.limit))
        return rows

    def groups(self, keys: tuple[Expr, ...], source: Plan) -> float:
        """The number of distinct combinations of the keys among the rows of `source`."""
        rows = self.rows(source)
        product = 1.0
        for key in keys:
            distinct = self.distinct(key, source)
            product *= max(1.0, math.sqrt(rows) if distinct is None else min(distinct, rows))
        return min(product, max(rows, 0.0 if keys else 1.0))

    def distinct(self, e: Expr, source: Plan) -> float | None:
        """Distinct values of an expression over the rows of `source`; None where nothing is known."""
        product = 1.0
        for i in column_ids(e):
            profile = self.column(source, i)
            if profile is None:
                return None
            product *= profile.distinct
        return product

    def column(self, plan: Plan, column_id: int) -> ColumnProfile | None:
        """The profile of an output column; None where it is computed by an expression with no statistics."""
        key = (id(plan), column_id)
        if key in self._profiles:
            return self._profiles[key][1]
        found = self._profile(plan, column_id)
        self._profiles[key] = (plan, found)
        return found

    def _profile(self, plan: Plan, column_id: int) -> ColumnProfile | None:
        if isinstance(plan, Scan):
            return self._stored(plan, column_id)
        if isinstance(plan, Values):
            return None
        if isinstance(plan, (Project, Aggregate)):
            outputs = plan.outputs if isinstance(plan, Project) else plan.keys
            for field, e in outputs:
                if field.id == column_id:
                    return self.column(plan.input, e.id) if isinstance(e, ColumnRef) else None
            return None
        if isinstance(plan, Union):
            return self._united(plan, column_id)
        for source in inputs(plan):
            found = self.column(source, column_id)
            if found is not None:
                return self._narrowed(plan, column_id, found) if isinstance(plan, Filter) else found
        return None

    def _stored(self, plan: Scan, column_id: int) -> ColumnProfile | None:
        for field, name in zip(plan.fields, plan.columns, strict=True):
            if field.id == column_id:
                return _profile_of(plan, name, field.type, self.rows(plan))
        return None

    def _united(self, plan: Union, column_id: int) -> ColumnProfile | None:
        """A column of both sides: as many distinct values as both have, within the bounds of both."""
        place = next((k for k, f in enumerate(plan.fields) if f.id == column_id), None)
        if place is None:
            return None
        a = self.column(plan.left, plan.left.schema()[place].id)
        b = self.column(plan.right, plan.right.schema()[place].id)
        if a is None or b is None:
            return None
        low = None if a.minimum is None or b.minimum is None else min(a.minimum, b.minimum)
        high = None if a.maximum is None or b.maximum is None else max(a.maximum, b.maximum)
        rows = a.rows + b.rows
        nulls = (a.null_fraction * a.rows + b.null_fraction * b.rows) / max(1.0, rows)
        return ColumnProfile(a.type, rows, a.distinct + b.distinct, False, low, high, nulls)

    def _narrowed(self, plan: Filter, column_id: int, profile: ColumnProfile) -> ColumnProfile:
        """Terms about this column alone leave fewer of its values."""
        only = frozenset((column_id,))
        terms = [t for t in conjuncts(plan.predicate) if column_ids(t) == only]
        if not terms:
            return profile
        kept = self.conjunction(terms, plan.input)
        return replace(profile, distinct=max(1.0, profile.distinct * kept), null_fraction=0.0)

    def selectivity(self, condition: Expr, source: Plan) -> float:
        """The part of the rows of `source` that meet the condition, from 0 to 1."""
        terms = conjuncts(condition)
        return self._term(terms[0], source) if len(terms) == 1 else self.conjunction(list(terms), source)

    def conjunction(self, terms: list[Expr], source: Plan) -> float:
        """Terms count as independent, but the bounds of one column are taken together, as one range."""
        product = 1.0
        bounds: dict[int, list[float]] = {}
        for term in terms:
            bounded = self._bound(term, source)
            if bounded is None:
                product *= self._term(term, source)
                continue
            column_id, low, high = bounded
            both = bounds.setdefault(column_id, [0.0, 1.0])
            both[0], both[1] = max(both[0], low), min(both[1], high)
        for column_id, (low, high) in bounds.items():
            profile = self.column(source, column_id)
            assert profile is not None
            product *= max(high - low, 1.0 / max(profile.distinct, 1.0)) * (1.0 - profile.null_fraction)
        return product

    def _bound(self, term: Expr, source: Plan) -> tuple[int, float, float] | None:
        """A range term as (column, low, high), the kept part of the column's span; None for other terms."""
        if not isinstance(term, Call) or term.function not in _RANGES:
            return None
        subject, value = term.arguments
        if not isinstance(subject, ColumnRef) or not isinstance(value, Literal):
            return None
        profile = self.column(source, subject.id)
        number = _number(value.value)
        if profile is None or number is None or profile.minimum is None or profile.maximum is None:
            return None
        span = profile.maximum - profile.minimum
        place = (number - profile.minimum) / span if span > 0 else float(number >= profile.minimum)
        place = min(1.0, max(0.0, place))
        return (subject.id, 0.0, place) if _RANGES[term.function] > 0 else (subject.id, place, 1.0)

    def _term(self, term: Expr, source: Plan) -> float:
        if isinstance(term, Literal):
            return 1.0 if term.value is True else 0.0
        if isinstance(term, ColumnRef):
            return 0.5
        if isinstance(term, InList):
            once = self._equality(term.argument, term.values[0], source) if term.values else 0.0
            return min(1.0, len(term.values) * once)
        if isinstance(term, (Cast, Case, Subquery)):
            return UNKNOWN_SELECTIVITY
        return self._call(term, source)

    def _call(self, term: Call, source: Plan) -> float:
        function, arguments = term.function, term.arguments
        if function == "or":
            missed = 1.0
            for x in disjuncts(term):
                missed *= 1.0 - self.selectivity(x, source)
            return 1.0 - missed
        if function == "and":
            return self.conjunction(list(conjuncts(term)), source)
        if function == "not":
            return 1.0 - self.selectivity(arguments[0], source)
        if function in ("equal", "is_not_distinct"):
            return self._equality(arguments[0], arguments[1], source)
        if function in ("not_equal", "is_distinct"):
            return 1.0 - self._equality(arguments[0], arguments[1], source)
        if function in ("is_null", "is_not_null"):
            first = arguments[0]
            profile = self.column(source, first.id) if isinstance(first, ColumnRef) else None
            nulls = EQUALITY_SELECTIVITY if profile is None else profile.null_fraction
            return nulls if function == "is_null" else 1.0 - nulls
        if function in ("like", "ilike", "starts_with", "contains"):
            return LIKE_SELECTIVITY
        bounded = self._bound(term, source)
        return UNKNOWN_SELECTIVITY if bounded is None else self.conjunction([term], source)

    def _equality(self, a: Expr, b: Expr, source: Plan) -> float:
        profiles = [self.column(source, x.id) for x in (a, b) if isinstance(x, ColumnRef)]
        known = [p for p in profiles if p is not None]
        if not known:
            return EQUALITY_SELECTIVITY
        if len(known) == 2:
            return 1.0 / max(1.0, known[0].distinct, known[1].distinct)
        profile = known[0]
        value = _number(b.value) if isinstance(b, Literal) else None
        low, high = profile.minimum, profile.maximum
        if value is not None and low is not None and high is not None and not low <= value <= high:
            return 1.0 / max(1.0, profile.rows)
        return (1.0 - profile.null_fraction) / max(1.0, _likely_distinct(profile))

    def _count_join(self, plan: Join) -> float:
        left, right = self.rows(plan.left), self.rows(plan.right)
        kind = plan.kind
        if kind is JoinKind.MARK:
            return left
        matching = 1.0
        if plan.residual is not None:
            matching = self.selectivity(plan.residual, plan)
        if kind in (JoinKind.SEMI, JoinKind.ANTI):
            for key in plan.keys:
                matching *= self._found(key.left, key.right, plan)
            matched = left * min(1.0, matching)
            return max(1.0, matched if kind is JoinKind.SEMI else left - matched)
        profiles = [(self._key(k.left, plan.left), self._key(k.right, plan.right)) for k in plan.keys]
        inner = left * right * matching / key_divisor(profiles, left, right)
        if kind is JoinKind.SINGLE:
            return left
        if kind is JoinKind.LEFT:
            return max(inner, left)
        if kind is JoinKind.FULL:
            return max(inner, left, right)
        return max(1.0, inner) if left and right else 0.0

    def _key(self, e: Expr, source: Plan) -> ColumnProfile | None:
        return self.column(source, e.id) if isinstance(e, ColumnRef) else None

    def _found(self, a: Expr, b: Expr, plan: Join) -> float:
        """The part of the left side's keys that the right side has."""
        left, right = self._key(a, plan.left), self._key(b, plan.right)
        if left is None or right is None:
            return 0.5
        return min(1.0, min(right.distinct, self.rows(plan.right)) / max(1.0, left.distinct))


def key_divisor(
    keys: list[tuple[ColumnProfile | None, ColumnProfile | None]], left_rows: float, right_rows: float
) -> float:
    """What |L| * |R| is divided by for rows that agree on the keys; `*_rows` serve where a key is unknown.

    Several keys together have no more distinct values than either stored relation has rows.
    """
    divisor = 1.0
    cap = math.inf
    for left, right in keys:
        divisor *= shared_distinct(left, right, left_rows, right_rows)
        cap = min(cap, *(p.rows for p in (left, right) if p is not None), math.inf)
    return max(1.0, min(divisor, cap) if len(keys) > 1 else divisor)


def shared_distinct(
    left: ColumnProfile | None, right: ColumnProfile | None, left_rows: float, right_rows: float
) -> float:
    """The distinct values of the key side: the larger count, but a mere bound yields to what is known."""
    if left is None or right is None:
        one = left or right
        return max(1.0, min(left_rows, right_rows)) if one is None else max(1.0, one.distinct)
    if left.known and right.known:
        return max(1.0, left.distinct, right.distinct)
    if left.known or right.known:
        return max(1.0, left.distinct if left.known else right.distinct)
    return max(1.0, min(left.distinct, right.distinct))


def rows(plan: Plan) -> float:
    """The expected number of rows of a plan."""
    return Estimator().rows(plan)


def selectivity(condition: Expr, source: Plan) -> float:
    """The part of the rows of `source` that is expected to meet the condition."""
    return Estimator().selectivity(condition, source)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _profile_of(plan: Scan, name: str, t: SqlType, rows: float) -> ColumnProfile:
    estimate = plan.relation.estimate(name)
    low, high = _number(estimate.minimum), _number(estimate.maximum)
    if estimate.distinct is not None:
        distinct, known = float(estimate.distinct), True
    elif estimate.unique:
        distinct, known = rows, True
    else:
        distinct, known = rows, False
        if low is not None and high is not None and not t.is_float:
            distinct = min(distinct, high - low + 1.0)
    nulls = 0.0 if not estimate.null_count or not rows else min(1.0, estimate.null_count / rows)
    return ColumnProfile(t, rows, max(1.0, distinct), known, low, high, nulls)


def _likely_distinct(profile: ColumnProfile) -> float:
    """Distinct values for comparing with a constant: where only a bound is known, a typical count below."""
    if profile.known:
        return profile.distinct
    if profile.type.is_text:
        return min(profile.distinct, TEXT_DISTINCT)
    if profile.type.is_decimal:
        return max(10.0, profile.distinct / float(10**profile.type.scale))
    return profile.distinct
