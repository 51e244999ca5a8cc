"""FROM: tables, views, files, table functions, derived tables, VALUES, and joins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from sqlglot import exp

from headrace.errors import Error
from headrace.sql.bind_conditions import unify
from headrace.sql.bind_expr import Context, Cte
from headrace.sql.bind_joins import joined
from headrace.sql.coerce import cast_to, known
from headrace.sql.expr import Expr, Field, Literal, column
from headrace.sql.parse import parse
from headrace.sql.plan import Plan, Project, Scan, Values
from headrace.sql.scope import Scope, Session, Source, check_clauses, nearest
from headrace.sql.source import Relation, View
from headrace.types import SqlType

_FILE_FUNCTIONS = {
    "read_parquet": "read_parquet",
    "parquet_scan": "read_parquet",
    "read_csv": "read_csv",
    "read_csv_auto": "read_csv",
}


Environment = Mapping[str, Cte]
BindQuery = Callable[[exp.Expr, Session, Environment, Context | None], Plan]


@dataclass(slots=True)
class FromBinder:
    """Binds the items of one FROM clause; `query` binds a nested query, which may read columns of `outer`."""

    session: Session
    environment: Environment
    query: BindQuery
    outer: Context | None = None

    def bind(self, from_: exp.From | None, joins: Sequence[exp.Join]) -> tuple[Plan, Scope]:
        """The plan of FROM with its joins, and what it makes visible. No FROM is one row without columns."""
        scope = Scope()
        if from_ is None:
            return Values((), ((),)), scope
        check_clauses(self.session, from_, "this")
        plan = self.item(from_.this, scope)
        return self._joined(plan, scope, joins), scope

    def _joined(self, plan: Plan, scope: Scope, joins: Sequence[exp.Join]) -> Plan:
        for join in joins:
            plan = self._join(plan, scope, join)
        return plan

    # ---- items

    def item(self, tree: exp.Expr, scope: Scope) -> Plan:
        """One item of FROM, with the joins that its parentheses hold."""
        if isinstance(tree, exp.Table):
            return self._table(tree, scope)
        if isinstance(tree, exp.Subquery):
            return self._derived(tree, scope)
        if isinstance(tree, exp.Values):
            check_clauses(self.session, tree, "expressions", "alias")
            plan = values_plan(tree, self.session, (), self.environment, self.outer)
            return self._aliased(plan, tree, scope, "")
        if isinstance(tree, exp.Paren):
            return self.item(tree.this, scope)
        if isinstance(tree, exp.Lateral) and isinstance(tree.this, exp.Subquery):
            check_clauses(self.session, tree, "this", "alias")
            plan = self.query(tree.this, self.session, self.environment, self.outer)
            return self._aliased(plan, tree, scope, "")
        if isinstance(tree, (exp.Lateral, exp.Unnest)):
            raise self.session.refused("UNNEST and functions as items of FROM", tree)
        if isinstance(tree, exp.Pivot):
            raise self.session.refused("PIVOT and UNPIVOT", tree)
        raise self.session.refused(f"{type(tree).__name__} items of FROM", tree)

    def _table(self, tree: exp.Table, scope: Scope) -> Plan:
        session = self.session
        if tree.args.get("sample") is not None:
            raise session.refused("TABLESAMPLE clauses", tree)
        if tree.args.get("pivots"):
            raise session.refused("PIVOT and UNPIVOT", tree)
        check_clauses(session, tree, "this", "alias", "db", "joins")
        if isinstance(tree.this, exp.Identifier):
            plan, name = self._named(tree)
        else:
            plan, name = self._function(tree.this)
        plan = self._aliased(plan, tree, scope, name)
        return self._joined(plan, scope, tree.args.get("joins") or ())

    def _named(self, tree: exp.Table) -> tuple[Plan, str]:
        """A CTE, or what the catalog knows under the name, or a file."""
        session, name = self.session, tree.name
        schema = tree.text("db")
        if schema and schema.lower() != "main":
            raise session.refused("schemas other than main", tree)
        cte = self.environment.get(name.lower()) if not schema else None
        if cte is not None:
            return self._cte(cte, tree), name
        start = tree.this.meta.get("start")
        if session.located and start is not None and session.source[start : start + 1] == "'":
            return self._file(name, tree)
        found = session.catalog.lookup(name)
        if isinstance(found, View):
            return self._view(found, tree), found.name
        if found is not None:
            return self.scan(found, tree), name
        if tree.this.args.get("quoted") and ("." in name or "/" in name):
            return self._file(name, tree)
        names = (*session.catalog.names(), *(c.name for c in self.environment.values()))
        raise session.wrong(f'there is no table "{name}"', tree, hint=nearest(name, names))

    def _cte(self, cte: Cte, tree: exp.Expr) -> Plan:
        plan = self.query(cte.query, self.session, cte.environment, cte.outer)
        return renamed(plan, [c.name for c in cte.columns], cte.name, self.session, tree)

    def _view(self, view: View, tree: exp.Expr) -> Plan:
        session = self.session
        if view.name.lower() in session.views:
            raise session.wrong(f'the view "{view.name}" is defined by itself', tree)
        inner = replace(session, source=view.text, located=False, views=(*session.views, view.name.lower()))
        try:
            plan = self.query(parse(view.text)[0].tree, inner, {}, None)
        except Error as fault:
            position = session.position(tree)
            raise type(fault)(
                f'in the view "{view.name}": {fault.message}',
                position=known(position),
                hint=fault.hint,
            ) from None
        return renamed(plan, view.columns, view.name, session, tree)

    def _file(self, path: str, tree: exp.Expr) -> tuple[Plan, str]:
        return self._scan_function("file", [path], {}, tree), PurePath(path).stem

    def _function(self, tree: exp.Expr) -> tuple[Plan, str]:
        """read_parquet('x.parquet'), read_csv(['a', 'b'], header = true)."""
        session = self.session
        name = tree.name.lower()
        function = _FILE_FUNCTIONS.get(name) if isinstance(tree, exp.Anonymous) else None
        if function is None:
            if isinstance(tree, exp.Anonymous):
                hint = nearest(name, _FILE_FUNCTIONS)
                raise session.refused(f'table functions like "{name}"', tree, hint)
            raise session.refused("table functions of this kind", tree)
        check_clauses(session, tree, "this", "expressions")
        arguments: list[object] = []
        options: dict[str, object] = {}
        for argument in tree.expressions:
            if isinstance(argument, (exp.PropertyEQ, exp.EQ)):
                options[argument.this.name.lower()] = self._constant(argument.expression)
            else:
                arguments.append(self._constant(argument))
        if len(arguments) != 1:
            raise session.wrong(f"{name} takes a path or a list of paths", tree)
        first = arguments[0]
        paths = first if isinstance(first, list) else [first]
        if not paths or not all(isinstance(p, str) for p in paths):
            raise session.wrong(f"{name} takes a path or a list of paths, as text", tree)
        stem = PurePath(str(paths[0])).stem if len(paths) == 1 else name
        return self._scan_function(function, arguments, options, tree), stem

    def _constant(self, tree: exp.Expr) -> object:
        """The Python value of an argument: a constant, or a list or struct of constants."""
        if isinstance(tree, (exp.Array, exp.Tuple)):
            return [self._constant(e) for e in tree.expressions]
        if isinstance(tree, exp.Struct):
            return {p.this.name: self._constant(p.expression) for p in tree.expressions}
        e = Context(self.session, Scope(), "an argument of a table function").bind(tree)
        if not isinstance(e, Literal):
            raise self.session.wrong("arguments of table functions are constants", tree)
        if e.type.is_decimal and isinstance(e.value, int):
            return e.value / 10**e.type.scale
        return e.value

    def _scan_function(
        self, name: str, arguments: Sequence[object], options: Mapping[str, object], tree: exp.Expr
    ) -> Plan:
        try:
            return self.scan(self.session.catalog.scan_function(name, arguments, options), tree)
        except Error as fault:
            position = self.session.position(tree)
            if fault.position is None and position >= 0:
                fault.position = position
            raise

    def scan(self, relation: Relation, tree: exp.Expr) -> Plan:
        """All columns of a relation, under fresh ids."""
        columns = relation.schema()
        if not columns and not relation.unsupported():
            raise self.session.wrong(f'"{relation.name}" has no columns', tree, hint="a table needs at least one")
        if not columns and relation.row_count() is None:
            # Rows are counted in a column: with none that can be read they cannot be.
            raise self.session.unreadable(*next(iter(relation.unsupported().items())), tree)
        new_id = self.session.new_id
        fields = tuple(Field(new_id(), c.name, c.type, c.nullable) for c in columns)
        return Scan(relation, fields, tuple(c.name for c in columns))

    def _derived(self, tree: exp.Subquery, scope: Scope) -> Plan:
        check_clauses(self.session, tree, "this", "alias", "with_")
        inner = tree.this
        if isinstance(inner, (exp.Table, exp.Subquery)) and tree.args.get("alias") is None:
            # parentheses around a join
            return self.item(inner, scope)
        unsupported: dict[str, str] = {}
        if isinstance(inner, exp.Table):
            nested = Scope()
            plan = self.item(inner, nested)
            fields = nested.visible()
            plan = Project(plan, tuple((f, column(f)) for f in fields))
            for source in nested.sources:
                unsupported |= source.unsupported
        else:
            plan = self.query(inner, self.session, self.environment, self.outer)
        return self._aliased(plan, tree, scope, "", unsupported)

    def _aliased(
        self, plan: Plan, tree: exp.Expr, scope: Scope, name: str, unsupported: Mapping[str, str] | None = None
    ) -> Plan:
        """Give the item its name and column names, and add it to the scope, with why others of its columns
        cannot be read."""
        alias = tree.args.get("alias")
        columns: Sequence[exp.Expr] = ()
        if alias is not None:
            check_clauses(self.session, alias, "this", "columns")
            name = alias.name or name
            columns = alias.args.get("columns") or ()
        if unsupported is None:
            unsupported = plan.relation.unsupported() if isinstance(plan, Scan) else {}
        if columns and unsupported:
            # The names go by position, in which these columns count.
            left_out, reason = next(iter(unsupported.items()))
            hint = f"name the columns of a query instead: (SELECT ...) AS {name} (...)"
            raise self.session.unreadable(left_out, reason, columns[0], hint)
        plan = renamed(plan, [c.name for c in columns], name, self.session, tree)
        scope.add(self.session, Source(name, plan.schema(), unsupported), tree)
        return plan

    def _join(self, left: Plan, scope: Scope, tree: exp.Join) -> Plan:
        """One join: its right item is bound where it sees the columns of the left, as LATERAL does."""
        added = Scope()
        beside = Context(self.session, scope, "FROM", environment=self.environment, outer=self.outer)
        right = replace(self, outer=beside).item(tree.this, added)
        return joined(left, right, scope, added, tree, beside)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names of which none is twice there, in any case: a, a_1, a_2."""
    taken: set[str] = set()
    result = []
    for name in names:
        candidate, count = name, 0
        while candidate.lower() in taken:
            count += 1
            candidate = f"{name}_{count}"
        taken.add(candidate.lower())
        result.append(candidate)
    return result


def renamed(plan: Plan, columns: Sequence[str], name: str, session: Session, tree: exp.Expr | None) -> Plan:
    """The plan with its first columns called `columns`, and no two columns called alike."""
    fields = plan.schema()
    if len(columns) > len(fields):
        raise session.wrong(f'"{name}" has {len(fields)} columns, {len(columns)} names are given', tree)
    old = [f.name for f in fields]
    new = distinct_names([*columns, *old[len(columns) :]])
    if new == old:
        return plan
    fresh = tuple(replace(f, name=n) for f, n in zip(fields, new, strict=True))
    if isinstance(plan, Scan):
        return replace(plan, fields=fresh)
    if isinstance(plan, Values):
        return replace(plan, fields=fresh)
    if isinstance(plan, Project):
        return replace(plan, outputs=tuple((f, e) for f, (_, e) in zip(fresh, plan.outputs, strict=True)))
    return Project(plan, tuple((f, column(o)) for f, o in zip(fresh, fields, strict=True)))


def values_plan(
    tree: exp.Values,
    session: Session,
    targets: Sequence[SqlType] = (),
    environment: Environment | None = None,
    outer: Context | None = None,
) -> Plan:
    """VALUES: columns col0, col1, ... each of its rows' common type, or of the type in `targets`."""
    context = Context(session, Scope(), "VALUES", environment=environment or {}, outer=outer)
    rows = [t.expressions if isinstance(t, exp.Tuple) else [t] for t in tree.expressions]
    width = len(rows[0])
    for row in rows:
        if len(row) != width:
            raise session.wrong(f"rows of VALUES differ in length: {width} and {len(row)}", row[0])
    columns: list[list[Expr]] = []
    fields: list[Field] = []
    for k in range(width):
        operands = [context.operand(row[k]) for row in rows]
        if k < len(targets):
            t = targets[k]
            values = [cast_to(o.expr, t) for o in operands]
        else:
            t, values = unify(operands, "VALUES", session, rows[0][k])
        columns.append(values)
        fields.append(Field(session.new_id(), f"col{k}", t, any(v.nullable for v in values)))
    return Values(tuple(fields), tuple(zip(*columns, strict=True)))
