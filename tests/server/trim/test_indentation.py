from __future__ import annotations

import pytest

from server.brackets import Inside
from server.languages import language_of
from server.trim.indentation import join_seam, shared_indentation, to_depth, unit_of

from .places import site


@pytest.mark.parametrize(
    ("text", "language", "unit"),
    [
        ("", "python", "    "),
        ("", "typescript", "  "),
        ("", "go", "\t"),
        ("if a:\n  b\n  if c:\n    d\n", "python", "  "),
        ("a {\n\tb {\n\t\tc\n", "javascript", "\t"),
        ("if a:\n    f(b,\n      c)\nif d:\n    e\n", "python", "    "),
        ("if a:\n   b\n", "python", "    "),  # once is no custom
        ("if a:\n   b\nif c:\n   d\nif e:\n   f\n", "python", "   "),
        ("a:\n  - b\n", "yaml", "  "),
    ],
)
def test_unit(text: str, language: str, unit: str) -> None:
    assert unit_of(text, language_of(language)) == unit


def test_a_setting_speaks_where_the_file_does_not() -> None:
    assert unit_of("", language_of("python"), 2) == "  "
    assert unit_of("if a:\n    b\n", language_of("python"), 2) == "    "
    assert unit_of("", language_of("go"), 2) == "\t"


@pytest.mark.parametrize(
    ("marked", "text", "expected"),
    [
        ("if a:\n    ‸\n", "    b", "b"),
        ("if a:\n    ‸\n", "b", "b"),
        ("if a:\n    if b:\n    ‸\n", "    c", "    c"),  # one level was missing
        ("if a:\n    if b:\n    ‸\n", "        c", "    c"),
        ("if a:\n  ‸\n", "  b", "  b"),  # half a level was typed
        ("‸\n", "    b", "    b"),
        ("if a:\n    ‸\n", "\n    b", "b"),
        ("if a:\n    ‸\n", "\ndef f(): ...", "\ndef f(): ..."),
        ("a\n‸\n", "\n\ndef f(): ...", "\n\ndef f(): ..."),
        ("return ‸\n", " b", "b"),
        ("return‸\n", " b", " b"),
        ("a = 1‸\n", "\nb = 2", "\nb = 2"),
    ],
)
def test_seam(marked: str, text: str, expected: str) -> None:
    assert join_seam(text, site(marked)) == expected


@pytest.mark.parametrize(
    ("marked", "language", "text", "expected"),
    [
        ("    ‸", "python", "a", "a"),
        ("    ‸", "python", "a\n    b", "a\n    b"),
        ("    ‸", "python", "if a:\n        b\n\n    c", "if a:\n        b\n\n    c"),
        ("        ‸", "python", "if a:\n    b\nelse:\n    c", "if a:\n            b\n        else:\n            c"),
        ("    x = [‸", "python", "\n        a,\n    ]", "\n        a,\n    ]"),
        ("f {\n\ta\n}\n\t‸", "go", "if a {\n        b\n    }", "if a {\n\t\tb\n\t}"),
        ("f {\n\ta\n}\n\t‸", "go", "a\n\tb", "a\n\tb"),
        ("f {\n  a\n}\n  ‸", "javascript", "if (a) {\n\t\tb;\n\t}", "if (a) {\n    b;\n  }"),
        ("f {\n  a\n}\n  ‸", "javascript", "f(a,\n    b)", "f(a,\n    b)"),
        ("f {\n  a\n}\n  ‸", "javascript", "a\n    .b()\n    .c()", "a\n    .b()\n    .c()"),
        ("if a:\n    b\n‸\n      c\n", "python", "while d:\n      if e:", "while d:\n      if e:"),  # `c` counts on it
        ("‸", "markdown", "- a\n      b", "- a\n      b"),
        ("- ‸", "yaml", "a: 1\nb: 2", "a: 1\n  b: 2"),
        ("- ‸", "yaml", "a: 1\n  b: 2", "a: 1\n  b: 2"),
        ("- ‸", "yaml", "a:\n- b", "a:\n- b"),
        ("k:\n- ‸", "yaml", "a: 1\nb: 2", "a: 1\nb: 2"),  # `b` may well be beside `k`
        ("  - ‸", "yaml", "a: 1\n  b:\n    - c\nd: 2", "a: 1\n    b:\n      - c\nd: 2"),
    ],
)
def test_depth(marked: str, language: str, text: str, expected: str) -> None:
    assert to_depth(text, site(marked, language)) == expected


def test_words_in_a_string_keep_their_indentation() -> None:
    place = site('if a:\n  """‸\n', inside=Inside.STRING)
    assert to_depth("a:\n      b", place) == "a:\n      b"


def test_shared_indentation() -> None:
    assert shared_indentation(["    a", "", "      b"]) == "    "
    assert shared_indentation(["\ta", "    b"]) == ""
    assert shared_indentation(["", " "]) == ""
