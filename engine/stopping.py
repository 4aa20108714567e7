"""Stopping: when a canvas is good as it is. That nothing is open, the deadline and a cancel are the loop's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from .step import Step


class Stopping(Protocol):
    """Looks at each step."""

    @property
    def memory(self) -> int:
        """How many earlier steps it looks at."""

    def __call__(self, step: Step) -> bool:
        """Whether `step.answer` is final."""


@dataclass(frozen=True, slots=True)
class Never:
    """Goes on until nothing is open or the schedule ends."""

    memory = 0

    def __call__(self, step: Step) -> bool:
        """See `Stopping`."""
        return False


@dataclass(frozen=True, slots=True)
class StableAndConfident:
    """The same arg-max canvas for `stability` steps more, and a mean entropy of the open positions below `entropy`.

    DiffusionGemma's. Pinned positions have no entropy: counted in, they would end the denoising early.
    """

    stability: int = 1
    entropy: float = 0.005

    @property
    def memory(self) -> int:
        """See `Stopping`."""
        return self.stability

    def __call__(self, step: Step) -> bool:
        """See `Stopping`."""
        answer, earlier = step.answer, step.previous
        for _ in range(self.stability):
            if earlier is None or not bool((earlier.answer == answer).all()):
                return False
            earlier = earlier.previous
        return bool(step.statistics.entropy[step.canvas.open].mean() < self.entropy)


@dataclass(frozen=True, slots=True)
class EarlyCommit:
    """Everywhere the likeliest token is `gap` nats ahead of the next: more steps would change little (Prophet).

    arXiv 2508.19982. The least of the gaps counts, so that one unsure token is not outvoted by many sure ones.
    """

    gap: float = 3.0
    memory = 0

    def __call__(self, step: Step) -> bool:
        """See `Stopping`."""
        return bool((step.statistics.gap[step.canvas.open] >= self.gap).all())
