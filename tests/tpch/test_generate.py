"""Generating the data: whole or not at all, once, and never over something else."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from headrace.tpch import generate
from headrace.tpch.cli import main
from headrace.tpch.generate import default_folder, ensure_data, location, missing_tables
from headrace.tpch.suite import SuiteError
from headrace.tpch.tpch import TPCH


def never(scale: float, folder: Path, progress: bool) -> None:
    raise AssertionError("the data were generated again")


def test_every_table_is_there(data: Path) -> None:
    assert missing_tables(TPCH, data) == ()
    assert {file.stem for file in data.iterdir()} == set(TPCH.tables)
    assert [path.name for path in data.parent.iterdir()] == ["sf0.01"]


def test_whole_data_are_kept(data: Path) -> None:
    assert ensure_data(replace(TPCH, generate=never), 0.01, data) == data


def test_the_default_is_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder(TPCH, 1) == tmp_path / "headrace" / "tpch" / "sf1"
    assert default_folder(TPCH, 0.1) == tmp_path / "headrace" / "tpch" / "sf0.1"


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fails(scale: float, folder: Path, progress: bool) -> None:
        (folder / "region.parquet").write_bytes(b"half")
        raise SuiteError("out of space")

    with pytest.raises(SuiteError, match="out of space"):
        ensure_data(replace(TPCH, generate=fails), 1, tmp_path / "sf1")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(scale: float, folder: Path, progress: bool) -> None:
        (folder / "region.parquet").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_data(replace(TPCH, generate=interrupted), 1, tmp_path / "sf1")
    assert list(tmp_path.iterdir()) == []


def test_an_incomplete_generator_is_found_out(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="wrote no region, nation"):
        ensure_data(replace(TPCH, generate=lambda *_: None), 1, tmp_path / "sf1")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_filled(data: Path, tmp_path: Path) -> None:
    def copies(scale: float, folder: Path, progress: bool) -> None:
        shutil.copytree(data, folder, dirs_exist_ok=True)

    assert ensure_data(replace(TPCH, generate=copies), 0.01, tmp_path) == tmp_path
    assert missing_tables(TPCH, tmp_path) == ()


def test_another_process_may_finish_first(data: Path, tmp_path: Path) -> None:
    target = tmp_path / "sf0.01"

    def overtaken(scale: float, folder: Path, progress: bool) -> None:
        shutil.copytree(data, folder, dirs_exist_ok=True)
        shutil.copytree(data, target)

    assert ensure_data(replace(TPCH, generate=overtaken), 0.01, target) == target
    assert [path.name for path in tmp_path.iterdir()] == ["sf0.01"]


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(SuiteError, match="is not a folder of TPC-H tables"):
        ensure_data(replace(TPCH, generate=never), 1, tmp_path)
    with pytest.raises(SuiteError, match="is not a folder of TPC-H tables"):
        ensure_data(replace(TPCH, generate=never), 1, tmp_path / "letter.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_data_of_another_scale_are_refused(data: Path) -> None:
    with pytest.raises(SuiteError, match=r"at SF 0\.01, not 1; give --sf 0\.01"):
        ensure_data(TPCH, 1, data)


def test_a_damaged_file_is_named(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path, dirs_exist_ok=True)
    (tmp_path / "supplier.parquet").write_bytes(b"PAR1")
    with pytest.raises(SuiteError, match=r"supplier\.parquet cannot be read"):
        ensure_data(TPCH, 0.01, tmp_path)


def test_tables_in_parts(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path, dirs_exist_ok=True)
    for table in ("lineitem", "supplier"):
        (tmp_path / table).mkdir()
        (tmp_path / f"{table}.parquet").rename(tmp_path / table / f"{table}.1.parquet")
    assert ensure_data(replace(TPCH, generate=never), 0.01, tmp_path) == tmp_path
    assert location(tmp_path, "lineitem") == str(tmp_path / "lineitem" / "*.parquet")
    assert duckdb.sql(f"SELECT count(*) FROM '{location(tmp_path, 'supplier')}'").fetchall() == [(100,)]


def test_a_missing_generator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generate.shutil, "which", lambda *_, **__: None)
    with pytest.raises(SuiteError, match=r'pip install "headrace\[tpch\]"'):
        ensure_data(TPCH, 1, tmp_path / "sf1")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_generator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generate, "_executable", lambda _: "false")
    with pytest.raises(SuiteError, match="exit status 1"):
        ensure_data(TPCH, 1, tmp_path / "sf1")


def test_the_command(data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["generate", "--sf", "0.01", "--data", str(data)], TPCH) == 0
    assert capsys.readouterr().out == f"{data}\n"
    (tmp_path / "x").touch()
    assert main(["generate", "--sf", "0.01", "--data", str(tmp_path)], TPCH) == 2
    assert "headrace tpch:" in capsys.readouterr().err
