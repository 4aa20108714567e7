"""What a figure was measured on."""

from __future__ import annotations

import os

import pytest

from benchmarks.machine import describe_machine, memory_of


def test_the_machine_is_named() -> None:
    machine = describe_machine()
    assert machine["cpu"]
    assert isinstance(machine["load_average"], list)
    assert isinstance(machine["cores"], int)
    assert machine["cores"] >= 1


def test_memory_of_this_process() -> None:
    memory = memory_of(os.getpid())
    assert 1 << 20 < memory["proportional_bytes"] <= memory["peak_resident_bytes"]
    assert memory["resident_bytes"] <= memory["peak_resident_bytes"]


def test_a_process_that_is_gone_is_an_error() -> None:
    with pytest.raises(OSError, match="/proc/"):
        memory_of(2**30)
