"""The kernel cache: what is compiled once is found again, and nothing on disk can do harm."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headrace import compile as compiling
from headrace.compile import Kernels
from headrace.kernel_folder import KernelFolder
from headrace.pipeline import KernelSource

TEXT = """
def pipeline(start, stop, step, a, low, state):
    acc = i64(0)
    for i in range(u64(start), u64(stop), u64(step)):
        value = i64(a[i])
        if value >= low:
            acc += value
    accumulate(state, u64(0), acc)
"""
SOURCE = KernelSource("sum", TEXT, (("a", "u16[]"), ("low", "i64"), ("state", "i64[]!")), ("i64", "u64", "accumulate"))
VALUES = np.arange(1000, dtype=np.uint16)


def run(kernels: Kernels, low: int, source: KernelSource = SOURCE) -> int:
    state = np.zeros(1, np.int64)
    kernels.compiled(source)(0, len(VALUES), 1, VALUES, low, state)
    return int(state[0])


def entry(folder: Path) -> Path:
    (found,) = folder.glob("*.kernel")
    return found


def test_new_literals_compile_nothing(tmp_path: Path) -> None:
    kernels = Kernels(str(tmp_path / "k"), 10**9)
    assert not kernels.is_ready(SOURCE)
    assert [run(kernels, low) for low in (0, 999, 1000)] == [499500, 999, 0]
    assert kernels.is_ready(SOURCE)
    assert kernels.on_disk(SOURCE)
    assert (kernels.stats.compiled, kernels.stats.loaded_from_disk) == (1, 0)
    assert kernels.stats.compile_ms > 0
    assert kernels.folder.path.stat().st_mode & 0o777 == 0o700
    assert entry(tmp_path / "k").stat().st_mode & 0o777 == 0o600


def test_another_process_compiles_nothing(tmp_path: Path) -> None:
    run(Kernels(str(tmp_path), 10**9), 0)
    program = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "import test_compile as t; from headrace.compile import Kernels\n"
        "k = Kernels(sys.argv[1], 10**9); assert 'numba' not in sys.modules and k.on_disk(t.SOURCE)\n"
        "print(t.run(k, 990), k.stats.compiled, k.stats.loaded_from_disk)"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.split() == ["9945", "0", "1"]


def test_interpretation_needs_no_numba(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "import test_compile as t; from headrace.compile import Kernels\n"
        "k = Kernels(sys.argv[1], 10**9); s = [0]; f = k.interpreted(t.SOURCE)\n"
        "f(0, 5, 1, [1, 2, 3, 4, 5], 2, s); assert f is k.interpreted(t.SOURCE)\n"
        "print(s[0], 'numba' in sys.modules)"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.split() == ["14", "False"]


@pytest.mark.parametrize("damage", ["truncated", "empty", "flipped", "foreign pickle", "not a pickle"])
def test_a_damaged_entry_is_a_miss(tmp_path: Path, damage: str) -> None:
    run(Kernels(str(tmp_path), 10**9), 0)
    file = entry(tmp_path)
    content = file.read_bytes()
    folder = KernelFolder(str(tmp_path), 10**9)
    if damage == "truncated":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "flipped":
        file.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    elif damage == "foreign pickle":
        folder.write(file.stem, b"\x80\x04N.")
    else:
        folder.write(file.stem, b"nothing of ours")
    kernels = Kernels(str(tmp_path), 10**9)
    assert run(kernels, 998) == 998 + 999
    assert (kernels.stats.compiled, kernels.stats.loaded_from_disk) == (1, 0)
    again = Kernels(str(tmp_path), 10**9)
    assert run(again, 999) == 999
    assert again.stats.loaded_from_disk == 1


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    run(Kernels(str(shared), 10**9), 0)
    shared.chmod(0o777)
    kernels = Kernels(str(shared), 10**9)
    assert run(kernels, 999) == 999
    assert kernels.stats.compiled == 1
    assert kernels.folder.is_temporary
    private = kernels.folder.path
    assert private.stat().st_mode & 0o777 == 0o700
    assert private != shared
    del kernels
    assert not private.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to give a file away")
def test_what_others_own_is_refused(tmp_path: Path) -> None:
    run(Kernels(str(tmp_path), 10**9), 0)
    os.chown(entry(tmp_path), 12345, 12345)
    kernels = Kernels(str(tmp_path), 10**9)
    run(kernels, 0)
    assert kernels.stats.compiled == 1
    os.chown(tmp_path, 12345, 12345)
    assert KernelFolder(str(tmp_path), 1).path != tmp_path


def test_a_file_that_others_may_write_is_refused(tmp_path: Path) -> None:
    folder = KernelFolder(str(tmp_path), 10**9)
    folder.write("a", b"content")
    assert folder.read("a") == b"content"
    (tmp_path / "a.kernel").chmod(0o622)
    assert folder.read("a") is None
    (tmp_path / "b.kernel").symlink_to(tmp_path / "a.kernel")
    assert folder.read("b") is None
    assert folder.read("missing") is None


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = KernelFolder(str(tmp_path / "file" / "below"), 10**9)
    folder.write("a", b"content")
    assert folder.read("a") == b"content"
    assert folder.is_temporary


def test_the_folder_keeps_what_was_used_last(tmp_path: Path) -> None:
    folder = KernelFolder(str(tmp_path), 3_500)
    for k in range(6):
        folder.write(f"k{k}", bytes(1_000))
        os.utime(tmp_path / f"k{k}.kernel", (1_000_000 + k, 1_000_000 + k))
    assert folder.read("k0") is not None  # and so its time of use is now
    (tmp_path / "crashed.partial").write_bytes(b"x")
    os.utime(tmp_path / "crashed.partial", (1, 1))
    folder.prune()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["k0.kernel", "k4.kernel", "k5.kernel"]


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "KEPT", 3)
    kernels = Kernels(str(tmp_path), 10**9)
    sources = [replace(SOURCE, text=TEXT + f"# {k}\n") for k in range(5)]
    for source in sources:
        kernels.interpreted(source)
        kernels.compiled(source)
    assert [kernels.is_ready(source) for source in sources] == [False, False, True, True, True]
    assert run(kernels, 999, sources[0]) == 999
    assert (kernels.stats.compiled, kernels.stats.loaded_from_disk) == (5, 1)
    assert not [name for name in sys.modules if name.startswith("headrace_kernel_")]


def test_threads_compile_a_kernel_once(tmp_path: Path) -> None:
    kernels = Kernels(str(tmp_path), 10**9)
    results: list[int] = []
    threads = [threading.Thread(target=lambda low=low: results.append(run(kernels, low))) for low in (0, 999, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 999, 499500]
    assert kernels.stats.compiled == 1


def test_other_argument_types_are_refused(tmp_path: Path) -> None:
    pipeline = Kernels(str(tmp_path), 10**9).compiled(SOURCE)
    with pytest.raises(TypeError):
        pipeline(0, 1, 1, VALUES.astype(np.uint32), 0, np.zeros(1, np.int64))
    read_only = np.zeros(1, np.int64)
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        pipeline(0, 1, 1, VALUES, 0, read_only)
    frozen = VALUES.copy()
    frozen.flags.writeable = False
    pipeline(0, 1, 1, frozen, 0, np.zeros(1, np.int64))


def test_warm_up() -> None:
    compiling.warm_up()
