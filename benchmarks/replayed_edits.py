"""Two versions of a source tree as the edits that made one of the other, each as somebody would have typed it.

A changed line keeps what both versions begin and end with; a new line begins with a line end, typed behind the one
above.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from server.languages import language_id_of_path, language_of

LONGEST_TYPED = 400  # characters; more at once was pasted, not typed
_PAUSE = re.compile(r"\n[ \t]*(?=\S)|(?<=\w)\b(?=\W)|[(\[{,.=] ?")


@dataclass(frozen=True, slots=True)
class TypedEdit:
    """In `text`, `[start, end)` is taken away, then `typed` is written there."""

    path: str
    language: str
    text: str
    start: int
    end: int
    typed: str


def edits_between(before: Path, after: Path) -> Iterator[TypedEdit]:
    """Of all files of known languages, in order; files with other than ASCII are left out (see `TypingSession`)."""
    for path in sorted(after.rglob("*")):
        name = path.relative_to(after).as_posix()
        old = before / name
        language = language_id_of_path(name)
        if path.is_file() and old.is_file() and language_of(language).grammar:
            texts = [file.read_bytes() for file in (old, path)]
            if texts[0] != texts[1] and all(text.isascii() and b"\r" not in text for text in texts):
                yield from _edits(name, language, texts[0].decode(), texts[1].decode())


def _edits(path: str, language: str, old: str, new: str) -> Iterator[TypedEdit]:
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    done = ""  # of the new text, what stands before the edit
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes():
        removed, written = "".join(old_lines[i1:i2]), "".join(new_lines[j1:j2])
        if tag != "equal" and written.strip():
            rest = "".join(old_lines[i1:])
            edit = _as_typed(path, language, done + rest, len(done), removed, written)
            if 0 < len(edit.typed) <= LONGEST_TYPED:
                yield edit
        done += written


def _as_typed(path: str, language: str, text: str, at: int, removed: str, written: str) -> TypedEdit:
    kept = _common(removed, written)
    tail = _common(removed[kept:][::-1], written[kept:][::-1])
    start, end = at + kept, at + len(removed) - tail
    typed = written[kept : len(written) - tail]
    if start == end and typed.endswith("\n") and text[start - 1 : start] == "\n":
        start, end, typed = start - 1, end - 1, "\n" + typed[:-1]
    return TypedEdit(path, language, text, start, end, typed)


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def pauses(typed: str, most: int, chance: random.Random) -> list[int]:
    """At most `most` places, drawn from where people pause: behind indentation, words, and what opens something."""
    places = sorted({found.end() for found in _PAUSE.finditer(typed)} - {0, len(typed)})
    return sorted(chance.sample(places, min(most, len(places))))
