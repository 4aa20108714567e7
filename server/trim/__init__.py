"""Raw engine text -> what may be inserted, or the name of the reason why not. Pure functions; knows no engine's state.

Every rule has a test in both directions: what must go, and what must stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import StopReason

from ..brackets import balance
from ..rebase import is_subsequence
from ..suggestion import Refused
from .commas import with_comma
from .indentation import join_seam, to_depth, unit_of
from .leaks import readable, without_fences
from .overlap import join_rest, refuse_echo, stop_at_suffix
from .repetition import without_loop
from .selection import Selection, rewritten, select
from .site import Refusal, Site
from .tables import as_row, columns_at, in_row
from .tail import ended, stop_at_end_of_block, stop_at_unmatched, whole_statements, without_trailing_blanks

__all__ = [
    "Cleaned",
    "Selection",
    "Site",
    "clean",
    "ended",
    "in_row",
    "is_enough",
    "readable",
    "rewritten",
    "select",
    "unit_of",
]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Insert `text`, and replace `replaced` characters right of the hole, on its line, with it."""

    text: str
    replaced: int = 0


def clean(raw: str, stop: StopReason, site: Site, *, marked: bool = False) -> Cleaned | Refused:
    """Clean one candidate for `site`. `marked`: the user marked the hole, so empty or repeated text may be right."""
    try:
        cleaned = _cleaned(raw, stop, site)
        if not marked:
            if not cleaned.text.strip():
                return Refused.DEADLINE if stop is StopReason.DEADLINE and not raw.strip() else Refused.EMPTY
            refuse_echo(cleaned.text, cleaned.replaced, site)
        return cleaned
    except Refusal as refusal:
        return refusal.reason


def is_enough(raw: str, site: Site) -> bool:
    """Whether the whole lines of a candidate that is being written run in circles or have left the block to fill."""
    lines = raw[: raw.rfind("\n")]
    try:
        if without_loop(lines) != lines:
            return True
        text = _placed(lines, site)
    except Refusal:
        return True  # nothing that follows can mend it
    return stop_at_end_of_block(text, site) != text


def _placed(raw: str, site: Site) -> str:
    """`raw` as a text of this place."""
    text = without_fences(readable(raw, site.before + site.after), site)
    return to_depth(join_seam(without_loop(text), site), site)


def _cleaned(raw: str, stop: StopReason, site: Site) -> Cleaned:
    text = _placed(raw, site)
    if columns := columns_at(site):
        text = as_row(text, site, columns)
    body = stop_at_end_of_block(text, site)
    text, stop = body, stop if body == text else StopReason.END
    text = stop_at_suffix(text, site)
    text, stop = _lines_wanted(text, stop, site)
    unjoined = text
    text, replaced = join_rest(text, site)
    if (
        stop is StopReason.NEWLINE
        and not site.before_closing
        and max(len(unjoined) - len(text), replaced) < len(site.rest)
    ):
        raise Refusal(Refused.MID_LINE)  # it went on to another line without coming back to the rest of this one
    text = stop_at_unmatched(text, replaced, site)
    text = whole_statements(text, replaced, site, stop)
    text = with_comma(without_trailing_blanks(text, site), site)
    if not is_subsequence(site.rest[:replaced], text):  # what was cut off had taken the place of the user's own text
        raise Refusal(Refused.CUT_OFF)
    return Cleaned(text, replaced)


def _lines_wanted(text: str, stop: StopReason, site: Site) -> tuple[str, StopReason]:
    """The first line only, where one is wanted or where the rest of the cursor's line cannot stand after the last."""
    before_content = site.on_blank and not site.one_line
    if "\n" not in text or before_content or not (site.one_line or site.rest.strip()):
        return text, stop
    joined, replaced = join_rest(text, site)
    returns = "\n" in joined and (joined != text or replaced > 0)
    fits = site.balance_with(joined, replaced).faults <= site.balance_without.faults
    fits = fits and (site.before_closing or replaced == len(site.rest) or _breaks_within_brackets(joined, site))
    if fits and site.rest.strip() and (returns or not site.one_line):
        return text, stop
    return (text.lstrip("\n") if site.on_blank else text).split("\n", 1)[0], StopReason.NEWLINE


def _breaks_within_brackets(text: str, site: Site) -> bool:
    """Whether no line end of `text` ends a statement: then the rest of the line can follow its last one."""
    lines = f"{site.prefix}{text}".split("\n")
    return all(balance("\n".join(lines[:count]), site.language).unclosed for count in range(1, len(lines)))
