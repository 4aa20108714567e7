from __future__ import annotations

import pytest

from server.brackets import Inside, balance, closers
from server.languages import language_of


@pytest.mark.parametrize(
    ("language", "text", "unclosed", "unmatched"),
    [
        ("python", "f(a, [b", "([", ()),
        ("python", "a)", "", (1,)),
        ("python", "f(a]", "(", (3,)),
        ("python", "f('(')", "", ()),
        ("python", "f(  # )\n)", "", ()),
        ("python", '"""\n(\n"""', "", ()),
        ("javascript", "f(`(\n${a}`)", "", ()),
        ("javascript", "f(/* ) */)", "", ()),
        ("javascript", "f(// )\n)", "", ()),
        ("rust", "fn f<'a>(x: &'a str) { '(' }", "", ()),
        ("shellscript", "case x in a) b;; esac", "", ()),
        ("shellscript", "echo $# {", "{", ()),
        ("yaml", "a: it's [b", "[", ()),
        ("lua", "--[[ ( ]] f(", "(", ()),
        ("html", "<p>(", "", ()),
        ("markdown", "1) a :(", "", ()),
        ("klingon", "f(a", "(", ()),
    ],
)
def test_brackets_that_have_no_partner(language: str, text: str, unclosed: str, unmatched: tuple[int, ...]) -> None:
    state = balance(text, language_of(language))
    assert (state.unclosed, state.unmatched) == (unclosed, unmatched)


@pytest.mark.parametrize(
    ("language", "text", "inside", "quote"),
    [
        ("python", "a = 1", Inside.CODE, ""),
        ("python", 'a = "b', Inside.STRING, '"'),
        ("python", 'a = "b\\"', Inside.STRING, '"'),
        ("python", 'a = "b"', Inside.CODE, ""),
        ("python", '"""a\nb', Inside.STRING, '"""'),
        ("python", "a  # it's", Inside.COMMENT, ""),
        ("python", "a  # b\n", Inside.CODE, ""),
        ("javascript", "`a ${b", Inside.STRING, "`"),
        ("javascript", "/* a", Inside.COMMENT, ""),
        ("javascript", "/* a */", Inside.CODE, ""),
        ("json", '{"a', Inside.STRING, '"'),
        ("markdown", "it's", Inside.CODE, ""),
    ],
)
def test_what_the_end_stands_in(language: str, text: str, inside: Inside, quote: str) -> None:
    state = balance(text, language_of(language))
    assert (state.inside, state.quote) == (inside, quote)


def test_a_string_ends_with_its_line_and_counts_as_broken() -> None:
    state = balance('a = "b\nc = (', language_of("python"))
    assert (state.broken, state.unclosed) == (1, "(")


def test_closers_come_innermost_first() -> None:
    assert closers("({[") == "]})"
