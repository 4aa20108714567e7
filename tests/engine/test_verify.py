"""Verification counts agreement from the left."""

from __future__ import annotations

import pytest
import torch

from engine.canvas import Canvas, Gap, Masks, Pin
from engine.verify import accepted, verified

from .said import MASK, canvas_of, generator, places


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


def expected(*tokens: int) -> torch.Tensor:
    return torch.tensor(tokens)


def test_a_canvas_is_pinned_as_far_as_it_agrees_and_one_token_further() -> None:
    canvas = canvas_of(["1", 2, 3, 4, 5, "6"])
    checked = verified(canvas, canvas.ids, expected(0, 2, 3, 7, 5, 0), set(), generator())
    assert checked.ids.tolist() == [1, 2, 3, 7, MASK, 6]
    assert places(checked.pinned) == [0, 1, 2, 3, 5]
    assert places(checked.open) == [4]


def test_what_agrees_everywhere_is_done() -> None:
    canvas = canvas_of(["1", 2, "9", 4])
    assert verified(canvas, canvas.ids, expected(0, 2, 0, 4), set(), generator()).done


def test_a_later_hole_waits_for_the_earlier() -> None:
    canvas = canvas_of([2, "9", 4])
    checked = verified(canvas, canvas.ids, expected(3, 0, 4), set(), generator())
    assert checked.ids.tolist() == [3, 9, MASK]


def test_what_follows_an_end_token_is_the_end_token() -> None:
    parts = [Gap(3), Pin([2]), Gap(1)]
    canvas = Canvas.of(parts, Masks(MASK), generator()).commit(torch.ones(5, dtype=torch.bool), expected(1, 3, 5, 2, 4))
    checked = verified(canvas, canvas.ids, expected(1, 3, 8, 0, 4), {3}, generator())
    assert checked.ids.tolist() == [1, 3, 3, 2, 4]
    assert checked.done
