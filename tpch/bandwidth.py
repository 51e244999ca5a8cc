"""The bandwidth of memory that a plain sum reaches, the floor under every scan.

Run as a program (`python bandwidth.py THREADS`) it prints gigabytes (10^9 bytes) per second, in a process
of its own, so that its thread pool and its array disturb nobody.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

ARRAY_BYTES = 2**30
_REPETITIONS = 15


def measure(threads: int, array_bytes: int = ARRAY_BYTES) -> float:
    """Gigabytes per second at which `threads` threads sum an int64 array, the median of some runs."""
    import numba
    import numpy as np

    @numba.njit(["int64(int64[::1])"], nogil=True)
    def total(values):  # type: ignore[no-untyped-def]
        result = 0
        for k in range(np.uint64(0), np.uint64(values.size)):
            result += values[k]
        return result

    array = np.ones(array_bytes // 8, dtype=np.int64)
    parts = np.array_split(array, threads)
    seconds = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_REPETITIONS):
            begun = time.perf_counter()
            result = sum(pool.map(total, parts))
            seconds.append(time.perf_counter() - begun)
            if result != array.size:
                raise AssertionError(f"the sum of {array.size} ones came to {result}")
    return array.nbytes / median(seconds) / 1e9


def measure_apart(threads: int) -> float:
    """`measure` in a process of its own."""
    command = [sys.executable, "-P", str(Path(__file__)), str(threads)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


if __name__ == "__main__":
    print(measure(int(sys.argv[1])))
