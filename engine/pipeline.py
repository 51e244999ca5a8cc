"""The physical plan: pipelines of a source, steps and a sink, all frozen; each becomes one generated function.

Rows live in numbered tables: first the scanned relations, then the results of earlier pipelines. A table's columns
are named by field id. Nothing here holds run-time state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headrace.column import Column
from headrace.kernels.aggregate import AggregateOverload, Operation
from headrace.sql.expr import Expr, Field
from headrace.sql.plan import JoinKind, SortKey
from headrace.sql.source import Relation
from headrace.types import SqlType


@dataclass(frozen=True, slots=True)
class KernelSource:
    """One generated function, the same text for every device.

    `text` defines `pipeline(start, stop, step, <parameters>)`, which returns nothing. `parameters` are (name,
    word) with a word such as `i64`, `u16[]`, or `i64[]!` where the function writes the array. `names` are the
    kernel bodies and primitives that the text uses; `text` and `parameters` together are the kernel's form.
    """

    name: str
    text: str
    parameters: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


# ---------------------------------------------------------------------------------------------- parameters


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """An array or scalar of a stored column: `part` is "array", "parameter" or "validity", `k` its number.

    `inner` counts how many indirections to look through (late materialisation).
    """

    table: int
    field: int
    part: str
    k: int = 0
    inner: int = 0


@dataclass(frozen=True, slots=True)
class DictionaryPart:
    """The offsets (k = 0) or bytes (k = 1) of a dictionary column's values."""

    table: int
    field: int
    k: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal's machine word, or the bytes of a text literal.

    `occurrence` keeps equal literals at different places apart, so that changing one of them keeps the form.
    """

    value: object
    occurrence: int = -1


@dataclass(frozen=True, slots=True)
class ConstantSet:
    """The sorted constants of an IN list: `part` is words (the k-th word of each), offsets or bytes."""

    values: tuple[object, ...]
    type: SqlType
    part: str
    k: int = 0
    occurrence: int = -1


@dataclass(frozen=True, slots=True)
class EncodedBound:
    """The least (`lower`) or greatest code of a frame-of-reference column for a value range, found at launch.

    The range is minimum <= value <= maximum, None where open; an empty range gives lower > upper.
    """

    table: int
    field: int
    minimum: int | None
    maximum: int | None
    lower: bool


@dataclass(frozen=True, slots=True)
class DictionaryCode:
    """The k-th dictionary code for which `predicate` holds, or a code that no row has."""

    table: int
    field: int
    predicate: Expr
    k: int


@dataclass(frozen=True, slots=True)
class DictionaryLookup:
    """`expr` evaluated once per distinct value of one dictionary column.

    `part` is "word" (the value's k-th word per code), "valid", or for text results "offsets" / "bytes".
    """

    table: int
    field: int
    expr: Expr
    part: str
    k: int = 0


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A part of a finished build side: bits, prefix, base, domain, slots, mask, offsets, key (k-th word), rows,
    matched (a byte per entry), nulls (whether a row with a NULL key was seen), vacant (whether none was seen)."""

    build: int
    part: str
    k: int = 0


@dataclass(frozen=True, slots=True)
class StatePart:
    """A part of the running sink's state, or of the run itself (arena, status)."""

    part: str
    k: int = 0


Binding = (
    ColumnPart
    | DictionaryPart
    | Constant
    | ConstantSet
    | EncodedBound
    | DictionaryCode
    | DictionaryLookup
    | IndexPart
    | StatePart
)


# ------------------------------------------------------------------------------------------ source and steps


@dataclass(frozen=True, slots=True)
class TableSource:
    """Every row of a table, in order."""

    table: int


@dataclass(frozen=True, slots=True)
class FilterStep:
    """Keep the rows for which every term is true. `selective`: few are expected to pass."""

    terms: tuple[Expr, ...]
    selective: bool = False


@dataclass(frozen=True, slots=True)
class ComputeStep:
    """Columns computed from earlier ones; evaluated where they are first used."""

    outputs: tuple[tuple[Field, Expr], ...]


@dataclass(frozen=True, slots=True)
class LookupStep:
    """A join whose build side is a whole table with a dense sorted key: row = key - minimum, nothing is built.

    `kind` is inner, left, anti or mark; a mark is NULL for a NULL key if `nulls` says so.
    """

    table: int
    key: Expr
    key_field: Field
    fields: tuple[Field, ...]
    kind: JoinKind = JoinKind.INNER
    mark: Field | None = None
    nulls: bool = False


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """Look the keys up in a finished build side.

    Inner, left and full joins go on once for each match that meets `residual`; left, single and full ones with
    NULLs where there is none, and full ones note the matches for an UnmatchedStep. The other kinds go on at most
    once a row. A mark is three-valued: NULL where the residual is for a match and true for none. `search` is then
    the whole condition, to be asked of every entry where NULL keys may hide an answer; `nulls` says that without
    a residual a NULL key, or a build side with one, leaves the answer open.
    """

    build: int
    kind: JoinKind
    keys: tuple[Expr, ...]
    residual: Expr | None
    fields: tuple[Field, ...]
    mark: Field | None = None
    search: Expr | None = None
    nulls: bool = False


@dataclass(frozen=True, slots=True)
class UnmatchedStep:
    """Keep the entries of the build side that is the source of which no row of a full join met one."""

    build: int


@dataclass(frozen=True, slots=True)
class RepeatStep:
    """Go on `times` times for each row; not at all for NULL."""

    times: Expr


@dataclass(frozen=True, slots=True)
class Finish:
    """How an aggregate's result is made of its state: `parts` are the state's columns, part by part."""

    field: Field
    overload: AggregateOverload
    parts: tuple[tuple[Field, ...], ...]
    position: int


@dataclass(frozen=True, slots=True)
class FinishStep:
    """Results of aggregates from the states in the source; evaluated where they are first used."""

    outputs: tuple[Finish, ...]


Step = FilterStep | ComputeStep | LookupStep | ProbeStep | UnmatchedStep | RepeatStep | FinishStep


@dataclass(slots=True)
class Stream:
    """A pipeline without a sink yet: the rows of a table, through steps."""

    table: int
    steps: list[Step]


# ------------------------------------------------------------------------------------------------- sinks


@dataclass(frozen=True, slots=True)
class OrderBy:
    """What becomes of collected rows: sorted by keys if there are any, then offset and limit."""

    keys: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class CollectSink:
    """Store the fields of every row, in source order, then apply `order`; the key columns are fields too.

    `plain` columns are kept in the one form that their type has, so that tables can be put one after the other;
    text as codes where the field is in `coded`.
    """

    fields: tuple[Field, ...]
    order: OrderBy = OrderBy()
    plain: bool = False
    coded: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class BuildSink:
    """Store keys and payload of a join's build side and index them: `form` is rank, hash or cross.

    rank: a bitmap over the key's range with prefix counts; hash: open addressing; cross: no key. `unique` says
    that no key repeats (proved): then an entry is a match, otherwise a counted run of entries.

    `presence`: only whether a key is there is asked, so nothing but keys is kept. `keeps_nulls`: rows with a NULL
    key are entries that no key finds; otherwise they are left out. `notes_nulls`: whether there were any is noted.
    `matched`: a byte an entry, for a full join.
    """

    form: str
    keys: tuple[Expr, ...]
    null_safe: tuple[bool, ...]
    payload: tuple[Field, ...]
    unique: bool
    minimum: int = 0
    domain: int = 0
    presence: bool = False
    keeps_nulls: bool = False
    notes_nulls: bool = False
    matched: bool = False


@dataclass(frozen=True, slots=True)
class Accumulator:
    """One part of an aggregate's state: the operation, what it takes from each row that passes `filter`, and the
    columns of the result table that it fills (one; three for moments; value and valid for a kept row)."""

    operation: Operation
    argument: Expr | None
    filter: Expr | None
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class AggregateSink:
    """Group by the keys: `form` is registers (no keys), dense (product of small key ranges) or hash.

    `carried` are columns determined by the keys, stored once a group. `domains` are (minimum, size) of each
    dense key, the last code standing for NULL where the key is nullable; a group has `copies` accumulators, used
    in turn, so that consecutive rows of one group do not wait for each other. `present` counts a group's rows;
    the dense form needs it to know which groups there are. `expected` groups are made room for at the start.
    """

    form: str
    keys: tuple[tuple[Field, Expr], ...]
    carried: tuple[Field, ...]
    accumulators: tuple[Accumulator, ...]
    present: Field | None = None
    domains: tuple[tuple[int, int], ...] = ()
    copies: int = 1
    expected: int = 1


Sink = CollectSink | BuildSink | AggregateSink


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Source, steps, sink. `result` is the number of the table (or build side) that the sink fills."""

    name: str
    source: TableSource
    steps: tuple[Step, ...]
    sink: Sink
    result: int


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """How a sink keeps one field: `mode` is copy (the encoded word), row (a row id of another table), code (a code
    of the dictionary that `lookup` makes) or words.

    `slots` are the numbers of the sink's output arrays; `words` their machine types; `valid` the slot of the
    valid byte or -1; `prototype` is the column's form with no rows.
    """

    field: Field
    mode: str
    slots: tuple[int, ...]
    valid: int
    prototype: Column
    origin: tuple[int, int] = (-1, -1)  # (table, field) of the column that is copied or pointed to
    lookup: DictionaryLookup | None = None


@dataclass(frozen=True, slots=True)
class KeySlots:
    """A stored key: the slots of its words; `text` keys begin with (address, length) and compare by bytes."""

    slots: tuple[int, ...]
    text: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """One array of an aggregate's state: its slot, its initial value, and how two partial states merge.

    `merge` is add, multiply, minimum, maximum, and_, or_, xor, add_wide (this slot and the next), or keep for
    states that only one lane may hold.
    """

    slot: int
    initial: int | float
    merge: str


@dataclass(frozen=True, slots=True)
class SinkLayout:
    """The arrays that a sink fills, one machine type a slot, and the columns made of them."""

    words: tuple[str, ...]
    columns: tuple[StoredColumn, ...]
    keys: tuple[KeySlots, ...] = ()
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Generated:
    """A pipeline with its function: `bindings` say where each parameter's value comes from at launch."""

    pipeline: Pipeline
    source: KernelSource
    bindings: tuple[Binding, ...]
    layout: SinkLayout
    arena: bool
    can_fail: bool
    sites: tuple[tuple[str, int], ...]  # failure site -> (message, SQL position)
    fan_out: bool  # rows at the sink may outnumber the source's


@dataclass(frozen=True, slots=True)
class Concatenation:
    """A table made of the rows of several others, all collected plain: column k of `columns` is made of the k-th
    field of each of `parts` (table, its fields' ids)."""

    name: str
    parts: tuple[tuple[int, tuple[int, ...]], ...]
    columns: tuple[tuple[Field, Column], ...]  # field and prototype
    result: int


def fans_out(step: Step, builds: Mapping[int, BuildSink]) -> bool:
    """Whether a step may go on more than once for a row."""
    if isinstance(step, RepeatStep):
        return True
    if not isinstance(step, ProbeStep) or step.kind not in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL):
        return False
    build = builds[step.build]
    return not build.unique or build.form == "cross"


MOST_ROWS = 2**62
"""More rows than any table can have."""


def most_rows(bound: int, steps: Sequence[Step], builds: Mapping[int, BuildSink], rows: Mapping[int, int]) -> int:
    """An upper bound of the rows that come out of the steps, of one of those that go in."""
    for step in steps:
        if isinstance(step, RepeatStep):
            return MOST_ROWS
        if isinstance(step, ProbeStep) and fans_out(step, builds):
            bound *= max(1, rows[step.build]) + 1
    return min(bound, MOST_ROWS)


@dataclass(frozen=True, slots=True)
class ScanTable:
    """One scanned relation of a query and the columns it reads: (field, source column name).

    `place` counts the scans of the plan from its left.
    """

    relation: Relation
    columns: tuple[tuple[Field, str], ...]
    rows: int
    place: int
