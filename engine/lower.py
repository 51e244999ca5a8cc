"""Logical plan -> pipelines: where pipelines break, which forms joins and groups take, and the functions they become.

Forms rest on values seen while columns were encoded (D34). The pipelines come out in the order in which they run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headrace.codegen import generate
from headrace.column import Column
from headrace.lower_aggregate import aggregate_sink
from headrace.lower_filter import passing
from headrace.lower_join import choose_build, dense_key
from headrace.pipeline import (
    BuildSink,
    CollectSink,
    ComputeStep,
    FilterStep,
    FinishStep,
    Generated,
    LookupStep,
    OrderBy,
    Pipeline,
    ProbeStep,
    ScanTable,
    Sink,
    Step,
    TableSource,
)
from headrace.sql.estimate import Estimator
from headrace.sql.expr import (
    ColumnRef,
    Expr,
    Field,
    Literal,
    column,
    column_ids,
    conjunction,
    conjuncts,
    equal,
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
    Scan,
    Sort,
    SortKey,
    TopK,
    Values,
    exchanged,
    inputs,
)

SELECTIVE = 0.4
"""A filter that keeps less than this part of the rows is evaluated as a mask over a tile first."""

PROBES_PER_ROW = 4.0
"""Looking a filtered build side up row by row pays until there are this many probes for each of its rows."""

Loader = Callable[[Scan], tuple[dict[int, Column], int, int]]
"""A scan's columns by field id, its number of rows, and its place among the plan's scans; columns are loaded
before forms are chosen."""


@dataclass(slots=True)
class Stream:
    """A pipeline without a sink yet."""

    table: int
    steps: list[Step]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query's pipelines in running order. `fields` of table `result` are the answer's columns."""

    scans: tuple[tuple[int, ScanTable], ...]
    values: tuple[tuple[int, Values], ...]
    pipelines: tuple[Generated, ...]
    result: int
    fields: tuple[Field, ...]
    builds: Mapping[int, BuildSink]


@dataclass(slots=True)
class Lowering:
    """Lowers one plan. `load` brings a scan's columns, `value_rows` those of a VALUES list."""

    load: Loader
    value_rows: Callable[[Values], dict[int, Column]]
    tables: dict[int, Mapping[int, Column]] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)
    builds: dict[int, BuildSink] = field(default_factory=dict)
    scans: list[tuple[int, ScanTable]] = field(default_factory=list)
    values: list[tuple[int, Values]] = field(default_factory=list)
    generated: list[Generated] = field(default_factory=list)
    estimator: Estimator = field(default_factory=Estimator)
    next_field: int = 0

    def lower(self, plan: Plan) -> Lowered:
        """All pipelines of a query."""
        self.next_field = max((f.id for f in _all_fields(plan)), default=0) + 1
        fields = plan.schema()
        stream = self.visit(plan, frozenset(f.id for f in fields))
        if stream.steps or not self._stored(stream.table, fields):
            distinct = tuple(dict.fromkeys(fields))
            stream = self.close(stream, CollectSink(distinct), "collect")
        return Lowered(tuple(self.scans), tuple(self.values), tuple(self.generated), stream.table, fields, self.builds)

    def _stored(self, table: int, fields: tuple[Field, ...]) -> bool:
        return all(f.id in self.tables[table] for f in fields)

    def visit(self, plan: Plan, required: frozenset[int]) -> Stream:
        """The stream of a node's rows, of which later steps read the columns in `required`."""
        if isinstance(plan, Scan):
            return self._scan(plan)
        if isinstance(plan, Values):
            return self._values(plan)
        if isinstance(plan, Filter):
            return self._filter(plan, required)
        if isinstance(plan, Project):
            needed = frozenset().union(*(column_ids(x) for f, x in plan.outputs if f.id in required))
            stream = self.visit(plan.input, needed)
            outputs = tuple((f, x) for f, x in plan.outputs if f.id in required and not _same(f, x))
            if outputs:
                stream.steps.append(ComputeStep(outputs))
            return stream
        if isinstance(plan, Join):
            return self._join(plan, required)
        if isinstance(plan, Aggregate):
            return self._aggregate(plan, required)
        if isinstance(plan, Limit):
            stream = self.visit(plan.input, required)
            order = OrderBy((), plan.limit, plan.offset)
            return self.close(stream, CollectSink(_kept(plan, required), order), "limit")
        return self._sort(plan, required)

    # ------------------------------------------------------------------------------------- leaves and filters

    def table(self, columns: Mapping[int, Column], rows: int) -> int:
        """The number of a new table."""
        number = len(self.tables)
        self.tables[number] = columns
        self.rows[number] = rows
        return number

    def field(self, like: Field) -> Field:
        """A field of the same type with an id of its own."""
        self.next_field += 1
        return Field(self.next_field, like.name, like.type, like.nullable)

    def _scan(self, plan: Scan) -> Stream:
        columns, rows, place = self.load(plan)
        number = self.table(columns, rows)
        named = tuple(zip(plan.fields, plan.columns, strict=True))
        self.scans.append((number, ScanTable(plan.relation, named, rows, place)))
        return Stream(number, [])

    def _values(self, plan: Values) -> Stream:
        if len(plan.rows) == 1:
            number = self.table({}, 1)
            self.values.append((number, Values((), ((),))))
            outputs = tuple(zip(plan.fields, plan.rows[0], strict=True))
            return Stream(number, [ComputeStep(outputs)] if outputs else [])
        columns = self.value_rows(plan)
        number = self.table(columns, len(plan.rows))
        self.values.append((number, plan))
        return Stream(number, [])

    def _filter(self, plan: Filter, required: frozenset[int]) -> Stream:
        terms = conjuncts(plan.predicate)
        needed = required.union(*(column_ids(t) for t in terms))
        stream = self.visit(plan.input, needed)
        part = passing(terms, self.tables[stream.table])
        if part is None:
            part = self.estimator.selectivity(plan.predicate, plan.input)
        if terms:
            stream.steps.append(FilterStep(terms, part < SELECTIVE))
        return stream

    # ------------------------------------------------------------------------------------------------ joins

    def _join(self, plan: Join, required: frozenset[int]) -> Stream:
        if self._dense_side(plan, plan.left, [k.left for k in plan.keys]) and not self._dense_side(
            plan, plan.right, [k.right for k in plan.keys]
        ):
            plan = exchanged(plan)
        residual = () if plan.residual is None else conjuncts(plan.residual)
        needed = required.union(*(column_ids(t) for t in residual))
        keys_left = frozenset().union(*(column_ids(k.left) for k in plan.keys))
        keys_right = frozenset().union(*(column_ids(k.right) for k in plan.keys))
        left_ids = frozenset(f.id for f in plan.left.schema())
        right_ids = frozenset(f.id for f in plan.right.schema())
        left = self.visit(plan.left, (needed & left_ids) | keys_left)
        right = self.visit(plan.right, (needed & right_ids) | keys_right)
        fields = tuple(f for f in plan.right.schema() if f.id in needed or f.id in keys_right)
        if self._looks_up(plan, right, left, fields):
            return left
        payload = tuple(f for f in plan.right.schema() if f.id in needed)
        build, keys, more = choose_build(plan, right.table, right.steps, self.tables, self.builds, payload)
        number = self.close(right, build, "build").table
        self.builds[number] = build
        terms = (*residual, *more)
        condition = None
        if terms:
            condition = conjunction(terms)
        kind = JoinKind.INNER if plan.kind is JoinKind.CROSS else plan.kind
        left.steps.append(ProbeStep(number, kind, keys, condition, build.payload))
        return left

    def _dense_side(self, plan: Join, side: Plan, keys: list[Expr]) -> bool:
        """Whether an inner join's side is a table that can be looked up by position: it is better on the right."""
        if plan.kind is not JoinKind.INNER or any(k.null_safe for k in plan.keys):
            return False
        other = plan.left if side is plan.right else plan.right
        while isinstance(side, (Filter, Project)):
            side = side.input
        if not isinstance(side, Scan):
            return False
        columns, rows, _ = self.load(side)
        found = any(isinstance(k, ColumnRef) and dense_key(columns.get(k.id)) for k in keys)
        return found and self.estimator.rows(other) <= PROBES_PER_ROW * rows

    def _looks_up(self, plan: Join, right: Stream, left: Stream, fields: tuple[Field, ...]) -> bool:
        """Join by row number where the right side's key is dense: its steps follow the look-up, nothing is built."""
        if plan.kind not in (JoinKind.INNER, JoinKind.LEFT) or any(k.null_safe for k in plan.keys):
            return False
        outer = plan.kind is JoinKind.LEFT
        if outer and (right.steps or len(plan.keys) != 1 or plan.residual is not None):
            return False
        if any(isinstance(s, FilterStep) for s in right.steps):
            probes = self.estimator.rows(plan.left)
            if probes > PROBES_PER_ROW * self.rows[right.table]:
                return False
        for key in plan.keys:
            if isinstance(key.right, ColumnRef) and dense_key(self.tables[right.table].get(key.right.id)):
                break
        else:
            return False
        stored = self.tables[right.table]
        reached = tuple(Field(i, "", c.type, c.validity is not None) for i, c in stored.items())
        named = {f.id: f for f in fields}
        reached = tuple(named.get(f.id, f) for f in reached)
        key_field = column_field(key.right, stored)
        left.steps.append(LookupStep(right.table, key.left, key_field, reached, outer))
        left.steps += right.steps
        terms: list[Expr] = [equal(k.left, k.right) for k in plan.keys if k is not key]
        if plan.residual is not None:
            terms += conjuncts(plan.residual)
        if terms:
            left.steps.append(FilterStep(tuple(terms)))
        return True

    # --------------------------------------------------------------------------------- aggregates and order

    def _aggregate(self, plan: Aggregate, required: frozenset[int]) -> Stream:
        needed: frozenset[int] = frozenset().union(*(column_ids(x) for _, x in plan.keys))
        calls = tuple((f, c) for f, c in plan.aggregates if f.id in required)
        for _, call in calls:
            for x in (*call.arguments, *([call.filter] if call.filter is not None else [])):
                needed |= column_ids(x)
        stream = self.visit(plan.input, needed)
        sink, finishes, renames = aggregate_sink(self, plan, calls, stream)
        result = self.close(stream, sink, "aggregate")
        if finishes:
            result.steps.append(FinishStep(finishes))
        if renames:
            result.steps.append(ComputeStep(renames))
        return result

    def _sort(self, plan: Sort | TopK, required: frozenset[int]) -> Stream:
        needed = required.union(*(column_ids(k.expr) for k in plan.keys))
        stream = self.visit(plan.input, needed)
        keys: list[SortKey] = []
        computed: list[tuple[Field, Expr]] = []
        known = {f.id: f for f in plan.input.schema()}
        fields = {f.id: f for f in _kept(plan, required)}
        for key in plan.keys:
            if isinstance(key.expr, ColumnRef):
                f = known[key.expr.id]
            elif isinstance(key.expr, Literal):
                continue
            else:
                f = self.field(Field(0, "", key.expr.type, key.expr.nullable))
                computed.append((f, key.expr))
            fields[f.id] = f
            keys.append(SortKey(column(f), key.descending, key.nulls_first))
        if computed:
            stream.steps.append(ComputeStep(tuple(computed)))
        limit, offset = (plan.limit, plan.offset) if isinstance(plan, TopK) else (None, 0)
        order = OrderBy(tuple(keys), limit, offset)
        return self.close(stream, CollectSink(tuple(fields.values()), order), "top-k" if limit is not None else "sort")

    # ------------------------------------------------------------------------------------------------ closing

    def close(self, stream: Stream, sink: Sink, what: str) -> Stream:
        """End a stream in a sink, generate the pipeline's function, and start a stream from its result."""
        number = len(self.tables)
        name = f"{len(self.generated) + 1}_{what.replace('-', '_')}"
        pipeline = Pipeline(name, TableSource(stream.table), tuple(stream.steps), sink, number)
        made = generate(pipeline, self.tables, self.rows, self.builds)
        self.generated.append(made)
        bound = self.rows[stream.table]
        for step in stream.steps:
            if isinstance(step, ProbeStep) and not self.builds[step.build].unique:
                bound *= max(1, self.rows[step.build]) + 1
        if isinstance(sink, CollectSink) and sink.order.limit is not None:
            bound = min(bound, sink.order.limit)
        if not isinstance(sink, (CollectSink, BuildSink)) and sink.form == "registers":
            bound = 1
        self.table({c.field.id: c.prototype for c in made.layout.columns}, bound)
        return Stream(number, [])


def _same(f: Field, x: Expr) -> bool:
    return isinstance(x, ColumnRef) and x.id == f.id


def _kept(plan: Plan, required: frozenset[int]) -> tuple[Field, ...]:
    return tuple(dict.fromkeys(f for f in plan.schema() if f.id in required))


def column_field(x: Expr, stored: Mapping[int, Column]) -> Field:
    """The field of a plain column reference."""
    assert isinstance(x, ColumnRef)
    return Field(x.id, x.name, stored[x.id].type, x.nullable)


def _all_fields(plan: Plan) -> list[Field]:
    found = list(plan.schema())
    if isinstance(plan, Project):
        found += [Field(x.id, "", x.type, True) for _, e in plan.outputs for x in walk(e) if isinstance(x, ColumnRef)]
    for child in inputs(plan):
        found += _all_fields(child)
    return found
