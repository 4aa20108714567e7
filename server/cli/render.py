"""Suggestions as a person sees them on a terminal: in place, or as a diff. Pure: text in, styled text out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from rich.text import Text

from engine import Piece, PieceState

from ..snapshot import Snapshot
from ..suggestion import Suggestion

NEW = "bold green"
OPEN = "░"
SHADES = {PieceState.COMMITTED: NEW, PieceState.PROPOSED: "italic yellow", PieceState.OPEN: "bright_black"}
_WIDTH = 160  # characters of a line that are shown
_LINE_END = re.compile(r"\r\n?|\n")
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_UNSAFE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_UNSAFE |= dict.fromkeys([0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)

Styled = tuple[str, str]
"""A piece of text and its style; that of the document's own text is ""."""


def in_place(snapshot: Snapshot, suggestions: Sequence[Suggestion], *, around: int = 3) -> Text:
    """The document with the suggestions in it and `around` lines on both sides; far apart, with a gap between."""
    if not any(suggestion.text.strip() for suggestion in suggestions):
        return Text()
    return _placed(snapshot, [(one.start, one.end, [(one.text, NEW)]) for one in suggestions], around)


def draft_in_place(
    snapshot: Snapshot, holes: Sequence[tuple[int, int]], drafts: Sequence[Sequence[Piece]], *, around: int = 3
) -> Text:
    """The same while the holes are being filled: each piece in the shade of its state, an open position as a block."""
    placed = []
    for (start, end), draft in zip(holes, drafts, strict=True):
        pieces = [
            (OPEN * piece.positions if piece.state is PieceState.OPEN else piece.text, piece.state) for piece in draft
        ]
        shown = [(text, SHADES[state]) for text, state in pieces if text]
        placed.append((start, end, shown or [(OPEN, SHADES[PieceState.OPEN])]))
    return _placed(snapshot, placed, around)


def _placed(snapshot: Snapshot, changes: Sequence[tuple[int, int, Sequence[Styled]]], around: int) -> Text:
    rows = _rows(_pieces(snapshot, changes, around))
    changed = [index for index, row in enumerate(rows) if any(style for _, style in row)]
    near = [index for index in range(len(rows)) if any(abs(index - other) <= around for other in changed)]
    written = [index for index in near if any(text.strip() for text, _ in rows[index])] or near[:1]
    shown = Text()
    last = written[0] - 1
    for index in near[near.index(written[0]) : near.index(written[-1]) + 1]:  # no blank lines at either end
        if index != last + 1:
            shown.append("  ⋮\n", "dim")
        last = index
        shown.append("  │ ", "dim")
        for text, style in _cropped(rows[index]):
            shown.append(printable(text), style)
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


def _pieces(snapshot: Snapshot, changes: Sequence[tuple[int, int, Sequence[Styled]]], around: int) -> Iterator[Styled]:
    lines = snapshot.lines
    at = lines.start(max(lines.line_of(changes[0][0]) - around, 0))
    for start, end, pieces in changes:
        yield snapshot.text[at:start], ""
        yield from pieces
        at = end
    last = min(lines.line_of(at) + around, lines.count - 1)
    yield snapshot.text[at : lines.end(last)], ""


def _rows(pieces: Iterator[Styled]) -> list[list[Styled]]:
    """Lines on the screen."""
    rows: list[list[Styled]] = [[]]
    for text, style in pieces:
        first, *rest = _LINE_END.split(text)
        rows[-1].append((first, style if text else ""))
        rows.extend([(line, style)] for line in rest)
    return rows


def _cropped(row: list[Styled]) -> list[Styled]:
    """The row, its long pieces cut: kept text keeps what is nearest to new text."""
    if sum(len(text) for text, _ in row) <= _WIDTH:
        return row
    kept: list[Styled] = []
    for index, (text, style) in enumerate(row):
        if len(text) <= _WIDTH // 2:
            kept.append((text, style))
        elif index < len(row) - 1 and not style:
            kept.append(("…" + text[-_WIDTH // 2 :], style))
        else:
            kept.append((text[: _WIDTH // 2] + "…", style))
    return kept
