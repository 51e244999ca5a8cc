"""Random plans over small tables full of NULLs and duplicates, to compare a plan with its rewritten form."""

from __future__ import annotations

import random
from dataclasses import replace

from headrace.sql.expr import Call, Case, Cast, ColumnRef, Expr, Field, InList, Literal, column
from headrace.sql.plan import Filter, Join, JoinKey, JoinKind, Limit, Plan, Project, Sort, SortKey
from headrace.types import BIGINT, BOOLEAN, INTEGER, TINYINT
from sql_plans import Builder, aggregate_call, call, table, widened
from sql_reference import RowError, evaluate

COMPARISONS = (
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "less_equal",
    "greater",
    "greater_equal",
    "greater_equal",
    "is_distinct",
    "is_not_distinct",
)
INNER = (JoinKind.INNER, JoinKind.INNER, JoinKind.CROSS)
OTHERS = (JoinKind.LEFT, JoinKind.LEFT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK)


def random_plan(rng: random.Random) -> Plan:
    maker = _Maker(rng)
    plan = maker.plan(rng.randint(2, 4))
    if rng.random() < 0.3:
        plan = maker.sorted(plan)
    return plan


def _gives_rows(plan: Plan) -> bool:
    try:
        return bool(evaluate(plan))
    except RowError:
        return False


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.b = Builder()
        self.tables = [self._table(k) for k in range(3)]

    def _table(self, k: int) -> object:
        rng = self.rng
        rows = [
            (rng.choice((None, 0, 0, 1, 1, 2)), rng.choice((None, -1, 0, 0, 1, 1, 2, 2)), rng.randint(0, 2))
            for _ in range(0 if rng.random() < 0.03 else rng.randint(1, 6))
        ]
        return table(f"t{k}", "x int, y int, z int not null", rows)

    def plan(self, depth: int) -> Plan:
        rng = self.rng
        if depth == 0:
            return self.b.scan(rng.choice(self.tables))  # type: ignore[arg-type]
        make = rng.choices(
            (
                self.filtered,
                self.joined,
                self.region,
                self.chain,
                self.projected,
                self.aggregated,
                self.limited,
            ),
            (5, 7, 4, 1, 3, 2, 1),
        )[0]
        # Most plans should give rows, or a wrong rewriting would go unseen: draw a few times until one does.
        plan = make(depth - 1)
        for _ in range(3):
            if _gives_rows(plan):
                break
            plan = make(depth - 1)
        return plan

    def filtered(self, depth: int) -> Plan:
        rng = self.rng
        source = self.plan(depth)
        return Filter(source, self.condition(source, rng.choice((0, 1, 2))))

    def joined(self, depth: int) -> Plan:
        rng = self.rng
        left, right = self.plan(depth), self.plan(min(depth, 1))
        kind = rng.choice(INNER if rng.random() < 0.5 else OTHERS)
        if kind is JoinKind.CROSS:
            return Join(kind, left, right)
        keys = tuple(self.key(left, right) for _ in range(rng.choice((0, 1, 1, 2))))
        either_side = Join(JoinKind.CROSS, left, right)
        residual = self.condition(either_side, 1) if rng.random() < 0.4 else None
        mark = None
        if kind is JoinKind.MARK:
            mark = Field(next(self.b.ids), "mark", BOOLEAN, False)
        return Join(kind, left, right, keys, residual, mark)

    def region(self, depth: int) -> Plan:
        """Several relations separated by commas, with equalities in WHERE."""
        rng = self.rng
        plan: Plan = self.plan(0)
        for _ in range(rng.randint(1, 3)):
            plan = Join(JoinKind.CROSS, plan, self.plan(rng.choice((0, 0, min(depth, 1)))))
        terms: list[Expr] = [self.condition(plan, 1)]
        for _ in range(rng.randint(1, 3)):
            a, b = self.number(plan, 0), self.number(plan, 0)
            terms.append(call("equal", a, b))
        rng.shuffle(terms)
        return Filter(plan, Call("and", tuple(terms), BOOLEAN, any(t.nullable for t in terms)))

    def chain(self, depth: int) -> Plan:
        """Many relations, each joined to those before it."""
        rng = self.rng
        plan: Plan = self.plan(min(depth, 1))
        for _ in range(rng.choice((2, 2, 3, 3, 4, 11))):
            right = self.plan(0)
            keys = tuple(self.key(plan, right) for _ in range(rng.choice((1, 2))))
            residual = None
            if rng.random() < 0.2:
                residual = self.condition(Join(JoinKind.CROSS, plan, right), 0)
            plan = Join(JoinKind.INNER, plan, right, keys, residual)
        return plan

    def key(self, left: Plan, right: Plan) -> JoinKey:
        return JoinKey(self.number(left, 0), self.number(right, 0), self.rng.random() < 0.15)

    def projected(self, depth: int) -> Plan:
        rng = self.rng
        source = self.plan(depth)
        fields = [f for f in source.schema() if rng.random() < 0.7]
        outputs: list[tuple[Field, Expr]] = [
            (replace(f, name=f.name + rng.choice(("", "_"))), column(f)) for f in fields
        ]
        for _ in range(rng.randint(0, 2)):
            e = self.number(source, 2)
            outputs.append((Field(next(self.b.ids), "e", e.type, e.nullable), e))
        if not any(f.type == INTEGER for f, _ in outputs):
            outputs.append((Field(next(self.b.ids), "one", INTEGER, False), Literal(1, INTEGER)))
        rng.shuffle(outputs)
        return Project(source, tuple(outputs))

    def aggregated(self, depth: int) -> Plan:
        rng = self.rng
        source = self.plan(depth)
        keys = {self.number(source, rng.choice((0, 0, 1))): None for _ in range(rng.choice((0, 1, 1, 2)))}
        calls = {}
        for k in range(rng.randint(0 if keys else 1, 3)):
            function = rng.choice(("count", "count_star", "sum", "avg", "min", "max", "stddev"))
            arguments = () if function == "count_star" else (self.number(source, rng.choice((0, 0, 1))),)
            where = self.condition(source, 1) if rng.random() < 0.2 else None
            distinct = bool(arguments) and rng.random() < 0.4
            calls[f"a{k}"] = aggregate_call(function, *arguments, distinct=distinct, where=where)
        grouped = self.b.aggregate(source, list(keys), **calls)
        if any(f.type == INTEGER for f in grouped.schema()):
            return grouped
        one = (Field(next(self.b.ids), "one", INTEGER, False), Literal(1, INTEGER))
        return Project(grouped, (*((f, column(f)) for f in grouped.schema()), one))

    def limited(self, depth: int) -> Plan:
        return Limit(self.sorted(self.plan(depth)), self.rng.choice((None, 0, 1, 2, 3)), self.rng.choice((0, 0, 1)))

    def sorted(self, plan: Plan) -> Plan:
        """Sorted by all columns, so that equal rows alone are tied."""
        rng = self.rng
        keys = [SortKey(column(f), rng.random() < 0.5, rng.random() < 0.5) for f in plan.schema()]
        rng.shuffle(keys)
        return Sort(plan, tuple(keys))

    def number(self, source: Plan, depth: int) -> Expr:
        """An INTEGER expression over a plan's columns."""
        rng = self.rng
        columns = [column(f) for f in source.schema() if f.type == INTEGER]
        if depth == 0 or rng.random() < 0.4:
            return rng.choice(columns)
        kind = rng.randrange(8)
        a = self.number(source, depth - 1)
        if kind == 0:
            return Literal(rng.choice((None, -1, 0, 1, 2)), INTEGER)
        if kind == 1:
            return call("integer_divide", a, self.number(source, depth - 1), t=INTEGER)
        if kind == 2:
            b = self.number(source, depth - 1)
            return Call("coalesce", (a, b), INTEGER, a.nullable and b.nullable)
        if kind == 3:
            b = self.number(source, depth - 1)
            return Case(((self.condition(source, depth - 1), a),), b, INTEGER, a.nullable or b.nullable)
        if kind == 4:
            return Cast(Cast(a, TINYINT, a.nullable), INTEGER, a.nullable)
        return call(rng.choice(("add", "subtract", "multiply")), a, self.number(source, depth - 1), t=INTEGER)

    def condition(self, source: Plan, depth: int) -> Expr:
        rng = self.rng
        kind = rng.randrange(12)
        if depth > 0 and kind < 5:
            terms = tuple(self.condition(source, depth - 1) for _ in range(rng.randint(2, 3)))
            return Call(rng.choice(("and", "or", "or")), terms, BOOLEAN, any(t.nullable for t in terms))
        if depth > 0 and kind == 5:
            return call("not", self.condition(source, depth - 1))
        a = self.number(source, max(0, depth - 1))
        if kind == 6:
            return call(rng.choice(("is_null", "is_not_null", "is_not_null")), a)
        if kind == 7:
            values = tuple(Literal(rng.choice((None, 0, 1, 2, 3)), INTEGER) for _ in range(rng.randint(0, 3)))
            return InList(a, values, a.nullable or any(v.value is None for v in values))
        if kind == 8 and isinstance(a, ColumnRef):
            return call(rng.choice(COMPARISONS), widened(a), Literal(rng.choice((0, 1, 3 * 10**9)), BIGINT))
        booleans = [column(f) for f in source.schema() if f.type == BOOLEAN]
        if kind == 9 and booleans:
            return rng.choice(booleans)
        if kind == 10 and rng.random() < 0.3:
            return Literal(rng.choice((True, False, None)), BOOLEAN)
        if kind == 11:
            return call("less_equal", call("integer_divide", Literal(2, INTEGER), a, t=INTEGER), Literal(1, INTEGER))
        b = self.number(source, depth) if rng.random() < 0.5 else Literal(rng.choice((None, 0, 1, 2)), INTEGER)
        pair = (a, b) if rng.random() < 0.8 else (b, a)
        return call(rng.choice(COMPARISONS), *pair)
