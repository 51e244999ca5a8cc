"""FROM: joins, files and table functions."""

from __future__ import annotations

import pytest

from bind_catalog import catalog, plan_of
from headrace.sql.bind import bind
from headrace.sql.expr import Call, ColumnRef
from headrace.sql.parse import parse
from headrace.sql.plan import Filter, Join, JoinKind, Plan, Project, walk_plan


def join_of(plan: Plan) -> Join:
    (join,) = [n for n in walk_plan(plan) if isinstance(n, Join)]
    return join


def test_inner_joins_are_products_under_filters() -> None:
    for sql in ("FROM t JOIN s ON t.a = s.a", "FROM t, s WHERE t.a = s.a", "FROM t JOIN s USING (a)"):
        plan = plan_of(sql)
        assert isinstance(plan, Project)
        assert isinstance(plan.input, Filter)
        assert join_of(plan).kind is JoinKind.CROSS


def test_left_joins_have_keys_and_a_residual() -> None:
    join = join_of(plan_of("FROM t LEFT JOIN s ON s.a = t.a AND t.b > 1 AND t.c = s.y AND s.x < t.b AND s.x = 3"))
    assert join.kind is JoinKind.LEFT
    assert len(join.keys) == 2
    left = {f.id for f in join.left.schema()}
    for key in join.keys:
        assert key.left.type == key.right.type
    assert isinstance(join.keys[1].left, ColumnRef)
    assert join.keys[1].left.id in left
    assert isinstance(join.residual, Call)
    assert len(join.residual.arguments) == 3


def test_null_safe_keys() -> None:
    (key,) = join_of(plan_of("FROM t LEFT JOIN s ON t.c IS NOT DISTINCT FROM s.y")).keys
    assert key.null_safe


def test_right_joins_are_left_joins_with_the_columns_in_their_old_order() -> None:
    plan = plan_of("SELECT * FROM s RIGHT JOIN nation ON s.x = n_nationkey")
    join = join_of(plan)
    assert join.kind is JoinKind.LEFT
    assert [f.name for f in join.schema()][:2] == ["n_nationkey", "n_name"]
    assert [f.name for f in plan.schema()][:3] == ["a", "x", "y"]
    assert all(f.nullable for f in plan.schema()[:3])


def test_columns_that_an_outer_join_may_leave_out_are_nullable() -> None:
    catalog_ = catalog()
    relation = catalog_.relations["s"]
    from dataclasses import replace

    relation.columns = tuple(replace(c, nullable=False) for c in relation.columns)
    statement = bind(parse("SELECT s.x, u.x FROM s LEFT JOIN s u ON s.a = u.a AND u.x > 1")[0], catalog_)
    plan = statement.plan  # type: ignore[union-attr]
    assert [f.nullable for f in plan.schema()] == [False, True]
    assert not any(k.right.nullable for k in join_of(plan).keys)


@pytest.mark.parametrize(
    ("item", "call"),
    [
        ("'dir/x.parquet'", ("file", ["dir/x.parquet"], {})),
        ('"dir/x.parquet"', ("file", ["dir/x.parquet"], {})),
        ("read_parquet('x.parquet')", ("read_parquet", ["x.parquet"], {})),
        ("parquet_scan(['a', 'b'])", ("read_parquet", [["a", "b"]], {})),
        (
            "read_csv('a.csv', delim := '|', header = false, sample_size = 10, columns = {'a': 'INT'})",
            (
                "read_csv",
                ["a.csv"],
                {"delim": "|", "header": False, "sample_size": 10, "columns": {"a": "INT"}},
            ),
        ),
    ],
)
def test_files_and_table_functions(item: str, call: tuple[str, list[object], dict[str, object]]) -> None:
    used = catalog()
    bind(parse(f"SELECT p FROM {item}")[0], used)
    assert used.scanned == [call]


def test_a_file_is_called_by_its_stem() -> None:
    assert plan_of("SELECT x.p FROM 'dir/x.parquet'").schema()[0].name == "p"
    assert plan_of("SELECT y.q FROM 'dir/x.parquet' AS y(q)").schema()[0].name == "q"
