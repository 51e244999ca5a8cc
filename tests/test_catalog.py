"""Names: tables, views, registered objects, variables of the caller, and snapshots of them."""

from __future__ import annotations

import threading
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from headrace import types
from headrace.catalog import Catalog, Snapshot
from headrace.decode import decode
from headrace.errors import NotSupportedError, ProgrammingError
from headrace.scan.sources import Sources
from headrace.settings import Settings
from headrace.sql.source import SourceColumn, View

COLUMN = SourceColumn("a", types.INTEGER, True)


def numbers(*values: int | None) -> pa.Table:
    return pa.table({"a": pa.array(values, pa.int32())})


def rows(catalog: Catalog | Snapshot, name: str) -> list[object]:
    found = catalog.lookup(name)
    assert found is not None
    assert not isinstance(found, View)
    return decode(found.load(["a"], 1)["a"]).to_pylist()  # type: ignore[attr-defined]


@pytest.fixture
def catalog() -> Catalog:
    return Catalog(Settings(), Sources)


def test_tables(catalog: Catalog) -> None:
    assert catalog.lookup("t") is None
    assert catalog.create_table("T", [COLUMN])
    assert rows(catalog, "t") == []
    assert catalog.append("t", numbers(1, None)) == 2
    assert rows(catalog, "T") == [1, None]
    assert catalog.names() == ["T"]
    assert catalog.create_table("t", [COLUMN], numbers(7), replace=True)
    assert rows(catalog, "t") == [7]
    assert not catalog.create_table("t", [COLUMN], if_not_exists=True)
    with pytest.raises(ProgrammingError, match='there is a table "t" already'):
        catalog.create_table("t", [COLUMN])
    assert catalog.drop("table", "t")
    assert not catalog.drop("table", "t", if_exists=True)
    with pytest.raises(ProgrammingError, match='there is no table "t"'):
        catalog.drop("table", "t")


def test_kinds_do_not_replace_one_another(catalog: Catalog) -> None:
    catalog.create_table("t", [COLUMN])
    catalog.create_view(View("v", "SELECT 1"))
    found = catalog.lookup("V")
    assert isinstance(found, View)
    assert found.text == "SELECT 1"
    with pytest.raises(ProgrammingError, match="is a table, which a view cannot replace"):
        catalog.create_view(View("t", "SELECT 1"), replace=True)
    with pytest.raises(ProgrammingError, match="is a view, which a table cannot replace"):
        catalog.create_table("v", [COLUMN], replace=True)
    with pytest.raises(ProgrammingError, match='"v" is a view'):
        catalog.drop("table", "v", if_exists=True)
    with pytest.raises(ProgrammingError, match='only tables take rows, not the view "v"'):
        catalog.append("v", numbers(1))
    assert not catalog.create_table("v", [COLUMN], if_not_exists=True)


def test_near_names_are_offered(catalog: Catalog) -> None:
    catalog.create_table("Customers", [COLUMN])
    with pytest.raises(ProgrammingError, match='did you mean "Customers"'):
        catalog.append("custmers", numbers(1))
    with pytest.raises(ProgrammingError, match='did you mean "Customers"'):
        catalog.drop("table", "customer")


def test_columns_have_different_names(catalog: Catalog) -> None:
    with pytest.raises(ProgrammingError, match='"A" occurs twice'):
        catalog.create_table("t", [COLUMN, SourceColumn("A", types.DATE, True)])
    with pytest.raises(NotSupportedError, match="without columns"):
        catalog.create_table("t", [])


def test_registered_objects_go_first(catalog: Catalog) -> None:
    catalog.create_table("t", [COLUMN], numbers(1))
    catalog.register("T", pd.DataFrame({"a": [5, 6]}))
    assert rows(catalog, "t") == [5, 6]
    assert catalog.names() == ["T"]
    catalog.unregister("t")
    assert rows(catalog, "t") == [1]
    with pytest.raises(ProgrammingError, match='no object is registered as "t"'):
        catalog.unregister("t")
    catalog.register("r", numbers(9))
    assert catalog.drop("view", "r")
    assert catalog.lookup("r") is None


def test_what_cannot_be_queried_is_not_registered(catalog: Catalog) -> None:
    with pytest.raises(NotSupportedError, match=r"d is a builtins.dict"):
        catalog.register("d", {"a": [1]})
    assert catalog.names() == []
    with pytest.raises(ProgrammingError, match="under a name"):
        catalog.register("", numbers(1))


def test_a_registered_frame_changed_in_place_is_seen_anew(catalog: Catalog) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    catalog.register("f", frame)
    assert rows(catalog, "f") == [1, 2]
    frame.loc[0, "a"] = 77
    assert rows(catalog, "f") == [77, 2]


def test_variables_of_the_caller_come_last(catalog: Catalog) -> None:
    asked: list[str] = []
    variables: dict[str, object] = {"frame": numbers(3), "t": numbers(4)}

    def find(name: str) -> object | None:
        asked.append(name)
        return variables.get(name)

    catalog.create_table("t", [COLUMN], numbers(1))
    snapshot = catalog.snapshot(find)
    assert rows(snapshot, "t") == [1]
    assert asked == []
    assert rows(snapshot, "frame") == [3]
    assert snapshot.lookup("Frame") is None
    assert asked == ["frame", "Frame"]
    assert catalog.lookup("frame") is None


def test_a_snapshot_does_not_move(catalog: Catalog) -> None:
    catalog.create_table("t", [COLUMN], numbers(1))
    before = catalog.snapshot()
    versions = [catalog.version]
    catalog.append("t", numbers(2))
    versions.append(catalog.version)
    middle = catalog.snapshot()
    catalog.drop("table", "t")
    versions.append(catalog.version)
    catalog.create_view(View("v", "SELECT 1"))
    versions.append(catalog.version)
    assert rows(before, "t") == [1]
    assert rows(middle, "t") == [1, 2]
    assert middle.names() == ["t"]
    assert catalog.names() == ["v"]
    assert versions == sorted(set(versions))


def test_files(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    found = catalog.snapshot().scan_function("file", [str(tmp_path / "t.csv")], {})
    assert [c.name for c in found.schema()] == ["a"]
    assert catalog.scan_function("read_csv", [str(tmp_path / "t.csv")], {}).schema() == found.schema()


def test_the_memory_limit_is_the_setting() -> None:
    settings = Settings()
    catalog = Catalog(settings, Sources)
    settings.set("memory_limit", "1KB")
    with pytest.raises(Exception, match=r"out of memory.*limit of 1.0 KB"):
        catalog.create_table("t", [COLUMN], pa.table({"a": pa.array(range(200_000), pa.int32())}))


def test_threads_append_without_losing_rows(catalog: Catalog) -> None:
    catalog.create_table("t", [COLUMN])

    def work(start: int) -> None:
        for k in range(100):
            catalog.append("t", numbers(start + k))

    threads = [threading.Thread(target=work, args=(1000 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = rows(catalog, "t")
    assert sorted(v for v in found if isinstance(v, int)) == sorted(1000 * k + j for k in range(4) for j in range(100))
