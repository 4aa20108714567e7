from __future__ import annotations

import pytest

from server.brackets import Inside

from .places import site


def test_the_cursors_line() -> None:
    place = site("a\n    b = ‸c  \nd\n")
    assert (place.prefix, place.rest, place.indentation, place.on_blank) == ("    b = ", "c", "    ", False)


def test_lines_above_and_below_the_nearest_first_without_empty_ones() -> None:
    place = site("a\n\n  b  \n‸c\n\n d \ne\n")
    assert (place.preceding, place.following) == (["  b", "a"], [" d", "e"])


def test_edges_of_a_document() -> None:
    place = site("‸")
    assert (place.prefix, place.rest, place.preceding, place.following, place.on_blank) == ("", "", [], [], True)


def test_a_huge_line_is_looked_at_in_part() -> None:
    place = site("x" * 100_000 + "‸" + "y" * 100_000)
    assert len(place.prefix) == len(place.rest) == 1000


def test_the_rest_of_the_line_ends_where_another_hole_begins() -> None:
    place = site("f(‸, b)\n", fixed=2)
    assert (place.rest, place.continues) == (", ", True)
    assert not site("f(‸)\nb", fixed=2).continues


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("a = ‸\n", True),
        ("f(‸)\n", True),
        ("f(‸);\n", True),
        ('"‸",\n', True),
        ("if (‸) {\n", True),
        ("<p>‸</p>\n", True),
        ("**‸**\n", True),
        ("| ‸ |\n", True),
        ("f(‸, b)\n", False),
        ("a‸b\n", False),
        ("‸)\n", False),
    ],
)
def test_closing_punctuation(marked: str, expected: bool) -> None:
    assert site(marked).before_closing is expected


@pytest.mark.parametrize(
    ("language", "inside", "quote", "expected"),
    [
        ("python", Inside.CODE, "", False),
        ("python", Inside.COMMENT, "", True),
        ("python", Inside.STRING, "", True),
        ("python", Inside.STRING, '"', False),  # it may be ended here, and code follow
        ("markdown", Inside.CODE, "", True),
    ],
)
def test_where_words_are_written(language: str, inside: Inside, quote: str, expected: bool) -> None:
    assert site("‸", language, inside=inside, quote=quote).plain is expected
