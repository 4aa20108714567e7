"""Each kind of hole, on a text whose places are known."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from engine.adapt import holes

TEXT = """import os


def area(width, height):
    # the area of a box
    if width < 0:
        raise ValueError("too narrow")
    return mul(width, pair(height, 1))


print(area(2, 3))
"""


def texts(kind: holes.Maker, tries: int = 2000) -> Counter[str]:
    spans = [kind(TEXT, Random(seed)) for seed in range(tries)]
    return Counter(TEXT[span.start : span.end] for span in spans if span)


@pytest.mark.parametrize("kind", holes.KINDS)
def test_every_kind_finds_holes_inside_the_text(kind: holes.Maker) -> None:
    spans = [span for seed in range(300) if (span := kind(TEXT, Random(seed)))]
    assert len(spans) > 30
    assert all(0 <= span.start <= span.end <= len(TEXT) for span in spans)


def test_a_line_is_one_line_from_any_column_or_whole_with_its_end() -> None:
    found = texts(holes.line)
    assert all(text.count("\n") <= 1 and "\n" not in text[:-1] for text in found)
    assert {"    if width < 0:\n", "    if width < 0:", "if width < 0:"} <= found.keys()
    assert any("if width < 0:".endswith(text) for text in found if 0 < len(text) < 13)


def test_lines_are_several() -> None:
    found = texts(holes.lines)
    assert max(text.count("\n") for text in found) >= 5
    assert "    # the area of a box\n    if width < 0:\n" in found


def test_a_block_is_all_that_is_indented_deeper() -> None:
    body = TEXT[TEXT.index("    # the") : TEXT.index("\n\n\nprint")]
    found = texts(holes.block)
    assert found.keys() == {
        body,
        body + "\n",
        '        raise ValueError("too narrow")',
        '        raise ValueError("too narrow")\n',
    }


def test_arguments_end_at_the_bracket_that_closes() -> None:
    found = texts(holes.arguments)
    assert {"width, pair(height, 1)", "height, 1", "2, 3", "width, height"} <= found.keys()
    assert all(text.count("(") <= text.count(")") for text in found)


def test_quoted_is_what_a_string_or_a_comment_says() -> None:
    found = texts(holes.quoted)
    assert {"too narrow", "the area of a box"} <= found.keys()
    assert all("too narrow".endswith(text) or "the area of a box".endswith(text) for text in found)


def test_nothing_is_empty_at_a_lines_end() -> None:
    spans = [holes.nothing(TEXT, Random(seed)) for seed in range(50)]
    assert all(span and span.start == span.end and TEXT[span.end : span.end + 1] in ("\n", "") for span in spans)


def test_several_holes_neither_overlap_nor_touch() -> None:
    numbers = set()
    for seed in range(100):
        spans = holes.make_holes(TEXT, Random(seed))
        numbers.add(len(spans))
        assert all(one.end < other.start for one, other in pairwise(spans))
    assert {2, 3, 4} <= numbers


def test_a_text_of_one_character_has_holes_too() -> None:
    assert all(holes.make_hole("x", Random(seed)).end <= 1 for seed in range(30))
