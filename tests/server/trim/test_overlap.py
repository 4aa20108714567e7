from __future__ import annotations

import pytest

from server.brackets import Inside
from server.suggestion import Refused
from server.trim.overlap import join_rest, refuse_echo, stop_at_suffix
from server.trim.site import Refusal

from .places import site


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("    ‸\n    b\n    c\n", "a\n    b\n    c", "a"),
        ("    ‸\n    beta()\n    gamma()\n", "a\n    beta()\n    gamma()\n    delta()", "a"),
        ("    ‸\n    alpha()\n        beta()\n", "a\n        alpha()\n            beta()", "a"),  # at another depth
        ("x = ‸\ny = 2\n", "1\ny = 2", "1"),
        ("  ‸\n  [0, 1]\n]\n", "[0, 0],\n  [0, 1]", "[0, 0],"),
        ("y = ‸\nprint(x, y)\n", "2\nprint(x, y)\nx, y = y, x", "2"),  # all that follows, and then more
        ("    ‸\n    return result\n", "a\n    return res", "a"),  # not written out
        ("[\n  ‸\n  [one, two]\n]", "[zero],\n  [one, two],", "[zero],"),  # but for a comma
    ],
)
def test_it_stops_where_it_repeats_what_follows(marked: str, text: str, expected: str) -> None:
    assert stop_at_suffix(text, site(marked)) == expected


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("    ‸\n", "a\n    b"),
        ("    ‸\n    return something_else\n", "first = one(of, several)\n    second = another(of, them)"),
        ("    ‸\n    return False\n    return True\n", "if a:\n        b\n    return False\n    c"),
        ("    ‸\n    return False\n", "if a:\n        return False"),  # the same words at another depth
        ("    ‸\n    beta()\n    gamma()\n", "alpha()\n    beta()\n    other()"),  # one line in common
        ("x = beta‸\nbeta()\n", "()"),
        ("[\n  [0, 0],\n  ‸\n  [0, 0]\n]\n", "[0, 0],"),  # rows are alike by nature
        ("‸\nx = 1\n", "a = 1"),
    ],
)
def test_it_does_not_stop_at_what_only_resembles_it(marked: str, text: str) -> None:
    assert stop_at_suffix(text, site(marked)) == text


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("f() {\n  ‸\n}\n", "a();\n}", "a();"),
        ("f() {\n‸\n}\n", "if (a) {\n}", "if (a) {\n}"),  # its own brace, whatever its depth
        ("f() {\n  ‸\n} else {\n", "a();\n}", "a();"),
        # one line alike, and the brackets come out even
        ("for (a of b‸\n  if (alpha) {\n    c();\n  }\n}\n", "s) {\n  if (alpha) {\n    d();\n  }\n}", "s) {"),
    ],
)
def test_closing_braces(marked: str, text: str, expected: str) -> None:
    assert stop_at_suffix(text, site(marked, "javascript")) == expected


def test_nothing_but_what_follows_is_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        stop_at_suffix("import os\nimport sys", site("‸\nimport os\nimport sys\n"))
    assert refusal.value.reason is Refused.REPEATS_SUFFIX


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        # the end of the text is the beginning of the rest
        ("f(‸, b);", "a, b);", ("a", 0)),
        ("f(‸).g()", "a)", ("a", 0)),
        ("f(‸)", "g(a)", ("g(a)", 0)),
        ("x = [‸]", "[1], [2]", ("[1], [2]", 0)),
        ("a‸;", "();", ("()", 0)),
        ('f("‸")', 'a"', ("a", 0)),
        ("get‸Name()", "UserName()", ("User", 0)),
        # chance
        ("x = a ‸= b", "=", ("=", 0)),
        ("x = a ‸* b", "b *", ("b *", 0)),
        ("x = ‸es", "yes, e", ("yes, e", 0)),
        ("‸    b", "a\n    ", ("a\n    ", 0)),
        # pairs that are none to the language
        ("let a: Vec<‸> = b;", "Vec<u8>", ("Vec<u8>", 0)),
        ("let a: Vec<‸> = b;", "u8>", ("u8", 0)),
        ("if (a ‸) {", "-> b)", ("-> b", 0)),
        ('s = "{‸}"', "{b}", ("{b}", 0)),
        ('s = "{‸}"', "b}", ("b", 0)),
        ("log(‸);", 'x, "(")', ('x, "("', 0)),  # to the language that one is none
        # the text takes the place of the rest
        ("f(‸)", "a) + 1", ("a) + 1", 1)),
        ('f("‸")', 'a", b)', ('a", b)', 2)),
        ("f(‸, b)", "a, b) + c", ("a, b) + c", 4)),
        # nothing right of the cursor
        ("f(a‸", ")", (")", 0)),
        ("f(a‸   \n", ")", (")", 0)),
    ],
)
def test_text_and_rest_of_the_line_stand_once(marked: str, text: str, expected: tuple[str, int]) -> None:
    assert join_rest(text, site(marked, "javascript")) == expected


@pytest.mark.parametrize(
    ("marked", "text", "reason"),
    [
        ("alpha()\n‸\n", "alpha()", Refused.REPEATS_LINE_ABOVE),
        ("alpha()\nal‸\n", "pha()", Refused.REPEATS_LINE_ABOVE),
        ("alpha()\n    beta()\n‸\n", "alpha()\n    beta()", Refused.REPEATS_LINE_ABOVE),
        ("‸\nalpha()\n", "alpha()", Refused.REPEATS_SUFFIX),
    ],
)
def test_lines_that_stand_there_already_are_refused(marked: str, text: str, reason: Refused) -> None:
    with pytest.raises(Refusal) as refusal:
        refuse_echo(text, 0, site(marked))
    assert refusal.value.reason is reason


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("  }\n‸\n", "}"),
        ("    return False\n‸\n", "return False"),
        ("0, 0,\n‸\n", "0, 0,"),
        ("alpha()\n‸\n", "alpha(1)"),
        ("alpha()\n‸\n", "alpha()\nbeta()"),
    ],
)
def test_what_may_stand_twice(marked: str, text: str) -> None:
    refuse_echo(text, 0, site(marked))


def test_in_words_brackets_need_no_partner() -> None:
    place = site("# a ‸\n# b (see below\n", inside=Inside.COMMENT)
    assert stop_at_suffix("(\n# b (see below", place) == "("
