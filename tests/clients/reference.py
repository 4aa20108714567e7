"""A document as the protocol defines it, written for plainness and apart from the server's own.

Lines are kept as a list of (content, line end); positions are found by counting the code units of one character after
the other. Slow on purpose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from .editor import WIDTHS

Json = Any


class ReferenceDocument:
    """A text that changes as a client says."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._codec, self._width = WIDTHS[encoding]

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Content and line end of each line; the last has none."""
        lines, content, at = [], "", 0
        while at < len(self.text):
            end = next((end for end in ("\r\n", "\r", "\n") if self.text.startswith(end, at)), "")
            if end:
                lines.append((content, end))
                content = ""
            else:
                content += self.text[at]
            at += len(end) or 1
        return [*lines, (content, "")]

    def offset(self, line: int, character: int) -> int:
        """Of a position; past the end of a line is its end, inside a character the border before it."""
        lines = self.lines
        if line >= len(lines):
            return len(self.text)
        offset = sum(len(content) + len(end) for content, end in lines[:line])
        for one in lines[line][0]:
            units = self.units(one)
            if character < units:
                break
            character -= units
            offset += 1
        return offset

    def units(self, text: str) -> int:
        """Length of a text in code units."""
        return len(text.encode(self._codec)) // self._width

    def change(self, change: Mapping[str, Json], cursor: int | None = None) -> int | None:
        """Apply one content change; where a cursor stands after it, pushed along by what is typed at it."""
        start, end = 0, len(self.text)
        if "range" in change:
            start, end = (self.offset(**change["range"][border]) for border in ("start", "end"))
        self.text = self.text[:start] + change["text"] + self.text[end:]
        if cursor is None or cursor < start:
            return cursor
        return start + len(change["text"]) + max(0, cursor - end)

    def description(self, version: int, language: str) -> dict[str, Json]:
        """What the server's debug information says of a document like this one."""
        return {
            "version": version,
            "language": language,
            "characters": len(self.text),
            "lines": len(self.lines),
            "sha256": hashlib.sha256(self.text.encode("utf-8")).hexdigest(),
        }
