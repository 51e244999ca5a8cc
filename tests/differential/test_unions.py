"""UNION ALL and repeated rows as plans: order, forms of every type, what comes after them, and threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest

from differential.harness import EXECUTIONS, oracle
from differential.plans import Stored, executor, fault, run, stored
from differential.relation_data import large, relations
from headrace.sql.expr import Expr, Field, Literal, column
from headrace.sql.optimize import optimize
from headrace.sql.plan import Filter, Join, JoinKey, JoinKind, Plan, Project, Repeat, Union
from headrace.types import BIGINT, BOOLEAN, INTEGER, VARCHAR
from sql_plans import Builder, aggregate_call, call, col

NAMES = tuple(relations()["l"].column_names)


def selected(b: Builder, table: str, names: Sequence[str] = NAMES) -> Plan:
    scan = b.scan(stored(table))  # type: ignore[arg-type]
    return Project(scan, tuple((f, column(f)) for f in (next(f for f in scan.fields if f.name == n) for n in names)))


def united(b: Builder, *sides: Plan) -> Plan:
    whole = sides[0]
    for side in sides[1:]:
        pairs = zip(whole.schema(), side.schema(), strict=True)
        fields = tuple(Field(next(b.ids), x.name, x.type, x.nullable or y.nullable) for x, y in pairs)
        whole = Union(whole, side, fields)
    return whole


def all_of(*tables: str) -> str:
    return " UNION ALL ".join(f"(SELECT {', '.join(NAMES)} FROM {t})" for t in tables)


@pytest.mark.parametrize("tables", [("l", "r"), ("r", "nol", "l"), ("nor", "nol"), ("l", "l", "l")])
def test_every_type_in_order(tables: tuple[str, ...]) -> None:
    """Left rows come before right ones, and each side keeps its order."""
    b = Builder()
    plan = united(b, *(selected(b, t) for t in tables))
    rows = pa.concat_tables([relations()[t] for t in tables])
    oracle().register("whole", rows)
    for execution in EXECUTIONS if tables[0] == "l" else EXECUTIONS[:1]:
        ours = run(plan, execution)
        assert ours.column("id").to_pylist() == rows.column("id").to_pylist()
        assert ours.column("n").to_pylist() == rows.column("n").to_pylist()
    assert fault(plan, "SELECT * FROM whole", EXECUTIONS[:1]) is None


def test_deep_and_mirrored() -> None:
    """Unions of unions, on either side, give one table."""
    b = Builder()
    names = ("ki", "kt")
    right = united(b, selected(b, "r", names), selected(b, "l", names))
    plan = united(b, selected(b, "l", names), right)
    assert "rows of 1_union, then 2_union, then 3_union" in executor("auto").explain(plan)
    sql = "SELECT ki, kt FROM l UNION ALL SELECT ki, kt FROM r UNION ALL SELECT ki, kt FROM l"
    assert fault(plan, sql, ("interpreted",)) is None


@pytest.mark.parametrize("name", ["kt", "n", "ki", "kw", "kf", "kv", "kb"])
def test_grouped_and_joined(name: str) -> None:
    """Keys from different dictionaries, addresses and decoded numbers, grouped and as either side of a join."""
    b = Builder()
    whole = united(b, selected(b, "l", (name, "id")), selected(b, "r", (name, "id")))
    grouped = b.aggregate(whole, [col(whole, name)], c=aggregate_call("count_star"))
    union = f"(SELECT {name}, id FROM l UNION ALL SELECT {name}, id FROM r)"
    executions = EXECUTIONS if name == "kt" else ("interpreted",)
    assert fault(grouped, f"SELECT {name}, count(*) FROM {union} GROUP BY ALL", executions) is None
    for kind in (JoinKind.INNER, JoinKind.FULL):
        b = Builder()
        whole = united(b, selected(b, "l", (name, "id")), selected(b, "r", (name, "id")))
        other = selected(b, "r", (name, "v"))
        sides = ((whole, other), (other, whole))
        for left, right in sides:
            joined = Join(kind, left, right, (JoinKey(col(left, name), col(right, name)),))
            word = "FULL JOIN" if kind is JoinKind.FULL else "JOIN"
            texts = [union, f"(SELECT {name}, v FROM r)"]
            a, c = texts if left is whole else texts[::-1]
            assert fault(joined, f"SELECT * FROM {a} a {word} {c} c ON a.{name} = c.{name}", ("interpreted",)) is None


def test_constants_and_texts() -> None:
    """A literal beside a dictionary column, computed text beside plain text, NULLs alone."""
    b = Builder()
    left, right = selected(b, "l", ("kt", "n")), selected(b, "r", ("kt", "n"))
    upper = call("upper", col(right, "kt"), t=VARCHAR)
    one = Project(left, ((Field(next(b.ids), "a", VARCHAR, True), Literal("x", VARCHAR)), *_own(left)))
    two = Project(right, ((Field(next(b.ids), "a", VARCHAR, True), upper), *_own(right)))
    none = Project(
        selected(b, "r", ("id",)),
        tuple((Field(next(b.ids), n, VARCHAR, True), Literal(None, VARCHAR)) for n in ("a", "kt", "n")),
    )
    sql = (
        "SELECT 'x' AS a, kt, n FROM l UNION ALL SELECT upper(kt), kt, n FROM r "
        "UNION ALL SELECT NULL, NULL, NULL FROM r"
    )
    assert fault(united(b, one, two, none), sql, EXECUTIONS) is None


def _own(plan: Plan) -> tuple[tuple[Field, Expr], ...]:
    return tuple((f, column(f)) for f in plan.schema())


def test_repeated_rows() -> None:
    b = Builder()
    scan = b.scan(stored("l"))  # type: ignore[arg-type]
    times = (Field(next(b.ids), "times", BIGINT, True), call("abs", col(scan, "kl"), t=BIGINT))
    few = call("less", col(scan, "kl"), Literal(9, BIGINT))
    more = call("greater", col(scan, "kl"), Literal(-9, BIGINT))
    rows = Project(Filter(Filter(scan, few), more), ((scan.fields[0], column(scan.fields[0])), times))
    plan = Repeat(rows, col(rows, "times"))
    sql = "SELECT id, abs(kl) FROM l, range(1, 10) t(k) WHERE kl > -9 AND kl < 9 AND k <= abs(kl)"
    assert fault(plan, sql, EXECUTIONS) is None
    count = b.aggregate(plan, [], c=aggregate_call("count_star"), s=aggregate_call("sum", col(plan, "id")))
    assert fault(count, f"SELECT count(*), sum(id) FROM ({sql})", EXECUTIONS) is None
    pytest.importorskip("numba.cuda")
    pytest.importorskip("cuda.bindings")
    for report in executor("auto").kernels(optimize(plan), "sm_90"):
        assert report.error is None  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def tables() -> dict[str, Stored]:
    for name, table in large().items():
        oracle().register(f"large_{name}", table)
    return {name: Stored(name, table) for name, table in large().items()}


@pytest.mark.parametrize("kind", [JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK, JoinKind.FULL])
def test_many_morsels(kind: JoinKind, tables: dict[str, Stored]) -> None:
    """Tables of several morsels, on several threads; the left rows stay in order but for a full join."""
    b = Builder()
    left, right = b.scan(tables["fact"]), b.scan(tables["parent"])  # type: ignore[arg-type]
    residual = call("less", col(left, "v"), call("multiply", col(right, "y"), Literal(9, INTEGER), t=INTEGER))
    residual = replace(residual, arguments=(residual.arguments[0], _bigint(residual.arguments[1])))
    mark = Field(next(b.ids), "mark", BOOLEAN, True) if kind is JoinKind.MARK else None
    joined = Join(kind, left, right, (JoinKey(col(left, "k"), col(right, "k")),), residual, mark)
    shown = [f for f in joined.schema() if f.name in ("id", "name", "mark")]
    plan = Project(joined, tuple((f, column(f)) for f in shown))
    on = "l.k = r.k AND l.v < r.y * 9"
    some = f"EXISTS (SELECT 1 FROM large_parent r WHERE {on})"
    sql = {
        JoinKind.SEMI: f"SELECT id FROM large_fact l WHERE {some} ORDER BY id",
        JoinKind.ANTI: f"SELECT id FROM large_fact l WHERE NOT {some} ORDER BY id",
        JoinKind.MARK: f"""SELECT id, CASE WHEN {some} THEN TRUE
            WHEN v IS NULL AND EXISTS (SELECT 1 FROM large_parent r WHERE l.k = r.k) THEN NULL ELSE FALSE END AS mark
            FROM large_fact l ORDER BY id""",
        JoinKind.FULL: f"SELECT id, name FROM large_fact l FULL JOIN large_parent r ON {on} ORDER BY ALL",
    }[kind]
    theirs = oracle().sql(sql).to_arrow_table()
    for threads in (1, 4):
        ours = executor("compiled", threads).run(optimize(plan)).rename_columns(theirs.column_names)
        if kind is JoinKind.FULL:
            ours = ours.sort_by([("id", "ascending"), ("name", "ascending")])
        assert ours.cast(theirs.schema).equals(theirs)


def _bigint(e: Expr) -> Expr:
    from headrace.sql.expr import Cast

    return Cast(e, BIGINT, e.nullable)
