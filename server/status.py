"""What the engine is doing, in words for people. Knows no protocol."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from engine import Progress


class State(StrEnum):
    """What the engine is doing."""

    STARTING = "starting"
    DOWNLOADING = "downloading"
    LOADING = "loading"
    READY = "ready"
    WORKING = "working"
    FAILED = "failed"


_OPENING = {
    "download": (State.DOWNLOADING, "downloading the model"),
    "convert": (State.LOADING, "converting the model, which happens once"),
    "load": (State.LOADING, "loading the model"),
}


@dataclass(frozen=True, slots=True)
class Status:
    """A state and its reason. `done` of `total` counts bytes when downloading; `total` 0 means unknown."""

    state: State
    message: str = ""
    done: int = 0
    total: int = 0

    @classmethod
    def of(cls, progress: Progress) -> Self:
        """The status of an engine that is being opened."""
        state, message = _OPENING.get(progress.stage, (State.LOADING, progress.stage))
        return cls(state, progress.text or message, progress.done, progress.total)

    @property
    def percentage(self) -> int | None:
        """Whole percent done; None if unknown."""
        return min(100, 100 * self.done // self.total) if self.total > 0 else None

    @property
    def is_usable(self) -> bool:
        """Whether asking the engine leads to an answer soon: loading takes seconds, a download may take minutes."""
        return self.state not in (State.DOWNLOADING, State.FAILED)

    def __str__(self) -> str:
        percentage = self.percentage
        return (self.message or self.state) + ("" if percentage is None else f" ({percentage} %)")
