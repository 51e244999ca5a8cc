"""Which form a join's build side takes: by position, by rank bitmap, by hash, or a cross product.

A mark join is three-valued. Keys of which no comparison can be NULL index its build side; the others are compared
entry by entry. `x IN (all rows)` needs no such loop: its answer follows from whether x is there, whether the build
side has a NULL, and whether it has any row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from headrace.column import Column
from headrace.emitter import resolve_indirection
from headrace.pipeline import BuildSink, ComputeStep, LookupStep, ProbeStep, Stream, fans_out
from headrace.sql.expr import ColumnRef, Expr, Field, column_ids, conjunction, conjuncts, equal
from headrace.sql.plan import Join, JoinKey, JoinKind
from headrace.statistics import prove_unique

RANK_BITS = 2**26
"""The largest key range whose bitmap is always worth it: 8 MiB."""
RANK_FACTOR = 64
"""A wider range is still worth a bitmap with so many bits for each row of the build side's table."""


def dense_key(stored: Column | None) -> bool:
    """Whether a column counts up by one from row to row, so that a key is a row number; proved by values seen."""
    if stored is None or stored.validity is not None or stored.rows == 0:
        return False
    seen = stored.statistics
    low, high = seen.minimum, seen.maximum
    if not (seen.sorted and seen.unique and isinstance(low, int) and isinstance(high, int)):
        return False
    return high - low + 1 == stored.rows


@dataclass(frozen=True, slots=True)
class JoinForm:
    """A build sink and how it is asked: the probe's keys, and what a ProbeStep says of the same names."""

    build: BuildSink
    keys: tuple[Expr, ...]
    residual: Expr | None
    search: Expr | None = None
    nulls: bool = False


@dataclass(frozen=True, slots=True)
class FormChooser:
    """Chooses one join's form. Keys that are columns of a stored table have statistics; `payload` are the right
    side's columns that later steps or the residual read."""

    plan: Join
    left: Stream
    right: Stream
    tables: Mapping[int, Mapping[int, Column]]
    builds: Mapping[int, BuildSink]
    payload: tuple[Field, ...]

    def choose(self) -> JoinForm:
        plan = self.plan
        residual = () if plan.residual is None else conjuncts(plan.residual)
        if plan.kind is JoinKind.MARK:
            return self._mark(residual)
        return self._indexed([self._settled(k) for k in plan.keys], residual)

    def _settled(self, key: JoinKey) -> JoinKey:
        """The key without `null_safe` where one of its sides is never NULL."""
        if not key.null_safe:
            return key
        both = self._may_be_null(key.left, self.left) and self._may_be_null(key.right, self.right)
        return key if both else replace(key, null_safe=False)

    def _may_be_null(self, key: Expr, stream: Stream) -> bool:
        if not key.nullable:
            return False
        stored, _ = stored_column(key, stream, self.tables)
        if stored is None:
            return True
        inner, chain = resolve_indirection(stored)
        return any(c.validity is not None for c in (inner, *chain))

    def _mark(self, residual: tuple[Expr, ...]) -> JoinForm:
        """Null-safe keys and those that are never NULL are true or false; the others (`vague`) can be neither."""
        settled: list[JoinKey] = []
        vague: list[JoinKey] = []
        for key in self.plan.keys:
            decided = key.null_safe or not (
                self._may_be_null(key.left, self.left) or self._may_be_null(key.right, self.right)
            )
            (settled if decided else vague).append(self._settled(key))
        compared = tuple(equal(k.left, k.right) for k in vague)
        if settled or not vague:
            return self._indexed(settled, (*residual, *compared))
        noted = any(self._may_be_null(k.right, self.right) for k in vague)
        if len(vague) == 1 and not residual:
            form = self._indexed(vague, ())
            return replace(form, build=replace(form.build, notes_nulls=noted), nulls=True)
        build = BuildSink(
            "hash",
            tuple(k.right for k in vague),
            (False,) * len(vague),
            self._with_columns((*residual, *compared)),
            unique=False,
            keeps_nulls=True,
            notes_nulls=noted,
        )
        keys = tuple(k.left for k in vague)
        rest = conjunction(residual) if residual else None
        return JoinForm(build, keys, rest, conjunction((*residual, *compared)), nulls=True)

    def _indexed(self, keys: Sequence[JoinKey], residual: tuple[Expr, ...]) -> JoinForm:
        """The build side indexed by the keys, the residual asked of each match."""
        kind = self.plan.kind
        full = kind is JoinKind.FULL
        asks = kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK)
        if not keys:
            presence = asks and not residual
            build = BuildSink("cross", (), (), self._with_columns(residual), False, presence=presence, matched=full)
            return JoinForm(build, (), _both(residual))
        single = not any(fans_out(s, self.builds) for s in self.right.steps)
        found = [stored_column(k.right, self.right, self.tables) for k in keys]
        unique = [
            single and own and c is not None and not k.null_safe and _differ(c)
            for k, (c, own) in zip(keys, found, strict=True)
        ]
        ranked = [_rank_range(k, c) for k, (c, _) in zip(keys, found, strict=True)]
        # A mark tells NULL from false, which an equality in the residual would not settle.
        best = next(
            (
                i
                for i, r in enumerate(ranked)
                if r is not None and (len(keys) == 1 or (unique[i] and kind is not JoinKind.MARK))
            ),
            None,
        )
        nulls = full and any(self._may_be_null(k.right, self.right) for k in keys)
        if best is not None and not nulls and not any(k.null_safe for k in keys):
            limits = ranked[best]
            assert limits is not None
            key = keys[best]
            residual += tuple(equal(k.left, k.right) for i, k in enumerate(keys) if i != best)
            build = BuildSink(
                "rank",
                (key.right,),
                (False,),
                self._with_columns(residual),
                unique[best],
                limits[0],
                limits[1] - limits[0] + 1,
                presence=asks and not residual,
                matched=full,
            )
            return JoinForm(build, (key.left,), _both(residual))
        build = BuildSink(
            "hash",
            tuple(k.right for k in keys),
            tuple(k.null_safe for k in keys),
            self._with_columns(residual),
            any(unique) and not nulls,
            presence=asks and not residual,
            keeps_nulls=nulls,
            matched=full,
        )
        return JoinForm(build, tuple(k.left for k in keys), _both(residual))

    def _with_columns(self, terms: tuple[Expr, ...]) -> tuple[Field, ...]:
        """The payload and the right side's other columns that the terms read."""
        held = {f.id for f in self.payload}
        wanted = frozenset().union(*(column_ids(t) for t in terms)) - held
        return self.payload + tuple(f for f in self.plan.right.schema() if f.id in wanted)


def _both(terms: tuple[Expr, ...]) -> Expr | None:
    return conjunction(terms) if terms else None


def _differ(stored: Column) -> bool:
    """Whether no value of a column repeats. Of a column still to be made, only what its maker knows is known."""
    return stored.statistics.unique is True or (stored.rows > 0 and prove_unique(stored))


def stored_column(key: Expr, stream: Stream, tables: Mapping[int, Mapping[int, Column]]) -> tuple[Column | None, bool]:
    """The stored column behind an expression, through renamings, and whether it is one of the stream's source table.

    None for anything computed, and for columns that an outer join may replace by NULL.
    """
    renamed = {f.id: x for s in stream.steps if isinstance(s, ComputeStep) for f, x in s.outputs}
    while isinstance(key, ColumnRef) and key.id in renamed:
        key = renamed[key.id]
    if not isinstance(key, ColumnRef):
        return None, False
    for step in stream.steps:
        if isinstance(step, LookupStep) and any(f.id == key.id for f in step.fields):
            return (tables[step.table].get(key.id) if step.kind is JoinKind.INNER else None), False
        if isinstance(step, ProbeStep) and any(f.id == key.id for f in step.fields):
            return (tables[step.build].get(key.id) if step.kind is JoinKind.INNER else None), False
    return tables[stream.table].get(key.id), True


def _rank_range(key: JoinKey, stored: Column | None) -> tuple[int, int] | None:
    """The range of a whole-number key whose bitmap is worth it."""
    if stored is None or key.right.type.is_text or key.right.type.is_float:
        return None
    low, high = stored.statistics.minimum, stored.statistics.maximum
    if not isinstance(low, int) or not isinstance(high, int):
        return None
    inner, _ = resolve_indirection(stored)
    if len(inner.encoding.arrays()) > 1:
        return None
    if high - low + 1 > max(RANK_BITS, RANK_FACTOR * stored.rows):
        return None
    return low, high
