"""What the user does with what is shown, and when it is better to show nothing: follows every change of a document."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from .acceptance import Acceptance, Outcome
from .documents import Edit
from .quiet import BackOff, Clock, EditHistory, Suppressed
from .snapshot import Snapshot
from .suggestion import Suggestion


class Attention:
    """Of one client. `outcomes` counts what became of what was shown; `on_outcome` hears of each."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._acceptance = Acceptance(clock)
        self._history = EditHistory(clock)
        self._back_off = BackOff(clock)
        self.outcomes: Counter[str] = Counter()
        self.on_outcome: Callable[[Outcome], None] | None = None

    @property
    def back_off_s(self) -> float:
        """How long a line is kept quiet after a rejection."""
        return self._back_off.delay_s

    def suppressed(self, snapshot: Snapshot, offset: int) -> Suppressed | None:
        """Why not to answer an automatic request."""
        return self._history.suppressed(snapshot, offset) or self._back_off.suppressed(snapshot, offset)

    def show(self, uri: str, suggestions: Sequence[Suggestion]) -> None:
        """This is what the client was given last."""
        self._acceptance.show(uri, suggestions)

    def changed(self, before: Snapshot, after: Snapshot, edits: Sequence[Edit]) -> None:
        """A document was changed."""
        place = self._acceptance.place
        outcome = self._acceptance.changed(before, after, edits)
        self._history.changed(before, after, edits)
        self._back_off.changed(after.uri, edits)
        if outcome is not None:
            self._judge(outcome, after.uri, edits[0].start if place is None else place)

    def closed(self, uri: str) -> None:
        """A document was closed."""
        self._acceptance.forget(uri)
        self._history.closed(uri)

    def told(self, uri: str, outcome: Outcome) -> bool:
        """The client says what became of the ghost text; False if nothing is shown there, or that was known."""
        place = self._acceptance.told(uri)
        if place is not None:
            self._judge(outcome, uri, place)
        return place is not None

    def _judge(self, outcome: Outcome, uri: str, place: int) -> None:
        if outcome is Outcome.REJECTED:
            self._back_off.rejected(uri, place)
        elif outcome is Outcome.ACCEPTED:
            self._back_off.accepted()
        if outcome not in (Outcome.WENT_ON, Outcome.MOVED):
            self.outcomes[outcome] += 1
        if self.on_outcome is not None:
            self.on_outcome(outcome)
