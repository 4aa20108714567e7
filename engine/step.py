"""One denoising step as strategies see it: what was shown, what the model said, and the steps before."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .canvas import Canvas
from .kernels.sampling import Statistics, scaled


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """`canvas` is the one the model was shown; logits: (length, vocabulary). `previous` reaches as far back as a
    strategy's `memory` asks."""

    canvas: Canvas
    logits: Tensor
    temperature: float
    softcap: float | None
    statistics: Statistics
    previous: Step | None = None

    @property
    def answer(self) -> Tensor:
        """(length,): the arg-max canvas, pinned and committed tokens re-imposed."""
        return self.canvas.answer(self.statistics.best)

    @property
    def committed(self) -> Tensor:
        """(length,) bool: neither pinned nor open when the step began."""
        return ~self.canvas.pinned & ~self.canvas.open

    @property
    def held(self) -> Tensor:
        """(length,): the probability that the model gives each token the canvas holds."""
        best = self.statistics.best
        pair = self.logits.gather(1, torch.stack((self.canvas.ids, best), dim=1))  # (length, 2)
        held, top = scaled(pair, self.temperature, self.softcap).unbind(dim=1)
        return self.statistics.best_confidence * (held - top).exp()

    def divergence(self, earlier: Step) -> Tensor:
        """(length,): KL(this || earlier) of what was said, in nats."""
        now = scaled(self.logits, self.temperature, self.softcap).log_softmax(dim=-1)
        then = scaled(earlier.logits, earlier.temperature, earlier.softcap).log_softmax(dim=-1)
        apart = torch.where(now.isneginf(), 0.0, now - then)  # what cannot be adds nothing
        return (now.exp() * apart).sum(dim=-1)
