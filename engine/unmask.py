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
