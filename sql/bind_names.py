"""The name of a result column without an alias: its expression, spelled as DuckDB spells it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from headrace.sql.keywords import KEYWORDS
from headrace.sql.parse import TYPE_WORD

_BINARY: dict[type, str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "//",
    exp.Mod: "%",
    exp.Pow: "**",
    exp.DPipe: "||",
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.Glob: "~~~",
}

# Types that DuckDB's grammar knows by themselves lose their spelling; all others keep it.
_TYPES = {
    "INT": "INTEGER",
    "INTEGER": "INTEGER",
    "SMALLINT": "SMALLINT",
    "BIGINT": "BIGINT",
    "REAL": "FLOAT",
    "FLOAT": "FLOAT",
    "DECIMAL": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "DEC": "DECIMAL",
    "BOOLEAN": "BOOLEAN",
    "VARCHAR": "VARCHAR",
    "CHAR": "VARCHAR",
    "CHARACTER": "VARCHAR",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
    "INTERVAL": "INTERVAL",
}

_FUNCTION_NODES: dict[type, str] = {
    exp.Max: "max",
    exp.Min: "min",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Chr: "chr",
    exp.Substring: '"substring"',
}

_INTERVAL_UNITS = {"CENTURY": "centuries", "MILLENNIUM": "millennia"}


def quote(name: str) -> str:
    """A name as it stands inside an expression: in quotes where it is a keyword or no plain word."""
    plain = name.isidentifier() and name.isascii() and name.lower() not in KEYWORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


def expression_name(tree: exp.Expr, source: str) -> str:
    """The text of an expression; `source` is the statement's text, for what the tree does not keep."""
    kind = type(tree)
    operator = _BINARY.get(kind)
    if operator is not None:
        if tree.args.get("negate"):
            operator = "!" + operator
        return f"({expression_name(tree.this, source)} {operator} {expression_name(tree.expression, source)})"
    writer = _WRITERS.get(kind)
    if writer is not None:
        return writer(tree, source)
    return tree.sql(dialect="duckdb", comments=False)


def _list(trees: list[exp.Expr], source: str) -> str:
    return ", ".join(expression_name(t, source) for t in trees)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _column(tree: exp.Expr, source: str) -> str:
    return ".".join("*" if isinstance(p, exp.Star) else quote(p.name) for p in tree.parts)  # type: ignore[attr-defined]


def _literal(tree: exp.Expr, source: str) -> str:
    if tree.args.get("is_string"):
        return _text(tree.name)
    start, end = tree.meta.get("start"), tree.meta.get("end")
    if start is not None and end is not None:
        return source[start : end + 1]
    return tree.name.removeprefix("0")


def _chain(tree: exp.Expr, source: str) -> str:
    """AND and OR are one flat list for DuckDB where sqlglot nests them to the left."""
    kind, terms = type(tree), []
    while type(tree) is kind:
        terms.append(expression_name(tree.expression, source))
        tree = tree.this
    terms.append(expression_name(tree, source))
    word = " AND " if kind is exp.And else " OR "
    return f"({word.join(reversed(terms))})"


def _negative(tree: exp.Expr, source: str) -> str:
    inner = tree.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    name = expression_name(inner, source)
    if isinstance(inner, exp.Literal) and not inner.args.get("is_string"):
        return "-" + name
    if isinstance(inner, exp.Neg) and name.startswith("-"):
        return name[1:]
    return f"(-({name}))"


def _not(tree: exp.Expr, source: str) -> str:
    inner = tree.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"({expression_name(inner.this, source)} IS NOT NULL)"
    if isinstance(inner, exp.Is):
        return _truth(inner, source, "IS DISTINCT FROM")
    if isinstance(inner, (exp.Like, exp.ILike)):
        left, right = expression_name(inner.this, source), expression_name(inner.expression, source)
        return f"({left} !{_BINARY[type(inner)]} {right})"
    return f"(NOT {expression_name(inner, source)})"


def _is(tree: exp.Expr, source: str) -> str:
    if isinstance(tree.expression, exp.Null):
        return f"({expression_name(tree.this, source)} IS NULL)"
    return _truth(tree, source, "IS NOT DISTINCT FROM")


def _truth(tree: exp.Expr, source: str, operator: str) -> str:
    left, right = expression_name(tree.this, source), expression_name(tree.expression, source)
    return f"(CAST({left} AS BOOLEAN) {operator} {right})"


def _escape(tree: exp.Expr, source: str) -> str:
    like = tree.this
    function = "like_escape" if isinstance(like, exp.Like) else "ilike_escape"
    text = f"{function}({_list([like.this, like.expression, tree.expression], source)})"
    return f"(NOT {text})" if like.args.get("negate") else text


def _between(tree: exp.Expr, source: str) -> str:
    this, low, high = (expression_name(tree.args[k], source) for k in ("this", "low", "high"))
    return f"({this} BETWEEN {low} AND {high})"


def _in(tree: exp.Expr, source: str) -> str:
    return f"({expression_name(tree.this, source)} IN ({_list(tree.expressions, source)}))"


def _case(tree: exp.Expr, source: str) -> str:
    subject = tree.args.get("this")
    parts = ["CASE "]
    for branch in tree.args["ifs"]:
        condition = expression_name(branch.this, source)
        if subject is not None:
            condition = f"({expression_name(subject, source)} = {condition})"
        parts.append(f"WHEN ({condition}) THEN ({expression_name(branch.args['true'], source)})")
    default = tree.args.get("default")
    parts.append(f"ELSE {expression_name(default, source) if default is not None else 'NULL'} END")
    return " ".join(parts)


def _if(tree: exp.Expr, source: str) -> str:
    return f'"if"({_list([v for v in tree.args.values() if v is not None], source)})'


def written_type(tree: exp.Expr, source: str) -> str:
    """The type of a cast as it was written, in DuckDB's spelling where its grammar has one."""
    to = tree.args["to"]
    words = [c[len(TYPE_WORD) :] for c in tree.comments or () if c.startswith(TYPE_WORD)]
    word = words[0] if words else ""
    operand = tree.this
    if not word and isinstance(operand, exp.Literal) and "start" in operand.meta:
        word = source[: operand.meta["start"]].rstrip().rpartition(" ")[2]
        word = word.rpartition("(")[2].rpartition(",")[2].rpartition("\n")[2]
    if not word.isidentifier() or word.upper() in ("AS", "CAST"):
        base = "VARCHAR" if to.this is exp.DType.TEXT else to.sql(dialect="duckdb").partition("(")[0]
    else:
        base = _TYPES.get(word.upper(), word)
    if to.expressions and (to.this is not exp.DType.DECIMAL or word.upper() not in ("DECIMAL", "NUMERIC", "DEC")):
        return f"{base}({', '.join(p.name for p in to.expressions)})"
    return f"{base}({written_length(operand, source)})" if to.this is exp.DType.TEXT and not word else base


def written_length(operand: exp.Expr, source: str) -> str:
    """The length of VARCHAR(n), which sqlglot drops: the number written after the operand."""
    end = max((n.meta["end"] for n in operand.walk() if "end" in n.meta), default=-1)
    return source[end + 1 :].partition("(")[2].partition(")")[0].strip()


def _cast(tree: exp.Expr, source: str) -> str:
    word = "TRY_CAST" if isinstance(tree, exp.TryCast) else "CAST"
    return f"{word}({expression_name(tree.this, source)} AS {written_type(tree, source)})"


def _call(tree: exp.Expr, source: str) -> str:
    name, arguments = tree.name.lower(), tree.expressions
    if name == "count" and (not arguments or isinstance(arguments[0], exp.Star)):
        return "count_star()"
    if name in ("coalesce", "ifnull"):
        return f"COALESCE({_list(arguments, source)})"
    return f"{quote(name)}({_list(arguments, source)})"


def _function(tree: exp.Expr, source: str) -> str:
    arguments: list[exp.Expr] = []
    for value in tree.args.values():
        arguments.extend(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr))
    name = _FUNCTION_NODES[type(tree)]
    start = _name_start(tree, source)
    if isinstance(tree, exp.Ceil) and start.lower().startswith("ceiling"):
        name = "ceiling"
    return f"{name}({_list(arguments, source)})"


def _name_start(tree: exp.Expr, source: str) -> str:
    """The text of a call's name, found before its first argument."""
    first = min((n.meta["start"] for n in tree.walk() if "start" in n.meta), default=0)
    return source[:first].rstrip(" (\n\t").rpartition(" ")[2].rpartition("(")[2]


def _distinct(tree: exp.Expr, source: str) -> str:
    return f"DISTINCT {_list(tree.expressions, source)}"


def _filter(tree: exp.Expr, source: str) -> str:
    return f"{expression_name(tree.this, source)} FILTER (WHERE {expression_name(tree.expression.this, source)})"


_EXTRACTED = re.compile(r"\(\s*('?)(\w+)\1\s+from\W*$", re.IGNORECASE)


def _extract(tree: exp.Expr, source: str) -> str:
    """date_part with the part as written, but in capitals where it is one of the grammar's words."""
    operand = tree.expression
    first = min((n.meta["start"] for n in operand.walk() if "start" in n.meta), default=0)
    written = _EXTRACTED.search(source[:first])
    part = tree.this.name
    if written is not None and (written[1] or written[2].lower() not in KEYWORDS):
        part = written[2]
    return f"date_part({_text(part)}, {expression_name(operand, source)})"


def _trim(tree: exp.Expr, source: str) -> str:
    position = tree.args.get("position")
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(position), '"trim"')
    return f"{name}({_list([t for t in (tree.this, tree.args.get('expression')) if t is not None], source)})"


def _position(tree: exp.Expr, source: str) -> str:
    return f'"position"({_list([tree.this, tree.args["substr"]], source)})'


def _interval(tree: exp.Expr, source: str) -> str:
    unit, value = tree.args["unit"], tree.this
    word = unit.name.upper()
    word = word if word.endswith("S") else word + "S"
    target = "BIGINT" if word in ("HOURS", "MINUTES", "MILLISECONDS", "MICROSECONDS") else "INTEGER"
    quoted = not isinstance(value, exp.Literal) or "start" in value.meta
    text = expression_name(value, source) if quoted else value.name
    number = f"CAST({text} AS DOUBLE)"
    if word != "SECONDS":
        number = f"CAST(trunc({number}) AS {target})"
    return f"to_{_INTERVAL_UNITS.get(unit.name.upper(), word.lower())}({number})"


_WRITERS: dict[type, Callable[[Any, str], str]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda t, s: "true" if t.this else "false",
    exp.Null: lambda t, s: "NULL",
    exp.Paren: lambda t, s: expression_name(t.this, s),
    exp.And: _chain,
    exp.Or: _chain,
    exp.Neg: _negative,
    exp.Not: _not,
    exp.Is: _is,
    exp.Escape: _escape,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.If: _if,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Anonymous: _call,
    **dict.fromkeys(_FUNCTION_NODES, _function),
    exp.Distinct: _distinct,
    exp.Filter: _filter,
    exp.Extract: _extract,
    exp.Trim: _trim,
    exp.StrPosition: _position,
    exp.Interval: _interval,
    exp.Placeholder: lambda t, s: f"${t.name}",
    exp.Abs: lambda t, s: f"(@({expression_name(t.this, s)}))",
    exp.BitwiseNot: lambda t, s: f"(~({expression_name(t.this, s)}))",
    exp.ByteString: lambda t, s: t.name,
    exp.RawString: lambda t, s: _text(t.name),
    exp.Star: lambda t, s: "*",
    exp.CurrentDate: lambda t, s: "current_date",
}
