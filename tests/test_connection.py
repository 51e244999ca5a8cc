"""The connection: statements of every kind, names in the caller's code, the plan cache, threads, closing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace
from headrace.connection import Connection
from headrace.types import BIGINT, INTEGER, VARCHAR

MODULE_TABLE = pa.table({"n": [7]})


@pytest.fixture
def con() -> Iterator[Connection]:
    with headrace.connect(execution="interpreted") as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "one"), (2, "two"), (3, None)])
        yield connection


def test_module_surface() -> None:
    assert headrace.apilevel == "2.0"
    assert headrace.threadsafety == 2
    assert headrace.paramstyle == "qmark"
    assert issubclass(headrace.ProgrammingError, headrace.DatabaseError)
    assert headrace.Connection.ProgrammingError is headrace.ProgrammingError
    assert {"connect", "STRING", "Binary", "TimestampFromTicks"} <= set(dir(headrace))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = headrace.no_such_name  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, headrace; print(sorted(m for m in sys.modules if m.startswith('headrace')))"
    heavy = "print([m for m in ('numba', 'numpy', 'pyarrow', 'sqlglot', 'prompt_toolkit') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}; {heavy}"], capture_output=True, text=True, check=True)
    assert done.stdout == "['headrace']\n[]\n"


def test_statements(con: Connection) -> None:
    con.execute("CREATE TABLE u AS SELECT a, b FROM t WHERE a < 3")
    assert con.sql("SELECT * FROM u").fetchall() == [(1, "one"), (2, "two")]
    con.execute("CREATE VIEW v AS SELECT a FROM u WHERE a > 1")
    assert con.sql("SELECT * FROM v").fetchall() == [(2,)]
    con.execute("INSERT INTO u SELECT a, b FROM t WHERE a = 3")
    assert con.sql("SELECT * FROM v").fetchall() == [(2,), (3,)]
    con.execute("CREATE OR REPLACE TABLE u AS SELECT a FROM t WHERE a = 1")
    assert con.sql("SELECT * FROM u").fetchall() == [(1,)]
    con.execute("CREATE TABLE IF NOT EXISTS u AS SELECT a FROM t")
    assert con.sql("SELECT count(*) FROM u").fetchall() == [(1,)]
    assert con.sql("SHOW TABLES").fetchall() == [("t",), ("u",), ("v",)]
    con.execute("DROP VIEW v; DROP TABLE u; DROP TABLE IF EXISTS u")
    assert con.sql("SHOW TABLES").fetchall() == [("t",)]
    con.execute("BEGIN; COMMIT")


def test_describe(con: Connection) -> None:
    rows = [("a", "INTEGER", "YES", None, None, None), ("b", "VARCHAR", "YES", None, None, None)]
    assert con.sql("DESCRIBE t").fetchall() == rows
    assert con.sql("DESCRIBE SELECT b AS x FROM t").fetchall() == [("x", "VARCHAR", "YES", None, None, None)]
    assert con.sql("DESCRIBE t").columns == [
        "column_name",
        "column_type",
        "null",
        "key",
        "default",
        "extra",
    ]


def test_explain(con: Connection) -> None:
    plain = con.sql("EXPLAIN SELECT a FROM t WHERE a > 1")
    assert plain.columns == ["explain_key", "explain_value"]
    sections = dict(plain.fetchall())
    assert list(sections) == ["logical_plan", "optimized_plan", "pipelines"]
    assert "Filter" in str(sections["logical_plan"])
    analyzed = dict(con.sql("EXPLAIN ANALYZE SELECT a FROM t WHERE a > 1").fetchall())
    assert "interpreted" in str(analyzed["analyzed_plan"])
    assert con.last_profile is not None
    assert con.last_profile.pipelines[0].rows == 3


def test_several_statements_run_in_order(con: Connection) -> None:
    text = "CREATE TABLE n (x INTEGER); INSERT INTO n SELECT a FROM t; SELECT sum(x) AS s FROM n"
    result = con.sql(text)
    assert result.fetchall() == [(6,)]
    assert con.sql("SELECT a FROM t; SELECT a FROM t WHERE a = ?", [2]).fetchall() == [(2,)]
    with pytest.raises(headrace.ProgrammingError):
        con.sql("SELECT a FROM t WHERE a = ?; SELECT a FROM t", [2])
    with pytest.raises(headrace.ProgrammingError):
        con.sql("CREATE TABLE m (x INTEGER); SELEC")
    assert ("m",) not in con.sql("SHOW TABLES").fetchall()  # nothing runs before all of the text parses


@pytest.mark.parametrize("text", ["", "   \n", ";", "-- nothing\n/* at all */ ;"])
def test_texts_without_a_statement(con: Connection, text: str) -> None:
    assert con.sql(text).fetchall() == []
    assert con.execute(text).description is None
    with pytest.raises(headrace.ProgrammingError):
        con.sql(text, [1])


def test_counts(con: Connection) -> None:
    result = con.sql("INSERT INTO t SELECT a, b FROM t")
    assert (result.columns, result.types, result.fetchall()) == (["Count"], [BIGINT], [(3,)])
    assert con.sql("CREATE TABLE u AS SELECT a FROM t").fetchall() == [(6,)]
    assert con.sql("CREATE TABLE w (x INTEGER)").shape == (0, 0)


def test_settings() -> None:
    with headrace.connect(threads=1, device="cpu") as con:
        assert con.settings.number("threads") == 1
        con.execute("SET threads = 2")
        assert con.settings.number("threads") == 2
        with pytest.raises(headrace.ProgrammingError, match="no setting"):
            con.execute("SET no_such_setting = 1")
    with pytest.raises(headrace.ProgrammingError, match="no setting"):
        headrace.connect(no_such_setting=1)
    with pytest.raises(headrace.NotSupportedError, match="database files"):
        headrace.connect("file.db")


def test_debug_prints_plans(con: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    con.execute("SET debug = 2")
    con.execute("SELECT a FROM t")
    printed = capsys.readouterr().err
    assert "-- logical plan\n" in printed
    assert "-- optimised plan\n" in printed
    assert "-- pipelines\n" in printed


# ---------------------------------------------------------------------- names in the caller's code


def test_variables_of_the_caller(con: Connection) -> None:
    arrow = pa.table({"n": [1, 2]})
    frame = pandas.DataFrame({"n": [3]})
    poly = polars.DataFrame({"n": [4]})
    lazy = polars.LazyFrame({"n": [5]})
    reader = arrow.to_reader()
    result = con.sql("SELECT n FROM arrow WHERE n = 2")
    for name, expected in [
        ("arrow", [(1,), (2,)]),
        ("frame", [(3,)]),
        ("poly", [(4,)]),
        ("lazy", [(5,)]),
        ("reader", [(1,), (2,)]),
        ("result", [(2,)]),
        ("MODULE_TABLE", [(7,)]),
    ]:
        assert con.sql(f"SELECT * FROM {name}").fetchall() == expected
    assert con.cursor().execute("SELECT * FROM frame").fetchall() == [(3,)]
    assert [con.sql("SELECT n FROM arrow").fetchall() for _ in range(1)] == [[(1,), (2,)]]
    del frame, poly, lazy, reader, result


def test_only_the_calling_frame_is_looked_at(con: Connection) -> None:
    hidden = pa.table({"n": [1]})

    def inner() -> None:
        with pytest.raises(headrace.ProgrammingError, match="hidden"):
            con.sql("SELECT * FROM hidden")

    inner()
    assert con.sql("SELECT * FROM hidden").fetchall() == [(1,)]
    assert hidden.num_rows == 1


def test_other_variables_are_no_tables(con: Connection) -> None:
    number = 5
    kind = pa.Table
    for name in ("number", "kind", "pa"):
        with pytest.raises(headrace.ProgrammingError, match=f'no table "{name}"'):
            con.sql(f"SELECT * FROM {name}")
    assert (number, kind) == (5, pa.Table)


def test_tables_go_before_variables(con: Connection) -> None:
    t = pa.table({"z": [0]})
    assert con.sql("SELECT * FROM t").columns == ["a", "b"]
    assert t.num_rows == 1
    with pytest.raises(headrace.ProgrammingError, match="stored table"):
        con.execute("INSERT INTO MODULE_TABLE SELECT a FROM t")


def test_frames_changed_in_place_are_read_again(con: Connection) -> None:
    frame = pandas.DataFrame({"n": [1, 2]})
    con.register("registered", frame)
    for name in ("frame", "registered"):
        before = con.sql(f"SELECT sum(n) AS s FROM {name}").fetchall()
        frame.loc[0, "n"] += 10
        after = con.sql(f"SELECT sum(n) AS s FROM {name}").fetchall()
        assert int(str(after[0][0])) == int(str(before[0][0])) + 10


def test_rows_without_columns_are_counted(con: Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    reader = pa.table({"n": [1, 2]}).to_reader()
    for source in (f"'{path}'", "reader"):
        assert con.sql(f"SELECT count(*) FROM {source}").fetchall() == [(2,)]
    assert con.sql(f"SELECT 7 AS x FROM '{path}'").fetchall() == [(7,), (7,)]
    del reader


def test_register(con: Connection) -> None:
    assert con.register("r", pa.table({"n": [1]})) is con
    assert con.sql("SELECT * FROM r").fetchall() == [(1,)]
    con.register("r", pa.table({"m": ["x"]}))
    assert con.sql("SELECT * FROM R").fetchall() == [("x",)]
    con.unregister("r")
    with pytest.raises(headrace.ProgrammingError):
        con.sql("SELECT * FROM r")
    with pytest.raises(headrace.ProgrammingError):
        con.unregister("r")
    with pytest.raises(headrace.NotSupportedError):
        con.register("r", 5)


# ---------------------------------------------------------------------- the plan cache


def plans(con: Connection) -> int:
    return len(con._open().plans)


def test_repeated_texts_are_planned_once(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT a FROM t WHERE a > ?"
    assert con.sql(text, [1]).fetchall() == [(2,), (3,)]
    assert plans(con) == 1
    with monkeypatch.context() as patch:
        patch.setattr("headrace.sql.parse.parse", None)
        assert con.sql(text, [1]).fetchall() == [(2,), (3,)]
    assert con.sql(text, [2]).fetchall() == [(3,)]
    assert con.sql(text, [2.5]).fetchall() == [(3,)]
    assert plans(con) == 3
    con.execute("SET threads = 1")
    assert con.sql(text, [2]).fetchall() == [(3,)]
    assert plans(con) == 4


def test_writes_are_noticed(con: Connection) -> None:
    text = "SELECT count(*) FROM t"
    assert con.sql(text).fetchall() == [(3,)]
    con.execute("INSERT INTO t SELECT a, b FROM t WHERE a = 1")
    assert con.sql(text).fetchall() == [(4,)]
    con.execute("CREATE OR REPLACE TABLE t AS SELECT a FROM t WHERE a > 2")
    assert con.sql(text).fetchall() == [(1,)]
    assert con.sql("SELECT * FROM t").columns == ["a"]


def test_changed_files_are_noticed(con: Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    text = f"SELECT n FROM '{path}'"
    pq.write_table(pa.table({"n": [1]}), path)
    assert con.sql(text).fetchall() == [(1,)]
    assert con.sql(text).fetchall() == [(1,)]
    assert plans(con) == 1
    pq.write_table(pa.table({"n": ["two", "three"]}), path)
    assert con.sql(text).fetchall() == [("two",), ("three",)]
    path.unlink()
    with pytest.raises(headrace.OperationalError, match=r"x\.parquet"):
        con.sql(text)


def test_plans_over_the_callers_objects_are_not_kept(con: Connection) -> None:
    one = pa.table({"n": [1]})
    assert con.sql("SELECT * FROM MODULE_TABLE").fetchall() == [(7,)]
    assert con.sql("SELECT * FROM one").fetchall() == [(1,)]
    assert one.num_rows == 1
    assert plans(con) == 0


# ---------------------------------------------------------------------- many parameters


def test_executemany_appends_what_single_inserts_would(con: Connection) -> None:
    import datetime
    from decimal import Decimal

    con.execute("CREATE TABLE one (i INTEGER, v VARCHAR); CREATE TABLE many (i INTEGER, v VARCHAR)")
    rows = [
        (1, "x"),
        (2.5, None),
        (None, "z"),
        (Decimal("3.50"), "y"),
        (True, "w"),
        ("12", "text"),
        (4, datetime.date(2020, 1, 1)),
        (5, 1.5),
        (6, 7),
        (7, True),
        (8, Decimal("1.50")),
        (9, Decimal("1.5")),
        (10, Decimal("0.205")),
        (11, Decimal("0.05")),
        (12, Decimal("NaN")),
        (13, Decimal("1e20")),
        (14, 2**70),
    ]
    for row in rows:
        con.execute("INSERT INTO one VALUES (?, ?)", row)
    con.executemany("INSERT INTO many VALUES (?, ?)", rows)
    assert con.sql("SELECT * FROM many").fetchall() == con.sql("SELECT * FROM one").fetchall()


def test_executemany_is_all_or_nothing(con: Connection) -> None:
    with pytest.raises(headrace.Error):
        con.executemany("INSERT INTO t VALUES (?, ?)", [("1", "x"), ("word", "y")])
    with pytest.raises(headrace.ProgrammingError):
        con.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), (2,)])
    with pytest.raises(headrace.ProgrammingError, match="one statement"):
        con.executemany("INSERT INTO t VALUES (?, ?); SELECT a FROM t", [(1, "x")])
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(3,)]


@pytest.mark.parametrize(
    "text",
    [
        "insert into t (b, a) values (?, ?)",
        'INSERT INTO "t" ("b", a)\nVALUES ( ? , ? ) ;',
        "INSERT INTO t (b, a) VALUES ($1, $2)",
        "INSERT INTO t (b, a) VALUES (?, ? + 0)",
    ],
)
def test_executemany_forms(con: Connection, text: str) -> None:
    cursor = con.executemany(text, [("x", 10), ("y", 11)])
    assert cursor.rowcount == 2
    assert con.sql("SELECT a, b FROM t WHERE a >= 10").fetchall() == [(10, "x"), (11, "y")]


def test_executemany_with_names_and_without_rows(con: Connection) -> None:
    con.executemany("INSERT INTO t VALUES ($n, $b)", [{"n": 10, "b": "x"}, {"b": "y", "n": 11}])
    assert con.sql("SELECT a, b FROM t WHERE a >= 10").fetchall() == [(10, "x"), (11, "y")]
    assert con.executemany("INSERT INTO t VALUES (?, ?)", []).rowcount == 0
    assert con.executemany("SELECT a FROM t WHERE a = ?", [[1], [2]]).fetchall() == [(2,)]


# ---------------------------------------------------------------------- threads and closing


def test_cursors_run_in_several_threads(con: Connection) -> None:
    failures: list[object] = []

    def work(value: int) -> None:
        for _ in range(5):
            rows = con.cursor().execute("SELECT a FROM t WHERE a = ?", [value]).fetchall()
            if rows != [(value,)]:
                failures.append(rows)

    threads = [threading.Thread(target=work, args=(i,)) for i in (1, 2, 3, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_interrupt_sets_the_flag_of_running_statements(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert con.interrupt() is False
    started, stopped = threading.Event(), threading.Event()

    def wait(_plan: object, _profile: object, cancel: threading.Event) -> None:
        started.set()
        assert cancel.wait(10)
        stopped.set()
        raise headrace.CancelledError("the query was cancelled")

    monkeypatch.setattr(con._open().executor, "run", wait)
    seen: list[BaseException] = []

    def query() -> None:
        try:
            con.sql("SELECT a FROM t")
        except headrace.CancelledError as error:
            seen.append(error)

    thread = threading.Thread(target=query)
    thread.start()
    assert started.wait(10)
    assert con.interrupt() is True
    thread.join(10)
    assert stopped.is_set()
    assert len(seen) == 1


def test_keyboard_interrupt_stops_the_workers(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    flags: list[threading.Event] = []

    def press(_plan: object, _profile: object, cancel: threading.Event) -> None:
        flags.append(cancel)
        raise KeyboardInterrupt

    monkeypatch.setattr(con._open().executor, "run", press)
    with pytest.raises(KeyboardInterrupt):
        con.sql("SELECT a FROM t")
    assert flags[0].is_set()
    assert con.interrupt() is False


def test_transactions(con: Connection) -> None:
    con.commit()
    with pytest.raises(headrace.NotSupportedError):
        con.rollback()
    with pytest.raises(headrace.NotSupportedError):
        con.execute("ROLLBACK")


def test_closed_connection() -> None:
    con = headrace.connect()
    cursor = con.cursor()
    con.close()
    con.close()
    assert con.closed
    for use in (
        con.cursor,
        con.commit,
        con.rollback,
        con.__enter__,
        lambda: con.sql("SELECT 1"),
        lambda: con.execute("SELECT 1"),
        lambda: con.register("x", pa.table({"a": [1]})),
        lambda: con.unregister("x"),
        lambda: con.kernels("SELECT 1", "sm_90"),
        lambda: con.catalog,
        lambda: cursor.execute("SELECT 1"),
        cursor.fetchone,
    ):
        with pytest.raises(headrace.InterfaceError, match="the connection is closed"):
            use()


def test_context_manager_closes() -> None:
    with headrace.connect() as con:
        assert not con.closed
    assert con.closed


def test_types_of_a_result(con: Connection) -> None:
    assert con.sql("SELECT a, b FROM t").types == [INTEGER, VARCHAR]
