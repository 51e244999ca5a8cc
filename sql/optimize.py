"""The optimizer's driver: the rules in order, and a check of the plan after each."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from headrace.errors import InternalError
from headrace.sql import decorrelate
from headrace.sql.expr import ColumnRef, Expr, Field, Subquery, children
from headrace.sql.plan import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Limit,
    Plan,
    Project,
    Repeat,
    Scan,
    Sort,
    TopK,
    Union,
    Values,
    expressions,
    inputs,
)
from headrace.sql.rules import (
    choose_build_side,
    expand_distinct_aggregates,
    extract_common_terms,
    fold_constants,
    infer_predicates,
    make_top_k,
    merge_projects,
    order_joins,
    order_terms,
    prune_columns,
    prune_empty,
    pull_up_projects,
    push_down_filter,
    push_limit,
    remove_sorts,
    strengthen_outer_joins,
    unwrap_casts,
)

Trace = Callable[[str, Plan], None]

RULES: tuple[ModuleType, ...] = (
    decorrelate,
    fold_constants,
    unwrap_casts,
    extract_common_terms,
    remove_sorts,
    push_limit,
    make_top_k,
    strengthen_outer_joins,
    push_down_filter,
    infer_predicates,
    prune_empty,
    merge_projects,
    pull_up_projects,
    order_joins,
    expand_distinct_aggregates,
    choose_build_side,
    prune_columns,
    order_terms,
)
"""Every rule, in the order they run: replace subqueries, simplify, move filters down, flatten, order joins,
tidy up."""


def optimize(plan: Plan, trace: Trace | None = None) -> Plan:
    """A plan with the same result, cheaper to run.

    `trace` is called with each rule's name and the plan after it, where the rule changed something. Raises
    InternalError, naming the rule, when a rule breaks the plan.
    """
    schema = plan.schema()
    checker = _Checker()
    checker.check(plan, schema, "bind")
    for rule in RULES:
        name = rule.__name__.rpartition(".")[2]
        new: Plan = rule.apply(plan)
        if new is plan:
            continue
        plan = new
        if rule is decorrelate:
            checker = _Checker()  # what was sound inside a subquery need not be so outside
        checker.check(plan, schema, name)
        if trace is not None:
            trace(name, plan)
    return plan


class _Checker:
    """Checks plans; a node found sound is not looked at again, since nodes never change."""

    def __init__(self) -> None:
        self.sound: dict[int, tuple[Plan, dict[int, Field]]] = {}
        self.rule = ""

    def check(self, plan: Plan, schema: tuple[Field, ...], rule: str) -> None:
        """Raise InternalError unless the plan is sound and its columns are those of `schema`."""
        self.rule = rule
        self.outputs(plan, {})
        found = plan.schema()
        if [(f.id, f.name, f.type) for f in found] != [(f.id, f.name, f.type) for f in schema]:
            self.fail(f"the result columns changed from {_listed(schema)} to {_listed(found)}")

    def outputs(self, plan: Plan, outer: dict[int, Field]) -> dict[int, Field]:
        """The node's columns by id, once everything in it and below it resolves.

        `outer` are columns of enclosing plans: those around a subquery, or left of a dependent join.
        """
        known = self.sound.get(id(plan))
        if known is not None:
            return known[1]
        below: dict[int, Field] = {}
        count = 0
        for source in inputs(plan):
            dependent = isinstance(plan, Join) and plan.dependent and source is plan.right
            fields = self.outputs(source, {**outer, **below} if dependent else outer)
            below = {**below, **fields} if below else fields
            count += len(fields)
        if count != len(below):
            self.fail(f"both sides of a {type(plan).__name__} have a column of one id")
        visible = {**outer, **below} if outer else below
        for e in expressions(plan):
            self.resolve(e, visible, plan)
        found = self.schema_of(plan, below)
        self.sound[id(plan)] = (plan, found)
        return found

    def schema_of(self, plan: Plan, below: dict[int, Field]) -> dict[int, Field]:
        if isinstance(plan, (Filter, Repeat, Sort, Limit, TopK)):
            return below
        if isinstance(plan, Join) and plan.kind in (JoinKind.INNER, JoinKind.CROSS):
            return below
        if isinstance(plan, Scan) and len(plan.fields) != len(plan.columns):
            self.fail("a Scan has as many columns as fields")
        if isinstance(plan, Values) and any(len(row) != len(plan.fields) for row in plan.rows):
            self.fail("a row of Values has as many values as fields")
        if isinstance(plan, Union):
            self.check_union(plan)
        outputs: tuple[tuple[Field, Expr], ...] = ()
        if isinstance(plan, Project):
            outputs = plan.outputs
        elif isinstance(plan, Aggregate):
            outputs = plan.keys
        for field, e in outputs:
            if field.type != e.type:
                self.fail(f"column {field.name} is {field.type}, its expression {e.type}")
            if field.id in below and not (isinstance(e, ColumnRef) and e.id == field.id):
                self.fail(f"column {field.name} has the id {field.id} of another one below it")
        return {f.id: f for f in plan.schema()}

    def check_union(self, plan: Union) -> None:
        for side in (plan.left.schema(), plan.right.schema()):
            if [f.type for f in side] != [f.type for f in plan.fields]:
                self.fail(f"a Union of {_listed(plan.fields)} has an input of {_listed(side)}")
            for own, below in zip(plan.fields, side, strict=True):
                if below.nullable and not own.nullable:
                    self.fail(f"a Union takes {below.name} for never NULL; it can be")

    def resolve(self, e: Expr, below: dict[int, Field], plan: Plan) -> None:
        if isinstance(e, ColumnRef):
            field = below.get(e.id)
            if field is None:
                self.fail(f"{type(plan).__name__} reads {e.name} (id {e.id}), which its input does not have")
            elif field.type != e.type:
                self.fail(f"{type(plan).__name__} reads {e.name} as {e.type}; it is {field.type}")
            elif field.nullable and not e.nullable:
                self.fail(f"{type(plan).__name__} takes {e.name} for never NULL; it can be")
            return
        if isinstance(e, Subquery):
            self.outputs(e.plan, below)
        for x in children(e):
            self.resolve(x, below, plan)

    def fail(self, fault: str) -> None:
        raise InternalError(f"the rule {self.rule} broke the plan: {fault}")


def _listed(fields: tuple[Field, ...]) -> str:
    return ", ".join(f"{f.name} {f.type}" for f in fields)
