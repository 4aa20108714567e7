"""What a measurement was made on. Read from /proc, so Linux only; a figure without these lines means little."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

KIB = 1024
Description = dict[str, str | int | list[float]]


def describe_machine() -> Description:
    """Processor, cores this process may use, memory, and how busy the machine is now."""
    processors = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return {
        "cpu": _first(processors, r"^model name\s*:\s*(.+)$") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": _kib(Path("/proc/meminfo"), "MemTotal"),
        "load_average": load_average(),
        "python": platform.python_version(),
        "system": platform.platform(),
    }


def load_average() -> list[float]:
    """Over 1, 5 and 15 minutes."""
    return list(os.getloadavg())


def memory_of(pid: int) -> dict[str, int]:
    """Bytes of a process: resident now and at most, and its proportional share where others map the same pages."""
    status, rollup = Path(f"/proc/{pid}/status"), Path(f"/proc/{pid}/smaps_rollup")
    return {
        "resident_bytes": _kib(status, "VmRSS"),
        "peak_resident_bytes": _kib(status, "VmHWM"),
        "proportional_bytes": _kib(rollup, "Pss"),
    }


def _kib(path: Path, name: str) -> int:
    found = _first(path.read_text(encoding="utf-8"), rf"^{name}:\s+(\d+) kB$")
    if found is None:
        raise OSError(f"{path} does not say {name}")
    return int(found) * KIB


def _first(text: str, pattern: str) -> str | None:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else None
