"""The Parquet files of a suite: where they are, whether they are whole, and their generation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from headrace.tpch.suite import Suite, SuiteError


def default_folder(suite: Suite, scale: float) -> Path:
    """The cache folder of a suite's data at one scale factor, such as ~/.cache/headrace/tpch/sf1."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "headrace" / suite.name / f"sf{scale:g}"


def location(folder: Path, table: str) -> str:
    """The file of a table, or the pattern of its files where it is a folder of parts."""
    parts = folder / table
    return str(parts / "*.parquet") if parts.is_dir() else str(folder / f"{table}.parquet")


def missing_tables(suite: Suite, folder: Path) -> tuple[str, ...]:
    """The tables of which the folder has no file."""
    return tuple(
        table
        for table in suite.tables
        if not (folder / f"{table}.parquet").is_file() and not any((folder / table).glob("*.parquet"))
    )


def ensure_data(suite: Suite, scale: float, folder: Path | None) -> Path:
    """The folder of the suite's tables, generated first if need be, which standard error tells.

    Without a folder it is the cache folder. Raises SuiteError when the folder holds other files or data of
    another scale factor, or when the generator fails; whatever happens, the folder is whole or untouched.
    """
    target = (folder or default_folder(suite, scale)).expanduser().absolute()
    if not missing_tables(suite, target):
        _check_scale(suite, scale, target)
        return target
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        absent = ", ".join(missing_tables(suite, target))
        raise SuiteError(
            f"{target} is not a folder of {suite.title} tables (no {absent}); "
            "name one that is empty or does not exist to have the data generated there"
        )
    _generate(suite, scale, target)
    return target


def _generate(suite: Suite, scale: float, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        partial.chmod(0o755)
        print(f"generating {suite.title} SF {scale:g} into {target}", file=sys.stderr, flush=True)
        begun = time.perf_counter()
        suite.generate(scale, partial, sys.stderr.isatty())
        absent = missing_tables(suite, partial)
        if absent:
            raise SuiteError(f"the generator of {suite.title} wrote no {', '.join(absent)}")
        size = sum(file.stat().st_size for file in partial.rglob("*.parquet"))
        try:
            partial.rename(target)
        except OSError:
            # Another process may have finished first: its data are the same.
            if missing_tables(suite, target):
                raise
        seconds = time.perf_counter() - begun
        print(f"generated {size / 1e6:,.1f} MB in {seconds:.1f} s", file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _check_scale(suite: Suite, scale: float, folder: Path) -> None:
    """Raise SuiteError when the files were plainly made for another scale factor."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = sorted(folder.glob(f"{suite.scale_table}.parquet")) or sorted(
        (folder / suite.scale_table).glob("*.parquet")
    )
    try:
        rows = sum(pq.ParquetFile(file).metadata.num_rows for file in files)
    except (OSError, pa.ArrowException) as fault:
        raise SuiteError(f"{files[0]} cannot be read: {fault}") from fault
    if rows != int(suite.scale_rows * scale):
        actual = rows / suite.scale_rows
        raise SuiteError(f"{folder} holds {suite.title} at SF {actual:g}, not {scale:g}; give --sf {actual:g}")


def tpchgen(scale: float, folder: Path, progress: bool) -> None:
    """Write TPC-H's tables with tpchgen-cli, whose progress bars go to standard error."""
    command = [_executable("tpchgen-cli"), "parquet", "-s", f"{scale:g}", "--output-dir", str(folder)]
    if not progress:
        command.append("--no-progress")
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=None if progress else subprocess.PIPE, text=True)
    if done.returncode != 0:
        reason = (done.stderr or "").strip().splitlines()
        detail = f": {reason[-1]}" if reason else ""
        raise SuiteError(f"tpchgen-cli failed with exit status {done.returncode}{detail}")


def _executable(name: str) -> str:
    """The path of an installed program, first beside this Python: its environment need not be active."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        raise SuiteError(f'{name} is not installed: pip install "headrace[tpch]"')
    return found
