"""Unmasking: which open positions a step commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from .step import Step


class Unmask(Protocol):
    """Chooses among the open positions; the loop leaves out all others."""

    @property
    def memory(self) -> int:
        """How many earlier steps it looks at."""

    def __call__(self, step: Step) -> Tensor:
        """(length,) bool: where the sampled token is committed."""


@dataclass(frozen=True, slots=True)
class Confident:
    """All that are surer than `threshold`, at least the surest (Fast-dLLM, arXiv 2505.22618)."""

    threshold: float = 0.9
    memory = 0

    def __call__(self, step: Step) -> Tensor:
        """See `Unmask`."""
        return (step.statistics.confidence > self.threshold) | _surest(step, 1)


@dataclass(frozen=True, slots=True)
class TopK:
    """The `count` surest (LLaDA)."""

    count: int = 1
    memory = 0

    def __call__(self, step: Step) -> Tensor:
        """See `Unmask`."""
        return _surest(step, self.count)


@dataclass(frozen=True, slots=True)
class Klass:
    """All that are surer than `threshold` and have said nearly the same for `steps` steps (arXiv 2511.05664).

    Nearly: less than `divergence` nats between a step and the one before. At least the surest is taken.
    """

    threshold: float = 0.9
    divergence: float = 0.01
    steps: int = 2

    @property
    def memory(self) -> int:
        """See `Unmask`."""
        return self.steps

    def __call__(self, step: Step) -> Tensor:
        """See `Unmask`."""
        steady = step.statistics.confidence > self.threshold
        later = step
        for _ in range(self.steps):
            if later.previous is None:
                return _surest(step, 1)
            steady = steady & (later.divergence(later.previous) < self.divergence)
            later = later.previous
        return steady | _surest(step, 1)


@dataclass(frozen=True, slots=True)
class EntropyBound:
    """The lowest entropies while their sum without the highest stays within `bound` nats (arXiv 2505.24857).

    That difference bounds what the tokens say of each other: so many can be drawn as if they were independent.
    """

    bound: float = 0.1
    memory = 0

    def __call__(self, step: Step) -> Tensor:
        """See `Unmask`."""
        entropy = step.statistics.entropy.masked_fill(~step.canvas.open, float("inf"))
        ordered, order = entropy.sort()
        within = ordered.cumsum(dim=0) - ordered <= self.bound  # the first always is; inf - inf is not
        return torch.zeros_like(within).scatter(0, order, within)


def _surest(step: Step, count: int) -> Tensor:
    """(length,) bool: the open positions of the highest confidence, of equal ones the first."""
    confidence = step.statistics.confidence.masked_fill(~step.canvas.open, -1.0)
    order = confidence.sort(descending=True, stable=True).indices
    return torch.zeros_like(step.canvas.open).index_fill(0, order[:count], True) & step.canvas.open
