"""Four numbers of a list."""

from __future__ import annotations

from benchmarks.spread import spread


def test_known_numbers() -> None:
    assert spread([float(number) for number in range(101)]) == {"n": 101, "p50": 50.0, "p90": 90.0, "max": 100.0}


def test_few_and_none() -> None:
    assert spread([4.0]) == {"n": 1, "p50": 4.0, "p90": 4.0, "max": 4.0}
    assert spread([]) == {"n": 0, "p50": None, "p90": None, "max": None}
