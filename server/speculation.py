"""What would follow if the ghost text were accepted, computed while it is shown: dropped for anything that is asked.

For the thread of the event loop. Knows no protocol.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from .acceptance import Outcome
from .context import shown_to_engine
from .flight import Flight
from .place import Place
from .settings import Settings
from .snapshot import Snapshot
from .suggestion import Suggestion

_AFTER_S = 0.15  # somebody who types on has no use for it


def after_accepting(snapshot: Snapshot, one: Suggestion) -> tuple[Snapshot, int]:
    """The document with `one` in it, and its cursor."""
    text = snapshot.text[: one.start] + one.text + snapshot.text[one.end :]
    return Snapshot(snapshot.uri, snapshot.language, snapshot.version + 1, text), one.start + len(one.text)


def goes_on(snapshot: Snapshot, one: Suggestion, settings: Settings) -> bool:
    """Whether the engine would only read on: what it has read is needed by who types something else."""
    accepted, cursor = after_accepting(snapshot, one)
    now = shown_to_engine(snapshot, one.start, one.start, settings)
    then = shown_to_engine(accepted, cursor, cursor, settings)
    return now.start == then.start and now.text[now.at(one.end) :] == then.text[then.at(cursor) :]


class Speculation:
    """At most one at a time. `counts`: started, finished, used."""

    def __init__(self, after_s: float = _AFTER_S) -> None:
        self._after_s = after_s
        self.counts: Counter[str] = Counter()
        self._place: Place | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._flight: Flight | None = None

    @property
    def flight(self) -> Flight | None:
        """What is being computed."""
        return None if self._flight is None or self._flight.ended else self._flight

    def begin(self, place: Place, take_off: Callable[[], Flight]) -> None:
        """Start in a moment, unless it is dropped before; what is on its way to the same place goes on."""
        if place == self._place and (self._timer is not None or self.flight is not None):
            return
        self.drop()
        self._place = place
        self._timer = asyncio.get_running_loop().call_later(self._after_s, self._start, take_off)

    def drop(self) -> None:
        """Nobody will want it."""
        if self._timer is not None:
            self._timer.cancel()
        if (flight := self.flight) is not None:
            flight.abandon()
        self._timer = self._flight = None

    def claim(self) -> Flight | None:
        """Somebody wants it now: it is theirs."""
        flight, self._flight = self.flight, None
        return flight

    def judge(self, outcome: Outcome) -> None:
        """Something happened to the ghost text."""
        if outcome not in (Outcome.WENT_ON, Outcome.ACCEPTED):
            self.drop()

    def _start(self, take_off: Callable[[], Flight]) -> None:
        self.counts["started"] += 1
        self._timer, self._flight = None, take_off()
