"""Edit pairs: lines as they should be, and a draft of them that an instruction asks to change. Text in, text out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .holes import Span, block, lines

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\b[A-Za-z_]\w{2,}\b")
_OTHER = {
    "==": "!=", "<=": "<", ">=": ">", " < ": " <= ", " > ": " >= ", " + ": " - ", " - ": " + ", "&&": "||",
    " and ": " or ", " not ": " ", "true": "false", "True": "False", "0": "1", "1": "0", "+ 1": "- 1",
}  # fmt: skip
_LEVELS = (0.1, 0.6)  # shares of words that noise takes or replaces


@dataclass(frozen=True, slots=True)
class Draft:
    """A text before its edit, and what to ask for."""

    text: str
    instruction: str


Corrupter = Callable[[str, Random], Draft | None]
"""What a text may have been before; None where this kind of edit finds nothing in it."""


def select(text: str, random: Random, longest: int) -> Span | None:
    """Whole lines without the last one's line end, at most `longest` characters; None where there were more."""
    span = random.choice((block, lines))(text, random)
    if span is None:
        return None
    start = text.rfind("\n", 0, span.start) + 1
    end = start + len(text[start : span.end].rstrip())
    start += len(text[start:end]) - len(text[start:end].lstrip("\n"))
    return Span(start, end) if start < end <= start + longest else None


def masked(text: str, random: Random) -> Draft | None:
    """Some of its words are left out."""
    level = random.uniform(*_LEVELS)
    draft = _WORD.sub(lambda found: "" if random.random() < level else found[0], text)
    return Draft(draft, "Fill in what is missing.")


def noised(text: str, random: Random) -> Draft | None:
    """Some of its words are others of them, drawn evenly."""
    level, words = random.uniform(*_LEVELS), _WORD.findall(text)
    draft = _WORD.sub(lambda found: random.choice(words) if random.random() < level else found[0], text)
    return Draft(draft, "Some words of this code got mixed up. Put the right ones back.")


def mutated(text: str, random: Random) -> Draft | None:
    """One to three operators or constants are other ones."""
    draft = text
    for _ in range(random.randint(1, 3)):
        places = [(found.start(), old) for old in _OTHER for found in re.finditer(re.escape(old), draft)]
        if places:
            at, old = random.choice(places)
            draft = draft[:at] + _OTHER[old] + draft[at + len(old) :]
    return Draft(draft, random.choice(("Fix the bug.", "Fix this code.", "This gives wrong results. Correct it.")))


def renamed(text: str, random: Random) -> Draft | None:
    """A name that stands there twice at least was another one."""
    names = _NAME.findall(text)
    often = sorted({name for name in names if names.count(name) > 1})
    if not often:
        return None
    name = random.choice(often)
    parts = name.strip("_").split("_")
    old = "_".join(parts[:-1]) if len(parts) > 1 else random.choice((name[:1], f"{name}2", f"old_{name}", "tmp"))
    if re.search(rf"\b{re.escape(old)}\b", text):
        return None  # two names would become one
    return Draft(re.sub(rf"\b{re.escape(name)}\b", old, text), f"Rename {old} to {name}.")


CORRUPTERS = (masked, noised, mutated, renamed)


def make_draft(text: str, random: Random) -> Draft | None:
    """A draft of a random kind, if it differs from the text."""
    draft = random.choice(CORRUPTERS)(text, random)
    return draft if draft and draft.text != text else None
