"""Statements carried out: each is parsed, bound, optimised and run, in this order, one after the other."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.errors import NotSupportedError, ProgrammingError
from headrace.plan_cache import CachedPlan, Parameters, PlanCache, parameter_key, version_of
from headrace.replacement import caller_variable
from headrace.result import Result
from headrace.settings import Settings
from headrace.sql.plan import Plan
from headrace.sql.source import CatalogReader, Relation, View
from headrace.sql.statement import (
    CreateTable,
    CreateView,
    Describe,
    Drop,
    Explain,
    Insert,
    Query,
    SetOption,
    ShowTables,
    Statement,
    Transaction,
)
from headrace.table import TableVersion

if TYPE_CHECKING:
    import pyarrow as pa

    from headrace.cancel import Cancel
    from headrace.catalog import Catalog
    from headrace.executor import Executor
    from headrace.profile import Profile
    from headrace.sql.parse import Parsed


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement gave: its rows, None if it gives none; how many it gave or wrote, -1 if neither."""

    result: Result | None
    rowcount: int = -1
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `Statements.run`: when it began, what cancels it."""

    began: float
    cancel: Cancel


class Recorder:
    """A snapshot of the catalog with a note of the relations found through it.

    `extra` are relations under names of their own, which go before the catalog's.
    """

    def __init__(self, catalog: CatalogReader, extra: Mapping[str, Relation] | None = None) -> None:
        self._catalog = catalog
        self._extra = extra or {}
        self.found: list[tuple[object, object]] = []  # (relation, its version)

    def lookup(self, name: str) -> Relation | View | None:
        found = self._extra.get(name) or self._catalog.lookup(name)
        return found if found is None or isinstance(found, View) else self._noted(found)

    def names(self) -> Sequence[str]:
        return self._catalog.names()

    def scan_function(self, name: str, arguments: Sequence[object], options: Mapping[str, object]) -> Relation:
        return self._noted(self._catalog.scan_function(name, arguments, options))

    def _noted(self, relation: Relation) -> Relation:
        self.found.append((relation, version_of(relation)))
        return relation


class Statements:
    """Runs SQL text against a catalog. Safe to use from several threads."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        self.catalog = catalog
        self.settings = settings
        self.plans = PlanCache()
        self._executor: Executor | None = None
        self._lock = threading.Lock()

    @property
    def executor(self) -> Executor:
        """Made when it is first needed: its modules are slow to import."""
        with self._lock:
            if self._executor is None:
                from headrace.executor import Executor

                self._executor = Executor(self.settings, self.catalog.memory)
            return self._executor

    def run(self, text: str, parameters: Parameters, cancel: Cancel) -> Outcome:
        """Run every statement of a text; the last one takes the parameters and gives the outcome."""
        run = Run(time.perf_counter(), cancel)
        key = self._key(text, parameters)
        cached = None if key is None else self.plans.get(key)
        if cached is not None:
            try:
                return self._query(cached.plan, run)
            except Exception:
                self.plans.forget(key)
                raise
        from headrace.sql.parse import parse

        parsed = parse(text)
        if not parsed and parameters:
            raise ProgrammingError("parameters were given for a text without a statement")
        for before in parsed[:-1]:
            self._run_one(before, None, None, run)
            run = Run(time.perf_counter(), cancel)
        if not parsed:
            return Outcome(None)
        return self._run_one(parsed[-1], parameters, key if len(parsed) == 1 else None, run)

    def run_many(self, text: str, rows: Sequence[Parameters], cancel: Cancel) -> Outcome:
        """Run one statement with each set of parameters; INSERT appends all its rows at once, or none."""
        from headrace.sql.parse import parse

        parsed = parse(text)
        if len(parsed) != 1:
            raise ProgrammingError(f"executemany takes one statement, not {len(parsed)}")
        run = Run(time.perf_counter(), cancel)
        rows = list(rows)
        if not rows:
            return Outcome(None, 0)
        first = self.bind(parsed[0], rows[0])
        if isinstance(first, Insert):
            from headrace.bulk_insert import insert_rows

            self._refuse_no_table(first.table)
            return self._append(first.table, insert_rows(self, parsed[0], first, rows, run))
        outcome = Outcome(None)
        for values in rows:
            outcome = self._run_one(parsed[0], values, None, run)
        return outcome

    def plan(self, text: str, parameters: Parameters) -> Plan:
        """The optimised plan of one query, not run; raises ProgrammingError for anything but one query."""
        from headrace.sql.parse import parse

        parsed = parse(text)
        if len(parsed) == 1:
            statement = self.bind(parsed[0], parameters)
            if isinstance(statement, Query):
                return self.optimise(statement.plan)
        raise ProgrammingError("one query is expected here")

    # ------------------------------------------------------------------------------- planning

    def _key(self, text: str, parameters: Parameters) -> Hashable | None:
        values = parameter_key(parameters)
        return None if values is None else (text, values, self.settings.epoch, self.catalog.version)

    def recorder(self, extra: Mapping[str, Relation] | None = None) -> Recorder:
        """The catalog as it is now, with the variables of the calling program."""
        return Recorder(self.catalog.snapshot(caller_variable), extra)

    def bind(self, parsed: Parsed, parameters: Parameters, catalog: CatalogReader | None = None) -> Statement:
        from headrace.sql.bind import bind

        integer_division = bool(self.settings.values["integer_division"])
        return bind(parsed, catalog or self.recorder(), parameters, integer_division)

    def optimise(self, plan: Plan) -> Plan:
        """The optimised plan; prints both, and the pipelines, as the setting `debug` says."""
        from headrace.sql.explain import render
        from headrace.sql.optimize import optimize

        optimised = optimize(plan)
        debug = self.settings.number("debug")
        if debug >= 1:
            print(f"-- logical plan\n{render(plan)}\n-- optimised plan\n{render(optimised)}", file=sys.stderr)
        if debug >= 2:
            print(f"-- pipelines\n{self.executor.explain(optimised)}", file=sys.stderr)
        return optimised

    # ------------------------------------------------------------------------------- running

    def _run_one(self, parsed: Parsed, parameters: Parameters, key: Hashable | None, run: Run) -> Outcome:
        catalog = self.recorder()
        statement = self.bind(parsed, parameters, catalog)
        match statement:
            case Query():
                plan = self.optimise(statement.plan)
                outcome = self._query(plan, run)
                # What gives a new version each time it is asked, as the caller's objects do, is not kept.
                if key is not None and all(version_of(r) == version for r, version in catalog.found):
                    self.plans.put(key, CachedPlan(plan, tuple(catalog.found)))
                return outcome
            case Explain():
                return self._explain(statement, run)
            case Insert():
                self._refuse_no_table(statement.table)
                rows, profile = self.execute(self.optimise(statement.plan), run)
                return self._append(statement.table, rows, profile)
            case CreateTable():
                return self._create_table(statement, run)
            case CreateView():
                view = View(statement.name, statement.text, statement.columns)
                self.catalog.create_view(view, replace=statement.replace, if_not_exists=statement.if_not_exists)
                self.plans.clear()
            case Drop():
                self.catalog.drop(statement.kind, statement.name, if_exists=statement.if_exists)
                self.plans.clear()
            case SetOption():
                self.settings.set(statement.name, statement.value)
            case Transaction():
                if statement.action == "rollback":
                    raise NotSupportedError("there is nothing to roll back: each statement takes effect at once")
            case Describe():
                return _rows(_description(statement))
            case ShowTables():
                return _rows(Result.of_columns(name=catalog.names()))
        return Outcome(None)

    def execute(self, plan: Plan, run: Run) -> tuple[pa.Table, Profile]:
        """Run an optimised plan."""
        from headrace.profile import Profile

        executor = self.executor
        profile = Profile()
        profile.planning_ms = (time.perf_counter() - run.began) * 1000
        return executor.run(plan, profile, run.cancel), profile

    def _query(self, plan: Plan, run: Run) -> Outcome:
        table, profile = self.execute(plan, run)
        return Outcome(Result(table, [f.type for f in plan.schema()]), table.num_rows, profile)

    def _explain(self, statement: Explain, run: Run) -> Outcome:
        from headrace.sql.explain import render

        plan = self.optimise(statement.query.plan)
        sections = {
            "logical_plan": render(statement.query.plan),
            "optimized_plan": render(plan),
            "pipelines": self.executor.explain(plan),
        }
        profile = None
        if statement.analyze:
            _, profile = self.execute(plan, run)
            sections["analyzed_plan"] = profile.render()
        result = Result.of_columns(explain_key=list(sections), explain_value=list(sections.values()))
        return Outcome(result, len(result), profile)

    def _create_table(self, statement: CreateTable, run: Run) -> Outcome:
        exists = isinstance(self.catalog.lookup(statement.name), TableVersion)
        if exists and statement.if_not_exists:
            return Outcome(None)
        rows, profile = None, None
        if statement.query is not None:
            rows, profile = self.execute(self.optimise(statement.query), run)
        self.catalog.create_table(
            statement.name,
            statement.columns,
            rows,
            replace=statement.replace,
            if_not_exists=statement.if_not_exists,
            threads=self.settings.number("threads"),
        )
        self.plans.clear()
        return Outcome(None, -1 if rows is None else rows.num_rows, profile)

    def _refuse_no_table(self, name: str) -> None:
        """What is not stored here - a registered object, a variable - cannot take rows."""
        if not isinstance(self.catalog.lookup(name), TableVersion):
            raise ProgrammingError(f'"{name}" is not a stored table, and rows are inserted into those only')

    def _append(self, name: str, rows: pa.Table, profile: Profile | None = None) -> Outcome:
        count = self.catalog.append(name, rows, self.settings.number("threads"))
        self.plans.clear()  # cached plans would keep the earlier version's rows in memory
        return Outcome(None, count, profile)


def _rows(result: Result) -> Outcome:
    return Outcome(result, len(result))


def _description(statement: Describe) -> Result:
    """As DuckDB describes: columns without constraints are NULL-able and have no key, default or extra."""
    count = len(statement.columns)
    return Result.of_columns(
        column_name=[c.name for c in statement.columns],
        column_type=[str(c.type) for c in statement.columns],
        null=["YES"] * count,
        key=[None] * count,
        default=[None] * count,
        extra=[None] * count,
    )
