"""Every kind of join, as plans, against the SQL that means the same to DuckDB: key types, NULLs, residuals, forms."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import pytest

import headrace
from differential.harness import oracle
from differential.plans import executor, fault, run, stored
from headrace.sql.expr import Expr, Field, Literal, column
from headrace.sql.optimize import optimize
from headrace.sql.plan import Join, JoinKey, JoinKind, Plan, Project
from headrace.types import BOOLEAN, INTEGER
from sql_plans import Builder, call, col

KEYS = ("ki", "ks", "kl", "ku", "kt", "kd", "km", "kc", "kw", "kf", "kg", "kb", "kx", "kv")
KINDS = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK, JoinKind.SINGLE, JoinKind.FULL, JoinKind.LEFT)

RESIDUALS = {
    "": None,
    "l.v < r.v": lambda left, right: call("less", col(left, "v"), col(right, "v")),
    "l.n <> r.n": lambda left, right: call("not_equal", col(left, "n"), col(right, "n")),
    "r.id = 3": lambda left, right: call("equal", col(right, "id"), Literal(3, INTEGER)),
    "l.ki > 2 OR r.v IS NULL": lambda left, right: call(
        "or",
        call("greater", col(left, "ki"), Literal(2, INTEGER)),
        call("is_null", col(right, "v")),
    ),
}


@dataclass(frozen=True)
class Case:
    """A join of two tables: keys as (left column, right column, null-safe), and a residual by its SQL text."""

    kind: JoinKind
    left: str
    right: str
    keys: tuple[tuple[str, str, bool], ...] = ()
    residual: str = ""

    def plan(self) -> Plan:
        b = Builder()
        left, right = b.scan(stored(self.left)), b.scan(stored(self.right))  # type: ignore[arg-type]
        keys = tuple(JoinKey(col(left, a), col(right, c), safe) for a, c, safe in self.keys)
        make = RESIDUALS[self.residual]
        residual: Expr | None = None if make is None else make(left, right)
        mark = Field(next(b.ids), "mark", BOOLEAN, True) if self.kind is JoinKind.MARK else None
        joined = Join(self.kind, left, right, keys, residual, mark)
        fields = [f for f in joined.schema() if f.name in self.shown()]
        return Project(joined, tuple((replace(f, name=f"c{k}"), column(f)) for k, f in enumerate(fields)))

    def shown(self) -> set[str]:
        return {"id", "n", "k", "label", "size", "z", "mark", *(name for a, b, _ in self.keys for name in (a, b))}

    def condition(self) -> str:
        terms = [f"l.{a} {'IS NOT DISTINCT FROM' if safe else '='} r.{b}" for a, b, safe in self.keys]
        return " AND ".join([*terms, *([f"({self.residual})"] if self.residual else [])]) or "TRUE"

    def columns(self, side: str, table: str) -> str:
        return ", ".join(f"{side}.{f.name}" for f in stored(table).table.schema if f.name in self.shown())

    def sql(self) -> str:
        """What the plan means."""
        left, right = f"{self.left} l", f"{self.right} r"
        on, mine = self.condition(), self.columns("l", self.left)
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            word = "EXISTS" if self.kind is JoinKind.SEMI else "NOT EXISTS"
            return f"SELECT {mine} FROM {left} WHERE {word} (SELECT 1 FROM {right} WHERE {on})"
        if self.kind is JoinKind.MARK:
            agree = " AND ".join(f"l.{a} IS NOT DISTINCT FROM r.{b}" for a, b, safe in self.keys if safe) or "TRUE"
            met = " AND ".join(
                [
                    *(f"l.{a} = r.{b}" for a, b, safe in self.keys if not safe),
                    *([f"({self.residual})"] if self.residual else []),
                ]
            )
            met = met or "TRUE"
            three = f"CASE WHEN bool_or({met}) THEN TRUE WHEN count(*) > count({met}) THEN NULL ELSE FALSE END"
            return f"SELECT {mine}, (SELECT {three} FROM {right} WHERE {agree}) AS mark FROM {left}"
        both = f"{mine}, {self.columns('r', self.right)}"
        outer = f"SELECT {both} FROM {left} LEFT JOIN {right} ON {on}"
        if self.kind is not JoinKind.FULL:
            return outer
        none = f"(SELECT * FROM {self.left} WHERE FALSE) l"
        rest = f"(SELECT * FROM {right} WHERE NOT EXISTS (SELECT 1 FROM {left} WHERE {on})) r"
        return f"{outer} UNION ALL SELECT {both} FROM {none} RIGHT JOIN {rest} ON TRUE"

    def repeats(self) -> bool:
        """Whether some row of the left side has more than one match."""
        numbered = f"(SELECT *, row_number() OVER () AS number FROM {self.left}) l"
        counts = f"SELECT count(*) AS n FROM {numbered} JOIN {self.right} r ON {self.condition()} GROUP BY l.number"
        return bool(oracle().sql(f"SELECT coalesce(max(n), 0) > 1 FROM ({counts})").fetchall()[0][0])


def check(*cases: Case, executions: tuple[str, ...] = ("interpreted",)) -> None:
    faults = []
    for case in cases:
        plan = case.plan()
        if case.kind is JoinKind.SINGLE and case.repeats():
            for execution in executions:
                try:
                    rows = run(plan, execution)
                except headrace.DataError:
                    continue
                faults.append(f"{case}\n{execution}: {rows.num_rows} rows, expected an error")
            continue
        found = fault(plan, case.sql(), executions)
        if found is not None:
            faults.append(f"{case}\n{found}")
    assert not faults, "\n\n".join(faults)


def key(name: str, right: str = "", null_safe: bool = False) -> tuple[str, str, bool]:
    return name, right or name, null_safe


@pytest.mark.parametrize("name", KEYS)
def test_key_types(name: str) -> None:
    check(
        *(
            Case(kind, "l", "r", (key(name, null_safe=safe),), residual)
            for kind in KINDS
            for safe in (False, True)
            for residual in ("", "l.v < r.v", "r.id = 3")
        )
    )


@pytest.mark.parametrize("kind", KINDS)
def test_without_keys(kind: JoinKind) -> None:
    check(*(Case(kind, a, b, (), text) for text in RESIDUALS for a in ("l", "nol") for b in ("r", "nor")))


@pytest.mark.parametrize("kind", KINDS)
def test_empty_sides(kind: JoinKind) -> None:
    for a, b in (("l", "nor"), ("nol", "r"), ("nol", "nor")):
        for keys in ((key("ki"),), (key("kt", null_safe=True), key("ki"))):
            check(Case(kind, a, b, keys), Case(kind, a, b, keys, "l.v < r.v"))


@pytest.mark.parametrize("kind", KINDS)
def test_several_keys(kind: JoinKind) -> None:
    names = ("ki", "kt", "kb")
    for safe in itertools.product((False, True), repeat=2):
        for residual in RESIDUALS:
            pair = tuple(key(n, null_safe=s) for n, s in zip(("kb", "kd"), safe, strict=True))
            check(Case(kind, "l", "r", pair, residual))
    check(Case(kind, "l", "r", tuple(key(n) for n in names)))
    check(Case(kind, "l", "pairs", (key("ki", "a"), key("kt", "b"))))


@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_do_not_repeat(kind: JoinKind) -> None:
    """Look-ups by position, by rank, by hash; a key that is never NULL under null-safe comparison."""
    check(
        Case(kind, "l", "dense", (key("ki", "k"),)),
        Case(kind, "l", "dense", (key("ki", "k", True),)),
        Case(kind, "l", "dense", (key("ki", "k"), key("v", "up"))),
        Case(kind, "l", "sparse", (key("kl", "k"),)),
        Case(kind, "l", "sparse", (key("kl", "k", True),)),
        Case(kind, "l", "words", (key("kt", "k"),)),
        Case(kind, "l", "words", (key("kt", "k", True),)),
        Case(kind, "dense", "l", (key("k", "ki"),)),
        Case(kind, "r", "l", (key("id"),), "l.v < r.v"),
    )


COMPILED = (
    Case(JoinKind.SEMI, "l", "r", (key("ki"),)),
    Case(JoinKind.ANTI, "l", "r", (key("kt", null_safe=True),), "l.v < r.v"),
    Case(JoinKind.MARK, "l", "r", (key("ki"),)),
    Case(JoinKind.MARK, "l", "r", (key("kw", null_safe=True), key("kt")), "l.n <> r.n"),
    Case(JoinKind.MARK, "l", "r", (key("kb"), key("kf"))),
    Case(JoinKind.SINGLE, "l", "r", (key("kv"),), "r.id = 3"),
    Case(JoinKind.SINGLE, "l", "r", (key("kc"),)),
    Case(JoinKind.FULL, "l", "r", (key("kt"), key("kb")), "l.v < r.v"),
    Case(JoinKind.FULL, "l", "words", (key("kt", "k"),)),
    Case(JoinKind.MARK, "l", "dense", (key("ki", "k"),)),
)


@pytest.mark.parametrize("case", COMPILED)
def test_compiled(case: Case) -> None:
    check(case, executions=("compiled",))


def test_kernels_for_a_gpu() -> None:
    pytest.importorskip("numba.cuda")
    pytest.importorskip("cuda.bindings")
    for case in COMPILED:
        for report in executor("auto").kernels(optimize(case.plan()), "sm_90"):
            assert report.error is None, case  # type: ignore[attr-defined]
            assert report.spill_bytes == 0, case  # type: ignore[attr-defined]
