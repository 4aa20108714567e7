"""What a training run is: all of its numbers, as one JSON file in the run's folder. Imports no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

_LANGUAGES = {
    "python": 10.0,
    "javascript": 4.0,
    "typescript": 2.0,
    "go": 1.5,
    "java": 1.5,
    "c": 1.0,
    "cpp": 1.0,
    "rust": 1.0,
    "bash": 0.5,
    "lua": 0.3,
    "markdown": 0.4,
    "json": 0.3,
    "yaml": 0.3,
    "toml": 0.2,
    "css": 0.2,
    "html": 0.2,
}


@dataclass(frozen=True, slots=True)
class Cutting:
    """How examples are cut. Tokens of suffix and prefix are drawn log-uniformly between the bounds."""

    graded: int = 80  # last tokens before the suffix that are learnt; each is a valid start of a hole
    suffix: tuple[int, int] = (16, 128)
    prefix: tuple[int, int] = (88, 224)  # the graded ones among them
    least: int = 16  # graded tokens: a shorter example is not worth its step
    blocks: float = 0.4  # share of excerpts that are a few top-level blocks, which end soon after the hole
    several: float = 0.1  # share of examples that are one of two to four holes, those after it still empty
    edits: float = 0.0  # share of examples that are rewrites of corrupted drafts; of a denoiser's only
    through: float = 0.3  # share of examples with gradients through all of the prompt, which cost twice as much


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an adapter is trained: the infiller, or the denoiser on top of one.

    The learning rate warms up, stays, and falls to zero over the last `decay` of the steps: most of the gain comes then
    (docs/LOG.md), and where it starts can be moved while the run is going (arXiv 2404.06395).
    """

    trains: str = "infiller"  # or denoiser
    steps: int = 400
    batch: int = 4  # examples a step
    learning_rate: float = 5e-4
    warm_up: int = 10  # steps
    decay: float = 0.5  # share of the steps
    clip: float = 1.0  # of the gradient's norm
    end_weight: float = 4.0  # of the end token, against 1 of any other
    seed: int = 0
    threads: int = 1
    validation: int = 24  # examples
    validate_every: int = 40  # steps
    start_from: str = ""  # an adapter folder, or a shipped one's name; empty: from nothing
    infiller: str = "infiller"  # what a denoiser is trained on top of: an adapter folder, or a shipped one's name
    base: str = "embedded"
    cutting: Cutting = field(default_factory=Cutting)
    languages: dict[str, float] = field(default_factory=lambda: dict(_LANGUAGES))  # shares; any other: left out

    def rate(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""
        falling = (self.steps - step) / max(1.0, self.decay * self.steps)
        return self.learning_rate * min(1.0, (step + 1) / self.warm_up, falling)

    def tuning(self, languages: Mapping[str, float]) -> Recipe:
        """The same for going on from the shipped infiller: gently, and on whatever languages there are."""
        return replace(self, learning_rate=1e-4, start_from="infiller", languages=dict(languages))

    def save(self, path: Path) -> None:
        """As JSON; a trainer that reads it meanwhile finds the old one or the new one."""
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(json.dumps(asdict(self), indent=2) + "\n", "utf-8")
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Raises `TypeError` for a key that no recipe has."""
        values = json.loads(path.read_text("utf-8"))
        cutting = Cutting(**{name: _bounds(value) for name, value in values.pop("cutting").items()})
        return replace(cls(**values), cutting=cutting)


def _bounds(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
