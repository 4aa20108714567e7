"""Answers kept for what the user types next: an answer is found again under each of its own typed beginnings.

The key is the whole text on both sides of the cursor, so that an answer never outlives what it was made for.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from .snapshot import Snapshot
from .suggestion import Suggestion

_CAPACITY = 64  # answers; a document's text is shared with its snapshot


@dataclass(frozen=True, slots=True)
class _Entry:
    text: str
    language: str
    offset: int
    invoked: bool
    suggestions: tuple[Suggestion, ...]


class CompletionCache:
    """The last answers, the least recently used forgotten first. Not for several threads."""

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[tuple[str, int, int, bool], _Entry] = OrderedDict()

    def store(self, snapshot: Snapshot, offset: int, suggestions: tuple[Suggestion, ...], *, invoked: bool) -> None:
        """Keep the answer to a request at `offset`; an empty one is not worth keeping."""
        if not suggestions:
            return
        key = (snapshot.uri, offset, hash(snapshot.text), invoked)
        self._entries[key] = _Entry(snapshot.text, snapshot.language, offset, invoked, suggestions)
        self._entries.move_to_end(key)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def find(self, snapshot: Snapshot, offset: int, *, invoked: bool) -> tuple[Suggestion, ...] | None:
        """What is left of a kept answer after what was typed since; None if there is none.

        Automatic requests are content with an answer to an invoked one, but not the other way round.
        """
        for key in reversed(self._entries):
            entry = self._entries[key]
            if key[0] != snapshot.uri or entry.language != snapshot.language or (invoked and not entry.invoked):
                continue
            if left := _left(entry, snapshot.text, offset):
                self._entries.move_to_end(key)
                return left if invoked else left[:1]
        return None

    def clear(self) -> None:
        """Forget everything: the model or the settings changed."""
        self._entries.clear()


def _left(entry: _Entry, text: str, offset: int) -> tuple[Suggestion, ...]:
    """The suggestions of `entry` that begin with what was typed, without it."""
    typed = offset - entry.offset
    if typed < 0 or len(text) != len(entry.text) + typed:
        return ()
    begun = text[entry.offset : offset]
    fitting = [
        Suggestion(offset, one.end + typed, one.text[typed:])
        for one in entry.suggestions
        if one.start == entry.offset and one.text.startswith(begun) and len(one.text) > typed
    ]
    if not fitting or text[: entry.offset] != entry.text[: entry.offset] or text[offset:] != entry.text[entry.offset :]:
        return ()
    return tuple(fitting)
