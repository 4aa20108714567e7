"""What a person sees while the engine is busy, with a terminal and without one."""

from __future__ import annotations

import io

from rich.console import Console

import engine
from server.cli.progress_bar import ProgressBar


def test_on_a_terminal_there_is_a_bar() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120)
    with ProgressBar("tiny-base", console) as bar:
        bar(engine.Progress("download", 0, 500_000_000, "fetching [tiny] from the first place"))
        bar(engine.Progress("download", 250_000_000, 500_000_000))
        bar(engine.Progress("verify", 400_000_000, 500_000_000))
    drawn = screen.getvalue()
    assert "fetching [tiny] from the first place" in drawn
    assert "400/500 MB" in drawn


def test_an_unknown_total_is_no_fault() -> None:
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
        with ProgressBar("tiny-base", console) as bar:
            bar(engine.Progress("convert", 3, 0))


def test_without_a_terminal_a_stage_is_a_line_and_a_download_one_every_ten_per_cent() -> None:
    said = io.StringIO()
    with ProgressBar("tiny-base", Console(file=said, width=120)) as bar:
        for done in range(0, 500_000_001, 25_000_000):
            bar(engine.Progress("download", done, 500_000_000))
        for done in range(5):
            bar(engine.Progress("load", done, 5))
            bar(engine.Progress("denoise", done, 5, "the draft"))
    lines = said.getvalue().splitlines()
    assert lines[:2] == ["fetching tiny-base: 0 % of 500 MB", "fetching tiny-base: 10 % of 500 MB"]
    assert lines[10:] == ["fetching tiny-base: 100 % of 500 MB", "loading tiny-base"]


def test_a_draft_is_not_said_on_a_terminal_either() -> None:
    screen = io.StringIO()
    with ProgressBar("tiny-base", Console(file=screen, force_terminal=True, width=120)) as bar:
        bar(engine.Progress("denoise", 1, 5, "the draft"))
    assert "the draft" not in screen.getvalue()
