"""What edits made since a snapshot do to an answer computed for it. Pure; knows no store and no protocol."""

from __future__ import annotations

from collections.abc import Iterable

from .documents import Edit

_LINE_ENDS = "\n\r"
_MOST_EDITS = 200  # each is applied to the whole text; more is no typing but a replacement everywhere
_CLOSED_BY_EDITORS = {"()", "[]", "{}", '""', "''", "``"}


def rebase(text: str, start: int, end: int, new_text: str, edits: Iterable[Edit]) -> tuple[int, int] | None:
    """Where "replace `text[start:end]` by `new_text`" applies after `edits`; None if it no longer fits.

    It fits when what was typed at its place is how `new_text` goes on: the outcome is then the one that was suggested.
    Edits that leave the rest of its line as it is only move it; others take away what it was computed from.
    """
    for number, edit in enumerate(edits):
        if number == _MOST_EDITS:
            return None
        after = text[: edit.start] + edit.text + text[edit.end :]
        grown = len(edit.text) - (edit.end - edit.start)
        if start <= edit.start and edit.end <= end:
            end += grown
            if not _goes_on(after[start : edit.start], edit.text, after[edit.start + len(edit.text) : end], new_text):
                return None
        elif edit.end <= start and _left_of(after, start + grown) == _left_of(text, start):
            start, end = start + grown, end + grown
        elif edit.start <= end or _right_of(after, end) != _right_of(text, end):
            return None
        text = after
    return start, end


def anchor(start: int, end: int, edits: Iterable[Edit]) -> tuple[int, int] | None:
    """Where `[start, end)` lies after `edits`; None once one touched it, at a border included."""
    for edit in edits:
        if edit.end < start:
            grown = len(edit.text) - (edit.end - edit.start)
            start, end = start + grown, end + grown
        elif edit.start <= end:
            return None
    return start, end


def move_cursor(offset: int, edits: Iterable[Edit]) -> int:
    """Where a cursor stands after `edits`: what is typed at it pushes it along."""
    for edit in edits:
        if edit.start <= offset:
            offset = edit.start + len(edit.text) + max(0, offset - edit.end)
    return offset


def is_subsequence(short: str, long: str) -> bool:
    """Whether `short` is left when characters of `long` are struck out."""
    rest = iter(long)
    return all(character in rest for character in short)


def _goes_on(before: str, typed: str, behind: str, new_text: str) -> bool:
    """Whether `new_text` goes on as typed and keeps all of it; an editor may have closed the bracket that was typed."""
    begun = before + (typed[0] if typed in _CLOSED_BY_EDITORS else typed)
    return new_text.startswith(begun) and is_subsequence(before + typed + behind, new_text)


def _left_of(text: str, offset: int) -> str:
    """The line of `offset` as far as that."""
    return text[max(text.rfind(end, 0, offset) for end in _LINE_ENDS) + 1 : offset]


def _right_of(text: str, offset: int) -> str:
    """The line of `offset` from there on."""
    ends = [end for end in (text.find(end, offset) for end in _LINE_ENDS) if end >= 0]
    return text[offset : min(ends, default=len(text))]
