"""Schedules: how many steps at most, and the temperature of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch


class Schedule(Protocol):
    """`steps` at most; their temperature, by number from 0."""

    @property
    def steps(self) -> int:
        """The most steps."""

    def __call__(self, step: int) -> float:
        """Temperature above 0."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The same temperature at each step."""

    steps: int = 64
    temperature: float = 1.0

    def __call__(self, step: int) -> float:
        """See `Schedule`."""
        return self.temperature


@dataclass(frozen=True, slots=True)
class Linear:
    """From `high` towards `low`, DiffusionGemma's. In fp32, as its reference implementation computes it."""

    steps: int = 48
    high: float = 0.8
    low: float = 0.4

    def __call__(self, step: int) -> float:
        """See `Schedule`."""
        remaining = torch.tensor(self.steps - step, dtype=torch.int32)
        return float(self.low + (self.high - self.low) * (remaining / self.steps))
