"""Types the lines of a file again, key by key, and asks after each key, as an editor without debounce would.

A key that continues what was last shown may be answered from the server's cache; such answers are told apart, because
they measure the cache and not the model.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Place:
    """Half-open range of the file that is taken away and typed again."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One answer. `typed_through`: the key continued the text that was on the screen."""

    answer: Answer
    typed_through: bool


def choose_places(text: str, count: int, seed: int) -> tuple[Place, ...]:
    """The last two thirds of `count` lines, in random order; a line is taken once, so no place is asked twice."""
    lines, start = [], 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        if len(body) >= SHORTEST_LINE:
            first = start + line.index(body)
            lines.append(Place(first + len(body) // 3, first + len(body)))
        start += len(line)
    random.Random(seed).shuffle(lines)
    return tuple(lines[:count])


async def type_place(session: Editor, text: str, place: Place, keys: int) -> list[Keystroke]:
    """Take the place away, ask, type up to `keys` characters and ask after each; then put everything back."""
    removed = text[place.start : place.end]
    await session.replace(place.start, place.end, "")
    shown, strokes, cursor = "", [], place.start
    for typed in range(min(keys, len(removed)) + 1):
        if typed:
            await session.replace(cursor, cursor, removed[typed - 1])
            cursor += 1
        answer = await session.ask(cursor)
        strokes.append(Keystroke(answer, typed_through=typed > 0 and shown.startswith(removed[typed - 1])))
        shown = answer.text or ""
    await session.replace(place.start, cursor, removed)
    return strokes


def summarise(strokes: Sequence[Keystroke]) -> dict[str, object]:
    """Milliseconds by kind of answer; a request that got nothing is counted and not timed."""
    answered = [stroke for stroke in strokes if stroke.answer.text is not None]
    fresh = [stroke.answer for stroke in answered if not stroke.typed_through]
    return {
        "single_line_ms": spread([answer.ms for answer in fresh if "\n" not in (answer.text or "")]),
        "multi_line_ms": spread([answer.ms for answer in fresh if "\n" in (answer.text or "")]),
        "typed_through_ms": spread([stroke.answer.ms for stroke in answered if stroke.typed_through]),
        "asked": len(strokes),
        "empty": len(strokes) - len(answered),
    }
