from __future__ import annotations

import pytest

from engine import StopReason
from server.brackets import Inside
from server.suggestion import Refused
from server.trim.site import Refusal
from server.trim.tail import (
    ended,
    stop_at_end_of_block,
    stop_at_unmatched,
    whole_statements,
    without_trailing_blanks,
)

from .places import site

END, LENGTH = StopReason.END, StopReason.LENGTH


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("f() {\n‸\n}\n", "a();\n}\n}", "a();"),
        ("x = f(a‸\n", "))", ")"),
        ("x = f(a‸\n", ")", ")"),
        ("x = [\n  1,\n‸\n", "]", "]"),
        ("x = [\n  1,\n‸\n]\n", "2,\n]", "2,"),
        ("x = (‸\n", "a]) + b", "a"),
        ("‸\n", "':)'", "':)'"),
    ],
)
def test_closers_nobody_opened(marked: str, text: str, expected: str) -> None:
    assert stop_at_unmatched(text, 0, site(marked, "javascript")) == expected


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("def f():\n    ‸\n", "return 1\n\n\ndef g():\n    return 2", "return 1"),
        ("def f():\n    ‸\n", "return 1\n\n\n@cache\nasync def g():\n    return 2", "return 1"),
        ("class A:\n    def f(self):\n        ‸\n", "return 1\n\n    def g(self):\n        return 2", "return 1"),
        ("class A:\n    def f(self):‸\n", "\n        return 1\n\n    def g(self):\n        pass", "\n        return 1"),
        ("‸\n", "@cache\ndef f(\n    a,\n):\n    pass\n\n\ndef g():\n    pass", "@cache\ndef f(\n    a,\n):\n    pass"),
        (
            "‸\n",
            "class A:\n    def f(self):\n        pass\n\n    x = 1\n\ny = 2",
            "class A:\n    def f(self):\n        pass\n\n    x = 1",
        ),
        # these stay
        ("class A:\n    ‸\n", "def f(self):\n        pass\n\n    def g(self):\n        pass", None),
        ("def f():\n    ‸\n", "def g():\n        pass\n\n    return g", None),
        ("‸\n", "a = 1\nb = 2\n\n\ndef g():\n    pass", None),
        ("‸\n", 'def f():\n    """\nA.\n"""\n    pass', None),
        ("def f():\n    if a:\n        ‸\n", "b()\n    return c", None),
        ("def f():\n    ‸\n", 'return """\ndef g():\n"""', None),
    ],
)
def test_a_body_ends_before_the_next_definition(marked: str, text: str, expected: str | None) -> None:
    unasked = site(marked, body_only=True)
    assert stop_at_end_of_block(text, unasked) == (text if expected is None else expected)
    assert stop_at_end_of_block(text, site(marked)) == text


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("f() {\n  ‸\ng() {\n}\n", "return 1;\n}\nh();", "return 1;\n}"),
        ("f() {‸\n", "\n  return 1;\n}\n\nfunction g() {\n}", "\n  return 1;\n}"),
        ("get(a, (b) => {\n  ‸\n", "c();\n});\nget(d);", "c();\n});"),
        ("f() {\n  if (a) {\n    ‸\n", "b();\n  }\n}\nc();", "b();\n  }\n}"),
        ("‸\n", "f() {\n}\ng() {\n}", "f() {\n}"),
        ("‸\n", "const a = {\n  b: 1,\n};\n\nc();", "const a = {\n  b: 1,\n};"),
        # these stay
        ("‸\n", "if (a) {\n} else {\n}", None),
        ("f() {\n  if (a) {\n    ‸\n", "b();\n  } else {\n    c();\n  }", None),
        ("f() {\n  if (a) {\n    ‸\n", "b();\n  }\n  else {\n    c();\n  }", None),
        ("a(() => {\n  ‸\n", "b();\n})\n  .then(c);", None),
        ("f() {\n  ‸\n}\n", "if (a) {\n    b();\n  }\n  c();", None),
        ("‸\n", "a();\nb();\nf() {\n}", None),
        ("f() {\n  ‸\n", "a = `\n}\nb`;", None),
    ],
)
def test_a_body_in_braces_ends_with_the_closer_it_lacks(marked: str, text: str, expected: str | None) -> None:
    unasked = site(marked, "javascript", body_only=True)
    assert stop_at_end_of_block(text, unasked) == (text if expected is None else expected)
    assert stop_at_end_of_block(text, site(marked, "javascript")) == text


def test_a_string_that_is_ended_here() -> None:
    assert stop_at_unmatched('b"))', 0, site('f("a‸', "javascript", inside=Inside.STRING, quote='"')) == 'b")'
    assert stop_at_unmatched("b :)", 0, site('f("a‸', "javascript", inside=Inside.STRING, quote='"')) == "b :)"


def test_words_have_brackets_as_they_like() -> None:
    assert stop_at_unmatched("b) c", 0, site("# a) ‸\n", inside=Inside.COMMENT)) == "b) c"
    assert stop_at_unmatched("a) b;;", 0, site("case x in\n‸\nesac\n", "shellscript")) == "a) b;;"


def test_only_closers_are_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        stop_at_unmatched("}\n}", 0, site("a();\n‸\n", "javascript"))
    assert refusal.value.reason is Refused.UNMATCHED_BRACKET


@pytest.mark.parametrize(
    ("marked", "language", "text", "stop", "expected"),
    [
        # not cut off
        ("‸\n", "python", "a = 1\nb = 2", END, "a = 1\nb = 2"),
        ("if (a) {\n‸\n", "javascript", "b();", END, "b();"),
        ("if (a) ‸\n  b();\n}\n", "javascript", "{", END, "{"),
        # dropped
        ("‸\n", "python", "a = 1\nb = 2", LENGTH, "a = 1"),
        ("‸\n", "javascript", "a();\nb();", LENGTH, "a();\nb();"),
        ("‸\n", "javascript", "a();\nb(c", END, "a();"),
        ("‸\n", "python", "a = 1\nfor b in c:\n    d(", LENGTH, "a = 1"),
        ("‸\n", "python", 'a = 1\nb = """c\nd', LENGTH, "a = 1"),
        # closed
        (
            "‸\n",
            "javascript",
            "if (a) {\n  b();\n  if (c) {\n    d();\n    e",
            LENGTH,
            "if (a) {\n  b();\n  if (c) {\n    d();\n  }\n}",
        ),
        ("‸\n", "json", '{\n  "a": [\n    1,\n    2', LENGTH, '{\n  "a": [\n    1\n  ]\n}'),
        # a single line
        ("x = ‸\n", "python", "a + b", LENGTH, "a + b"),
        # words
        ("# ‸\n", "markdown", "some wor", LENGTH, "some"),
        ("# ‸\n", "markdown", "some", LENGTH, "some"),
        ("# ‸\n", "markdown", "some (words", END, "some (words"),
    ],
)
def test_cut_off(marked: str, language: str, text: str, stop: StopReason, expected: str) -> None:
    assert whole_statements(text, 0, site(marked, language), stop) == expected


@pytest.mark.parametrize(
    ("text", "stop"),
    [("f(a", LENGTH), ("f(a", END), ("f(a,\n  b", LENGTH), ("for a in b:", LENGTH), ("f(a,\n  b(\n  c", END)],
)
def test_nothing_whole_is_refused(text: str, stop: StopReason) -> None:
    with pytest.raises(Refusal) as refusal:
        whole_statements(text, 0, site("‸\n"), stop)
    assert refusal.value.reason is Refused.CUT_OFF


@pytest.mark.parametrize("text", ["if (a) {", "f(", "[a,"])
def test_a_line_may_leave_open_what_the_next_ones_close(text: str) -> None:
    assert whole_statements(text, 0, site("‸\n", "javascript", one_line=True), StopReason.NEWLINE) == text


def test_but_not_in_the_middle_of_an_expression() -> None:
    with pytest.raises(Refusal):
        whole_statements("f(a +", 0, site("‸\n", "javascript", one_line=True), StopReason.NEWLINE)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("javascript", "if (a) {", "if (a) {}"),
        ("javascript", "f([a,", "f([a,])"),
        ("javascript", "a();", "a();"),
        ("lua", "if a then", "if a then end"),
        ("lua", "local function f(a)", "local function f(a) end"),
        ("shellscript", "if a; then", "if a; then :; fi"),
    ],
)
def test_how_a_grammar_is_shown_a_line(language: str, text: str, expected: str) -> None:
    assert ended(text, site("‸\n", language, one_line=True)) == expected
    assert ended(text, site("‸\n", language)) == text


@pytest.mark.parametrize(
    ("marked", "language", "text", "expected"),
    [
        ("‸\n", "python", "a  \nb\t\n", "a\nb"),
        ("‸", "python", "a\n\n", "a\n"),
        ("‸", "python", "a", "a"),
        ("‸\n", "markdown", "a  \nb", "a  \nb"),
        ("‸b\n", "python", "a\n", "a\n"),
        ("f(‸)\n", "python", "a, ", "a, "),
        ("f(‸ b)\n", "python", "a, ", "a,"),
        ("‸    b\n", "python", "a\n    ", "a\n    "),
    ],
)
def test_trailing_blanks(marked: str, language: str, text: str, expected: str) -> None:
    assert without_trailing_blanks(text, site(marked, language)) == expected


def test_blanks_before_another_hole_stay() -> None:
    assert without_trailing_blanks("a, ", site("f(‸b)\n", fixed=0)) == "a, "
