"""What became of the ghost text: accepted, rejected or left alone, as the edits after it tell. Clients report nothing.

Pure, on a clock that is handed in. There is one cursor, hence one ghost text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import StrEnum

from .documents import Edit
from .rebase import rebase
from .snapshot import Snapshot
from .suggestion import Suggestion

_NOTICED_S = 0.25  # what was there for less was not seen, so not rejected


class Outcome(StrEnum):
    """What a change did to what was shown."""

    WENT_ON = "went-on"  # typed as suggested, or a part of it accepted
    MOVED = "moved"  # by an edit elsewhere
    ACCEPTED = "accepted"
    REJECTED = "rejected"  # something else was written at its place, or it was undone
    DISMISSED = "dismissed"  # it went, and nobody knows whether it was wanted


class Acceptance:
    """Follows what is shown from change to change."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._uri = ""
        self._left: tuple[Suggestion, ...] = ()
        self._shown_at = 0.0
        self._before = ""  # the text in which the last one was accepted

    def show(self, uri: str, suggestions: Sequence[Suggestion]) -> None:
        """The client was given these for its document as it is now; none takes away what it showed of that."""
        if suggestions or uri == self._uri:
            self._uri, self._left, self._shown_at = uri, tuple(suggestions), self._clock()

    @property
    def place(self) -> int | None:
        """Where something is shown."""
        return self._left[0].start if self._left else None

    def forget(self, uri: str) -> None:
        """The document was closed."""
        if uri == self._uri:
            self._left, self._before = (), ""

    def changed(self, before: Snapshot, after: Snapshot, edits: Sequence[Edit]) -> Outcome | None:
        """What the change did; None if nothing was shown there."""
        if after.uri != self._uri or not edits:
            return None
        accepted_in, self._before = self._before, ""
        if accepted_in and after.text == accepted_in:
            self._left = ()
            return Outcome.REJECTED
        shown = tuple(one for one in self._left if before.text[one.start : one.end] != one.text)
        if not shown:  # or nothing that would change the text: that cannot be accepted
            self._left = ()
            return None
        self._left = tuple(_after(before.text, shown, edits))
        if any(after.text[one.start : one.end] == one.text for one in self._left):
            self._left, self._before = (), before.text
            return Outcome.ACCEPTED
        if self._left:
            return Outcome.WENT_ON if _are_within(edits, shown) else Outcome.MOVED
        unseen = self._clock() < self._shown_at + _NOTICED_S
        return Outcome.DISMISSED if unseen or not _write_over(edits, shown) else Outcome.REJECTED

    def told(self, uri: str) -> int | None:
        """The client says what became of it: where it stood; None if nothing is shown there, or that is known."""
        if uri != self._uri:
            return None
        place, self._left = self.place, ()
        return place


def _after(text: str, shown: Sequence[Suggestion], edits: Sequence[Edit]) -> list[Suggestion]:
    places = [(one, rebase(text, one.start, one.end, one.text, edits)) for one in shown]
    return [Suggestion(*place, one.text) for one, place in places if place is not None]


def _are_within(edits: Sequence[Edit], shown: Sequence[Suggestion]) -> bool:
    start, end = shown[0].start, max(one.end for one in shown)
    return all(start <= edit.start <= end for edit in edits)


def _write_over(edits: Sequence[Edit], shown: Sequence[Suggestion]) -> bool:
    return any(edit.text for edit in edits) and any(
        one.start <= edit.start <= one.end for edit in edits for one in shown
    )
