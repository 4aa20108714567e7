"""A draft on the terminal: every step drawn, in what room there is, and gone at the end."""

from __future__ import annotations

import io
import re

from rich.console import Console

from engine import Piece, PieceState, Progress
from server.cli.draft_view import DraftView
from server.snapshot import Snapshot

SNAPSHOT = Snapshot("file:///a.py", "python", 1, "x = \ny = 2\n")


def piece(state: str, text: str, positions: int = 1) -> Piece:
    return Piece(PieceState(state), text, positions)


def progress(*holes: tuple[Piece, ...]) -> Progress:
    return Progress("denoise", holes=holes)


class Screen:
    """A terminal that keeps what was written to it."""

    def __init__(self, height: int = 20, width: int = 60) -> None:
        self._out = io.StringIO()
        self.console = Console(file=self._out, force_terminal=True, height=height, width=width, legacy_windows=False)
        self._read = 0

    @property
    def raw(self) -> str:
        return self._out.getvalue()

    def news(self) -> str:
        """What was written since, without its colours."""
        text, self._read = self.raw[self._read :], len(self.raw)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)


def test_every_step_is_drawn_before_the_engine_goes_on() -> None:
    screen = Screen()
    with DraftView(SNAPSHOT, [(4, 4)], screen.console) as view:
        assert screen.news().splitlines()[-3:] == [
            "  │ x = ░",
            "  │ y = 2",
            "  forward 0 · 0 committed · 0 proposed · 0 open",
        ]
        view(progress((piece("proposed", "2 +", 2), piece("open", "", 3))))
        assert screen.news().splitlines()[-3:] == [
            "  │ x = 2 +░░░",
            "  │ y = 2",
            "  forward 1 · 0 committed · 2 proposed · 3 open",
        ]
        view(progress((piece("committed", "1"),)))
        assert screen.news().splitlines()[-3:] == [
            "  │ x = 1",
            "  │ y = 2",
            "  forward 2 · 1 committed · 0 proposed · 0 open",
        ]


def test_it_is_gone_when_it_is_left() -> None:
    """As many lines up and erased as were drawn; the cursor is shown again."""
    screen = Screen()
    with DraftView(SNAPSHOT, [(4, 4)], screen.console) as view:
        view(progress((piece("committed", "1\n2\n3"),)))
    _, shown_again, left = screen.raw.rpartition("\x1b[?25h")
    assert shown_again
    assert len(re.findall(r"\x1b\[1A\x1b\[2K", left)) == 5


def test_a_long_draft_is_shown_where_it_is_being_written() -> None:
    screen = Screen(height=10)
    long = "".join(f"line {number}\n" for number in range(50))
    with DraftView(SNAPSHOT, [(4, 4)], screen.console) as view:
        screen.news()
        view(progress((piece("committed", long, 100), piece("proposed", "now"))))
        lines = screen.news().splitlines()
        assert len(lines) == 8
        assert "  │ now" in lines
        assert "  │ line 49" in lines
        assert lines[-1].startswith("  forward 1 · 100 committed")
        view(progress((piece("committed", long, 100),)))
        assert "  │ line 49" in screen.news().splitlines()


def test_wide_lines_take_one_line_of_the_screen() -> None:
    screen = Screen(width=30)
    with DraftView(SNAPSHOT, [(4, 4)], screen.console) as view:
        screen.news()
        view(progress((piece("committed", "1 + " * 30, 60),)))
        assert [len(line) <= 30 for line in screen.news().splitlines()] == [True] * 3
