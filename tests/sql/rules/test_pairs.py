"""Each rule on SQL: the plan of the first text, rewritten, is that of the second, or the tree written there.

Plans are compared as text, without ids and without projections that merely select columns, which SQL text
cannot avoid. Each file of `pairs` is named after its rule.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from headrace.sql.explain import render
from headrace.sql.optimize import RULES
from headrace.sql.plan import Plan
from headrace.sql.rules import fold_constants, merge_projects, push_down_filter
from sql_plans import Catalog, plan_of, table

PAIRS = Path(__file__).parent / "pairs"
CATALOG = Catalog(
    table("t", "a int, b int, c text, n int not null"),
    table("u", "a int, d int"),
    table("v", "e int"),
    table("fact", "f1 int, f2 int, m int", count=1_000_000, f1=1000, f2=100, m=50),
    table("dim1", "k1 int, p1 int", count=1000, k1=1000, p1=10),
    table("dim2", "k2 int, p2 int", count=100, k2=100, p2=10),
    table("tiny", "z int", count=5, z=5),
)
FIRST = {
    "unwrap_casts": (fold_constants,),
    "infer_predicates": (push_down_filter,),
    "prune_empty": (fold_constants, push_down_filter),
    "pull_up_projects": (push_down_filter, merge_projects),
    "order_joins": (push_down_filter,),
    "choose_build_side": (push_down_filter,),
    "make_top_k": (importlib.import_module("headrace.sql.rules.push_limit"),),
}
"""Rules that run before the one tested, where it needs their work."""

AFTER = {"strengthen_outer_joins": (push_down_filter,)}
"""Rules that bring both plans of a pair to one form."""


def _pairs() -> list[object]:
    found = []
    for path in sorted(PAIRS.glob("*.sql")):
        for block in path.read_text().split("== ")[1:]:
            title, _, rest = block.partition("\n")
            before, after = rest.split("\n--\n")
            found.append(pytest.param(path.stem, before.strip(), after.strip(), id=f"{path.stem}: {title}"))
    return found


def _text(plan: Plan, name: str) -> str:
    for rule in (*AFTER.get(name, ()), merge_projects):
        plan = rule.apply(plan)
    return render(plan)


@pytest.mark.parametrize(("name", "before", "after"), _pairs())
def test_pair(name: str, before: str, after: str) -> None:
    plan = plan_of(before, CATALOG)
    for rule in FIRST.get(name, ()):
        plan = rule.apply(plan)
    rule = importlib.import_module(f"headrace.sql.rules.{name}")
    rewritten = rule.apply(plan)
    if after.startswith("SELECT"):
        expected = plan_of(after, CATALOG)
        assert _text(rewritten, name) == _text(fold_constants.apply(expected), name)
    else:
        assert render(rewritten) == after


def test_every_rule_has_pairs() -> None:
    ours = [r.__name__ for r in RULES if r.__name__.startswith("headrace.sql.rules.")]
    assert {p.stem for p in PAIRS.glob("*.sql")} == {name.rpartition(".")[2] for name in ours}
