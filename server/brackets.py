"""Brackets, quotes and comments of a piece of text, read without a grammar.

A grammar says whether a document is right; this says what a fragment leaves open, which no parser will.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from .languages import Language

_PAIR = {")": "(", "]": "[", "}": "{"}
_CLOSER = {opener: closer for closer, opener in _PAIR.items()}


class Inside(StrEnum):
    """What the end of a text stands in."""

    CODE = "code"
    STRING = "string"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Balance:
    """What a text leaves open. `unmatched`: offsets of closers without opener; `broken`: number of unended strings."""

    unclosed: str  # openers, outermost first
    unmatched: tuple[int, ...]
    broken: int
    inside: Inside
    quote: str  # the delimiter that ends the string `inside` speaks of

    @property
    def faults(self) -> tuple[int, int]:
        """How bad it is: unended strings, then brackets without a partner."""
        return self.broken, len(self.unmatched) + len(self.unclosed)


def balance(text: str, language: Language) -> Balance:
    """Read `text` as if code began at its first character."""
    stack: list[str] = []
    unmatched: list[int] = []
    broken = 0
    inside, quote = Inside.CODE, ""
    for match in _tokens(language).finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "bracket":
            if token not in _PAIR:
                stack.append(token)
            elif stack and stack[-1] == _PAIR[token]:
                stack.pop()
            elif token not in language.lone_closers:
                unmatched.append(match.start())
        elif kind in ("open", "open_long"):
            broken += 1
            if match.end() == len(text):
                inside, quote = Inside.STRING, _delimiter(token, language)
        elif kind in ("line", "open_block") and match.end() == len(text):
            inside = Inside.COMMENT
    return Balance("".join(stack), tuple(unmatched), broken, inside, quote)


def closers(unclosed: str) -> str:
    """What closes `unclosed`, innermost first."""
    return "".join(_CLOSER[opener] for opener in reversed(unclosed))


def _delimiter(token: str, language: Language) -> str:
    for opening, closing in language.long_quotes:
        if token.startswith(opening):
            return closing
    return token[0]


@lru_cache(maxsize=64)
def _tokens(language: Language) -> re.Pattern[str]:
    """One alternative a kind of token, longest delimiters first."""
    parts: list[str] = []
    for opening, closing in language.block_comments:
        body = f"{re.escape(opening)}(?:(?!{re.escape(closing)})[\\s\\S])*"
        parts += [f"{body}{re.escape(closing)}", f"(?P<open_block>{body})"]
    if language.line_comments:
        markers = "|".join(re.escape(marker) for marker in language.line_comments)
        # a hash inside a word ($#, a#b) starts no comment
        guard = r"(?<!\S)" if language.id in ("shellscript", "yaml", "makefile") else ""
        parts.append(f"(?P<line>{guard}(?:{markers})[^\\n]*)")
    longs, opens_long = _strings(language.long_quotes, r"[\s\S]")
    shorts, opens = _strings(tuple((quote, quote) for quote in language.quotes), r"[^\n]")
    parts += longs
    if language.id == "rust":  # 'a' is a character, 'a a lifetime
        parts.append(r"'(?:\\[^\n']+|[^\\'\n])'")
    if opens_long:
        parts.append(f"(?P<open_long>{'|'.join(opens_long)})")
    guard = r"(?<!\w)" if language.id == "yaml" else ""  # it's
    parts += [guard + short for short in shorts]
    if opens:
        parts.append(f"(?P<open>{guard}(?:{'|'.join(opens)}))")
    if language.brackets:
        parts.append(f"(?P<bracket>[{re.escape(language.brackets)}])")
    return re.compile("|".join(parts) if parts else r"(?!)")


def _strings(pairs: tuple[tuple[str, str], ...], character: str) -> tuple[list[str], list[str]]:
    """Patterns of whole strings, and of those that are still open."""
    whole, still_open = [], []
    for opening, closing in pairs:
        body = f"{re.escape(opening)}(?:\\\\[\\s\\S]|(?!{re.escape(closing)}|\\\\){character})*"
        whole.append(body + re.escape(closing))
        still_open.append(body)
    return whole, still_open
