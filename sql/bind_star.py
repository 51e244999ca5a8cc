"""The outputs of SELECT: `*`, `t.*`, EXCLUDE, REPLACE, aliases, and the names of what has no alias."""

from __future__ import annotations

from sqlglot import exp

from headrace.sql.bind_expr import Item
from headrace.sql.bind_names import expression_name
from headrace.sql.expr import Field, column
from headrace.sql.scope import Scope, Session, check_clauses, nearest, quoted


def select_items(tree: exp.Select, session: Session, scope: Scope) -> list[Item]:
    """The outputs in order, stars expanded. An item that a star made is bound; the others have their tree."""
    items: list[Item] = []
    for e in tree.expressions:
        star = _star(e)
        if star is not None:
            items.extend(_expanded(e, star, session, scope))
        elif isinstance(e, exp.Alias):
            check_clauses(session, e, "this", "alias")
            items.append(Item(e.this, e.alias, True))
        elif isinstance(e, exp.Aliases):
            raise session.refused("lists of aliases", e)
        else:
            items.append(Item(e, _name(e, session, scope), False))
    if not items:
        raise session.wrong("SELECT without outputs", tree)
    return items


def _star(e: exp.Expr) -> exp.Star | None:
    if isinstance(e, exp.Star):
        return e
    return e.this if isinstance(e, exp.Column) and isinstance(e.this, exp.Star) else None


def _name(e: exp.Expr, session: Session, scope: Scope) -> str:
    while isinstance(e, exp.Paren):
        e = e.this
    if isinstance(e, exp.Column):
        # a column shows the case of its definition, not that of the query
        if e.table:
            found = [s for s in scope.sources if s.name.lower() == e.table.lower()]
            f = found[0].by_name.get(e.name.lower()) if found else None
            return f.name if f is not None else e.name
        named = scope.find(e.name)
        return named[0][1].name if named else e.name
    return expression_name(e, session.source)


def _expanded(e: exp.Expr, star: exp.Star, session: Session, scope: Scope) -> list[Item]:
    if star.args.get("rename"):
        raise session.refused("RENAME clauses of *", e)
    check_clauses(session, star, "except_", "replace")
    if not scope.sources:
        raise session.wrong("* needs a FROM", e)
    source = None
    if isinstance(e, exp.Column):
        if e.args.get("db") is not None:
            raise session.refused("stars qualified by a schema", e)
        source = scope.source(session, e.table, e)
    fields = scope.visible(source)
    sources = scope.sources if source is None else [source]
    unread = {name.lower() for item in sources for name in item.unsupported}
    excluded = _excluded(star, fields, unread, session)
    left = [(name, why) for item in sources for name, why in item.unsupported.items() if name.lower() not in excluded]
    if left:
        named = [t.name for t in star.args.get("except_") or ()]
        names = ", ".join(map(quoted, dict.fromkeys((*named, *(name for name, _ in left)))))
        raise session.unreadable(*left[0], e, hint=f"* EXCLUDE ({names}) leaves out what cannot be read")
    replaced = _replaced(star, fields, session)
    items: list[Item] = []
    for f in fields:
        key = f.name.lower()
        if key in excluded:
            continue
        if key in replaced:
            alias = replaced[key]
            items.append(Item(alias.this, alias.alias, False))
        else:
            items.append(Item(None, f.name, False, column(f, session.position(e))))
    if not items:
        raise session.wrong("EXCLUDE leaves no columns", e)
    return items


def _excluded(star: exp.Star, fields: list[Field], unread: set[str], session: Session) -> set[str]:
    trees = star.args.get("except_") or ()
    names: set[str] = set()
    for t in trees:
        if t.name.lower() not in unread:
            _check_known(t, t.name, fields, "EXCLUDE", session)
        names.add(t.name.lower())
    return names


def _replaced(star: exp.Star, fields: list[Field], session: Session) -> dict[str, exp.Alias]:
    result: dict[str, exp.Alias] = {}
    for t in star.args.get("replace") or ():
        if not isinstance(t, exp.Alias):
            raise session.wrong("REPLACE takes expressions with an alias", t)
        _check_known(t, t.alias, fields, "REPLACE", session)
        result[t.alias.lower()] = t
    return result


def _check_known(tree: exp.Expr, name: str, fields: list[Field], clause: str, session: Session) -> None:
    if not any(f.name.lower() == name.lower() for f in fields):
        hint = nearest(name, (f.name for f in fields))
        raise session.wrong(f'there is no column "{name}" for {clause}', tree, hint=hint)
