"""Time and memory of a call, told from those of another."""

from __future__ import annotations

import sys
import time

import pytest
import torch

from benchmarks.peak import cost_of

CPU = torch.device("cpu")


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_what_is_held_at_most_is_seen_though_it_is_gone() -> None:
    def call() -> float:
        return float(torch.ones(20_000_000).sum())  # 80 MB

    assert 70e6 < cost_of(call, CPU, 1).extra_bytes < 110e6
    assert cost_of(lambda: None, CPU, 1).extra_bytes < 10e6


def test_the_median_of_the_times_after_the_first() -> None:
    pauses = iter([0.0, 0.02, 0.2, 0.03])
    assert 30 <= cost_of(lambda: time.sleep(next(pauses)), CPU, 3).ms < 190
