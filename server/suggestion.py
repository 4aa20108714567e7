"""What the text side answers: a replacement, or the name of the reason why not. Knows no engine and no protocol."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Refused(StrEnum):
    """Why there is no suggestion; the values are shown to people and counted by the debug information."""

    EXCLUDED = "excluded"  # deny list, `.sfumatoignore` or settings
    MID_LINE = "mid-line"  # unasked, with more than closing punctuation right of the cursor
    MID_WORD = "mid-word"  # unasked, with word characters right of the cursor
    DEADLINE = "deadline"  # the time ran out before anything that can stand was written
    EMPTY = "empty"  # nothing was written, or nothing was left
    REPEATS_SUFFIX = "repeats-suffix"  # only what already follows
    REPEATS_LINE_ABOVE = "repeats-line-above"
    REPETITION = "repetition"  # a loop
    UNMATCHED_BRACKET = "unmatched-bracket"
    CUT_OFF = "cut-off"  # stopped in the middle of a statement, with nothing whole before it
    TABLE_CELLS = "table-cells"  # a Markdown row that does not fit its table
    SYNTAX = "syntax"  # adds errors to the document
    UNCHANGED = "unchanged"  # the rewrite is the selection
    NO_HOLES = "no-holes"
    OVERLAPPING_HOLES = "overlapping-holes"
    OUTSIDE = "outside"  # a range that is not within the document
    NO_INSTRUCTION = "no-instruction"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Replace `[start, end)` of the snapshot's text by `text`, whose line ends are the document's."""

    start: int
    end: int
    text: str
