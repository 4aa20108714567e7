"""Remasking: which positions a step opens again, or changes, after it has committed others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

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
class Renoise:
    """Uniform noise: what was not accepted gets new noise, and the next step judges every position again."""

    def __call__(self, step: Step, canvas: Canvas, generator: Generator) -> Canvas:
        """See `Remask`."""
        return canvas.reopen(canvas.open, generator).all_open()
