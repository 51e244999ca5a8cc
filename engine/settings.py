"""Every setting and environment variable, in one table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from headrace.errors import ProgrammingError


def _one_of(*choices: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = str(value).lower()
        if text not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return text

    return parse


def _boolean(value: object) -> bool:
    text = str(value).lower()
    if text in ("1", "true", "on", "yes", "t"):
        return True
    if text in ("0", "false", "off", "no", "f"):
        return False
    raise ValueError("true or false")


def _positive(value: object) -> int:
    number = _whole(value)
    if number < 1:
        raise ValueError("a whole number of at least 1")
    return number


def _whole(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise ValueError("a whole number") from None


_UNITS = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def _bytes(value: object) -> int:
    text = str(value).strip().lower().replace(" ", "")
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text[len(digits) :] or "b"
    try:
        size = int(float(digits) * _UNITS[unit])
    except (KeyError, ValueError, OverflowError):
        raise ValueError("a size such as '4GB'") from None
    if size < 0 or digits.startswith("-"):
        raise ValueError("a size such as '4GB', not a negative one")
    return size


def _default_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 8 // 10
    except (ValueError, OSError):
        return 8 * 2**30


def _default_threads() -> int:
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return os.cpu_count() or 1


def _default_cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return str(Path(base) / "headrace" / "kernels")


def _text(value: object) -> str:
    return str(value)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name in `SET name = value`, the variable that presets it, its parser and its default."""

    name: str
    variable: str
    parse: Callable[[object], object]
    default: Callable[[], object]
    description: str


SETTINGS: dict[str, Setting] = {
    s.name: s
    for s in (
        Setting(
            "device",
            "HEADRACE_DEVICE",
            _one_of("auto", "cpu", "cuda", "reference"),
            lambda: "auto",
            "where queries run",
        ),
        Setting(
            "execution",
            "HEADRACE_EXECUTION",
            _one_of("auto", "interpreted", "compiled"),
            lambda: "auto",
            "compile kernels, interpret them, or choose by the work",
        ),
        Setting("threads", "HEADRACE_THREADS", _positive, _default_threads, "worker threads"),
        Setting(
            "memory_limit",
            "HEADRACE_MEMORY_LIMIT",
            _bytes,
            _default_memory,
            "bytes of host memory for columns, state and results",
        ),
        Setting(
            "device_memory_limit",
            "HEADRACE_DEVICE_MEMORY_LIMIT",
            _bytes,
            lambda: 0,
            "bytes of GPU memory; 0 is what the GPU has",
        ),
        Setting("kernel_cache", "HEADRACE_KERNEL_CACHE", _text, _default_cache, "folder of compiled kernels"),
        Setting(
            "kernel_cache_limit",
            "HEADRACE_KERNEL_CACHE_LIMIT",
            _bytes,
            lambda: 10**9,
            "bytes of compiled kernels kept on disk",
        ),
        Setting(
            "debug",
            "HEADRACE_DEBUG",
            _whole,
            lambda: 0,
            "1 plans, 2 pipelines, 3 generated source, 4 PTX, on standard error",
        ),
        Setting(
            "integer_division",
            "HEADRACE_INTEGER_DIVISION",
            _boolean,
            lambda: False,
            "whether / between integers truncates",
        ),
    )
}


@dataclass(slots=True)
class Settings:
    """The settings of one connection. `epoch` grows with each change, so that cached plans can notice."""

    values: dict[str, object] = field(default_factory=dict)
    epoch: int = 0

    def __post_init__(self) -> None:
        for setting in SETTINGS.values():
            preset = os.environ.get(setting.variable)
            self.values.setdefault(setting.name, setting.default())
            if preset is not None:
                try:
                    self.set(setting.name, preset)
                except ProgrammingError as fault:
                    raise ProgrammingError(f"the variable {setting.variable}: {fault.message}") from None

    def set(self, name: str, value: object) -> None:
        """Change one setting; raises ProgrammingError for an unknown name or a value that does not fit."""
        setting = SETTINGS.get(name.lower())
        if setting is None:
            raise ProgrammingError(f"there is no setting {name}", hint=f"the settings are {', '.join(SETTINGS)}")
        try:
            self.values[setting.name] = setting.parse(value)
        except ValueError as fault:
            raise ProgrammingError(f"{setting.name} = {value!r} does not fit: it takes {fault}") from None
        self.epoch += 1

    def text(self, name: str) -> str:
        return str(self.values[name])

    def number(self, name: str) -> int:
        value = self.values[name]
        if not isinstance(value, int):
            raise ProgrammingError(f"{name} is not a number")
        return value
