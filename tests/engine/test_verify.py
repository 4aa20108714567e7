"""Verification counts agreement from the left."""

from __future__ import annotations

import pytest

from engine.verify import accepted


@pytest.mark.parametrize(
    ("proposed", "chosen", "count"),
    [
        ([], [1], 0),
        ([1, 2, 3], [1, 2, 3, 4], 3),
        ([1, 2, 3], [1, 9, 3, 4], 1),  # what agrees after a disagreement continued another text
        ([1, 2, 3], [9, 2, 3, 4], 0),
        ([1, 2, 3], [1, 2, 9, 4], 2),
    ],
)
def test_accepted(proposed: list[int], chosen: list[int], count: int) -> None:
    assert accepted(proposed, chosen) == count
