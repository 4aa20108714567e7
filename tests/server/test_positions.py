"""Lines and columns against a slow twin that walks every character."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.positions import Lines, PositionEncoding, units

ENCODINGS = list(PositionEncoding)
ZWJ = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"
PIECES = [
    "a",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "é",
    "日本",
    "😀",
    ZWJ,
    "x" * 50,
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
# long enough to cross the blocks in which line ends are counted
long_texts = st.tuples(texts, st.integers(4090, 4100), texts).map(lambda t: t[0] + "y" * t[1] + t[2])


def slow_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of the content of each line."""
    bounds, start = [], 0
    for match in re.finditer(r"\r\n|\n|\r", text):
        bounds.append((start, match.start()))
        start = match.end()
    return [*bounds, (start, len(text))]


def width(character: str, encoding: PositionEncoding) -> int:
    codec = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    return len(character.encode(codec[0])) // codec[1]


def slow_offset(text: str, line: int, character: int, encoding: PositionEncoding) -> int:
    bounds = slow_lines(text)
    if line >= len(bounds):
        return len(text)
    offset, end = bounds[line]
    used = 0
    while offset < end and used + width(text[offset], encoding) <= character:
        used += width(text[offset], encoding)
        offset += 1
    return offset


@given(texts | long_texts)
def test_lines_are_those_of_the_protocol(text: str) -> None:
    lines = Lines(text)
    expected = slow_lines(text)
    assert lines.count == len(expected)
    assert [(lines.start(i), lines.end(i)) for i in range(lines.count)] == expected
    assert lines.start(lines.count) == lines.end(lines.count) == len(text)


@given(texts | long_texts, st.data())
def test_line_of_an_offset(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    line = Lines(text).line_of(offset)
    starts = [start for start, _ in slow_lines(text)]
    assert starts[line] <= offset
    assert line + 1 == len(starts) or offset < starts[line + 1]


@given(texts | long_texts, st.integers(0, 40), st.integers(0, 4200), st.sampled_from(ENCODINGS))
def test_offset_of_any_position(text: str, line: int, character: int, encoding: PositionEncoding) -> None:
    assert Lines(text).offset(line, character, encoding) == slow_offset(text, line, character, encoding)


@given(texts | long_texts, st.sampled_from(ENCODINGS), st.data())
def test_position_and_back(text: str, encoding: PositionEncoding, data: st.DataObject) -> None:
    lines = Lines(text)
    offset = data.draw(st.integers(0, len(text)))
    line, character = lines.position(offset, encoding)
    start, end = slow_lines(text)[line]
    assert character == sum(width(c, encoding) for c in text[start : min(offset, end)])
    assert lines.offset(line, character, encoding) == min(offset, end)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_empty_document_has_one_empty_line(encoding: PositionEncoding) -> None:
    lines = Lines("")
    assert (lines.count, lines.start(0), lines.end(0)) == (1, 0, 0)
    assert lines.position(0, encoding) == (0, 0)
    assert lines.offset(7, 7, encoding) == 0


def test_the_text_after_the_last_line_end_is_a_line_even_after_an_astral_character() -> None:
    lines = Lines("x = '😀'\n")
    assert lines.offset(1, 0, PositionEncoding.UTF16) == 8
    assert lines.position(8, PositionEncoding.UTF16) == (1, 0)


def test_a_column_past_the_end_stops_before_the_line_end() -> None:
    lines = Lines("hello\r\nworld\n")
    assert lines.offset(0, 999, PositionEncoding.UTF16) == 5
    assert lines.position(6, PositionEncoding.UTF16) == (0, 5)


def test_a_column_inside_a_surrogate_pair_or_a_byte_sequence_snaps_back() -> None:
    lines = Lines('x = "😀"\n')
    assert lines.offset(0, 6, PositionEncoding.UTF16) == 5
    assert [lines.offset(0, c, PositionEncoding.UTF8) for c in (5, 6, 7, 8, 9)] == [5, 5, 5, 5, 6]


def test_negative_and_lone_surrogate_input_never_raises() -> None:
    lines = Lines("a\ud83db\ude00")
    assert lines.offset(-1, -5, PositionEncoding.UTF8) == lines.offset(0, -5, PositionEncoding.UTF16) == 0
    assert lines.offset(0, 2, PositionEncoding.UTF16) == 2
    assert lines.position(99, PositionEncoding.UTF16) == (0, 4)
    assert lines.position(-1, PositionEncoding.UTF16) == (0, 0)
    assert Lines("é").offset(0, -5, PositionEncoding.UTF16) == 0


def test_units() -> None:
    assert [units("é日😀" + ZWJ, encoding) for encoding in ENCODINGS] == [2 + 3 + 4 + 11, 1 + 1 + 2 + 5, 6]


def fastest(action: Callable[[], None]) -> float:
    """Seconds of the best of five: the machine may be busy with other tests."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def test_a_huge_file_costs_next_to_nothing() -> None:
    text = "é = 1  # x\n" * 200_000

    def look_up() -> None:
        lines = Lines(text)
        assert lines.position(lines.offset(150_000, 6, PositionEncoding.UTF16), PositionEncoding.UTF8) == (150_000, 7)

    assert fastest(look_up) < 0.02  # pygls: 0.18 a lookup


def test_a_huge_line_is_read_at_memory_speed() -> None:
    lines = Lines("😀" + "x" * 2_000_000)

    def look_up() -> None:
        assert lines.offset(0, 2_000_000, PositionEncoding.UTF16) == 1_999_999

    assert fastest(look_up) < 0.1
