"""The demo's positions point at what they say."""

from __future__ import annotations

import pytest

from server.cli.arguments import locate
from server.cli.demo_places import CURSORS, HOLES, REWRITE, Cursor
from server.cli.demo_session import FILES
from server.languages import language_id_of_path
from server.positions import Lines
from server.settings import Settings


def lines_of(name: str) -> Lines:
    return Lines((FILES / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("cursor", CURSORS, ids=lambda cursor: cursor.file)
def test_a_cursor_stands_at_the_end_of_a_line_inside_its_file(cursor: Cursor) -> None:
    lines = lines_of(cursor.file)
    assert locate(lines, (cursor.line, cursor.character)) == lines.end(cursor.line)
    assert cursor.line < lines.count - 2, "there is something right of it"


def test_what_was_promised_is_shown() -> None:
    languages = [language_id_of_path(cursor.file) for cursor in CURSORS]
    assert sorted(languages) == ["json", "markdown", "python", "python", "typescript"]


def test_the_canvas_has_two_holes() -> None:
    lines = lines_of(HOLES.file)
    start, end = locate(lines, HOLES.start), locate(lines, HOLES.end)
    assert lines.text[start:end].count(Settings().placeholder) == 2


def test_the_rewrite_selects_one_function() -> None:
    lines = lines_of(REWRITE.file)
    selected = lines.text[locate(lines, REWRITE.start) : locate(lines, REWRITE.end)].splitlines()
    assert selected[0].startswith("def ")
    assert selected[-1].strip().startswith("return ")
