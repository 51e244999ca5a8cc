"""Plans and expressions as text, for EXPLAIN, golden files and messages."""

from __future__ import annotations

from headrace.sql.expr import AggregateCall, Call, Case, Cast, ColumnRef, Expr, Field, InList, Literal
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
    inputs,
)
from headrace.types import TICKS_PER_SECOND, Kind

_BINARY = {
    "or": ("OR", 1),
    "and": ("AND", 2),
    "equal": ("=", 4),
    "not_equal": ("<>", 4),
    "less": ("<", 4),
    "less_equal": ("<=", 4),
    "greater": (">", 4),
    "greater_equal": (">=", 4),
    "is_distinct": ("IS DISTINCT FROM", 4),
    "is_not_distinct": ("IS NOT DISTINCT FROM", 4),
    "like": ("LIKE", 4),
    "ilike": ("ILIKE", 4),
    "concat_operator": ("||", 5),
    "add": ("+", 6),
    "subtract": ("-", 6),
    "multiply": ("*", 7),
    "divide": ("/", 7),
    "integer_divide": ("//", 7),
    "modulo": ("%", 7),
}
"""Operators written between their operands, with how tightly they bind."""

_NOT, _TEST, _UNARY, _ATOM = 3, 4, 8, 9


def render(plan: Plan, ids: bool = False) -> str:
    """The plan as an indented tree, a line a node, inputs below; `ids` shows columns as `name#id`."""
    return "\n".join(_lines(plan, ids, 0))


def _lines(plan: Plan, ids: bool, depth: int) -> list[str]:
    lines = ["  " * depth + _line(plan, ids)]
    for source in inputs(plan):
        lines.extend(_lines(source, ids, depth + 1))
    return lines


def _line(plan: Plan, ids: bool) -> str:
    match plan:
        case Scan():
            return f"Scan {plan.relation.name} [{_fields(plan.fields, ids)}]"
        case Values():
            return _values(plan, ids)
        case Filter():
            return f"Filter {render_expr(plan.predicate, ids)}"
        case Project():
            return f"Project [{', '.join(_output(f, e, ids) for f, e in plan.outputs)}]"
        case Join():
            return _join(plan, ids)
        case Aggregate():
            return _aggregate(plan, ids)
        case Sort():
            return f"Sort {_sort_keys(plan.keys, ids)}"
        case Limit():
            return f"Limit{_limit(plan.limit, plan.offset)}"
        case TopK():
            return f"TopK{_limit(plan.limit, plan.offset)} by {_sort_keys(plan.keys, ids)}"


def _values(plan: Values, ids: bool) -> str:
    count = len(plan.rows)
    rows = "no rows" if not count else "1 row" if count == 1 else f"{count} rows"
    return f"Values {rows} [{_fields(plan.fields, ids)}]"


def _join(plan: Join, ids: bool) -> str:
    words = [f"{plan.kind.value.capitalize()}Join"]
    terms = []
    for key in plan.keys:
        operator = "IS NOT DISTINCT FROM" if key.null_safe else "="
        terms.append(f"{_operand(key.left, ids, 5)} {operator} {_operand(key.right, ids, 5)}")
    if plan.residual is not None:
        terms.append(_operand(plan.residual, ids, 3))
    if terms:
        words.append("on " + " AND ".join(terms))
    if plan.kind is JoinKind.MARK and plan.mark is not None:
        words.append(f"as {_name(plan.mark.name, plan.mark.id, ids)}")
    return " ".join(words)


def _aggregate(plan: Aggregate, ids: bool) -> str:
    keys = ", ".join(_output(f, e, ids) for f, e in plan.keys)
    calls = ", ".join(f"{_aggregate_call(call, ids)} AS {_name(f.name, f.id, ids)}" for f, call in plan.aggregates)
    return "Aggregate" + (f" by [{keys}]" if keys else "") + (f" [{calls}]" if calls else "")


def _aggregate_call(call: AggregateCall, ids: bool) -> str:
    if call.function == "count_star":
        text = "count(*)"
    else:
        arguments = ", ".join(render_expr(x, ids) for x in call.arguments)
        text = f"{call.function}({'DISTINCT ' if call.distinct else ''}{arguments})"
    return text if call.filter is None else f"{text} FILTER (WHERE {render_expr(call.filter, ids)})"


def _limit(limit: int | None, offset: int) -> str:
    return (f" {limit}" if limit is not None else "") + (f" offset {offset}" if offset else "")


def _sort_keys(keys: tuple[SortKey, ...], ids: bool) -> str:
    return ", ".join(
        render_expr(k.expr, ids) + (" DESC" if k.descending else "") + (" NULLS FIRST" if k.nulls_first else "")
        for k in keys
    )


def _fields(fields: tuple[Field, ...], ids: bool) -> str:
    return ", ".join(_name(f.name, f.id, ids) for f in fields)


def _output(field: Field, e: Expr, ids: bool) -> str:
    if isinstance(e, ColumnRef) and e.name == field.name and (e.id == field.id or not ids):
        return _name(field.name, field.id, ids)
    return f"{render_expr(e, ids)} AS {_name(field.name, field.id, ids)}"


def _name(name: str, column_id: int, ids: bool) -> str:
    return f"{name}#{column_id}" if ids else name


def render_expr(e: Expr, ids: bool = False) -> str:
    """The expression as SQL-like text, with no more parentheses than its operators need."""
    return _text(e, ids)[0]


def _operand(e: Expr, ids: bool, binding: int) -> str:
    """The text of an operand; in parentheses unless it binds at least as tightly as `binding`."""
    text, own = _text(e, ids)
    return text if own >= binding else f"({text})"


def _text(e: Expr, ids: bool) -> tuple[str, int]:
    """The text and how tightly it binds."""
    match e:
        case Literal():
            return _literal(e), _ATOM
        case ColumnRef():
            return _name(e.name, e.id, ids), _ATOM
        case Cast():
            word = "TRY_CAST" if e.lenient else "CAST"
            return f"{word}({render_expr(e.argument, ids)} AS {e.type})", _ATOM
        case Case():
            branches = " ".join(f"WHEN {render_expr(c, ids)} THEN {render_expr(r, ids)}" for c, r in e.branches)
            return f"CASE {branches} ELSE {render_expr(e.default, ids)} END", _ATOM
        case InList():
            values = ", ".join(_literal(v) for v in e.values)
            return f"{_operand(e.argument, ids, _TEST + 1)} IN ({values})", _TEST
        case Call():
            return _call(e, ids)


def _call(e: Call, ids: bool) -> tuple[str, int]:
    function, arguments = e.function, e.arguments
    if function in ("and", "or"):
        word, binding = _BINARY[function]
        return f" {word} ".join(_operand(x, ids, binding + 1) for x in arguments), binding
    if function in _BINARY and len(arguments) == 2:
        word, binding = _BINARY[function]
        left = _operand(arguments[0], ids, binding + (binding == _TEST))
        return f"{left} {word} {_operand(arguments[1], ids, binding + 1)}", binding
    if len(arguments) == 1:
        if function == "not":
            return f"NOT {_operand(arguments[0], ids, _NOT)}", _NOT
        if function == "negate":
            return f"-{_operand(arguments[0], ids, _UNARY + 1)}", _UNARY
        if function in ("is_null", "is_not_null"):
            test = "IS NULL" if function == "is_null" else "IS NOT NULL"
            return f"{_operand(arguments[0], ids, _TEST + 1)} {test}", _TEST
    return f"{function}({', '.join(render_expr(x, ids) for x in arguments)})", _ATOM


def _literal(literal: Literal) -> str:
    value, t = literal.value, literal.type
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return "'" + "".join(f"\\x{b:02X}" for b in value) + "'::BLOB"
    if t.kind is Kind.INTERVAL and isinstance(value, tuple):
        return _interval(*value)
    if isinstance(value, int):
        if t.is_decimal:
            return _scaled(value, t.scale)
        if t.kind is Kind.DATE:
            return f"DATE '{_date(value)}'"
        if t.kind is Kind.TIME:
            return f"TIME '{_clock(value, 10**6)}'"
        if t.is_timestamp:
            per_second = TICKS_PER_SECOND[t.kind]
            days, ticks = divmod(value, 86_400 * per_second)
            return f"{t} '{_date(days)} {_clock(ticks, per_second)}'"
    return str(value)


def _scaled(value: int, scale: int) -> str:
    if not scale:
        return str(value)
    digits = str(abs(value)).rjust(scale + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def _date(days: int) -> str:
    """Year-month-day in the proleptic Gregorian calendar, for any number of days since 1970-01-01."""
    # Counted from 0000-03-01, so that leap days end the years of an era of 400.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month += 3 if month < 10 else -9
    return f"{era * 400 + year + (month <= 2):04d}-{month:02d}-{day:02d}"


def _clock(ticks: int, per_second: int) -> str:
    seconds, part = divmod(ticks, per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text if not part else f"{text}.{str(part).rjust(len(str(per_second)) - 1, '0').rstrip('0')}"


def _interval(months: int, days: int, micros: int) -> str:
    parts = [f"{n} {unit}" for n, unit in ((months, "months"), (days, "days"), (micros, "microseconds")) if n]
    return f"INTERVAL '{' '.join(parts) or '0 days'}'"
