"""Indentation: the file's own unit, the seam at the cursor, and the lines of a candidate brought to the file's depth.

Depth is counted against the line the candidate starts on, never rounded.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from ..languages import Language
from .site import Site

_BLANKS = re.compile(r"[ \t]*")
_CONTINUES = re.compile(r"[)\]}]|</|(?:else|elif|except|finally|catch|case|default|end|fi|done|esac)\b")
_SAMPLE = 400  # lines


def leading(line: str) -> str:
    """The blanks `line` begins with."""
    match = _BLANKS.match(line)
    return match.group() if match else ""


def shared_indentation(lines: list[str]) -> str:
    """The blanks that all lines with text begin with."""
    blanks = [leading(line) for line in lines if line.strip()]
    shared = min(blanks, key=len, default="")
    while not all(one.startswith(shared) for one in blanks):
        shared = shared[:-1]
    return shared


def unit_of(text: str, language: Language, tab_size: int = 0) -> str:
    """One step of indentation as `text` has it: a tab, or the usual step; in doubt the language's."""
    opened: Counter[int] = Counter()
    steps: Counter[int] = Counter()
    tabs = spaces = 0
    for above, below in pairwise([line for line in text.split("\n") if line.strip()][:_SAMPLE]):
        tabs += below.startswith("\t")
        spaces += below.startswith("  ")
        step = len(leading(below)) - len(leading(above))
        if step > 1 and "\t" not in leading(below):
            (opened if language.opener.search(above) else steps)[step] += 1
    if tabs and tabs >= spaces:
        return "\t"
    seen = opened or steps
    usual = [step for step, count in seen.items() if 4 * count >= seen.total() and (step in (2, 4, 8) or count > 2)]
    if usual and len(language.unit) not in usual:
        return " " * max(usual, key=lambda step: (seen[step], -step))
    return " " * tab_size if tab_size and not usual and language.unit != "\t" else language.unit


def join_seam(text: str, site: Site) -> str:
    """Reconcile the blanks `text` begins with and those left of the cursor."""
    if not site.on_blank:
        return text.lstrip(" \t") if site.prefix.endswith((" ", "\t")) else text
    if site.prefix:
        body = text.lstrip("\n")
        if body != text and len(leading(body)) >= len(site.prefix):
            text = body  # the candidate would have left the cursor's line empty
    have, given = site.prefix, leading(text)
    if not have or not given or text.startswith("\n"):
        return text
    body = text[len(given) :]
    together, step = len(have + given), len(site.unit)
    if together == _expected(site) or (len(have) % step and together % step == 0):
        return text
    if given.startswith(have):
        return given[len(have) :] + body if len(given) == _expected(site) else body
    return body


def _expected(site: Site) -> int:
    """Columns a line here would usually begin with."""
    if not site.preceding:
        return 0
    above = site.preceding[0]
    deeper = len(site.unit) if site.language.opener.search(above) else 0
    return len(leading(above)) + deeper


def to_depth(text: str, site: Site) -> str:
    """Bring the second and later lines of `text` to the file's unit, at the depth they have against the first."""
    lines = text.split("\n")
    if site.language.id == "yaml":
        return "\n".join(_below_dash(lines, site))
    if len(lines) == 1 or site.plain:
        return text
    base = site.indentation + (leading(lines[0]) if site.on_blank else "")
    first = site.prefix + lines[0]
    goes_on = len(leading("".join(site.below[:1]))) > len(base)  # at a depth that counts on this one
    return "\n".join([lines[0], *rebased(lines[1:], first, base, site.unit, site.language, scale=not goes_on)])


def rebased(lines: list[str], first: str, base: str, unit: str, language: Language, *, scale: bool = True) -> list[str]:
    """`lines` as they should stand below `first`, a line indented by `base`. `scale`: their step becomes the file's."""
    depths = [leading(line) for line in lines if line.strip()]
    if not depths:
        return lines
    tabbed = unit == "\t"
    step = 1 if tabbed else len(unit)
    opens = bool(language.opener.search(first))
    start = len(base.replace("    ", "\t").rstrip(" ")) if tabbed else len(base.expandtabs(step))
    width = _width(depths[0], [d for d in depths if " " in d], start + opens) if tabbed else step
    spans = [len(d.replace("\t", " " * width)) for d in depths]
    origin = start * width if tabbed else start
    shift = _shift(spans, origin, opens, next(line for line in lines if line.strip()))
    spans = [span + shift for span in spans]
    factor = (width, width)
    if scale:
        factor = _factor([first, *(line for line in lines if line.strip())], [origin, *spans], width, language)
    placed = iter([_scaled(span, origin, factor) for span in spans])
    return [_blanks(next(placed), width, tabbed) + line.lstrip(" \t") if line.strip() else line for line in lines]


def _blanks(columns: int, width: int, tabbed: bool) -> str:
    return "\t" * (columns // width) + " " * (columns % width) if tabbed else " " * columns


def _width(nearest: str, spaced: list[str], depth: int) -> int:
    """How many spaces stand for a tab in a candidate for a file with tabs."""
    if not spaced:
        return 4
    fitting = [width for width in (4, 2, 8, 3) if all(len(blanks.replace("\t", "")) % width == 0 for blanks in spaced)]
    return min(fitting or [4], key=lambda width: abs(len(nearest.replace("\t", " " * width)) // width - depth))


def _shift(spans: list[int], origin: int, opens: bool, line: str) -> int:
    """What to add to all lines: a block that is not deeper than the line that opens it was counted from column 0."""
    shallow = opens and 0 < spans[0] <= origin and not _CONTINUES.match(line.lstrip())
    return origin if shallow else 0


def _factor(lines: list[str], spans: list[int], step: int, language: Language) -> tuple[int, int]:
    """The candidate's step and the file's, where the candidate has one step throughout and it is another."""
    steps = {
        below - above
        for line, above, below in zip(lines, spans, spans[1:], strict=False)
        if language.opener.search(line) and below > above
    }
    return (steps.pop(), step) if len(steps) == 1 else (step, step)


def _scaled(span: int, origin: int, factor: tuple[int, int]) -> int:
    theirs, ours = factor
    deeper = span - origin
    return origin + deeper // theirs * ours if deeper > 0 and deeper % theirs == 0 else span


def _below_dash(lines: list[str], site: Site) -> list[str]:
    """Keys after `- ` belong under the first one, at the cursor's column."""
    dash = re.fullmatch(r"([ \t]*)(?:- +)+", site.prefix)
    below = next((line for line in lines[1:] if line.strip()), "")
    if dash is None or not below:
        return lines
    column, depth, margin = len(site.prefix), len(leading(below)), len(dash[1])
    beside_key = any(len(leading(line)) == margin and not line.lstrip().startswith("-") for line in site.preceding[:1])
    if not margin <= depth < column or (depth == margin and (below.lstrip().startswith("-") or beside_key)):
        return lines
    placed, within = [lines[0]], True
    for line in lines[1:]:
        within = within and (not line.strip() or len(leading(line)) >= depth)
        placed.append(" " * (column - depth) + line if within and line.strip() else line)
    return placed
