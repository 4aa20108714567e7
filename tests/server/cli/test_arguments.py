"""Positions and ranges on the command line: their syntax and their limits."""

from __future__ import annotations

import argparse

import pytest

from server.cli.arguments import TextRange, UsageError, locate, locate_range, parse_count, parse_range
from server.positions import Lines


def test_a_range_is_read_and_printed_alike() -> None:
    assert parse_range("3:4-10:0") == TextRange((3, 4), (10, 0))
    assert str(parse_range("3:4-10:0")) == "3:4-10:0"


@pytest.mark.parametrize("text", ["", "3", "3:4", "3:4-", "3:4-5", "a:1-2:3", "-1:0-2:0", "3:4-9:9 "])
def test_a_range_in_another_form_is_named(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not LINE:CHARACTER"):
        parse_range(text)


def test_a_range_ends_after_it_starts() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="ends before it starts"):
        parse_range("3:4-3:3")


@pytest.mark.parametrize("text", ["-1", "x", "1.5", "", "²"])
def test_a_count_is_a_number_from_0_up(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not a number from 0 up"):
        parse_count(text)


@pytest.mark.parametrize(
    ("position", "offset"), [((0, 0), 0), ((0, 1), 1), ((0, 3), 2), ((0, 4), 3), ((1, 0), 5), ((2, 0), 8)]
)
def test_positions_count_utf_16_over_lsp_line_ends(position: tuple[int, int], offset: int) -> None:
    assert locate(Lines("a🙂b\r\nc\f\n"), position) == offset


def test_a_line_past_the_end_names_the_last_one() -> None:
    with pytest.raises(UsageError, match="line 3 is outside the file: its lines are 0 to 2"):
        locate(Lines("a\nb\n"), (3, 0))


def test_a_character_past_the_end_names_the_last_one() -> None:
    with pytest.raises(UsageError, match="character 5 is outside line 0: its characters are 0 to 4"):
        locate(Lines("a🙂b\r\nc"), (0, 5))


def test_the_empty_file_has_one_position() -> None:
    assert locate_range(Lines(""), TextRange((0, 0), (0, 0))) == (0, 0)
    with pytest.raises(UsageError, match="0 to 0"):
        locate(Lines(""), (0, 1))
