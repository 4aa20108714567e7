"""A selection to rewrite: what of it the model sees, and how its answer goes back into place. LF line ends only.

Blank lines and blanks around the selected text stay as they are; indentation that all its lines share is taken off
before and put on again after.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..brackets import balance
from ..languages import Language
from ..suggestion import Refused
from .indentation import leading, rebased, shared_indentation
from .leaks import readable, without_enclosing_fence
from .overlap import weight
from .repetition import has_loop
from .site import Refusal

_EDGES = re.compile(r"(?P<lead>\s*)(?P<core>.*?)(?P<tail>\s*)", re.DOTALL)
_BLANK = re.compile(r"(?P<lead>(?:[ \t]*\n)*?[ \t]*)(?P<core>)(?P<tail>\n?)")
_CONTINUED = re.compile(r"(?:[-+*/%=&|<>,.?:({\[\\]|\b(?:and|or|not|in|is))\s*$")
_ECHO = 12  # word characters at an end of an answer that are the lines next to the selection, and no chance


@dataclass(frozen=True)
class Selection:
    """`text[start:end]` in parts: `lead` and `tail` are blanks and stay, `draft` is the rest without `common`."""

    text: str
    start: int
    end: int
    lead: str
    draft: str
    tail: str
    common: str  # indentation shared by all lines
    first: str  # what the first line, which the draft begins inside, has beyond that

    @property
    def shown(self) -> tuple[str, int, int]:
        """The text as the model sees it, and where its draft begins and ends."""
        start = self.start + len(self.lead)
        return self._around(self.draft), start, start + len(self.draft)

    def _around(self, draft: str) -> str:
        return self.text[: self.start] + self.lead + draft + self.tail + self.text[self.end :]


def select(text: str, start: int, end: int) -> Selection:
    """Take `text[start:end]` apart."""
    chosen = text[start:end]
    parts = (_EDGES if chosen.strip() else _BLANK).fullmatch(chosen)
    if parts is None:  # blank, of an unusual kind
        return Selection(text, start, end, chosen, "", "", "", "")
    core_start = start + len(parts["lead"])
    line = text[text.rfind("\n", 0, core_start) + 1 :].split("\n", 1)[0]
    first, *later = parts["core"].split("\n")
    common = shared_indentation([leading(line) + "x", *later]) if later else ""
    draft = "\n".join([first, *(one.removeprefix(common) for one in later)])
    return Selection(text, start, end, parts["lead"], draft, parts["tail"], common, leading(line).removeprefix(common))


def rewritten(raw: str, selection: Selection, language: Language, unit: str) -> str | Refused:
    """What replaces the whole selection if the model answered `raw`."""
    answer = readable(raw, selection.text)
    answer = without_enclosing_fence(answer, prose=language.prose, draft=selection.draft)
    if not answer.strip():
        return Refused.EMPTY
    if selection.draft:
        try:
            answer = _without_lines_above(answer.strip("\n"), selection, language)
            answer = _placed(_unlooped(answer, selection.draft).rstrip(), selection, language, unit)
        except Refusal as refusal:
            return refusal.reason
    else:
        answer = answer.strip("\n")
    new = selection.lead + answer + selection.tail
    return Refused.UNCHANGED if new == selection.text[selection.start : selection.end] else new


def _without_lines_above(answer: str, selection: Selection, language: Language) -> str:
    """`answer` without a head that stands right above the selection already, such as the whole file up to it."""
    above = selection.text[: selection.start + len(selection.lead)].split("\n")[:-1]
    standing = [line.strip() for line in above if line.strip()]
    lines = answer.split("\n")
    for at in range(len(lines) - 1, 0, -1):
        echo = [line.strip() for line in lines[:at] if line.strip()]
        kept = "\n".join(lines[at:]).strip("\n")
        if not echo or not kept or echo != standing[-len(echo) :] or selection.draft.startswith(echo[0]):
            continue
        is_whole = len(balance(kept, language).unmatched) <= len(balance(selection.draft, language).unmatched)
        if is_whole and sum(map(weight, echo)) >= _ECHO:
            return kept
    return answer


def _unlooped(answer: str, draft: str) -> str:
    """Raise `Refusal` for a loop, unless the draft has one too: half a rewrite is no rewrite."""
    if has_loop(answer) and not has_loop(draft):
        raise Refusal(Refused.REPETITION)
    return answer


def _placed(answer: str, selection: Selection, language: Language, unit: str) -> str:
    """The answer at the depth of the selection. Its first line stands where the draft's does, whatever its blanks."""
    common, first = selection.common, selection.first
    lines = answer.split("\n")
    if given := leading(lines[0]):  # then the others are counted from there too
        lines = [first + line[len(given) :] if line.startswith(given) else line for line in lines]
    lines[0] = lines[0].lstrip(" \t")
    if not language.prose:
        lines = [line.rstrip(" \t") for line in lines]
        later = _without_base(lines, common, first, unit, language)
        lines = [lines[0], *rebased(later, lines[0], first, unit, language)]
    lines = [lines[0], *(common + line if line.strip() else line for line in lines[1:])]
    return "\n".join(_without_echo(lines, selection, language))


def _without_base(lines: list[str], common: str, first: str, unit: str, language: Language) -> list[str]:
    """Later lines that bring the selection's indentation although the first does not, without it."""
    later = lines[1:]
    depths = [leading(line) for line in later if line.strip()]
    if not common or not depths or not all(depth.startswith(common) for depth in depths):
        return later
    if language.opener.search(lines[0]):
        brings_it = depths[0] == common + first + unit
    else:
        brings_it = depths[0] == common + first and not _CONTINUED.search(lines[0])
    return [line.removeprefix(common) for line in later] if brings_it else later


def _without_echo(lines: list[str], selection: Selection, language: Language) -> list[str]:
    """`lines` without a tail that stands right below the selection already."""
    below = selection.text[selection.end :] if selection.tail.endswith("\n") else _next_lines(selection)
    following = [line.rstrip() for line in below[:5000].split("\n") if line.strip()]
    drafted = selection.draft.rstrip().split("\n")[-1].strip()
    for at in range(1, len(lines)):
        echo = [line.rstrip() for line in lines[at:] if line.strip()]
        if not echo or echo != following[: len(echo)] or echo[-1].strip() == drafted:
            continue
        kept = "\n".join(lines[:at])
        surplus = len(balance(kept, language).unclosed) <= len(balance("\n".join(lines), language).unclosed)
        if surplus and (sum(map(weight, echo)) >= _ECHO or balance("\n".join(lines), language).unmatched):
            return kept.rstrip().split("\n")
    return lines


def _next_lines(selection: Selection) -> str:
    """What follows the last selected line."""
    after = selection.text[selection.end :]
    return after.split("\n", 1)[1] if "\n" in after else ""
