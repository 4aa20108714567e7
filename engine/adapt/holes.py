"""Holes as programmers make them: where in a text something is missing. Text in, spans out; knows no grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

_STRING = re.compile(r"\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`")
_COMMENT = re.compile(r"(?:#|//|--) ?(\S[^\n]*)")
_OPENING, _CLOSING = "([{", ")]}"
_LONGEST_LIST = 600  # characters between two brackets


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of a text."""

    start: int
    end: int


Maker = Callable[[str, Random], Span | None]
"""A hole of one kind somewhere in a text; None where it finds no place for one."""


def line(text: str, random: Random) -> Span | None:
    """The rest of a line from any column, or a whole one with its line end."""
    start, end = _line(text, random)
    if not text[start:end].strip():
        return None
    if random.random() < 0.4:
        return Span(start, min(end + 1, len(text)))
    code = len(text[start:end]) - len(text[start:end].lstrip())
    return Span(start + random.choice((0, code, random.randint(code, end - start))), end)


def lines(text: str, random: Random) -> Span | None:
    """Two to eight lines, sometimes from the middle of the first; with the last one's line end or without."""
    start, end = _line(text, random)
    for _ in range(random.randint(1, 7)):
        following = text.find("\n", end + 1)
        end = following if following >= 0 else len(text)
    if random.random() < 0.3:
        start = random.randint(start, _line_end(text, start))
    return Span(start, min(end + random.randint(0, 1), len(text))) if text[start:end].strip() else None


def block(text: str, random: Random) -> Span | None:
    """All lines that are indented deeper than the one before them."""
    head, end = _line(text, random)
    indentation = _indentation(text[head:end])
    start = last = min(end + 1, len(text))
    while last < len(text):
        following = _line_end(text, last)
        row = text[last:following]
        if row.strip() and _indentation(row) <= indentation:
            break
        last = min(following + 1, len(text))
    body = text[start:last].rstrip()
    return Span(start, start + len(body) + (random.random() < 0.5 and start + len(body) < len(text))) if body else None


def arguments(text: str, random: Random) -> Span | None:
    """From anywhere between two brackets up to the closing one."""
    start = text.find(random.choice(_OPENING), random.randrange(len(text)))
    depth = 0
    for place in range(start, min(start + _LONGEST_LIST, len(text)) if start >= 0 else start):
        depth += (text[place] in _OPENING) - (text[place] in _CLOSING)
        if depth == 0:
            inside = start + 1
            return Span(inside if random.random() < 0.6 else random.randint(inside, place), place)
    return None


def quoted(text: str, random: Random) -> Span | None:
    """What a string or a comment says, or the end of it."""
    at = random.randrange(len(text))
    found = (_STRING if random.random() < 0.6 else _COMMENT).search(text, at)
    if not found:
        return None
    start, end = (found.start() + 1, found.end() - 1) if found.re is _STRING else found.span(1)
    return Span(start if random.random() < 0.5 else random.randint(start, end), end)


def anything(text: str, random: Random) -> Span | None:
    """A random span of up to some lines, of no regard for what stands there."""
    start = random.randrange(len(text))
    return Span(start, min(len(text), start + int(2 ** random.uniform(1, 8))))


def nothing(text: str, random: Random) -> Span | None:
    """A place where nothing is missing: the end of a line."""
    _, end = _line(text, random)
    return Span(end, end)


KINDS: Mapping[Maker, float] = {
    line: 0.42, lines: 0.16, block: 0.12, arguments: 0.12, quoted: 0.06, anything: 0.10, nothing: 0.02,
}  # fmt: skip


def make_hole(text: str, random: Random, kinds: Mapping[Maker, float] = KINDS) -> Span:
    """One hole of a random kind; `text` is not empty."""
    while True:
        maker = random.choices(list(kinds), list(kinds.values()))[0]
        if span := maker(text, random):
            return span


def make_holes(text: str, random: Random, most: int = 4) -> list[Span]:
    """Two to `most` holes that neither overlap nor touch, in rising order; fewer where the text is too short."""
    wanted, spans = random.randint(2, most), list[Span]()
    for _ in range(8 * most):
        span = make_hole(text, random)
        if all(span.end < other.start or other.end < span.start for other in spans):
            spans.append(span)
        if len(spans) == wanted:
            break
    return sorted(spans, key=lambda span: span.start)


def _line(text: str, random: Random) -> tuple[int, int]:
    """Start and end, without its line end, of a line; each line is as likely as any other."""
    start = 0
    for _ in range(random.randint(0, text.count("\n"))):
        start = text.find("\n", start) + 1
    return start, _line_end(text, start)


def _line_end(text: str, start: int) -> int:
    found = text.find("\n", start)
    return found if found >= 0 else len(text)


def _indentation(row: str) -> int:
    return len(row) - len(row.lstrip())
