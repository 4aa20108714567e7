from __future__ import annotations

import time

import pytest

from server.similar import WINDOW, resemblance, windows, words_of


def test_words_are_names_of_two_letters_and_more() -> None:
    assert words_of("def load_all(x, été2): return load_all or 12") == {"def", "load_all", "été2", "return", "or"}


@pytest.mark.parametrize(
    ("one", "other", "expected"), [("ab cd", "ab cd", 1.0), ("ab cd", "ab ef", 1 / 3), ("ab", "cd", 0.0), ("", "", 0.0)]
)
def test_resemblance(one: str, other: str, expected: float) -> None:
    assert resemblance(words_of(one), words_of(other)) == pytest.approx(expected)


def test_windows_overlap_and_cover_the_text() -> None:
    lines = [f"word{number}" for number in range(200)]
    found = windows("\n".join(lines))
    assert all(len(window.text.split("\n")) <= WINDOW for window in found)
    assert frozenset().union(*(window.words for window in found)) == set(lines)
    assert all(window.words == words_of(window.text) for window in found)
    assert found[0].words & found[1].words


def test_a_short_text_is_one_window() -> None:
    assert [window.text for window in windows("ab\ncd")] == ["ab\ncd"]


def test_minified_text_has_none_and_a_huge_one_takes_no_time() -> None:
    began = time.process_time()
    assert windows("x=1;" * 1_000_000) == ()
    assert len(windows("ab cd ef\n" * 1_000_000)) < 1000
    assert time.process_time() - began < 2
