"""Time and peak memory of a call, on the CPU of this process or on a CUDA device."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.models.load import return_free_memory

from .machine import memory_of


@dataclass(frozen=True, slots=True)
class Cost:
    """`ms`: the median. `extra_bytes`: what was held at most beside what was held before."""

    ms: float
    extra_bytes: int


def cost_of(call: Callable[[], object], device: torch.device, repeats: int) -> Cost:
    """One call to warm up, whose peak is taken, then `repeats` that are timed."""
    extra = _extra_bytes(call, device)
    spent = []
    for _ in range(repeats):
        _finish(device)
        began = time.perf_counter()
        call()
        _finish(device)
        spent.append((time.perf_counter() - began) * 1000)
    return Cost(statistics.median(spent), extra)


def _extra_bytes(call: Callable[[], object], device: torch.device) -> int:
    if device.type == "cuda":
        call()  # compiles
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        call()
        return int(torch.cuda.max_memory_allocated(device)) - before
    return_free_memory()  # else what an earlier call left in the heap would be used again, and not be seen
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is counted from now on
    before = memory_of(os.getpid())["resident_bytes"]
    call()
    return memory_of(os.getpid())["peak_resident_bytes"] - before


def _finish(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
