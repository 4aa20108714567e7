"""Sites for the tests of cleaning: `‸` marks the hole."""

from __future__ import annotations

from server.brackets import Inside
from server.languages import language_of
from server.trim import Site, unit_of


def site(
    marked: str,
    language: str = "python",
    *,
    one_line: bool = False,
    fixed: int | None = None,
    inside: Inside = Inside.CODE,
    quote: str = "",
    fenced: bool = False,
    body_only: bool = False,
) -> Site:
    before, after = marked.split("‸")
    known = language_of(language)
    unit = unit_of(before + after, known)
    return Site(before, after, known, unit, inside, quote, one_line, fenced, fixed, body_only)
