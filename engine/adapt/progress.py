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


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One validation on held-out files: `tokens` read so far, `seconds` as above; `figures` are the objective's."""

    step: int
    tokens: int
    seconds: float
    rate: float
    loss: float
    figures: dict[str, float]

    def append(self, path: Path) -> None:
        """As a line of JSON."""
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(self)) + "\n")


def load_curve(path: Path) -> list[CurvePoint]:
    """All points in the order of their steps; of a step that was done twice, the later one."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    points = {point.step: point for point in (CurvePoint(**json.loads(line)) for line in lines)}
    return [points[step] for step in sorted(points)]
