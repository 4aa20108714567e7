"""Suggestions as a person sees them on a terminal: in place, or as a diff. Pure: text in, styled text out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from rich.text import Text

from ..snapshot import Snapshot
from ..suggestion import Suggestion

NEW = "bold green"
_WIDTH = 160  # characters of a line that are shown
_LINE_END = re.compile(r"\r\n?|\n")
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_UNSAFE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_UNSAFE |= dict.fromkeys([0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)

Row = list[tuple[str, bool]]
"""One line on the screen: pieces of text, each new or not."""


def in_place(snapshot: Snapshot, suggestions: Sequence[Suggestion], *, around: int = 3) -> Text:
    """The document with the suggestions in it and `around` lines on both sides; far apart, with a gap between."""
    if not any(suggestion.text.strip() for suggestion in suggestions):
        return Text()
    rows = _rows(_pieces(snapshot, suggestions, around))
    changed = [index for index, row in enumerate(rows) if any(new for _, new in row)]
    near = [index for index in range(len(rows)) if any(abs(index - other) <= around for other in changed)]
    written = [index for index in near if any(text.strip() for text, _ in rows[index])]
    shown = Text()
    last = written[0] - 1
    for index in near[near.index(written[0]) : near.index(written[-1]) + 1]:  # no blank lines at either end
        if index != last + 1:
            shown.append("  ⋮\n", "dim")
        last = index
        shown.append("  │ ", "dim")
        for text, new in _cropped(rows[index]):
            shown.append(printable(text), NEW if new else "")
        shown.append("\n")
    return shown


def diff(path: str, before: str, after: str) -> str:
    """A unified diff that `patch` and `git apply` take; line ends are kept as they are."""
    patch = ""
    for line in unified_diff(_lf_lines(before), _lf_lines(after), f"a/{path}", f"b/{path}"):
        patch += line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
    return patch


def coloured(patch: str) -> Text:
    """A diff in the usual colours."""
    shown = Text()
    for line in patch.split("\n")[:-1]:
        shown.append(printable(line) + "\n", _DIFF_STYLES.get(line[:1], ""))
    return shown


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters as pictures, bidirectional overrides replaced."""
    return text.translate(_UNSAFE)


def _lf_lines(text: str) -> list[str]:
    """Lines as `patch` sees them: only a line feed ends one."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _pieces(snapshot: Snapshot, suggestions: Sequence[Suggestion], around: int) -> Iterator[tuple[str, bool]]:
    lines = snapshot.lines
    at = lines.start(max(lines.line_of(suggestions[0].start) - around, 0))
    for suggestion in suggestions:
        yield snapshot.text[at : suggestion.start], False
        yield suggestion.text, True
        at = suggestion.end
    last = min(lines.line_of(at) + around, lines.count - 1)
    yield snapshot.text[at : lines.end(last)], False


def _rows(pieces: Iterator[tuple[str, bool]]) -> list[Row]:
    rows: list[Row] = [[]]
    for text, new in pieces:
        first, *rest = _LINE_END.split(text)
        rows[-1].append((first, new and bool(text)))
        rows.extend([(line, new)] for line in rest)
    return rows


def _cropped(row: Row) -> Row:
    """The row, its long pieces cut: kept text keeps what is nearest to new text."""
    if sum(len(text) for text, _ in row) <= _WIDTH:
        return row
    kept: Row = []
    for index, (text, new) in enumerate(row):
        if len(text) <= _WIDTH // 2:
            kept.append((text, new))
        elif index < len(row) - 1 and not new:
            kept.append(("…" + text[-_WIDTH // 2 :], new))
        else:
            kept.append((text[: _WIDTH // 2] + "…", new))
    return kept
