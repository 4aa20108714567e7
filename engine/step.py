"""One denoising step as strategies see it: what was shown, what the model said, and the steps before."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from .canvas import Canvas
from .kernels.sampling import Statistics


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """`canvas` is the one the model was shown; logits: (length, vocabulary). `previous` reaches as far back as a
    strategy's `memory` asks."""

    canvas: Canvas
    logits: Tensor
    temperature: float
    statistics: Statistics
    previous: Step | None

    @property
    def answer(self) -> Tensor:
        """(length,): the arg-max canvas, pinned and committed tokens re-imposed."""
        return self.canvas.answer(self.statistics.best)
