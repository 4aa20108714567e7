"""Loops: a model that writes the same thing over and over. What repeats by nature (rules, matrices) is left alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..suggestion import Refused
from .overlap import weight
from .site import Refusal

_TIMES = 3  # equal lines, or equal blocks of lines, in a row
_LONGEST_BLOCK = 6  # lines
_IN_WORD = re.compile(r"(\w{1,2}?)\1{64,}")  # longer than a digest of zeros
_IN_LINE = re.compile(r"(.{3,60}?)\1{5,}")


@dataclass(frozen=True, slots=True)
class _Loop:
    """Its first turn ends at offset `once`; `alone`: there is nothing before it."""

    once: int
    alone: bool


def without_loop(text: str) -> str:
    """`text` up to the second turn of a loop. Raises `Refusal` where there is nothing but the loop."""
    loop = _of_lines(text) or _within_line(text)
    if loop is None:
        return text
    if loop.alone:
        raise Refusal(Refused.REPETITION)
    return text[: loop.once].rstrip()


def has_loop(text: str) -> bool:
    """Whether `text` runs in a loop somewhere."""
    return (_of_lines(text) or _within_line(text)) is not None


def _of_lines(text: str) -> _Loop | None:
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    for at in range(len(lines)):
        for size in range(1, min(_LONGEST_BLOCK, (len(lines) - at) // _TIMES) + 1):
            block = stripped[at : at + size]
            turns = [stripped[at + size * turn : at + size * (turn + 1)] for turn in range(1, _TIMES)]
            if all(turn == block for turn in turns) and sum(map(weight, block)) >= 4:
                return _Loop(len("\n".join(lines[: at + size])), alone=at == 0 and size == 1)
    return None


def _within_line(text: str) -> _Loop | None:
    if _IN_WORD.search(text):
        return _Loop(0, alone=True)  # a number or name without end: no beginning of it is right
    for loop in _IN_LINE.finditer(text):
        if len(set(re.findall(r"\w", loop[1]))) >= 3:
            return _Loop(loop.end(1), alone=loop.start() == 0)
    return None
