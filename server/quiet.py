"""When to say nothing unasked: right after a deletion or an undo, and for a while where suggestions were rejected.

Pure, on a clock that is handed in. Knows no protocol; whoever asks by hand is never held back.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from .documents import Edit
from .rebase import move_cursor
from .snapshot import Snapshot

Clock = Callable[[], float]

_RIGHT_AFTER_S = 3.0
_LITTLE = re.compile(r"\s*(?:\w*|\W{1,2})\s*")
_IN_A_ROW = 3  # deletions: one or two mend a typing mistake, more make room for something else
_REMEMBERED = 64  # texts a document had, by hash
_FIRST_S, _SHORTEST_S, _LONGEST_S = 0.1, 0.05, 3.0
_MORE, _LESS = 1.5, 0.8
_FORGOTTEN_S = 600.0


class Suppressed(StrEnum):
    """Why nobody was asked; the values are counted by the debug information."""

    AFTER_DELETION = "after-deletion"
    AFTER_UNDO = "after-undo"
    AFTER_REJECTION = "after-rejection"


@dataclass(slots=True)
class _Recent:
    """What happened to a document last, and where; `earlier`: what it was before that."""

    earlier: deque[int] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    start: int = 0
    end: int = 0
    at: float = 0.0
    deletions: int = 0
    undone: bool = False


class EditHistory:
    """The last change of each document, as far as it says that its user is not writing on."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._recent: dict[str, _Recent] = {}

    def changed(self, before: Snapshot, after: Snapshot, edits: Sequence[Edit]) -> None:
        """`edits` made `after` of `before`."""
        if not edits:
            return
        recent = self._recent.setdefault(after.uri, _Recent())
        recent.earlier.append(hash(before.text))
        recent.start = min(edit.start for edit in edits)
        recent.end = max(edit.start + len(edit.text) for edit in edits)
        recent.at = self._clock()
        recent.deletions = recent.deletions + 1 if _mends(before.text, edits) else 0
        recent.undone = not _is_key(edits) and hash(after.text) in recent.earlier

    def closed(self, uri: str) -> None:
        """A document that is opened again has no past."""
        self._recent.pop(uri, None)

    def suppressed(self, snapshot: Snapshot, offset: int) -> Suppressed | None:
        """Whether `offset` is where something was just taken away."""
        recent = self._recent.get(snapshot.uri)
        if recent is None or not recent.start <= offset <= recent.end:
            return None
        if self._clock() >= recent.at + _RIGHT_AFTER_S:
            return None
        if recent.undone:
            return Suppressed.AFTER_UNDO
        return Suppressed.AFTER_DELETION if 0 < recent.deletions < _IN_A_ROW else None


def _mends(text: str, edits: Sequence[Edit]) -> bool:
    """Whether no more than a character, a word or a pair of brackets went at each place; a line is cleared to write."""
    return all(not edit.text and _LITTLE.fullmatch(text, edit.start, edit.end) for edit in edits)


def _is_key(edits: Sequence[Edit]) -> bool:
    """Whether one character came or went: writing the same letter again makes an old text, and is no redo."""
    return len(edits) == 1 and len(edits[0].text) + edits[0].end - edits[0].start == 1


class BackOff:
    """How long to be quiet on a line where suggestions were rejected: longer with each, shorter with each accepted."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._uri = ""
        self._offset = 0
        self._at = float("-inf")
        self.delay_s = _FIRST_S

    def rejected(self, uri: str, offset: int) -> None:
        """A suggestion there was not wanted."""
        now = self._clock()
        known = self.delay_s if now < self._at + _FORGOTTEN_S else _FIRST_S
        self.delay_s = min(known * _MORE, _LONGEST_S)
        self._uri, self._offset, self._at = uri, offset, now

    def accepted(self) -> None:
        """A suggestion was taken."""
        self.delay_s = max(self.delay_s * _LESS, _SHORTEST_S)

    def changed(self, uri: str, edits: Sequence[Edit]) -> None:
        """The place moves with its text."""
        if uri == self._uri:
            self._offset = move_cursor(self._offset, edits)

    def suppressed(self, snapshot: Snapshot, offset: int) -> Suppressed | None:
        """Whether `offset` stands on that line, and it is too early."""
        if snapshot.uri != self._uri or self._clock() >= self._at + self.delay_s:
            return None
        between = snapshot.text[min(offset, self._offset) : max(offset, self._offset)]
        return None if "\n" in between or "\r" in between else Suppressed.AFTER_REJECTION
