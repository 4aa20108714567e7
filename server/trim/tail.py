"""The end of a candidate: closers nobody opened, a tail that was cut off, trailing blanks."""

from __future__ import annotations

import re

from engine import StopReason

from ..brackets import Balance, balance, closers
from ..suggestion import Refused
from .indentation import leading
from .site import Refusal, Site

_BRACED = ("javascript", "typescript", "tsx", "json", "go", "rust", "java", "c", "cpp", "css")  # grammars
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_DEFINITION = re.compile(r"(?:async\s+def|def|class)\b")
_DEFINES = re.compile(rf"{_DEFINITION.pattern}|@\w")
_GOES_ON = re.compile(r"[.,?:)\]}&|]|(?:else|catch|finally|while)\b")  # after the line of a closer
_STATEMENT_END = re.compile(r"[;}\]{\[,]\s*$")


def stop_at_unmatched(text: str, replaced: int, site: Site) -> str:
    """Cut `text` at the first closer that the text around it has no opener left for."""
    if site.plain:
        return text
    lead = site.prefix if site.quote else ""  # in a string, closers are text until it ends
    own = [at - len(lead) for at in balance(lead + text, site.language).unmatched if at >= len(lead)]
    if not own:
        return text
    unmatched = site.balance_with(text, replaced).unmatched
    surplus = len(unmatched) - len(site.balance_without.unmatched)
    if surplus <= 0:
        return text
    alone = [at - len(site.before) for at in unmatched if 0 <= at - len(site.before) < len(text)]
    last = own[max(len(own) - surplus, 0)]  # from here on ours take the openers of closers that follow
    kept = text[: min([last, *alone])].rstrip()
    if not kept:
        raise Refusal(Refused.UNMATCHED_BRACKET)
    return kept


def stop_at_end_of_block(text: str, site: Site) -> str:
    """Cut what comes after the body of the block that the cursor stands in, if nobody asked for it.

    Python: where the next definition outside it begins. Braces: behind the closer of a block that the document leaves
    open (what closes a closed one is `stop_at_unmatched`'s). At the top level: after one definition.
    """
    if not site.body_only or site.plain or site.quote:
        return text
    lines = text.split("\n")
    for count in range(1, len(lines)):
        kept = "\n".join(lines[:count]).rstrip()
        if kept and _leaves_block(kept, lines[:count], lines[count:], site):
            return kept
    return text


def _leaves_block(kept: str, written: list[str], following: list[str], site: Site) -> bool:
    """Whether the block ends with the lines that are `written`, and something that is not its own follows."""
    if site.language.id == "python":
        return _leaves_body(written, following[0], site) and _is_whole(balance(kept, site.language))
    return site.language.grammar in _BRACED and not site.language.structured and _leaves_braces(kept, following, site)


def _is_whole(state: Balance) -> bool:
    return not state.unclosed and not state.broken


def _leaves_body(written: list[str], line: str, site: Site) -> bool:
    if _at_top_level(site) and any(_DEFINITION.match(one) for one in written):
        return bool(re.match(r"[^\s)\]}]", line))
    body = len(site.indentation + (leading(written[0]) if site.on_blank else site.unit))
    return len(leading(line)) < body and bool(_DEFINES.match(line.lstrip()))


def _leaves_braces(kept: str, following: list[str], site: Site) -> bool:
    then = "\n".join(following).lstrip()
    if not then or _GOES_ON.match(then):
        return False
    state, last = balance(kept, site.language), kept[kept.rfind("\n") + 1 :]
    closed = (_at_top_level(site) and last.startswith("}")) or any(kept[at] == "}" for at in state.unmatched)
    return closed and _is_whole(state)


def _at_top_level(site: Site) -> bool:
    return site.on_blank and not site.prefix


def whole_statements(text: str, replaced: int, site: Site, stop: StopReason) -> str:
    """Drop a cut-off tail after the last whole statement, or close what it leaves open."""
    cut = stop in (StopReason.LENGTH, StopReason.DEADLINE)
    if site.plain:
        return _without_open_fence(_whole_words(text) if cut else text, site)
    opened = _opened(text, replaced, site)
    if not cut and not opened:
        return text
    if site.one_line and not cut:
        if text.rstrip().endswith(("(", "[", "{", ",")):
            return text  # a line may well end inside brackets that the next lines close
        raise Refusal(Refused.CUT_OFF)
    lines = text.split("\n")
    if cut and len(lines) > 1 and not opened and _is_sentence(lines[-1], site):
        return text
    return _dropped(lines, site, cut=cut) or _closed(lines, site) or _refuse(text, site, cut=cut, opened=opened)


def _opened(text: str, replaced: int, site: Site) -> bool:
    """Whether `text` leaves brackets or a string open that nothing after it closes."""
    own = balance(text, site.language)
    if not own.unclosed and not own.broken:
        return False
    around, after = site.balance_without, site.balance_with(text, replaced)
    return len(after.unclosed) > len(around.unclosed) or after.broken > around.broken


def _is_sentence(line: str, site: Site) -> bool:
    """Whether a last line is certainly whole although the writing stopped there."""
    return site.language.id != "python" and line.rstrip().endswith((";", "}"))


def _dropped(lines: list[str], site: Site, *, cut: bool) -> str:
    """As many lines as leave nothing open; the last one never, if the writing was cut there."""
    for count in range(len(lines) - cut, 0, -1):
        kept = "\n".join(lines[:count]).rstrip()
        state = balance(kept, site.language)
        last = site.prefix + lines[0] if count == 1 else lines[count - 1]
        if kept and not state.unclosed and not state.broken and not site.language.opener.search(last):
            return kept
    return ""


def _closed(lines: list[str], site: Site) -> str:
    """As many lines as leave only blocks open, and what closes those, each under the line that opened it."""
    if site.language.grammar not in _BRACED:
        return ""
    for count in range(len(lines) - 1, 1, -1):
        state = balance("\n".join(lines[:count]), site.language)
        ends = _STATEMENT_END.search(lines[count - 1])
        if ends and state.unclosed and not state.broken and set(state.unclosed) <= set("{["):
            return "\n".join(_with_closers(lines[:count], state.unclosed, site))
    return ""


def _with_closers(lines: list[str], unclosed: str, site: Site) -> list[str]:
    if site.language.structured:
        lines = [*lines[:-1], lines[-1].rstrip().rstrip(",")]
    depths: list[str] = []  # indentation of the line that opened each open bracket
    for at, line in enumerate(lines):
        now = len(balance("\n".join(lines[: at + 1]), site.language).unclosed)
        depths = depths[:now] + [site.indentation if at == 0 else leading(line)] * (now - len(depths))
    return lines + [depth + closer for depth, closer in zip(reversed(depths), closers(unclosed), strict=True)]


def _refuse(text: str, site: Site, *, cut: bool, opened: bool) -> str:
    """A single line that was cut but leaves nothing open may stay; anything else is refused."""
    if cut and not opened and "\n" not in text and not site.language.opener.search(site.prefix + text):
        return text
    raise Refusal(Refused.CUT_OFF)


def _whole_words(text: str) -> str:
    """Prose that was cut, without its last and perhaps half word."""
    kept = re.sub(r"\s*\S+\Z", "", text)
    return kept if kept.strip() else text


def _without_open_fence(text: str, site: Site) -> str:
    """Lines of Markdown up to a fence that nothing closes: it would take all that follows for code."""
    at = _open_fence(text)
    if "\n" not in text or at is None or not site.language.prose or _open_fence(site.before + site.after) is not None:
        return text  # a single line may well open a block
    if not (kept := text[:at].rstrip()):
        raise Refusal(Refused.CUT_OFF)
    return kept


def _open_fence(text: str) -> int | None:
    """Where a fence stands that is not closed in `text`."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2].strip():
            opening = None
    return opening.start() if opening else None


def ended(text: str, site: Site) -> str:
    """A single line with what closes the block it opens: as the grammar must see it, not as it is inserted."""
    if not site.one_line:
        return text
    line = site.prefix + text
    for opening, ending in site.language.keyword_ends:
        if re.search(rf"\b{opening}\s*$", line):
            return text + ending
    return text + closers(balance(text, site.language).unclosed) if _opened(text, 0, site) else text


def without_trailing_blanks(text: str, site: Site) -> str:
    """No blanks at line ends, no empty line where the document has one already. Markdown's hard breaks stay."""
    lines = text.split("\n")
    if not site.language.prose:
        lines = [line.rstrip(" \t") for line in lines[:-1]] + lines[-1:]
    text = "\n".join(lines)
    if site.rest.strip() or site.continues:
        doubled = site.rest[:1].isspace() and text[text.rfind("\n") + 1 :].strip()
        return text.rstrip(" \t") if doubled else text
    final = "\n" if text.endswith("\n") and not site.after else ""  # the last line of a file may be ended
    return text.rstrip() + final
