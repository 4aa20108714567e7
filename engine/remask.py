"""Remasking: which positions a step opens again, or changes, after it has committed others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Generator

from .canvas import Canvas
from .step import Step


class Remask(Protocol):
    """Looks at the canvas after a commit."""

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """`canvas`: `step.canvas` with what was committed."""


@dataclass(frozen=True, slots=True)
class Keep:
    """What is committed stays."""

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        return canvas


@dataclass(frozen=True, slots=True)
class LowConfidence:
    """Opens committed tokens to which the model, now that it sees more, gives less than `threshold`."""

    threshold: float = 0.3

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        return canvas.reopen(step.committed & (step.held < self.threshold), generator)


@dataclass(frozen=True, slots=True)
class Renoise:
    """Uniform noise: what was not accepted gets new noise, and the next step judges every position again."""

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        return canvas.reopen(canvas.open, generator).all_open()


@dataclass(frozen=True, slots=True)
class TokenEditing:
    """Replaces a committed token by another of which the model is sure (LLaDA2.1)."""

    threshold: float = 0.9

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        read = step.statistics
        better = (read.best != step.canvas.ids) & (read.best_confidence >= self.threshold)
        return canvas.commit(step.committed & better, read.best)


@dataclass(frozen=True, slots=True)
class InsertDelete:
    """Learned length tokens: a hole grows and shrinks as the model says (DreamOn, arXiv 2602.01326; LLaDA2.2).

    An open position that is committed as `expand` becomes two open ones, as `delete` none. Said with `threshold` of a
    token committed before, `expand` opens a position after it and `delete` drops it. No more than `most` positions are
    ever unpinned: beyond, `expand` stays as the control token it is, which has no text.
    """

    expand: int
    delete: int
    threshold: float = 0.9
    most: int = 256

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        read, fresh = step.statistics, step.canvas.open & ~canvas.open
        sure = step.committed & (read.best_confidence >= self.threshold)
        said = torch.where(fresh, canvas.ids, torch.where(sure, read.best, -1))
        said = said.masked_fill(canvas.pinned, -1)
        room = self.most - int((~canvas.pinned).sum()) + int((said == self.delete).sum())
        grows = (said == self.expand) & ((said == self.expand).cumsum(dim=0) <= room)
        counts = 1 + grows.long() - (said == self.delete).long()
        return canvas if bool((counts == 1).all()) else canvas.spread(counts, grows & fresh, generator)
