"""Statements other than SELECT: CREATE, DROP, INSERT, DESCRIBE, SHOW, SET, transactions."""

from __future__ import annotations

from sqlglot import exp

from headrace.sql.bind_expr import Context
from headrace.sql.bind_from import distinct_names, renamed, values_plan
from headrace.sql.bind_select import bind_query
from headrace.sql.bind_types import sql_type
from headrace.sql.coerce import cast_to
from headrace.sql.expr import NULL_LITERAL, Expr, Field, Literal, column
from headrace.sql.parse import Parsed
from headrace.sql.plan import Plan, Project
from headrace.sql.scope import Scope, Session, check_clauses, nearest
from headrace.sql.source import SourceColumn, View
from headrace.sql.statement import (
    CreateTable,
    CreateView,
    Describe,
    Drop,
    Insert,
    Query,
    SetOption,
    ShowTables,
    Statement,
    Transaction,
)
from headrace.types import INTEGER, NULL


def bind_statement(parsed: Parsed, session: Session) -> Statement:
    """Bind the tree of one statement; raises NotSupportedError for kinds that are refused."""
    tree = parsed.tree
    if isinstance(tree, (exp.Query, exp.Values)):
        return Query(bind_query(tree, session, {}))
    if isinstance(tree, exp.Create):
        return _create(tree, parsed, session)
    if isinstance(tree, exp.Drop):
        return _drop(tree, session)
    if isinstance(tree, exp.Insert):
        return _insert(tree, session)
    if isinstance(tree, exp.Describe):
        return _describe(tree, session)
    if isinstance(tree, exp.Show):
        check_clauses(session, tree, "this")
        if tree.name.upper() != "TABLES":
            raise session.refused(f"SHOW {tree.name.upper()} statements", tree)
        return ShowTables()
    if isinstance(tree, exp.Set):
        return _set(tree, session)
    for kind, action in ((exp.Transaction, "begin"), (exp.Commit, "commit"), (exp.Rollback, "rollback")):
        if isinstance(tree, kind):
            check_clauses(session, tree)
            return Transaction(action)
    raise session.refused(f"{type(tree).__name__.upper()} statements", tree)


def _name(tree: exp.Expr, session: Session) -> str:
    """The name of a table or view, which lies in the schema main."""
    if not isinstance(tree, exp.Table) or not isinstance(tree.this, exp.Identifier):
        raise session.wrong("a name is expected", tree)
    check_clauses(session, tree, "this", "db")
    if tree.text("db").lower() not in ("", "main"):
        raise session.refused("schemas other than main", tree)
    return tree.name


def _create(tree: exp.Create, parsed: Parsed, session: Session) -> Statement:
    kind = tree.text("kind").upper()
    if kind not in ("TABLE", "VIEW"):
        raise session.refused(f"CREATE {kind} statements", tree)
    if tree.args.get("properties") is not None:
        raise session.refused(f"properties of CREATE {kind}, such as TEMPORARY,", tree)
    check_clauses(session, tree, "this", "kind", "replace", "exists", "expression")
    target, query = tree.this, tree.args.get("expression")
    definitions: list[exp.Expr] = []
    if isinstance(target, exp.Schema):
        definitions, target = target.expressions, target.this
    name = _name(target, session)
    replace, exists = bool(tree.args.get("replace")), bool(tree.args.get("exists"))
    if replace and exists:
        raise session.wrong("OR REPLACE and IF NOT EXISTS exclude each other", target)
    if kind == "VIEW":
        if query is None:
            raise session.wrong("CREATE VIEW needs AS and a query", target)
        if query.find(exp.Placeholder) is not None:
            raise session.refused("parameters in views", target)
        names = [_identifier(d, session) for d in definitions]
        # bound now only to show its faults now
        renamed(bind_query(query, session, {}), names, name, session, target)
        return CreateView(name, parsed.query_text, tuple(names), replace, exists)
    if query is None:
        return CreateTable(name, _columns(definitions, session, target), None, replace, exists)
    plan = _stored(renamed(bind_query(query, session, {}), [], name, session, target), session)
    if definitions:
        plan = renamed(plan, [_identifier(d, session) for d in definitions], name, session, target)
    columns = tuple(SourceColumn(f.name, f.type, f.nullable) for f in plan.schema())
    return CreateTable(name, columns, plan, replace, exists)


def _stored(plan: Plan, session: Session) -> Plan:
    """The plan with columns that a table can hold: a bare NULL becomes an INTEGER."""
    fields = plan.schema()
    if all(f.type != NULL for f in fields):
        return plan
    outputs: list[tuple[Field, Expr]] = []
    for f in fields:
        if f.type == NULL:
            outputs.append((Field(session.new_id(), f.name, INTEGER, True), Literal(None, INTEGER)))
        else:
            outputs.append((f, column(f)))
    return Project(plan, tuple(outputs))


def _identifier(tree: exp.Expr, session: Session) -> str:
    if isinstance(tree, exp.ColumnDef):
        check_clauses(session, tree, "this")
        tree = tree.this
    if not isinstance(tree, (exp.Identifier, exp.Column)):
        raise session.refused("column definitions of this kind", tree)
    return tree.name


def _columns(definitions: list[exp.Expr], session: Session, target: exp.Expr) -> tuple[SourceColumn, ...]:
    """The columns of CREATE TABLE; NULL is the one constraint that is taken, since it says nothing."""
    columns: list[SourceColumn] = []
    for d in definitions:
        if not isinstance(d, exp.ColumnDef):
            raise session.refused("table constraints", d)
        check_clauses(session, d, "this", "kind", "constraints")
        for constraint in d.args.get("constraints") or ():
            kind = constraint.args.get("kind")
            if not (isinstance(kind, exp.NotNullColumnConstraint) and kind.args.get("allow_null")):
                raise session.refused("column constraints", d)
        if d.args.get("kind") is None:
            raise session.wrong(f'column "{d.name}" has no type', d)
        columns.append(SourceColumn(d.name, sql_type(d.args["kind"], session, d), True))
    if not columns:
        raise session.wrong("a table has at least one column", target)
    names = [c.name for c in columns]
    for given, unique in zip(names, distinct_names(names), strict=True):
        if given != unique:
            raise session.wrong(f'two columns are called "{given}"', target)
    return tuple(columns)


def _drop(tree: exp.Drop, session: Session) -> Statement:
    kind = tree.text("kind").upper()
    if kind not in ("TABLE", "VIEW"):
        raise session.refused(f"DROP {kind} statements", tree)
    check_clauses(session, tree, "this", "tables", "kind", "exists", "restrict")
    tables = tree.args.get("tables") or ([tree.this] if tree.this is not None else [])
    if len(tables) != 1:
        raise session.refused("lists of names in DROP", tree)
    return Drop(kind.lower(), _name(tables[0], session), bool(tree.args.get("exists")))


def _insert(tree: exp.Insert, session: Session) -> Statement:
    """INSERT INTO t [(columns)] VALUES / SELECT: other columns are NULL, values are cast to the columns'
    types.
    """
    check_clauses(session, tree, "this", "expression")
    target = tree.this
    listed: list[exp.Expr] = []
    if isinstance(target, exp.Schema):
        listed, target = target.expressions, target.this
    name = _name(target, session)
    found = session.catalog.lookup(name)
    if found is None:
        hint = nearest(name, session.catalog.names())
        raise session.wrong(f'there is no table "{name}"', target, hint=hint)
    if isinstance(found, View):
        raise session.wrong(f'"{name}" is a view, and rows are inserted into tables', target)
    table = found.schema()
    places = _places(listed, table, name, session)
    query = tree.expression
    if query is None:
        raise session.wrong("INSERT needs VALUES or a query", target)
    if isinstance(query, exp.Values):
        plan = values_plan(query, session, [table[k].type for k in places])
    else:
        plan = bind_query(query, session, {})
    fields = plan.schema()
    if len(fields) != len(places):
        raise session.wrong(f'"{name}" takes {len(places)} values a row here, {len(fields)} are given', target)
    given = {k: column(f) for k, f in zip(places, fields, strict=True)}
    outputs: list[tuple[Field, Expr]] = []
    for k, c in enumerate(table):
        e = cast_to(given.get(k, NULL_LITERAL), c.type)
        outputs.append((Field(session.new_id(), c.name, c.type, e.nullable), e))
    return Insert(name, Project(plan, tuple(outputs)))


def _places(listed: list[exp.Expr], table: tuple[SourceColumn, ...], name: str, session: Session) -> list[int]:
    """The places in the table of the columns that INSERT names; all of them if it names none."""
    if not listed:
        return list(range(len(table)))
    by_name = {c.name.lower(): k for k, c in enumerate(table)}
    places: list[int] = []
    for t in listed:
        place = by_name.get(t.name.lower())
        if place is None:
            hint = nearest(t.name, (c.name for c in table))
            raise session.wrong(f'table "{name}" has no column "{t.name}"', t, hint=hint)
        if place in places:
            raise session.wrong(f'column "{t.name}" is named twice', t)
        places.append(place)
    return places


def _describe(tree: exp.Describe, session: Session) -> Statement:
    check_clauses(session, tree, "this")
    target = tree.this
    if isinstance(target, exp.Table):
        star = exp.Star()
        star.meta["start"] = session.position(target)
        query: exp.Expr = exp.Select(expressions=[star], from_=exp.From(this=target))
    else:
        query = target
    plan = bind_query(query, session, {})
    return Describe(tuple(SourceColumn(f.name, f.type, f.nullable) for f in plan.schema()))


def _set(tree: exp.Set, session: Session) -> Statement:
    """SET name = value, SET name TO value."""
    check_clauses(session, tree, "expressions")
    if len(tree.expressions) != 1:
        raise session.refused("SET of several settings", tree)
    item = tree.expressions[0]
    if item.args.get("kind") and item.text("kind").upper() not in ("SESSION", "GLOBAL"):
        raise session.refused(f"SET {item.text('kind').upper()} statements", tree)
    check_clauses(session, item, "this", "kind")
    assignment = item.this
    if not isinstance(assignment, exp.EQ):
        raise session.wrong("SET takes name = value", tree)
    value = assignment.expression
    name = assignment.this.name
    if isinstance(value, (exp.Column, exp.Var)):
        return SetOption(name, value.name)  # a bare word, as in SET device = cuda
    e = Context(session, Scope(), "SET").bind(value)
    if not isinstance(e, Literal):
        raise session.wrong("a setting takes a constant", value)
    if e.type.is_decimal and isinstance(e.value, int):
        return SetOption(name, e.value / 10**e.type.scale)
    return SetOption(name, e.value)
