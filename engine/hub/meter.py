"""Tells a progress sink how many bytes of something long are done. Knows nothing of where they come from."""

from __future__ import annotations

import time

from ..request import Progress, ProgressSink

PERIOD_SECONDS = 0.1


class Meter:
    """Bytes done of `total`, told ten times a second at most; sentences are told at once."""

    __slots__ = ("_done", "_sink", "_stage", "_told_at", "total")

    def __init__(self, sink: ProgressSink | None, stage: str, total: int) -> None:
        self.total = total
        self._sink = sink
        self._stage = stage
        self._done = 0
        self._told_at = float("-inf")

    def at(self, done: int) -> None:
        """So many bytes are done."""
        self._done = min(done, self.total)
        now = time.monotonic()
        if done >= self.total or now - self._told_at >= PERIOD_SECONDS:
            self._told_at = now
            self._tell("")

    def say(self, text: str) -> None:
        """Something a person should read."""
        self._tell(text)

    def _tell(self, text: str) -> None:
        if self._sink is not None:
            self._sink(Progress(self._stage, self._done, self.total, text))
