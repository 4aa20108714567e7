"""Lines and columns of a text, as the Language Server Protocol counts them; offsets count code points.

Only `\\n`, `\\r\\n` and `\\r` end a line: form feed and U+2028 do not. A column past the end of a line means its end,
and one inside a character means the border before it. Knows nothing of lsprotocol, documents or versions.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from enum import StrEnum
from itertools import islice

_BLOCK = 1024
_LINE_END = re.compile(r"\n|\r(?!\n)")  # matches the last character of each line end


class PositionEncoding(StrEnum):
    """What a column counts: bytes, UTF-16 code units or code points."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


_CODEC = {PositionEncoding.UTF8: "utf-8", PositionEncoding.UTF16: "utf-16-le", PositionEncoding.UTF32: "utf-32-le"}
_UNIT_BYTES = {PositionEncoding.UTF8: 1, PositionEncoding.UTF16: 2, PositionEncoding.UTF32: 4}


class Lines:
    """The lines of one text. Building costs a scan at memory speed: line ends are counted by block, not listed."""

    __slots__ = ("_ends_before", "_has_cr", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._has_cr = "\r" in text
        self._ends_before = [0]  # line ends before each block
        for start in range(0, len(text), _BLOCK):
            self._ends_before.append(self._ends_before[-1] + self._count_ends(start, min(start + _BLOCK, len(text))))

    def _count_ends(self, start: int, stop: int) -> int:
        """Line ends whose last character lies in `[start, stop)`."""
        ends = self.text.count("\n", start, stop)
        if self._has_cr:
            ends += self.text.count("\r", start, stop) - self.text.count("\r\n", start, stop + 1)
        return ends

    @property
    def count(self) -> int:
        """Number of lines, at least one: the text after the last line end is a line, even when empty."""
        return self._ends_before[-1] + 1

    def line_of(self, offset: int) -> int:
        """Line that holds `offset`; an offset inside `\\r\\n` belongs to the line it ends."""
        offset = min(max(offset, 0), len(self.text))
        block = offset // _BLOCK
        return self._ends_before[block] + self._count_ends(block * _BLOCK, offset)

    def start(self, line: int) -> int:
        """Offset of the first character of `line`; a line after the last starts at the end of the text."""
        if line <= 0:
            return 0
        if line >= self.count:
            return len(self.text)
        block = bisect_left(self._ends_before, line) - 1
        nth = line - self._ends_before[block] - 1
        return next(islice(_LINE_END.finditer(self.text, block * _BLOCK), nth, None)).end()

    def end(self, line: int) -> int:
        """Offset after the last character of `line`, its line end left out."""
        return self._content_end(self.start(line)) if line < self.count else len(self.text)

    def _content_end(self, start: int) -> int:
        """End of the line that starts at `start`."""
        found = self.text.find("\n", start)
        end = len(self.text) if found < 0 else found
        if self._has_cr:
            found = self.text.find("\r", start, end)
            return end if found < 0 else found
        return end

    def offset(self, line: int, character: int, encoding: PositionEncoding) -> int:
        """Offset of a position; clamped to the content of the line, snapped back to a character border."""
        if line < 0:
            return 0
        if line >= self.count:
            return len(self.text)
        start = self.start(line)
        # a character is one code unit at least, so nothing further right can count
        reach = self.text[start : min(self._content_end(start), start + max(character, 0))]
        return start + _characters_in(reach, character, encoding)

    def position(self, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
        """Line and column of `offset`; one inside a line end means the end of the line."""
        line = self.line_of(offset)
        before = self.text[self.start(line) : min(max(offset, 0), self.end(line))]
        return line, units(before, encoding)


def units(text: str, encoding: PositionEncoding) -> int:
    """Length of `text` in code units of `encoding`."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return len(text)
    return len(_encode(text, encoding)) // _UNIT_BYTES[encoding]


def _characters_in(text: str, count: int, encoding: PositionEncoding) -> int:
    """Whole characters of `text` within its first `count` code units."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return min(len(text), max(count, 0))
    encoded = _encode(text, encoding)
    cut = min(max(count, 0) * _UNIT_BYTES[encoding], len(encoded))
    while not _is_border(encoded, cut, encoding):
        cut -= _UNIT_BYTES[encoding]
    return len(encoded[:cut].decode(_CODEC[encoding], "surrogatepass"))


def _encode(text: str, encoding: PositionEncoding) -> bytes:
    """Code units of `text`; a lone surrogate counts as what a client of that encoding would count."""
    return text.encode(_CODEC[encoding], "surrogatepass" if encoding is PositionEncoding.UTF8 else "replace")


def _is_border(encoded: bytes, cut: int, encoding: PositionEncoding) -> bool:
    if cut == len(encoded):
        return True
    if encoding is PositionEncoding.UTF8:
        return encoded[cut] & 0xC0 != 0x80  # a continuation byte
    return encoded[cut + 1] & 0xFC != 0xDC  # a low surrogate
