"""The order of the rules, where one undoes or needs another."""

from __future__ import annotations

import pytest

from engine import StopReason
from server.suggestion import Refused
from server.trim import Cleaned, clean, is_enough

from .places import site

END = StopReason.END


@pytest.mark.parametrize(
    ("language", "marked", "written", "expected"),
    [
        ("python", "def f():\n    ‸\n", "return 1\n\n\ndef g():\n", True),
        ("python", "def f():\n    ‸\n", "return 1\n\n\ndef g():", False),  # the line may go on
        ("python", "def f():\n    ‸\n", "if a:\n        return 1\n    return 2\n", False),
        ("python", "def f():\n    ‸\n", "a()\n" + "    b()\n    c()\n" * 9, True),
        ("javascript", "f() {\n  ‸\n}\n", "return 1;\n}\n\nfunction g() {\n", True),
        ("javascript", "f() {\n  ‸\n}\n", "return 1;\n}\n\n", False),
        ("javascript", "f() {\n  ‸\n", "if (a) {\n    b();\n  }\n", False),
    ],
)
def test_what_is_written_is_enough_once_it_has_left_its_block(
    language: str, marked: str, written: str, expected: bool
) -> None:
    unasked = site(marked, language, body_only=True)
    assert is_enough(written, unasked) is expected
    if expected:  # whatever follows is cut off
        assert clean(written + "more();\n", END, unasked) == clean(written, END, unasked)
    assert not is_enough(written, site(marked, language)) or "b()" in written


def test_one_line_is_the_first_one() -> None:
    assert clean("1\ny = 2", END, site("x = ‸\n", one_line=True)) == Cleaned("1")


def test_but_lines_that_come_back_to_the_rest_stay() -> None:
    assert clean("a,\n  b);", END, site("f(‸);\n", "javascript", one_line=True)) == Cleaned("a,\n  b")


def test_a_line_that_was_left_for_another_is_refused_where_code_follows() -> None:
    assert clean("a\ny = 2", END, site("x = ‸ + b\n", one_line=True)) is Refused.MID_LINE
    assert clean("a", StopReason.NEWLINE, site("x = ‸ + b\n", one_line=True)) is Refused.MID_LINE
    assert clean("a", END, site("x = ‸ + b\n", one_line=True)) == Cleaned("a")


def test_the_rest_of_the_line_follows_no_other_statement() -> None:
    """Even where several lines are wanted: `+ g()` belongs to `x`."""
    assert clean("a)\ny = 2", END, site("x = f(‸) + g()\n")) is Refused.MID_LINE
    assert clean("a,\n  b", END, site("x = f(‸) + g()\n")) == Cleaned("a,\n  b")
    assert clean("\n  .a()\n  .b()", END, site("x = y‸;\n", "javascript")) == Cleaned("\n  .a()\n  .b()")


def test_nothing_on_this_line_is_nothing() -> None:
    assert clean("\ny = 2", END, site("x = 1‸\n", one_line=True)) is Refused.EMPTY


def test_a_cut_never_takes_what_stood_in_place_of_the_users_text() -> None:
    assert clean("a) + b]", END, site("f(‸)\n", "javascript")) == Cleaned("a) + b", 1)


def test_nothing_in_time_has_a_name_of_its_own() -> None:
    assert clean("", StopReason.DEADLINE, site("x = ‸\n")) is Refused.DEADLINE
    assert clean("", StopReason.LENGTH, site("x = ‸\n")) is Refused.EMPTY


def test_a_marked_hole_may_be_empty_or_repeat_the_line_above() -> None:
    assert clean("", END, site("x = 1‸\n")) is Refused.EMPTY
    assert clean("", END, site("x = 1‸\n"), marked=True) == Cleaned("")
    assert clean("alpha", END, site("alpha\n‸\n")) is Refused.REPEATS_LINE_ABOVE
    assert clean("alpha", END, site("alpha\n‸\n"), marked=True) == Cleaned("alpha")


@pytest.mark.parametrize("stop", StopReason)
def test_cleaning_what_is_clean_changes_nothing(stop: StopReason) -> None:
    place = site("def f(a):\n    ‸\n")
    first = clean("return a", stop, place)
    assert first == Cleaned("return a")


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("# ‸\n\nEnd.\n", "A\n\n## B\n\n```js\nx = 1;", "A\n\n## B"),
        ("# ‸\n\nEnd.\n", "A\n\n```js\nx = 1;\n```", "A\n\n```js\nx = 1;\n```"),
        ("‸\n\nEnd.\n", "```js\nx = 1;\n", Refused.CUT_OFF),
        ("‸\n```\n\nEnd.\n", "```js\nx = 1;", "```js\nx = 1;"),
        ("‸\n\nEnd.\n", "```js", "```js"),
    ],
)
def test_a_fence_is_not_left_open_over_what_follows(marked: str, text: str, expected: str | Refused) -> None:
    cleaned = clean(text, StopReason.END, site(marked, "markdown"))
    assert (cleaned.text if isinstance(cleaned, Cleaned) else cleaned) == expected
