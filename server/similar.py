"""Which lines of another text resemble those around the cursor: windows compared by the words they share.

Each text is split into words once; all steps are linear in its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WINDOW = 60  # lines
_STEP = 15
_LONGEST = 100_000  # characters of a text that are looked at
_LONGEST_LINE = 400  # characters; a text of longer ones was not written by hand
_WORD = re.compile(r"[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of a text, and their words."""

    text: str
    words: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """Names and keywords, of two letters and more."""
    return frozenset(_WORD.findall(text))


def windows(text: str) -> tuple[Window, ...]:
    """All windows of a text, overlapping; () for a text of very long lines."""
    lines = text[:_LONGEST].split("\n")
    if max(map(len, lines)) > _LONGEST_LINE:
        return ()
    words = [words_of(line) for line in lines]
    starts = range(0, max(1, len(lines) - WINDOW + _STEP), _STEP)
    return tuple(
        Window("\n".join(lines[at : at + WINDOW]), frozenset().union(*words[at : at + WINDOW])) for at in starts
    )


def resemblance(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard index: 0 for nothing in common, 1 for the same words."""
    return len(one & other) / len(one | other) if one and other else 0.0
