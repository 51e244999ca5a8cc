"""INSERT with many sets of parameters: the parameters become columns, which are cast and appended at once."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa

from headrace.errors import Error, ProgrammingError
from headrace.plan_cache import Parameters
from headrace.sql.bind_parameters import python_literal
from headrace.sql.parse import Parsed, parse
from headrace.sql.plan import Plan
from headrace.sql.statement import Insert

if TYPE_CHECKING:
    from headrace.statements import Run, Statements

# INSERT INTO name [(columns)] VALUES (?, ?, ...), and nothing else.
_PLAIN = re.compile(
    r"""(?P<head>INSERT\s+INTO\s+(?:"(?:[^"]|"")*"|[\w.])+\s*(?:\((?:"(?:[^"]|"")*"|[^()"])*\))?)
        \s*VALUES\s*\(\s*\?(?:\s*,\s*\?)*\s*\)""",
    re.IGNORECASE | re.VERBOSE,
)
_SOURCE = "parameters of executemany"

_ARROW: dict[type, pa.DataType] = {
    type(None): pa.null(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
    datetime.date: pa.date32(),
    datetime.time: pa.time64("us"),
    datetime.datetime: pa.timestamp("us"),
    datetime.timedelta: pa.month_day_nano_interval(),
}

Kind = tuple[type, int, int]  # a Python type, and the precision and scale of a Decimal
_NULL: Kind = (type(None), 0, 0)


def insert_rows(
    statements: Statements, parsed: Parsed, first: Insert, rows: Sequence[Parameters], run: Run
) -> pa.Table:
    """The rows to append, cast to the table's types. `first` is the statement with the first parameters.

    Each set of parameters gives what it would give in a statement of its own.
    """
    plain = _PLAIN.fullmatch(parsed.text)
    batches = _batches(rows, len(parsed.placeholders)) if plain is not None and len(rows) > 1 else None
    if plain is not None and batches is not None:
        plans = _cast_plans(statements, plain["head"], [table for table, _ in batches])
        if plans is not None:
            try:
                return _in_order([statements.execute(p, run)[0] for p in plans], batches)
            except Error as error:
                error.sql, error.position = parsed.source, None  # its place was in a text of ours
                raise
    tables = [statements.execute(statements.optimise(first.plan), run)[0]]
    for values in rows[1:]:
        statement = statements.bind(parsed, values)
        assert isinstance(statement, Insert)
        tables.append(statements.execute(statements.optimise(statement.plan), run)[0])
    return pa.concat_tables(tables)


def _cast_plans(statements: Statements, head: str, tables: Sequence[pa.Table]) -> list[Plan] | None:
    """Plans that cast tables of parameters to the columns of the INSERT; None where there is no such cast.

    Some casts exist for constants only, so that the statement may still do with one row at a time.
    """
    (parsed,) = parse(f'{head} SELECT * FROM "{_SOURCE}"')
    plans = []
    for table in tables:
        source = {_SOURCE: statements.catalog.open_object(_SOURCE, table)}
        try:
            statement = statements.bind(parsed, None, statements.recorder(source))
        except Error:
            return None
        assert isinstance(statement, Insert)
        plans.append(statements.optimise(statement.plan))
    return plans


def _in_order(tables: Sequence[pa.Table], batches: Sequence[tuple[pa.Table, list[int]]]) -> pa.Table:
    """The rows of all tables, each row in the place of the parameters that it came from."""
    whole = pa.concat_tables(tables)
    if len(batches) == 1:
        return whole
    places = [place for _, positions in batches for place in positions]
    return whole.take(pa.array(sorted(range(len(places)), key=places.__getitem__), pa.int64()))


def _batches(rows: Sequence[Parameters], width: int) -> list[tuple[pa.Table, list[int]]] | None:
    """Tables of the parameters, one type a column, each with the places of its rows.

    None where parameters are no plain values of the types that columns can have. Raises ProgrammingError
    for a set of the wrong length.
    """
    values: list[Sequence[object]] = []
    for i, row in enumerate(rows):
        if row is None or isinstance(row, (Mapping, str, bytes)):
            return None
        if len(row) != width:
            raise ProgrammingError(f"the statement takes {width} parameters, set {i + 1} has {len(row)}")
        values.append(row)
    kinds: list[list[Kind]] = []
    for k in range(width):
        column = [_kind(row[k]) for row in values]
        distinct = set(column) - {_NULL}
        if any(kind not in _ARROW and kind is not Decimal for kind, _, _ in distinct):
            return None
        # NULL fits in with any type; a column of several types splits the rows.
        kinds.append(column if len(distinct) > 1 else [next(iter(distinct), _NULL)] * len(values))
    groups: dict[tuple[Kind, ...], list[int]] = {}
    for i, signature in enumerate(zip(*kinds, strict=True)):
        groups.setdefault(signature, []).append(i)
    try:
        return [
            (
                pa.table(
                    [_array([values[i][k] for i in places], s) for k, s in enumerate(signature)],
                    names=[f"p{k}" for k in range(width)],
                ),
                places,
            )
            for signature, places in groups.items()
        ]
    except (pa.ArrowException, OverflowError):
        return None  # a whole number beyond 64 bits, a datetime with a time zone: left to the binder to judge


def _kind(value: object) -> Kind:
    if type(value) is Decimal:
        t = python_literal(value).type
        if not t.is_decimal:
            return (object, 0, 0)  # NaN and the like: left to the binder
        # Without digits before the point, the text of a value has no zero there.
        return (Decimal, t.scale if t.precision == t.scale else 38, t.scale)
    if type(value) in (datetime.datetime, datetime.time) and getattr(value, "tzinfo", None) is not None:
        return (object, 0, 0)
    return (type(value), 0, 0)


def _array(values: list[object], kind: Kind) -> pa.Array:
    if kind[0] is Decimal:
        return pa.array(values, pa.decimal128(kind[1], kind[2]))
    if kind[0] is datetime.timedelta:
        values = [
            (0, v.days, (v.seconds * 10**6 + v.microseconds) * 1000) if isinstance(v, datetime.timedelta) else None
            for v in values
        ]
    return pa.array(values, _ARROW[kind[0]])
