"""Unmasking: which open positions become proposals, and where masks stand next."""

from __future__ import annotations

import pytest
import torch

from engine.canvas import Canvas
from engine.unmask import Confident, Nothing

CANVAS = Canvas.after([1, 2]).commit([3])


def block(*probabilities: float) -> torch.Tensor:
    """(width, vocabulary): mask number n holds token 10 + n with this probability, and the rest in equal parts."""
    rows = torch.zeros(len(probabilities), 50)
    for number, probability in enumerate(probabilities):
        rows[number] = (1 - probability) / 49
        rows[number, 10 + number] = probability
    return rows.log()


def test_without_a_denoiser_nothing_is_proposed() -> None:
    assert Nothing()(CANVAS, 0, 0, None) == CANVAS


def test_without_a_reading_there_are_only_masks() -> None:
    canvas = Confident(4)(CANVAS, 0, 0, None)
    assert (canvas.proposed, canvas.blocks, canvas.width) == ((), (0,), 4)


@pytest.mark.parametrize(
    ("probabilities", "count"),
    [
        ((0.9, 0.9, 0.9, 0.9), 4),
        ((0.9, 0.9, 0.3, 0.9), 2),  # what follows an unsure one is lost with it
        ((0.6, 0.6, 0.6, 0.6), 2),  # the product counts: 0.6, 0.36, 0.22
        ((0.2, 0.9, 0.9, 0.9), 0),
    ],
)
def test_the_leading_proposals_that_hold_together_are_taken(probabilities: tuple[float, ...], count: int) -> None:
    canvas = Confident(4, threshold=0.3)(CANVAS, 0, 0, block(*probabilities))
    assert canvas.proposed == tuple(range(10, 10 + count))
    assert canvas.blocks == tuple(sorted({0, count}))
    assert canvas.open == 4 * len(canvas.blocks)


def test_not_more_than_the_most() -> None:
    assert Confident(4, most=2)(CANVAS, 0, 0, block(0.9, 0.9, 0.9, 0.9)).proposed == (10, 11)


def test_one_block_follows_the_proposals_where_there_is_no_second() -> None:
    assert Confident(4, fallback=False)(CANVAS, 0, 0, block(0.9, 0.9, 0.1, 0.1)).blocks == (2,)


def test_what_is_committed_stays() -> None:
    canvas = Confident(4)(CANVAS, 0, 0, block(0.9, 0.9))
    assert (canvas.anchor, canvas.position, canvas.committed) == (3, 2, (3,))
