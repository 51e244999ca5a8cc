"""The way into binding: a parsed statement, a catalog and parameters give a typed statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headrace.errors import Error, NotSupportedError

# importing them registers the binders of their node types
from headrace.sql import (  # noqa: F401
    bind_conditions,
    bind_functions,
    bind_literals,
    bind_operators,
)
from headrace.sql.bind_parameters import Parameters
from headrace.sql.bind_statement import bind_statement
from headrace.sql.parse import Parsed
from headrace.sql.scope import Session
from headrace.sql.source import CatalogReader
from headrace.sql.statement import Explain, Query, Statement


def bind(
    parsed: Parsed,
    catalog: CatalogReader,
    parameters: Sequence[object] | Mapping[str, object] | None = None,
    integer_division: bool = False,
) -> Statement:
    """The bound statement, every expression typed and every cast explicit.

    Positions in it are offsets into `parsed.source`. Raises ProgrammingError for what is wrong (unknown
    names, types that do not fit, parameters missing or left over), NotSupportedError for what is refused,
    DataError for constant text that is no value of the type it is used as; each carries the text and, where
    known, the place.
    """
    try:
        session = Session(catalog, Parameters(parameters), parsed.source, integer_division)
        session.placeholders = parsed.placeholders
        statement = bind_statement(parsed, session)
        session.parameters.check_all_used()
        if not parsed.explain:
            return statement
        if not isinstance(statement, Query):
            raise session.refused("EXPLAIN of statements other than queries", parsed.tree)
        return Explain(statement, parsed.explain == "analyze")
    except Error as fault:
        raise fault.located(parsed.source) from None
    except RecursionError:
        raise NotSupportedError("the statement is nested too deeply", sql=parsed.source) from None
