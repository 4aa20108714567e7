from __future__ import annotations

import pytest

from server.languages import language_of
from server.suggestion import Refused
from server.trim import rewritten, select
from server.trim.selection import Selection


def selection(marked: str) -> Selection:
    start, end = marked.index("«"), marked.index("»") - 1
    return select(marked.replace("«", "").replace("»", ""), start, end)


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        ("«a»\n", ("", "a", "", "", "")),
        ("a = «1» + 2\n", ("", "1", "", "", "")),
        ("«    a\n    b\n»", ("    ", "a\nb", "\n", "    ", "")),
        ("    «a\n    b»\n", ("", "a\nb", "", "    ", "")),
        ("«\n\n  a\n    b\n\n»", ("\n\n  ", "a\n  b", "\n\n", "  ", "")),
        ("«    a\n  b»\n", ("    ", "a\nb", "", "  ", "  ")),
        ("  f(«{\n    a\n  }»)\n", ("", "{\n  a\n}", "", "  ", "")),
        ("«\ta\n\n\tb»", ("\t", "a\n\nb", "", "\t", "")),
        ("a«»b", ("", "", "", "", "")),
        ("«    \n»", ("    ", "", "\n", "", "    ")),
        ("«\f\n»", ("\f\n", "", "", "", "")),
    ],
)
def test_a_selection_in_parts(marked: str, parts: tuple[str, ...]) -> None:
    one = selection(marked)
    assert (one.lead, one.draft, one.tail, one.common, one.first) == parts


def test_what_the_model_sees() -> None:
    text, start, end = selection("if a:\n«    b\n    c\n»d\n").shown
    assert text == "if a:\n    b\nc\nd\n"
    assert text[start:end] == "b\nc"


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ("«    a\n    b\n»", "c\nd", "    c\n    d\n"),
        ("«    a\n    b\n»", "    c\n    d\n\n", "    c\n    d\n"),
        ("«    a\n    b\n»", "if c:\n    d", "    if c:\n        d\n"),
        ("«    a\n    b\n»", "if c:\n        d\n    e", "    if c:\n        d\n    e\n"),
        ("«    a\n    b\n»", "c\n    d", "    c\n    d\n"),
        ("«    a\n    b\n»", "c = (d +\n     e)", "    c = (d +\n         e)\n"),
        ("«    a\n    b\n»", "c\n\nd  ", "    c\n\n    d\n"),
        ("a = «1»\n", "  2\n", "2"),
    ],
)
def test_an_answer_goes_back_to_its_depth(marked: str, raw: str, expected: str) -> None:
    assert rewritten(raw, selection(marked), language_of("python"), "    ") == expected


def test_prose_keeps_its_trailing_blanks() -> None:
    assert rewritten("a  \nb", selection("«c\nd»\n"), language_of("markdown"), "    ") == "a  \nb"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("x = 2\n\n\ndef following():\n    pass", "x = 2\n"),
        ("x = 2\n\n\ndef following():", "x = 2\n"),
        ("x = 2\n\n\ndef another():\n    pass", "x = 2\n\n\ndef another():\n    pass\n"),
        ("def following():\n    pass", "def following():\n    pass\n"),
    ],
)
def test_lines_below_are_not_taken_along(raw: str, expected: str) -> None:
    one = selection("«x = 1\n»\n\ndef following():\n    pass\n")
    assert rewritten(raw, one, language_of("python"), "    ") == expected


def test_a_last_line_that_was_selected_is_no_echo() -> None:
    one = selection("«first(argument)\nsecond(argument)\n»second(argument)\n")
    assert rewritten("third(argument)\nsecond(argument)", one, language_of("python"), "    ") == (
        "third(argument)\nsecond(argument)\n"
    )


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", Refused.EMPTY),
        ("<|im_end|>", Refused.EMPTY),
        ("x = 1", Refused.UNCHANGED),
        ("value = 2\n" * 5, Refused.REPETITION),
    ],
)
def test_what_is_refused(raw: str, reason: Refused) -> None:
    assert rewritten(raw, selection("«x = 1»\n"), language_of("python"), "    ") is reason


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        (
            "import os\nlimit = 3\n\n\n«def f():\n    return 1\n»",
            "import os\nlimit = 3\n\ndef f():\n    return 2",
            "def f():\n    return 2\n",
        ),
        (
            "class Account:\n    size = 1\n\n«    def f(self): ...\n»",
            "class Account:\n    size = 1\n\n    def f(self) -> int: ...",
            "    def f(self) -> int: ...\n",
        ),
        ("total = read()\n«total = read()\n»", "total = read()\ntotal += 1", "total = read()\ntotal += 1\n"),
        ("import os\nlimit = 3\n«a = 1\n»", "limit = 4\na = 2", "limit = 4\na = 2\n"),
        ("pass\n«a = 1\n»", "pass\na = 2", "pass\na = 2\n"),
    ],
)
def test_lines_above_are_not_written_again(marked: str, raw: str, expected: str) -> None:
    assert rewritten(raw, selection(marked), language_of("python"), "    ") == expected
