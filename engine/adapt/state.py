"""A run's folder: what a trainer needs to go on after a kill, written whole or not at all, and what people read of it.

recipe.json  train.jsonl  held_out.jsonl    given
state.pt                                    adapter, optimiser and step, replaced at least every four minutes
best/                                       the adapter with the best validation so far, in PEFT's format
curve.jsonl                                 one validation a line
progress.json                               where it is, replaced after every step
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..hub.disk import publish, settle
from .progress import TrainingProgress


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of one run, and how they are written."""

    path: Path

    @property
    def best(self) -> Path:
        """The adapter to ship."""
        return self.path / "best"

    def save_state(self, state: Mapping[str, Any]) -> None:
        """Replace the state; a kill at any moment leaves the old one or the new one."""
        fresh = self.path / "state.pt.new"
        torch.save(dict(state), fresh)
        settle(fresh)
        publish(fresh, self.path / "state.pt")

    def load_state(self) -> dict[str, Any] | None:
        """None before the first save."""
        path = self.path / "state.pt"
        if not path.exists():
            return None
        state: dict[str, Any] = torch.load(path, weights_only=True)
        return state

    def report(self, progress: TrainingProgress) -> None:
        """For `sfumato adapt status`."""
        progress.save(self.path / "progress.json")

    @property
    def asked_to_pause(self) -> bool:
        """By a file named `pause`."""
        return (self.path / "pause").exists()

    @property
    def curve(self) -> Path:
        """The validations."""
        return self.path / "curve.jsonl"
