"""Where in a document something is to be written: the text around it under a budget, and how that is written.

Engines and grammars read LF; a document keeps its own line ends. An excerpt is the bridge: its offsets go in and out.
Cut where the same place is cut again after the next keystroke, so that what the engine has read stays read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from engine import Snippet

from .brackets import Inside, balance
from .languages import language_of
from .settings import Settings
from .snapshot import Snapshot
from .syntax import Region, error_count, inside_at, region_at
from .trim import Site, unit_of

CHARACTERS_PER_TOKEN = 3  # of code, for the embedded model's vocabulary, a little less than measured
PARSED_WHOLE = 48_000  # characters, parsed in some 10 ms; a longer document is parsed around the edit only
_PARSED_AROUND = 32_000
Snippets = Callable[[], tuple[Snippet, ...]]
_TOP_LEVEL = re.compile(r"^[^\s)\]}]", re.MULTILINE)


@dataclass(frozen=True)
class Excerpt:
    """`source` is the part of a document that begins at `start`; `text` is the same in LF."""

    source: str
    start: int
    whole_lines: bool = True  # not cut inside a line

    @cached_property
    def text(self) -> str:
        """The excerpt in LF."""
        return lf(self.source)

    def at(self, offset: int) -> int:
        """Offset within `text` of an offset of the document."""
        return len(lf(self.source[: offset - self.start]))


def lf(text: str) -> str:
    """`text` with LF line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def line_ending(text: str) -> str:
    """The line end that `text` uses most; LF if it has none."""
    if "\r" not in text:
        return "\n"
    both = text.count("\r\n")
    ends = {"\r\n": both, "\n": text.count("\n") - both, "\r": text.count("\r") - both}
    return max(ends, key=lambda end: ends[end])


def snapped(text: str, offset: int) -> int:
    """`offset` within `text` and never inside `\\r\\n`."""
    offset = min(max(offset, 0), len(text))
    return offset - 1 if text[max(offset - 1, 0) : offset + 1] == "\r\n" else offset


def excerpt(text: str, start: int, end: int, budget: int) -> Excerpt:
    """`text[start:end]` with about `budget` characters around it: half on each side, more where the other has less."""
    step, half = max(budget // 8, 1), budget // 2
    spare_before = max(0, half - start) // step * step
    spare_after = max(0, half - (len(text) - end)) // step * step
    low = _cut_before(text, start, half + spare_after, step)
    high = _cut_after(text, end, half + spare_before, step)
    whole_lines = all(text[cut - 1 : cut] in ("", "\n") for cut in (low, high % len(text) if text else 0))
    return Excerpt(text[low:high], low, whole_lines)


def _cut_before(text: str, start: int, reach: int, step: int) -> int:
    """A place to begin at, the same until `step` more characters were typed: a top-level line, a line, a character."""
    if reach >= start:
        return 0
    low = -(-(start - reach) // step) * step
    limit = min(low + step, start)
    if top_level := _TOP_LEVEL.search(text, low, limit):
        return top_level.start()
    line_end = text.find("\n", low, limit)
    return line_end + 1 if line_end >= 0 else snapped(text, low)


def _cut_after(text: str, end: int, reach: int, step: int) -> int:
    """A place to end at: a line end, or a character where lines are longer than `step`."""
    high = end + reach
    if high >= len(text):
        return len(text)
    line_end = text.rfind("\n", max(high - step, end), high)
    return line_end + 1 if line_end >= 0 else snapped(text, high)


def shown_to_engine(snapshot: Snapshot, start: int, end: int, settings: Settings) -> Excerpt:
    """What the engine reads around `[start, end)`."""
    return excerpt(snapshot.text, start, end, settings.prompt_tokens * CHARACTERS_PER_TOKEN)


def shown_to_grammar(snapshot: Snapshot, start: int, end: int) -> Excerpt:
    """What a grammar reads for an edit of `[start, end)`: the document, or what is near if it is long."""
    if len(snapshot.text) <= PARSED_WHOLE:
        return Excerpt(snapshot.text, 0)
    return excerpt(snapshot.text, start, end, _PARSED_AROUND)


def site_at(snapshot: Snapshot, offset: int, around: Excerpt, settings: Settings) -> Site:
    """Read the place of `offset`; `around` is what the engine is shown."""
    language = language_of(snapshot.language)
    parsed = shown_to_grammar(snapshot, offset, offset)
    region = region_at(language, parsed.text, parsed.at(offset))
    before, after = around.text[: around.at(offset)], around.text[around.at(offset) :]
    before = before[max(0, len(before) - (parsed.at(offset) - region.start)) :]
    inside, quote = _inside(region, parsed.text, parsed.at(offset), before)
    above = before[: before.rfind("\n") + 1]
    others = above + after[after.find("\n") + 1 :]  # the cursor's line is not written yet
    tabbed = before.startswith("\t", len(above)) and not re.search(r"^[ \t]", others, re.MULTILINE)  # but tells of tabs
    unit = "\t" if tabbed else unit_of(others, region.language, settings.tab_size)
    return Site(before, after, region.language, unit, inside, quote, fenced=language.prose and region.start > 0)


def _inside(region: Region, text: str, offset: int, before: str) -> tuple[Inside, str]:
    """What the tree says the cursor stands in; where it is broken or there is none, what its line says."""
    line = balance(before[before.rfind("\n") + 1 :], region.language)
    quote = line.quote if line.quote in region.language.quotes else ""  # others may end on another line
    code = text[region.start : region.end]
    in_tree = inside_at(region.language, code, offset - region.start)
    if in_tree is Inside.CODE and (region.language.prose or error_count(region.language, code) == 0):
        return Inside.CODE, ""
    if in_tree is Inside.CODE or line.inside is in_tree:
        return line.inside, quote
    return in_tree, ""


def prompt_path(snapshot: Snapshot) -> str:
    """The file as the model is told of it: its name and folder, no more of the user's disk."""
    return "/".join(part for part in PurePosixPath(snapshot.path).parts[-2:] if part != "/")
