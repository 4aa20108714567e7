"""A cursor in a text, kept without the text: whether a later text is that one with something typed at the cursor.

Pure; knows no store and no answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from .snapshot import Snapshot

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = "\"'`"


@dataclass(frozen=True, slots=True)
class Typed:
    """What stands between the old text left of the cursor and the cursor; `closed`: behind it, by the editor itself."""

    text: str
    closed: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request was made. Both sides of the cursor count, by length and hash."""

    uri: str
    language: str
    before: tuple[int, int]
    after: tuple[int, int]

    @classmethod
    def of(cls, snapshot: Snapshot, offset: int) -> Self:
        """The place of `offset`."""
        before, after = snapshot.text[:offset], snapshot.text[offset:]
        return cls(snapshot.uri, snapshot.language, (offset, hash(before)), (len(after), hash(after)))

    def typed(self, snapshot: Snapshot, offset: int) -> Typed | None:
        """What was typed here until `snapshot` with its cursor at `offset`; None if anything else happened as well."""
        text, start, end = snapshot.text, self.before[0], len(snapshot.text) - self.after[0]
        if (snapshot.uri, snapshot.language) != (self.uri, self.language) or not start <= offset <= end:
            return None
        typed = Typed(text[start:offset], text[offset:end])
        if typed.closed and not closers_of(typed.text).startswith(typed.closed):
            return None
        same = hash(text[:start]) == self.before[1] and hash(text[end:]) == self.after[1]
        return typed if same else None


def closers_of(typed: str) -> str:
    """What editors that close brackets and quotes by themselves may have put behind `typed`, the innermost first."""
    closers: list[str] = []
    for character in typed:
        if closers and character == closers[-1]:
            closers.pop()
        elif character in _QUOTES:
            closers.append(character)
        elif character in _PAIRS:
            closers.append(_PAIRS[character])
    return "".join(reversed(closers))
