"""Answers kept for what the user types next: an answer is found again under each of its own typed beginnings.

The key is both sides of the cursor, so that an answer never outlives what it was made for.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass

from .place import Place, Typed
from .rebase import is_subsequence
from .snapshot import Snapshot
from .suggestion import Suggestion

_BUDGET = 512 * 1024  # bytes of suggested text, and what an entry costs beside it
_ENTRY = 600


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer. `foreseen`: nobody had asked for it; without suggestions there is nothing to suggest."""

    suggestions: tuple[Suggestion, ...]
    invoked: bool = False
    foreseen: bool = False

    @property
    def size(self) -> int:
        """Bytes."""
        return _ENTRY + sum(sys.getsizeof(one.text) for one in self.suggestions)


class CompletionCache:
    """The last answers, the least recently used forgotten first. Not for several threads."""

    def __init__(self, budget: int = _BUDGET) -> None:
        self._budget = budget
        self._size = 0
        self._entries: OrderedDict[tuple[Place, bool], Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """Bytes that the answers take, about."""
        return self._size

    def store(self, snapshot: Snapshot, offset: int, kept: Kept) -> None:
        """Keep the answer to a request at `offset`, if it says anything that the same request would not find out."""
        if not (kept.suggestions or kept.foreseen) or kept.size > self._budget:
            return
        key = (Place.of(snapshot, offset), kept.invoked)
        self._forget(key)
        self._entries[key] = kept
        self._size += kept.size
        while self._size > self._budget:
            self._forget(next(iter(self._entries)))

    def find(self, snapshot: Snapshot, offset: int, *, invoked: bool) -> Kept | None:
        """What is left of a kept answer after what was typed since; None if there is none.

        Automatic requests are content with an answer to an invoked one, but not the other way round.
        """
        for key in reversed(self._entries):
            kept = self._entries[key]
            if (kept.invoked or not invoked) and (left := _left(key[0], kept, snapshot, offset)) is not None:
                self._entries.move_to_end(key)
                return Kept(left if invoked else left[:1], kept.invoked, kept.foreseen)
        return None

    def clear(self) -> None:
        """Forget everything: the model or the settings changed."""
        self._entries.clear()
        self._size = 0

    def _forget(self, key: tuple[Place, bool]) -> None:
        if (kept := self._entries.pop(key, None)) is not None:
            self._size -= kept.size


def _left(place: Place, kept: Kept, snapshot: Snapshot, offset: int) -> tuple[Suggestion, ...] | None:
    """The suggestions that go on as was typed since, without that."""
    start, longest = place.before[0], max((len(one.text) for one in kept.suggestions), default=0)
    if offset - start > longest or (typed := place.typed(snapshot, offset)) is None:
        return None
    if not kept.suggestions:
        return None if typed.text else ()
    left = [_continued(one, typed, offset) for one in kept.suggestions if one.start == start]
    return tuple(one for one in left if one is not None and _keeps(one, snapshot)) or None


def _continued(one: Suggestion, typed: Typed, offset: int) -> Suggestion | None:
    if not one.text.startswith(typed.text) or len(one.text) == len(typed.text):
        return None
    end = one.end + len(typed.text) + len(typed.closed)
    return Suggestion(offset, end, one.text[len(typed.text) :])


def _keeps(one: Suggestion, snapshot: Snapshot) -> bool:
    """Whether no character that it replaces is lost: one that the editor put there may be a second one."""
    return is_subsequence(snapshot.text[one.start : one.end], one.text)
