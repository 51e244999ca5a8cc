"""SELECT: from its tree to Filter, Aggregate, Project, Sort and Limit over what FROM gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headrace.sql.bind_expr import Aggregates, Context, Cte, Item
from headrace.sql.bind_from import Environment, FromBinder, values_plan
from headrace.sql.bind_grouping import Groups, group_keys, has_aggregate
from headrace.sql.bind_order import bind_limit, order_keys
from headrace.sql.bind_set_operations import SET_OPERATIONS, combined, ordered
from headrace.sql.bind_star import select_items
from headrace.sql.coerce import to_boolean
from headrace.sql.expr import TRUE, ColumnRef, Expr, Field, column
from headrace.sql.plan import Aggregate, Filter, Limit, Plan, Project, Sort, SortKey
from headrace.sql.scope import Scope, Session, check_clauses

_SELECT = [
    "expressions",
    "distinct",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "with_",
    "kind",
    "operation_modifiers",
]


def bind_query(tree: exp.Expr, session: Session, environment: Environment, outer: Context | None = None) -> Plan:
    """The plan of a query: SELECT, VALUES, a set operation, or one of them in parentheses.

    `outer` is where the query stands, if that is inside another query: its columns are visible.
    """
    if isinstance(tree, exp.Select):
        return SelectBinder(session, _with(tree, session, environment, outer), outer).bind(tree)
    if isinstance(tree, exp.Subquery):
        check_clauses(session, tree, "this", "with_", "order", "limit", "offset")
        environment = _with(tree, session, environment, outer)
        plan = bind_query(tree.this, session, environment, outer)
        return ordered(plan, tree, (plan.schema(),), session, environment, outer)
    if isinstance(tree, exp.Values):
        check_clauses(session, tree, "expressions", "order", "limit", "offset")
        plan = values_plan(tree, session, (), environment, outer)
        return ordered(plan, tree, (plan.schema(),), session, environment, outer)
    if isinstance(tree, SET_OPERATIONS):
        environment = _with(tree, session, environment, outer)
        sides = [bind_query(t, session, environment, outer) for t in (tree.this, tree.expression)]
        plan = combined(tree, sides[0], sides[1], session)
        names = (plan.schema(), sides[0].schema(), sides[1].schema())
        return ordered(plan, tree, names, session, environment, outer)
    raise session.refused(f"{type(tree).__name__.upper()} queries", tree)


def _with(tree: exp.Expr, session: Session, environment: Environment, outer: Context | None) -> Environment:
    """The common table expressions that a query sees, its own WITH included; each sees those before it."""
    clause = tree.args.get("with_")
    if clause is None:
        return environment
    check_clauses(session, clause, "expressions", "recursive")
    for cte in clause.expressions:
        if clause.args.get("recursive") and isinstance(cte.this, SET_OPERATIONS):
            raise session.refused("recursive common table expressions", cte)
        check_clauses(session, cte, "this", "alias", "materialized")
        alias = cte.args["alias"]
        check_clauses(session, alias, "this", "columns")
        columns = tuple(alias.args.get("columns") or ())
        environment = {
            **environment,
            alias.name.lower(): Cte(cte.this, columns, environment, alias.name, outer),
        }
    return environment


@dataclass(slots=True)
class SelectBinder:
    """Binds one SELECT. The order matters: names first, then what can hold aggregates, then the rest."""

    session: Session
    environment: Environment
    outer: Context | None = None
    items: list[Item] = field(default_factory=list)

    def bind(self, tree: exp.Select) -> Plan:
        session = self.session
        check_clauses(session, tree, *_SELECT)
        if tree.args.get("kind"):
            raise session.refused("SELECT AS STRUCT and AS VALUE", tree)
        if tree.args.get("operation_modifiers"):
            raise session.refused("SELECT modifiers", tree)
        froms = FromBinder(session, self.environment, bind_query, self.outer)
        plan, scope = froms.bind(tree.args.get("from_"), tree.args.get("joins") or ())
        self.items = select_items(tree, session, scope)
        where = tree.args.get("where")
        if where is not None:
            context = self._context(scope, "WHERE")
            predicate = to_boolean(context.bind(where.this))
            plan = plan if predicate == TRUE else Filter(plan, predicate)
        plan, having, order = self._grouped(tree, plan, scope)
        if having is not None:
            plan = Filter(plan, having)
        plan = self._projected(tree, plan, order)
        limit, offset = bind_limit(tree, session)
        return plan if limit is None and offset == 0 else Limit(plan, limit, offset)

    def _context(self, scope: Scope, clause: str, aggregates: Aggregates | None = None) -> Context:
        return Context(
            self.session,
            scope,
            clause,
            aggregates,
            self.items,
            len(self.items),
            environment=self.environment,
            outer=self.outer,
        )

    def _grouped(self, tree: exp.Select, plan: Plan, scope: Scope) -> tuple[Plan, Expr | None, list[SortKey]]:
        """Bind the outputs, HAVING and ORDER BY; put an Aggregate under them if there is one to put."""
        session = self.session
        collector = Aggregates(session)
        keys = group_keys(tree.args.get("group"), self._context(scope, "GROUP BY"))
        outputs = self._context(scope, "SELECT", collector)
        for k, item in enumerate(self.items):
            if item.expr is None and item.tree is not None:
                outputs.visible = k
                item.expr = outputs.bind(item.tree)
        if keys is None:  # GROUP BY ALL: every output without an aggregate
            keys = [i.expr for i in self.items if i.expr is not None and not has_aggregate(i.expr, collector)]
        having_tree = tree.args.get("having")
        having: Expr | None = None
        if having_tree is not None:
            context = self._context(scope, "HAVING", collector)
            grouped = frozenset(k.id for k in keys if isinstance(k, ColumnRef))
            context.alias_first = lambda c: c.id not in grouped
            having = to_boolean(context.bind(having_tree.this))
        order = order_keys(tree.args.get("order"), self._context(scope, "ORDER BY", collector), self.items)
        if tree.args.get("group") is None and having is None and not collector.calls:
            return plan, None, order
        groups = Groups(session, keys, collector, frozenset(f.id for f in plan.schema()))
        for item in self.items:
            if item.expr is not None:
                item.expr = groups.above(item.expr, item.tree)
        having = None if having is None else groups.above(having, having_tree)
        order = [replace(k, expr=groups.above(k.expr, tree.args.get("order"))) for k in order]
        return Aggregate(plan, groups.keys, tuple(collector.calls)), having, order

    def _projected(self, tree: exp.Select, plan: Plan, order: list[SortKey]) -> Plan:
        """Project, with DISTINCT and ORDER BY; a sort key that is no output is carried along and dropped."""
        local = frozenset(f.id for f in plan.schema())
        outputs = self._outputs(local)
        visible = tuple(f for f, _ in outputs)
        distinct = tree.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            raise self.session.refused("DISTINCT ON clauses", distinct)
        hidden: list[tuple[Field, Expr]] = []
        keys: list[SortKey] = []
        for key in order:
            keys.append(self._sort_key(key, outputs, hidden, local))  # noqa: PERF401 - it extends `hidden` as it goes
        if hidden and distinct is not None:
            raise self.session.refused(
                "ORDER BY expressions that SELECT DISTINCT does not select", tree.args.get("order")
            )
        plan = Project(plan, (*outputs, *hidden))
        if distinct is not None:
            plan = Aggregate(plan, tuple((f, column(f)) for f in visible), ())
        if keys:
            plan = Sort(plan, tuple(keys))
        if hidden:
            plan = Project(plan, tuple((f, column(f)) for f in visible))
        return plan

    def _outputs(self, local: frozenset[int]) -> list[tuple[Field, Expr]]:
        """The output fields; a plain reference to a `local` column keeps its id, the first time it is an
        output.
        """
        taken: set[int] = set()
        result: list[tuple[Field, Expr]] = []
        for item in self.items:
            e = item.expr
            assert e is not None
            keeps = isinstance(e, ColumnRef) and e.id in local and e.id not in taken
            id_ = e.id if isinstance(e, ColumnRef) and keeps else self.session.new_id()
            taken.add(id_)
            result.append((Field(id_, item.name, e.type, e.nullable), e))
        return result

    def _sort_key(
        self,
        key: SortKey,
        outputs: Sequence[tuple[Field, Expr]],
        hidden: list[tuple[Field, Expr]],
        local: frozenset[int],
    ) -> SortKey:
        for f, e in (*outputs, *hidden):
            if e == key.expr:
                return replace(key, expr=column(f, key.expr.position))
        e = key.expr
        id_ = e.id if isinstance(e, ColumnRef) and e.id in local else self.session.new_id()
        if any(f.id == id_ for f, _ in outputs):
            id_ = self.session.new_id()
        f = Field(id_, e.name if isinstance(e, ColumnRef) else "", e.type, e.nullable)
        hidden.append((f, e))
        return replace(key, expr=column(f, e.position))
