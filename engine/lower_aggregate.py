"""Which form a GROUP BY takes, which of its keys are enough to tell groups apart, and which states it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headrace.column import Column
from headrace.emitter import resolve_indirection
from headrace.encodings.dictionary import Dictionary
from headrace.errors import NotSupportedError
from headrace.kernels.aggregate import AggregateOverload, Operation, Part, resolve_aggregate
from headrace.pipeline import Accumulator, AggregateSink, ComputeStep, Finish, LookupStep, ProbeStep, Stream
from headrace.sql.expr import AggregateCall, ColumnRef, Expr, Field, column_ids
from headrace.sql.plan import Aggregate, Join, JoinKind, Plan, Project, Scan, inputs
from headrace.types import BIGINT, BOOLEAN, DOUBLE, HUGEINT, Kind, SqlType, is_wide

if TYPE_CHECKING:
    from headrace.lower import Lowering

SMALL_GROUPS = 4096
DENSE_GROUPS = 2**21
DENSE_RATIO = 4
"""Empty places that a dense table of groups may have for each row that arrives."""
COPIED_GROUPS = 64
COPIES = 4

Calls = tuple[tuple[Field, AggregateCall], ...]


def aggregate_sink(
    lowering: Lowering, plan: Aggregate, calls: Calls, stream: Stream
) -> tuple[AggregateSink, tuple[Finish, ...], tuple[tuple[Field, Expr], ...]]:
    """The sink, the aggregates' results over its table, and the keys that are renamed carried columns."""
    keys, dependent = _enough(lowering, plan, stream)
    carried = tuple(_field_of(plan.input, x) for _, x in dependent)
    renames = tuple((f, x) for f, x in dependent if not (isinstance(x, ColumnRef) and x.id == f.id))
    domains = [_domain(x, stream, lowering) for _, x in keys]
    form = "hash"
    sizes: tuple[tuple[int, int], ...] = ()
    if not keys:
        form = "registers"
    elif all(d is not None for d in domains):
        product = 1
        for d in domains:
            assert d is not None
            product *= d[1]
        arriving = lowering.estimator.rows(plan.input)
        if product <= SMALL_GROUPS or (product <= DENSE_GROUPS and DENSE_RATIO * arriving >= product):
            form, sizes = "dense", tuple(d for d in domains if d is not None)
    states = _States(lowering)
    finishes = tuple(states.finish(f, call) for f, call in calls)
    if form == "dense":
        states.rows_field()
    count = 1
    for _, size in sizes:
        count *= size
    kept = any(_keeps_row(a) for a in states.accumulators)
    copies = COPIES if form == "dense" and count <= COPIED_GROUPS and not kept else 1
    expected = int(lowering.estimator.groups(tuple(x for _, x in keys), plan.input))
    accumulators = tuple(states.accumulators)
    sink = AggregateSink(form, keys, carried, accumulators, states.present, sizes, copies, expected)
    return sink, finishes, renames


def _keeps_row(part: Accumulator) -> bool:
    """Whether a part of the state may hold the value of one row, or several numbers, which only one lane can."""
    if part.operation in (Operation.MINIMUM, Operation.MAXIMUM):
        t = part.fields[0].type
        return t.is_text or t.kind is Kind.INTERVAL or is_wide(t)
    return part.operation in _KEEPING


_KEEPING = frozenset(
    (
        Operation.FIRST,
        Operation.LAST,
        Operation.FIRST_ROW,
        Operation.LAST_ROW,
        Operation.MOMENTS,
        Operation.SUM_WIDE,
    )
)


class _States:
    """The state columns of all aggregates of one sink, each kept once however many aggregates read it."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.accumulators: list[Accumulator] = []
        self.present: Field | None = None
        self.known: dict[tuple[Operation, Expr | None, Expr | None], tuple[Field, ...]] = {}

    def rows_field(self) -> Field:
        if self.present is None:
            self.present = self.lowering.field(Field(0, "rows", BIGINT, False))
        return self.present

    def finish(self, f: Field, call: AggregateCall) -> Finish:
        types = tuple(a.type for a in call.arguments)
        overload = resolve_aggregate(call.function, types)
        if overload is None or call.distinct:
            what = f"{call.function}(DISTINCT ...)" if call.distinct else call.function
            raise NotSupportedError(f"{what} is not supported here yet", position=call.position)
        argument = call.arguments[0] if call.arguments else None
        parts = tuple(self._part(p, overload, argument, call.filter) for p in overload.state)
        return Finish(f, overload, parts, call.position)

    def _part(
        self, part: Part, overload: AggregateOverload, argument: Expr | None, condition: Expr | None
    ) -> tuple[Field, ...]:
        operation = part.operation
        if operation is Operation.COUNT and argument is not None and not argument.nullable:
            operation = Operation.COUNT_ROWS
        if operation is Operation.COUNT_ROWS:
            argument = None
            if condition is None:
                return (self.rows_field(),)
        key = (operation, argument, condition)
        if key not in self.known:
            fields = tuple(self.lowering.field(Field(0, "state", t, False)) for t in _state_types(part, overload))
            self.known[key] = fields
            self.accumulators.append(Accumulator(operation, argument, condition, fields))
        return self.known[key]


def _state_types(part: Part, overload: AggregateOverload) -> tuple[SqlType, ...]:
    operation = part.operation
    if operation in (Operation.COUNT, Operation.COUNT_ROWS):
        return (BIGINT,)
    if operation in (Operation.SUM, Operation.SUM_WIDE):
        total = overload.result if overload.result.is_exact else HUGEINT
        return (total,) if operation is Operation.SUM else (total, BIGINT)
    if operation in (Operation.SUM_FLOAT, Operation.PRODUCT):
        return (DOUBLE,)
    if operation is Operation.MOMENTS:
        return (BIGINT, DOUBLE, DOUBLE)
    if operation in (Operation.FIRST_ROW, Operation.LAST_ROW):
        return (part.type, BOOLEAN)
    return (part.type,)


# ------------------------------------------------------------------------------------------- small key ranges


def _domain(key: Expr, stream: Stream, lowering: Lowering) -> tuple[int, int] | None:
    """(minimum, number of codes) of a key whose values are known to lie close together; NULL is one more code."""
    for step in reversed(stream.steps):
        if isinstance(step, ComputeStep) and isinstance(key, ColumnRef):
            key = next((x for f, x in step.outputs if isinstance(key, ColumnRef) and f.id == key.id), key)
    if not isinstance(key, ColumnRef):
        return None
    found = _stored(key.id, stream, lowering)
    if found is None:
        return None
    if found.type.kind is Kind.BOOLEAN:
        return 0, 2 + 1
    inner, chain = resolve_indirection(found)
    extra = 1 if inner.validity is not None or any(c.validity is not None for c in chain) else 0
    if isinstance(inner.encoding, Dictionary):
        return (0, inner.encoding.values.count + extra) if inner.encoding.values.count else None
    low, high = inner.statistics.minimum, inner.statistics.maximum
    if not isinstance(low, int) or not isinstance(high, int) or inner.type.is_text or len(inner.encoding.arrays()) > 1:
        return None
    if extra:
        low, high = min(low, 0), max(high, 0)
    return low, high - low + 1 + extra


def _stored(field: int, stream: Stream, lowering: Lowering) -> Column | None:
    for step in stream.steps:
        table = step.table if isinstance(step, LookupStep) else step.build if isinstance(step, ProbeStep) else -1
        if isinstance(step, (LookupStep, ProbeStep)) and field in lowering.tables[table]:
            return lowering.tables[table][field] if step.kind is JoinKind.INNER else None
    return lowering.tables[stream.table].get(field)


# -------------------------------------------------------------------------------------- functional dependency


def _enough(
    lowering: Lowering, plan: Aggregate, stream: Stream
) -> tuple[tuple[tuple[Field, Expr], ...], tuple[tuple[Field, Expr], ...]]:
    """Split the keys: some that determine all others, and the others.

    A key that is unique in its table determines that table's columns; an equality of an inner join carries over
    to the other side. Both are proved: uniqueness by values seen, equalities by the plan.
    """
    if len(plan.keys) < 2 or not all(isinstance(x, ColumnRef) for _, x in plan.keys):
        return plan.keys, ()
    facts = _Dependencies(lowering.tables)
    facts.read(plan.input)
    kept = list(plan.keys)
    for key in sorted(plan.keys, key=_cost, reverse=True):
        others = [k for k in kept if k is not key]
        if not others:
            break
        start = frozenset(i for _, x in others for i in column_ids(x))
        (own,) = column_ids(key[1])
        if own in facts.closure(start):
            kept = others
    dependent = tuple(k for k in plan.keys if not any(k is x for x in kept))
    return tuple(kept), dependent


def _cost(key: tuple[Field, Expr]) -> int:
    """Keys that are dear to hash and compare are the first to be dropped."""
    t = key[1].type
    return 2 if t.is_text else 1 if not t.is_integer else 0


class _Dependencies:
    def __init__(self, tables: Mapping[int, Mapping[int, Column]]) -> None:
        self.tables = tables
        self.rules: list[tuple[frozenset[int], frozenset[int]]] = []

    def read(self, plan: Plan) -> None:
        """Collect what determines what from scans, inner equalities and projections below an aggregate."""
        if isinstance(plan, Scan):
            ids = frozenset(f.id for f in plan.fields)
            stored = next((t for t in self.tables.values() if ids and ids <= t.keys()), None)
            for i in ids:
                if stored is not None and stored[i].statistics.unique and stored[i].validity is None:
                    self.rules.append((frozenset((i,)), ids))
        elif isinstance(plan, Join):
            for key in plan.keys:
                if isinstance(key.left, ColumnRef) and isinstance(key.right, ColumnRef):
                    pair = frozenset((key.left.id,)), frozenset((key.right.id,))
                    if plan.kind is JoinKind.INNER and not key.null_safe:
                        self.rules += [pair, (pair[1], pair[0])]
        elif isinstance(plan, Project):
            for f, x in plan.outputs:
                self.rules.append((column_ids(x), frozenset((f.id,))))
                if isinstance(x, ColumnRef):
                    self.rules.append((frozenset((f.id,)), frozenset((x.id,))))
        if isinstance(plan, Aggregate):
            return
        if isinstance(plan, Join) and plan.kind not in (JoinKind.INNER, JoinKind.CROSS):
            self.read(plan.left)
            return
        for child in inputs(plan):
            self.read(child)

    def closure(self, known: frozenset[int]) -> frozenset[int]:
        grown = True
        while grown:
            grown = False
            for need, give in self.rules:
                if need <= known and not give <= known:
                    known, grown = known | give, True
        return known


def _field_of(plan: Plan, x: Expr) -> Field:
    assert isinstance(x, ColumnRef)
    return next((f for f in plan.schema() if f.id == x.id), Field(x.id, x.name, x.type, x.nullable))
