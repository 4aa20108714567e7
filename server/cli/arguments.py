"""Arguments that several commands share: the model, positions and ranges. Knows no file and no engine."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import TypeAlias

from engine import DEFAULT_MODEL

from ..positions import Lines, PositionEncoding, units

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What `add_subparsers` returns; argparse has no public name for it."""

_RANGE = re.compile(r"(\d+):(\d+)-(\d+):(\d+)")


class UsageError(Exception):
    """The command was asked for something that cannot be; the message is one line."""


@dataclass(frozen=True, slots=True)
class TextRange:
    """A range as it is written on the command line: 0-based lines and UTF-16 columns, the end not included."""

    start: tuple[int, int]
    end: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.start[0]}:{self.start[1]}-{self.end[0]}:{self.end[1]}"


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """`--model`."""
    parser.add_argument(
        "--model",
        metavar="NAME|PATH|OWNER/NAME",
        default=DEFAULT_MODEL,
        help="a name from `sfumato models list`, the path of a GGUF file or of a checkpoint's folder, or owner/name on"
        " the Hugging Face Hub (default: %(default)s)",
    )


def parse_count(text: str) -> int:
    """A number from 0 up."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return int(text)


def parse_range(text: str) -> TextRange:
    """`L:C-L:C`, the start not after the end."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not LINE:CHARACTER-LINE:CHARACTER, such as 3:4-3:9")
    start_line, start_character, end_line, end_character = map(int, match.groups())
    start, end = (start_line, start_character), (end_line, end_character)
    if start > end:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it starts")
    return TextRange(start, end)


def locate(lines: Lines, position: tuple[int, int]) -> int:
    """Offset of a position; raises `UsageError` naming the limits when it lies outside the text."""
    line, character = position
    if line >= lines.count:
        raise UsageError(f"line {line} is outside the file: its lines are 0 to {lines.count - 1}")
    width = units(lines.text[lines.start(line) : lines.end(line)], PositionEncoding.UTF16)
    if character > width:
        raise UsageError(f"character {character} is outside line {line}: its characters are 0 to {width} (UTF-16)")
    return lines.offset(line, character, PositionEncoding.UTF16)


def locate_range(lines: Lines, place: TextRange) -> tuple[int, int]:
    """Offsets of both ends."""
    return locate(lines, place.start), locate(lines, place.end)
