"""The place a candidate is for: the text around it and how that is written. LF line ends only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ..brackets import Balance, Inside, balance
from ..languages import Language
from ..suggestion import Refused

_CLOSING = re.compile(r"""\s*[)>}\]"'`|*_]*(?:</[\w.-]*>)*\s*[:{;,]?\s*""")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LINE_REACH = 1000  # characters of the cursor's own line that are looked at: a line may have millions
_FOLLOWING = 24  # lines


@dataclass(frozen=True)
class Site:
    """`before` and `after` are windows of the document, not always all of it.

    `unit` is one step of the file's indentation. `fixed` characters of `after` are the document's own; what comes
    after them was written for another hole of the same canvas (None: all are).
    """

    before: str
    after: str
    language: Language
    unit: str
    inside: Inside = Inside.CODE
    quote: str = ""  # what ends the string that began on the cursor's line
    one_line: bool = False
    fenced: bool = False  # in a fenced block of a Markdown document
    fixed: int | None = None
    body_only: bool = False  # nobody asked for what comes after the body of a block

    @cached_property
    def prefix(self) -> str:
        """The cursor's line left of it."""
        return self.before[self.before.rfind("\n") + 1 :][-_LINE_REACH:]

    @cached_property
    def rest(self) -> str:
        """The cursor's line right of it, trailing blanks and other holes left out."""
        line = self.after[: self.fixed].split("\n", 1)[0]
        return (line if self.continues else line.rstrip(" \t"))[:_LINE_REACH]

    @property
    def continues(self) -> bool:
        """Whether another hole follows on the same line."""
        return self.fixed is not None and "\n" not in self.after[: self.fixed] and self.fixed < len(self.after)

    @cached_property
    def indentation(self) -> str:
        """Blanks the cursor's line begins with."""
        match = re.match(r"[ \t]*", self.prefix)
        return match.group() if match else ""

    @property
    def on_blank(self) -> bool:
        """Whether only blanks stand left of the cursor on its line."""
        return not self.prefix.strip(" \t")

    @property
    def in_heading(self) -> bool:
        """Whether the cursor's line is a Markdown heading, which ends with its line."""
        return self.language.id == "markdown" and bool(_HEADING.match(self.prefix))

    @cached_property
    def following(self) -> list[str]:
        """Lines with text below the cursor's line, the nearest first."""
        lines = self.after[: 200 * _FOLLOWING].split("\n")[1:]
        return [line.rstrip() for line in lines if line.strip()][:_FOLLOWING]

    @property
    def below(self) -> list[str]:
        """`following`, after the cursor's own line where all of that is right of the cursor."""
        return [self.rest, *self.following] if self.on_blank and self.rest.strip() else self.following

    @cached_property
    def preceding(self) -> list[str]:
        """Lines with text above the cursor's line, the nearest first."""
        lines = self.before[-200 * _FOLLOWING :].split("\n")[:-1]
        return [line.rstrip() for line in reversed(lines) if line.strip()][:_FOLLOWING]

    @property
    def before_closing(self) -> bool:
        """Whether at most closing punctuation stands right of the cursor."""
        return not self.rest.strip() or (not self.on_blank and bool(_CLOSING.fullmatch(self.rest)))

    @property
    def plain(self) -> bool:
        """Whether words are written here, not code. A string that ends on this line counts as code: it may be ended."""
        return self.language.prose or (self.inside is not Inside.CODE and not self.quote)

    @cached_property
    def balance_without(self) -> Balance:
        """What the text around the hole leaves open when nothing is written into it."""
        return balance(self.before + self.after, self.language)

    def balance_with(self, text: str, replaced: int = 0) -> Balance:
        """What the text around the hole leaves open with `text` written into it."""
        return balance(self.before + text + self.after[replaced:], self.language)


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """Raised by a cleaning step that leaves nothing worth showing."""

    def __init__(self, reason: Refused) -> None:
        super().__init__(reason.value)
        self.reason = reason
