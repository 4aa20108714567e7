"""Commas between the members of JSON, decided by what follows the hole."""

from __future__ import annotations

import re

from ..brackets import balance
from .site import Site

_SKIPPED = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_VALUE_END = re.compile(r"""["\d}\]el]\s*\Z""")  # string, number, object, array, true/false, null


def with_comma(text: str, site: Site) -> str:
    """`text` with the comma that the next member needs, and without one that nothing follows."""
    if site.language.grammar != "json" or site.plain or site.rest.strip():
        return text
    follows = _SKIPPED.sub("", site.after, count=1)[:1]
    if follows in ("}", "]", ","):
        return text.rstrip().removesuffix(",")
    inserted = site.prefix + text
    state = balance(inserted, site.language)
    whole = not state.unclosed and not state.broken and _VALUE_END.search(inserted)
    return text.rstrip() + "," if follows and whole and not _is_key(text, site) else text


def _is_key(text: str, site: Site) -> bool:
    """Whether `text` is a member's name whose value comes next: a lone string where an object expects a name."""
    in_object = balance(site.before, site.language).unclosed.endswith("{")
    return in_object and _last_member(site.before + text) == '""'


def _last_member(text: str) -> str:
    """What stands after the last comma or bracket, strings emptied."""
    return re.split(r"[,{\[]", re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text))[-1].strip()
