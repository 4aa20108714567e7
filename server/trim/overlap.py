"""Where a candidate writes again what the document already has: below it, right of it, above it."""

from __future__ import annotations

import re
from enum import IntEnum

from ..brackets import balance
from ..rebase import is_subsequence
from ..suggestion import Refused
from .site import Refusal, Site

_WORD = re.compile(r"\w")
_CLOSING = re.compile(r"[\s)\]};,]*")
_ENDING = " )]}>\"'`;,:."
_PAIRS = re.compile(r"[-=]>|[<>]=|[()\[\]{}<>]")  # arrows and comparisons are no brackets
_OPENER = {")": "(", "]": "[", "}": "{", ">": "<"}
_LONG_REST = 4  # characters of a rest that is no chance inside a candidate
_LONG_RUN = 4  # lines
_ALONE = 12  # word characters that make one line enough
_WORDY = 4  # word characters that make a line more than brackets
_TELLING = 6  # word characters that make a line worth comparing whatever its indentation


def weight(line: str) -> int:
    """Word characters of a line: brackets and blanks repeat by nature."""
    return len(_WORD.findall(line))


class _Likeness(IntEnum):
    """How much some lines of a candidate look like the lines that follow the hole."""

    NONE = 0
    PERHAPS = 1  # they begin alike and go on otherwise
    SURE = 2


def stop_at_suffix(text: str, site: Site) -> str:
    """Cut `text` where it starts to repeat the lines that follow. Raises `Refusal` if that is all it does."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not site.below or not line.strip() or (at == 0 and not site.on_blank) or _goes_on_alike(line, site):
            continue
        likeness = _likeness([site.prefix + line] if at == 0 else [], lines[at + (at == 0) :], site.below)
        kept = "\n".join(lines[:at]).rstrip()
        if likeness is _Likeness.NONE or not _is_repetition(likeness, kept, text, site):
            continue
        if not kept:
            raise Refusal(Refused.REPEATS_SUFFIX)
        return kept
    return text


def _goes_on_alike(line: str, site: Site) -> bool:
    """Whether the lines above and below are this one too, and of few words: rows of a matrix are alike by nature."""
    near = {_bare(one).strip() for one in (line, *site.preceding[:1], *site.below[:1])}
    return len(near) == 1 and bool(site.preceding) and 0 < weight(line) < _WORDY


def _likeness(first: list[str], others: list[str], following: list[str]) -> _Likeness:
    """Compare lines with `following`; `first` is the cursor's whole line, if the candidate begins it."""
    mine = [line.rstrip() for line in first + others if line.strip()]
    run = 0
    while run < min(len(mine), len(following)) and _same(mine[run], following[run]):
        run += 1
    if run == 1 and _bare(mine[0]) != _bare(following[0]):  # one line at another depth, `return False` say, is its own
        return _Likeness.NONE
    if run == len(mine) or (run == len(mine) - 1 and run < len(following) and _begins(mine[run], following[run])):
        return _Likeness.SURE
    told = sum(weight(line) for line in mine[:run])
    if told >= _TELLING and run >= _LONG_RUN:
        return _Likeness.SURE
    if (told >= _TELLING and run == len(following)) or (told >= _ALONE and first):
        return _Likeness.SURE
    return _Likeness.PERHAPS if told >= _WORDY else _Likeness.NONE


def _is_repetition(likeness: _Likeness, kept: str, text: str, site: Site) -> bool:
    """Whether cutting leaves the document no worse off; better off, if the likeness alone does not tell."""
    if site.plain:
        return likeness is _Likeness.SURE
    whole, part = site.balance_with(text).faults, site.balance_with(kept).faults
    return part <= whole and (likeness is _Likeness.SURE or part < whole)


def _same(mine: str, theirs: str) -> bool:
    mine, theirs = _bare(mine), _bare(theirs)
    return mine == theirs or (mine.strip() == theirs.strip() and weight(mine) >= _WORDY)


def _bare(line: str) -> str:
    """A line without the separator that depends on what comes after it."""
    return line.rstrip(" \t,;")


def _begins(mine: str, theirs: str) -> bool:
    """Whether `mine` is `theirs` not written out, as `}` is of `} else {`."""
    return theirs.startswith(mine) and (weight(mine) >= _TELLING or not _CLOSING.sub("", mine))


def join_rest(text: str, site: Site) -> tuple[str, int]:
    """Text to insert, and how many characters right of the cursor it replaces, so that the line's rest stands once.

    Each way of letting `text` and the rest of the line overlap is tried; the one that leaves brackets and strings
    best wins; among those the one that leaves pairs best which are none to the language, such as `<>` and those in
    strings; and among those the longest overlap.
    """
    rest = site.rest
    if not rest.strip():
        return text, 0
    ways = [(text[: len(text) - shared], 0) for shared in _shared_tails(text, rest)]
    ways += [(text, replaced) for replaced in _replaceable(text, rest)]

    def faults(way: tuple[str, int]) -> tuple[int, int, int]:
        line = site.prefix + way[0] + rest[way[1] :]
        return *balance(line, site.language).faults, _unpaired(line)

    return min(ways, key=faults)  # the first of equals: longest overlap, then plain insertion, then replacing


def _unpaired(line: str) -> int:
    """Brackets of every kind without a partner, wherever they stand."""
    open_: list[str] = []
    alone = 0
    for token in _PAIRS.findall(line):
        if token in _OPENER.values():
            open_.append(token)
        elif open_ and open_[-1] == _OPENER.get(token):
            open_.pop()
        elif token in _OPENER:
            alone += 1
    return alone + len(open_)


def _shared_tails(text: str, rest: str) -> list[int]:
    """Lengths by which the end of `text` is the beginning of `rest`, longest first, 0 among them."""
    fresh_line = not text[text.rfind("\n") + 1 :].strip()  # blanks there are indentation, not an overlap
    least = len(rest) - len(rest.lstrip()) + 1 if fresh_line else 1
    lengths = [n for n in range(min(len(text), len(rest)), least - 1, -1) if text.endswith(rest[:n])]
    return [n for n in lengths if n == len(rest) or _is_telling(text, rest, n)] + [0]


def _is_telling(text: str, rest: str, length: int) -> bool:
    """Whether an overlap is more than chance: it splits no word, and is longer than one character of an operator."""
    if length == 1:
        return rest[0] in _ENDING
    return not _within_word(text, len(text) - length) and not _within_word(rest, length)


def _within_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and bool(_WORD.match(text[at - 1])) and bool(_WORD.match(text[at]))


def _replaceable(text: str, rest: str) -> list[int]:
    """Lengths of the beginning of `rest` that `text` holds in order: an editor shows only such replacements."""
    run = re.match(r"[\s)\]}\"'`>;,:]*", rest)
    lengths = [n for n in range(1, len(run.group()) + 1 if run else 1) if is_subsequence(rest[:n], text)]
    whole = len(rest) >= _LONG_REST and not rest[0].isalnum() and rest in text
    return [*lengths, len(rest)] if whole else lengths


def refuse_echo(text: str, replaced: int, site: Site) -> None:
    """Raise `Refusal` if, once inserted, `text` makes lines that stand right above or below already."""
    inserted = f"{site.prefix}{text}{site.rest[replaced:]}".split("\n")
    mine = [line.rstrip() for line in inserted if line.strip()]
    if sum(weight(line) for line in mine) < _WORDY:
        return
    if _same_lines(mine, site.preceding[: len(mine)][::-1]):
        raise Refusal(Refused.REPEATS_LINE_ABOVE)
    if _same_lines(mine, site.following[: len(mine)]):
        raise Refusal(Refused.REPEATS_SUFFIX)


def _same_lines(mine: list[str], theirs: list[str]) -> bool:
    """Whether two runs of lines are equal; one line alone must be at the same depth too."""
    if len(mine) == 1:
        return mine == theirs
    return [line.strip() for line in mine] == [line.strip() for line in theirs]
