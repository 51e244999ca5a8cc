"""Which form a join's build side takes: by position, by rank bitmap, by hash, or a cross product."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.column import Column
from headrace.emitter import resolve_indirection
from headrace.errors import NotSupportedError
from headrace.pipeline import BuildSink, ComputeStep, LookupStep, ProbeStep, Step
from headrace.sql.expr import ColumnRef, Expr, Field, equal
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


def choose_build(
    plan: Join,
    source: int,
    steps: list[Step],
    tables: Mapping[int, Mapping[int, Column]],
    builds: Mapping[int, BuildSink],
    payload: tuple[Field, ...],
) -> tuple[BuildSink, tuple[Expr, ...], tuple[Expr, ...]]:
    """The build sink, the probe's keys, and equalities that are left to the residual.

    `source` and `steps` are the build side's stream: keys that are stored columns have statistics.
    """
    if plan.kind not in (JoinKind.INNER, JoinKind.LEFT, JoinKind.CROSS):
        raise NotSupportedError(f"{plan.kind.value} joins are not supported yet")
    if not plan.keys:
        return BuildSink("cross", (), (), payload, False), (), ()
    single = not _multiplies(steps, builds)
    found = [_stored_column(k.right, source, steps, tables) for k in plan.keys]
    columns = [c for c, _ in found]
    unique = [
        single and own and c is not None and not k.null_safe and _differ(c)
        for k, (c, own) in zip(plan.keys, found, strict=True)
    ]
    ranked = [_rank_range(k, c) for k, c in zip(plan.keys, columns, strict=True)]
    best = next((i for i, r in enumerate(ranked) if r is not None and (unique[i] or len(plan.keys) == 1)), None)
    if best is not None:
        limits = ranked[best]
        assert limits is not None
        key = plan.keys[best]
        others = tuple(equal(k.left, k.right) for i, k in enumerate(plan.keys) if i != best)
        if all(not k.null_safe for k in plan.keys):
            needed = payload + _missing(plan, best, payload)
            build = BuildSink(
                "rank", (key.right,), (False,), needed, unique[best], limits[0], limits[1] - limits[0] + 1
            )
            return build, (key.left,), others
    keys = tuple(k.right for k in plan.keys)
    null_safe = tuple(k.null_safe for k in plan.keys)
    return BuildSink("hash", keys, null_safe, payload, any(unique)), tuple(k.left for k in plan.keys), ()


def _missing(plan: Join, best: int, payload: tuple[Field, ...]) -> tuple[Field, ...]:
    """Columns of the other keys, which become part of the residual and so have to be kept."""
    from headrace.sql.expr import column_ids

    held = {f.id for f in payload}
    wanted = {i for n, k in enumerate(plan.keys) if n != best for i in column_ids(k.right)} - held
    return tuple(f for f in plan.right.schema() if f.id in wanted)


def _differ(stored: Column) -> bool:
    """Whether no value of a column repeats. Of a column still to be made, only what its maker knows is known."""
    return stored.statistics.unique is True or (stored.rows > 0 and prove_unique(stored))


def _multiplies(steps: list[Step], builds: Mapping[int, BuildSink]) -> bool:
    """Whether a row of the source may come out of the steps more than once."""
    return any(isinstance(s, ProbeStep) and not builds[s.build].unique for s in steps)


def _stored_column(
    key: Expr, source: int, steps: list[Step], tables: Mapping[int, Mapping[int, Column]]
) -> tuple[Column | None, bool]:
    """The stored column behind a key, through renamings, and whether it is one of the stream's source table.

    None for anything computed, and for columns that an outer join may replace by NULL.
    """
    renamed = {f.id: x for s in steps if isinstance(s, ComputeStep) for f, x in s.outputs}
    while isinstance(key, ColumnRef) and key.id in renamed:
        key = renamed[key.id]
    if not isinstance(key, ColumnRef):
        return None, False
    for step in steps:
        if isinstance(step, LookupStep) and any(f.id == key.id for f in step.fields):
            return (None if step.outer else tables[step.table].get(key.id)), False
        if isinstance(step, ProbeStep) and any(f.id == key.id for f in step.fields):
            return (tables[step.build].get(key.id) if step.kind is JoinKind.INNER else None), False
    return tables[source].get(key.id), True


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
