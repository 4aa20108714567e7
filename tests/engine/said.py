"""A denoising step made by hand: what is shown, and with which probability a model says what."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from engine.canvas import Canvas, Gap, Masks, Noise, Pin
from engine.sampler import Greedy
from engine.step import Step

MASK = 9
VOCABULARY = 10
Said = tuple[int, float]  # a token and its probability; the others share the rest evenly


def generator(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


def canvas_of(picture: Sequence[int | str | None], noise: Noise | None = None) -> Canvas:
    """Each position: a committed token, None for an open one, or a string of a digit for a pinned one."""
    parts: list[Pin | Gap] = [Pin([int(one)]) if isinstance(one, str) else Gap(1) for one in picture]
    canvas = Canvas.of(parts, noise or Masks(MASK), generator())
    where = torch.tensor([isinstance(one, int) for one in picture])
    return canvas.commit(where, torch.tensor([one if isinstance(one, int) else 0 for one in picture]))


def logits_of(said: Sequence[Said]) -> Tensor:
    """(length, vocabulary)"""
    rows = torch.empty(len(said), VOCABULARY)
    for row, (token, probability) in zip(rows, said, strict=True):
        row.fill_((1 - probability) / (VOCABULARY - 1))
        row[token] = probability
    return rows.log()


def step_of(canvas: Canvas, said: Sequence[Said], previous: Step | None = None) -> Step:
    logits = logits_of(said)
    return Step(canvas, logits, 1.0, None, Greedy()(logits, 1.0, None, generator()), previous)


def places(where: Tensor) -> list[int]:
    """The positions of a mask."""
    return list(where.nonzero()[:, 0].tolist())
