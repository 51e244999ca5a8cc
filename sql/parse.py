"""SQL text to sqlglot trees, one a statement, with the offsets that error messages need.

Every function call keeps the name it was written with: sqlglot's DuckDB parser knows hundreds of functions
under names and argument orders of its own, and a closing parenthesis that carries the comment
`sqlglot.anonymous` makes it leave a call as it stands. Likewise the comment on a type's word lets a cast
remember how its type was written, which the names of result columns need. Comments of the user's own never
reach the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, TokenError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headrace.errors import Error, NotSupportedError, ProgrammingError

TYPE_WORD = "type:"

_STATEMENTS = frozenset(
    [
        "SELECT",
        "WITH",
        "FROM",
        "VALUES",
        "(",
        "CREATE",
        "DROP",
        "INSERT",
        "DESCRIBE",
        "DESC",
        "SHOW",
        "SET",
        "EXPLAIN",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
    ]
)
_REFUSED = frozenset(
    [
        "ABORT",
        "ALTER",
        "ANALYZE",
        "ATTACH",
        "CALL",
        "CHECKPOINT",
        "COMMENT",
        "COPY",
        "DEALLOCATE",
        "DELETE",
        "DETACH",
        "END",
        "EXECUTE",
        "EXPORT",
        "IMPORT",
        "INSTALL",
        "LOAD",
        "MERGE",
        "PIVOT",
        "PIVOT_LONGER",
        "PIVOT_WIDER",
        "PRAGMA",
        "PREPARE",
        "REINDEX",
        "RESET",
        "START",
        "SUMMARIZE",
        "TABLE",
        "TRUNCATE",
        "UNPIVOT",
        "UPDATE",
        "USE",
        "VACUUM",
    ]
)


class _Tokenizer(DuckDB.Tokenizer):
    """DuckDB's words, none of which swallows the rest of the statement as opaque text."""

    KEYWORDS = {k: t for k, t in DuckDB.Tokenizer.KEYWORDS.items() if t is not TokenType.COMMAND}  # noqa: RUF012


# Quoted text and comments, whole; group 1 is an opening mark that nothing closes.
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|('|"|/\*)|[^'"/-]+|.""", re.DOTALL)
# What may hold a dollar sign that is no parameter: quoted text, comments and dollar quoting, whole; group 2 is the
# name or number of a parameter.
_DOLLARS = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$((?:[A-Za-z_]\w*)?)\$.*?\$\1\$|\$(\w+)""", re.DOTALL
)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*")
_DIALECT = DuckDB()
_TYPE_TOKENS = frozenset(Parser.TYPE_TOKENS)
_LITERAL_TYPES = frozenset(t for t in _TYPE_TOKENS if t.name.startswith(("DATE", "TIME")))
_ENDS = frozenset(
    [
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
        TokenType.R_BRACE,
    ]
)
"""Words that an expression can end with."""
_KEEP_CALL = [exp.SQLGLOT_ANONYMOUS]


@dataclass(frozen=True, slots=True)
class Parsed:
    """One statement.

    `text` is the statement alone, `start` its offset in `source`, the whole text given to `parse`; the
    offsets in `tree` count from the start of `source`. `explain` is "", "plan" or "analyze" for EXPLAIN
    [ANALYZE], whose tree is the explained statement. `query_text` is the query of CREATE VIEW. `placeholders`
    are the offsets of the `?` marks; they stand in the tree as the placeholders 1, 2, ... in the order of the
    text.
    """

    text: str
    tree: exp.Expr
    start: int
    source: str
    explain: str = ""
    query_text: str = ""
    placeholders: tuple[int, ...] = ()


def parse(text: str) -> tuple[Parsed, ...]:
    """The statements of a text, split at semicolons; a text without any gives none.

    Raises ProgrammingError with a position for text that is no SQL, NotSupportedError for kinds of statements
    that are refused.
    """
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise ProgrammingError("the statement is not Unicode text", position=fault.start) from None
    try:
        return tuple(_statement(tokens, text) for tokens in _split(_tokens(text)))
    except Error as fault:
        raise fault.located(text) from None
    except RecursionError:
        raise NotSupportedError("the statement is nested too deeply", sql=text) from None


def _tokens(text: str) -> list[Token]:
    # Two $ with no space between them would be taken for a quotation's tag; an @ in their place is not.
    dollars = {m.start() for m in _DOLLARS.finditer(text) if m[2]} if "$" in text else set()
    plain = "".join("@" if k in dollars else c for k, c in enumerate(text)) if dollars else text
    try:
        tokens = [part for token in _Tokenizer(dialect=_DIALECT).tokenize(plain) for part in _separated(token)]
        for token in tokens:
            if token.start in dollars and token.token_type is TokenType.PARAMETER:
                token.text = "$"
        return tokens
    except TokenError:
        opened = next((m for m in _QUOTED.finditer(text) if m[1]), None)
        if opened is None:
            raise ProgrammingError("syntax error: the text cannot be split into words") from None
        raise ProgrammingError(f"syntax error: nothing closes this {opened[1]}", position=opened.start()) from None


def _separated(token: Token) -> tuple[Token, ...]:
    """`?::` is a parameter and a cast here, though sqlglot knows it as one operator of another dialect."""
    if token.token_type is not TokenType.QDCOLON:
        return (token,)
    at, line, column = token.start, token.line, token.col
    return (
        Token(TokenType.PLACEHOLDER, "?", line, column - 2, at, at),
        Token(TokenType.DCOLON, "::", line, column, at + 1, at + 2),
    )


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    current: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            if current:
                yield current
            current = []
        else:
            current.append(token)
    if current:
        yield current


def _statement(tokens: list[Token], source: str) -> Parsed:
    start, stop = tokens[0].start, tokens[-1].end + 1
    explain = ""
    if tokens[0].text.upper() == "EXPLAIN":
        analyze = len(tokens) > 1 and tokens[1].text.upper() == "ANALYZE"
        explain = "analyze" if analyze else "plan"
        tokens = tokens[2:] if analyze else tokens[1:]
        if not tokens:
            raise ProgrammingError("syntax error: EXPLAIN of nothing", position=start)
    _check_kind(tokens[0])
    query_text = _view_query(tokens, source) if tokens[0].token_type is TokenType.CREATE else ""
    tokens, placeholders = _prepare(tokens)
    try:
        trees = _DIALECT.parser().parse(tokens, source)
    except ParseError as fault:
        raise _syntax_error(fault, source, tokens) from None
    tree = trees[0] if len(trees) == 1 else None
    if tree is None or isinstance(tree, (exp.Command, exp.Alias)):
        raise ProgrammingError(f'syntax error near "{tokens[0].text}"', position=tokens[0].start)
    return Parsed(source[start:stop], tree, start, source, explain, query_text, placeholders)


def _check_kind(first: Token) -> None:
    word = first.text.upper()
    if word in _REFUSED:
        raise NotSupportedError(f"{word} statements are not supported", position=first.start)
    if word not in _STATEMENTS:
        raise ProgrammingError(f'syntax error at or near "{first.text}"', position=first.start)


def _view_query(tokens: list[Token], source: str) -> str:
    """The text after AS of CREATE VIEW; empty for other CREATE statements."""
    if not any(t.text.upper() == "VIEW" for t in tokens[:6]):
        return ""
    for k, token in enumerate(tokens):
        if token.token_type is TokenType.ALIAS and k + 1 < len(tokens):
            return source[tokens[k + 1].start : tokens[-1].end + 1]
    return ""


def _prepare(tokens: list[Token]) -> tuple[list[Token], tuple[int, ...]]:
    """Set the comments that steer the parser, and number the `?` marks as $1, $2, ..."""
    result: list[Token] = []
    marks: list[int] = []
    numbered = False
    for k, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.COLON and _begins_name(result, token, tokens[k + 1 : k + 2]):
            token = Token(TokenType.PARAMETER, "$", *_place(token))
            kind = TokenType.PARAMETER
        if kind is TokenType.DCOLON and _typed_literal(result):
            # DATE '2026-01-01'::VARCHAR casts the date, where sqlglot would cast the text first
            opening, closing = _place(result[-2]), _place(result[-1])
            result[-2:] = [
                Token(TokenType.L_PAREN, "(", *opening),
                *result[-2:],
                Token(TokenType.R_PAREN, ")", *closing),
            ]
        if kind is TokenType.R_PAREN:
            token.comments = _KEEP_CALL
        elif kind in _TYPE_TOKENS:
            token.comments = [TYPE_WORD + token.text]
        elif token.comments:
            token.comments = []
        if kind is TokenType.STRING and _follows_interval(result) and not _NUMBER.fullmatch(token.text):
            # INTERVAL '1 day 2 hours' is a cast of the text, which sqlglot would take apart
            result[-1:] = [token, Token(TokenType.DCOLON, "::", *_place(token)), result[-1]]
            continue
        if kind is TokenType.PLACEHOLDER:
            marks.append(token.start)
            result.append(Token(TokenType.PARAMETER, "$", *_place(token)))
            result.append(Token(TokenType.NUMBER, str(len(marks)), *_place(token)))
            continue
        if kind is TokenType.COMMA and result and result[-1].token_type is TokenType.COMMA:
            raise ProgrammingError('syntax error at or near ","', position=token.start)
        numbered = numbered or kind is TokenType.PARAMETER
        result.append(token)
    if marks and numbered:
        raise ProgrammingError("? and $ parameters cannot be mixed in one statement", position=marks[0])
    return result, tuple(marks)


def _begins_name(before: list[Token], colon: Token, after: list[Token]) -> bool:
    """Whether a colon begins a parameter's name: `:name` where an expression can begin."""
    if not after or after[0].start != colon.end + 1 or not after[0].text.isidentifier():
        return False
    return bool(before) and before[-1].token_type not in _ENDS and before[-1].token_type is not TokenType.L_BRACKET


def _typed_literal(before: list[Token]) -> bool:
    """Whether the last words are a type and a text, as in DATE '2026-01-01'."""
    if len(before) < 2 or before[-1].token_type is not TokenType.STRING:
        return False
    return before[-2].token_type in _LITERAL_TYPES


def _follows_interval(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[-1].token_type is TokenType.INTERVAL


def _place(token: Token) -> tuple[int, int, int, int]:
    return token.line, token.col, token.start, token.end


def _syntax_error(fault: ParseError, source: str, tokens: list[Token]) -> ProgrammingError:
    """sqlglot's first complaint in our words, placed at the token that it could not use."""
    if not fault.errors:
        return ProgrammingError(f"syntax error: {fault}", position=tokens[0].start)
    first = fault.errors[0]
    word = str(first.get("highlight") or "")
    end = _offset(source, int(first.get("line") or 1), int(first.get("col") or 1))
    position = max(end - len(word), 0)
    description = str(first.get("description") or "").rstrip(".")
    if position + len(word) >= tokens[-1].end + 1 and "Unexpected" not in description:
        return ProgrammingError("syntax error: the statement ends too early", position=tokens[-1].end + 1)
    expected = re.match(r"Expecting (.+)", description)
    tail = f": {expected[1]} is expected" if expected else ""
    return ProgrammingError(f'syntax error at or near "{word}"{tail}', position=position)


def _offset(source: str, line: int, column: int) -> int:
    """The offset of a 1-based line and column (the column of a token's last character gives its end)."""
    start = 0
    for _ in range(line - 1):
        found = source.find("\n", start)
        if found < 0:
            break
        start = found + 1
    return min(start + column, len(source))
