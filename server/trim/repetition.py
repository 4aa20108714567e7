"""Loops: a model that writes the same thing over and over. What repeats by nature (rules, matrices) is left alone."""

from __future__ import annotations

import re

from ..suggestion import Refused
from .overlap import weight
from .site import Refusal

_TIMES = 3  # equal lines, or equal blocks of lines, in a row
_LONGEST_BLOCK = 6  # lines
_IN_LINE = re.compile(r"(.{3,60}?)\1{5,}")


def without_loop(text: str) -> str:
    """`text` up to the second turn of a loop. Raises `Refusal` where there is nothing but the loop."""
    return _within_line(_of_lines(text))


def _of_lines(text: str) -> str:
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    for at in range(len(lines)):
        for size in range(1, min(_LONGEST_BLOCK, (len(lines) - at) // _TIMES) + 1):
            block = stripped[at : at + size]
            turns = [stripped[at + size * turn : at + size * (turn + 1)] for turn in range(1, _TIMES)]
            if all(turn == block for turn in turns) and sum(map(weight, block)) >= 4:
                return _kept("\n".join(lines[: at + size]), only_loop=at == 0 and size == 1)
    return text


def _within_line(text: str) -> str:
    for loop in _IN_LINE.finditer(text):
        if len(set(re.findall(r"\w", loop[1]))) >= 3:
            return _kept(text[: loop.end(1)], only_loop=loop.start() == 0)
    return text


def _kept(text: str, *, only_loop: bool) -> str:
    if only_loop:
        raise Refusal(Refused.REPETITION)
    return text.rstrip()
