"""What a trainer says of itself after every step, for whoever asks how far it is. Imports no torch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """`seconds`: processor time of training so far; `pace`: seconds a step on the clock, of late, pauses and all."""

    step: int
    steps: int
    seconds: float
    pace: float
    loss: float

    @property
    def seconds_left(self) -> float:
        """At the present pace."""
        return self.pace * max(0, self.steps - self.step)

    def save(self, path: Path) -> None:
        """Not settled on the disk: a step that is lost is done again."""
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(json.dumps(asdict(self)), "utf-8")
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """None before the first step."""
        return cls(**json.loads(path.read_text("utf-8"))) if path.exists() else None
