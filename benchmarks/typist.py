"""Writes other lines into a file, key by key, and asks after each key, as an editor without debounce would.

Three kinds of requests cost differently and are told apart: the first one at a place (the prompt is read anew), one
after a further key there, and one after a key that continued what was shown: the server may have it in its cache.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from .spread import spread
from .typing_session import Answer

SHORTEST_LINE = 16


class Editor(Protocol):
    """The part of `TypingSession` that typing needs."""

    async def replace(self, start: int, end: int, text: str) -> None:
        """Edit the document."""

    async def ask(self, offset: int) -> Answer:
        """Ask for a completion."""


class Kind(StrEnum):
    """What came before a request."""

    MOVED = "moved"
    KEY = "key"
    TYPED_THROUGH = "typed through"


@dataclass(frozen=True, slots=True)
class Place:
    """Half-open range of the file: a line without its indentation and its end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stroke:
    """One request."""

    kind: Kind
    answer: Answer


def choose_places(text: str, count: int, seed: int) -> tuple[Place, ...]:
    """`count` lines in random order, each once, so that no place is asked about twice."""
    lines, start = [], 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        if len(body) >= SHORTEST_LINE:
            first = start + line.index(body)
            lines.append(Place(first, first + len(body)))
        start += len(line)
    random.Random(seed).shuffle(lines)
    return tuple(lines[:count])


async def type_places(session: Editor, text: str, places: Sequence[Place], keys: int) -> list[Stroke]:
    """At each place write the line of the next one: real code that is seldom what a model foresees there."""
    strokes = []
    for place, other in zip(places, [*places[1:], *places[:1]], strict=True):
        strokes += await type_place(session, text, place, text[other.start : other.end][:keys])
    return strokes


async def type_place(session: Editor, text: str, place: Place, typed: str) -> list[Stroke]:
    """Take the place away, ask, type and ask after each key; then put everything back."""
    await session.replace(place.start, place.end, "")
    answer = await session.ask(place.start)
    strokes = [Stroke(Kind.MOVED, answer)]
    for cursor, key in enumerate(typed, place.start):
        shown = answer.text or ""
        await session.replace(cursor, cursor, key)
        answer = await session.ask(cursor + 1)
        strokes.append(Stroke(Kind.TYPED_THROUGH if shown.startswith(key) else Kind.KEY, answer))
    await session.replace(place.start, place.start + len(typed), text[place.start : place.end])
    return strokes


def summarise(strokes: Sequence[Stroke]) -> dict[str, object]:
    """Milliseconds by kind of request and answer; one that got nothing is counted and not timed."""
    answered = [stroke for stroke in strokes if stroke.answer.text is not None]

    def times(kind: Kind, lines: Sequence[bool] = (False, True)) -> dict[str, float | None]:
        return spread([s.answer.ms for s in answered if s.kind is kind and ("\n" in (s.answer.text or "")) in lines])

    return {
        "single_line_ms": times(Kind.KEY, [False]),
        "multi_line_ms": times(Kind.KEY, [True]),
        "moved_ms": times(Kind.MOVED),
        "typed_through_ms": times(Kind.TYPED_THROUGH),
        "asked": len(strokes),
        "empty": len(strokes) - len(answered),
    }
