"""Several holes at once: `«…»` marks a hole and its draft."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Cancelled, CancelToken, Mode, StopReason
from server.filling import FillAnswer, fill_holes
from server.settings import Settings
from server.snapshot import Snapshot
from server.suggestion import Refused

from .answering import Answering

SETTINGS = Settings()


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without marks, and the holes."""
    plain, holes = "", []
    for part in re.split(r"(«[^»]*»)", text):
        inner = part[1:-1] if part.startswith("«") else part
        if inner is not part:
            holes.append((len(plain), len(plain) + len(inner)))
        plain += inner
    return plain, holes


def fill(text: str, *texts: tuple[str, ...], language: str = "python") -> tuple[FillAnswer, Answering, Snapshot]:
    plain, holes = marked(text)
    engine, snapshot = Answering(*texts), Snapshot("file:///project/code", language, 1, plain)
    return fill_holes(engine, snapshot, holes, SETTINGS), engine, snapshot


def filled(answer: FillAnswer, snapshot: Snapshot) -> str:
    text = snapshot.text
    for one in reversed(answer.suggestions):
        text = text[: one.start] + one.text + text[one.end :]
    return text


FILLED = {
    "touching": ("python", "f(«A»«B»)\n", ("x, ", "y"), "f(x, y)\n"),
    "same place": ("python", "f(«»«»)\n", ("x, ", "y"), "f(x, y)\n"),
    "same text twice": ("python", "f(«»«»)\n", ("x", "x"), "f(xx)\n"),
    "on one line": ("python", "f(«», «»)\n", ("a, ", "b)"), "f(a, b)\n"),
    "equal lines": ("python", "a = «»\na = «»\n", ("1", "1"), "a = 1\na = 1\n"),
    "bodies": (
        "python",
        "def f(a):\n    «<<hole>>»\n\n\ndef g(b):\n    «<<hole>>»\n",
        ("return a\n", "    return b"),
        "def f(a):\n    return a\n\n\ndef g(b):\n    return b\n",
    ),
    "one left empty": ("python", "x = 1«»\ny = «»\n", ("", "2"), "x = 1\ny = 2\n"),
    "carriage returns": (
        "javascript",
        "function f() {\r\n  «»\r\n}\r\nlet a = «»;\r\n",
        ("b();\n  c();", "1;"),
        "function f() {\r\n  b();\r\n  c();\r\n}\r\nlet a = 1;\r\n",
    ),
    "emoji between": ("python", 's = "😀«»"; n = «»\n', ("é", "1"), 's = "😀é"; n = 1\n'),
    "the next line repeated": ("python", "«»\ny = «»\n", ("x = 1\ny = 2", "2"), "x = 1\ny = 2\n"),
    "a heading is one line": ("markdown", "# A «»\n\nb «»\n", ("c\n\nd", "e"), "# A c\n\nb e\n"),
    "rest taken over": ("python", "x = f(«»)\ny = «»\n", ("1) + 2", "3"), "x = f(1) + 2\ny = 3\n"),
}


@pytest.mark.parametrize("name", FILLED)
def test_what_is_filled_in(name: str) -> None:
    language, text, texts, expected = FILLED[name]
    answer, _, snapshot = fill(text, texts, language=language)
    assert answer.refused is None
    assert len(answer.suggestions) == len(texts)
    assert filled(answer, snapshot) == expected


def test_placeholders_are_no_drafts_and_other_text_is() -> None:
    _, engine, _ = fill("a = «<<hole>>»\r\nb = «1»\r\n", ("1", "2"))
    request = engine.infills[0]
    assert request.text == "a = \nb = 1\n"
    assert [(hole.start, hole.end) for hole in request.holes] == [(4, 4), (9, 10)]


def test_headings_and_cells_are_asked_for_as_one_line() -> None:
    text = "# A «»\n\n| a | b |\n|---|---|\n| «» | c |\n| d | «» |\n«»\n\n```js\nx = «»;\n```\n"
    _, engine, _ = fill(text, ("e", "f", "g", "| h | i |\n| j | k |", "l"), language="markdown")
    assert [hole.one_line for hole in engine.infills[0].holes] == [True, True, True, False, False]


def test_the_mode_is_the_engines_choice_unless_demanded() -> None:
    _, engine, _ = fill("f(«», «»)\n", ("a", "b"))
    assert engine.infills[0].mode is None
    fill_holes(engine, Snapshot("file:///a.py", "python", 1, "f()\n"), [(2, 2), (2, 2)], SETTINGS, mode=Mode.JOINT)
    assert engine.infills[1].mode is Mode.JOINT


def test_the_next_candidate_is_taken_if_the_first_does_not_fit() -> None:
    answer, engine, snapshot = fill("a = «»\nb = «»\n", ("1 2", "3"), ("1", "3"))
    assert filled(answer, snapshot) == "a = 1\nb = 3\n"
    assert [added > 0 for added in engine.added] == [True, False]


@pytest.mark.parametrize(
    ("text", "texts", "refused"),
    [
        ("s = sum(«» for x in range(«»))\n", ("x * x for x in range(10)", ""), Refused.SYNTAX),  # over the next hole
        ("a = «»\nb = «»\n", ("1 2", "3"), Refused.SYNTAX),
        ("a = «<<hole>>»\nb = «<<hole>>»\n", ("1", "+"), Refused.SYNTAX),
        ("a = «»\nb = «»\n", ("", " "), Refused.EMPTY),
        ("«»\nimport sys\nb = «»\n", ("import sys", "1"), Refused.REPEATS_SUFFIX),
    ],
)
def test_all_holes_or_none(text: str, texts: tuple[str, str], refused: Refused) -> None:
    answer, _, _ = fill(text, texts)
    assert (answer.refused, answer.suggestions) == (refused, ())


@pytest.mark.parametrize(
    ("holes", "refused"),
    [
        ([], Refused.NO_HOLES),
        ([(0, 2), (1, 3)], Refused.OVERLAPPING_HOLES),
        ([(1, 3), (1, 3)], Refused.OVERLAPPING_HOLES),
        ([(0, 99)], Refused.OUTSIDE),
        ([(-1, 0)], Refused.OUTSIDE),
        ([(3, 2)], Refused.OUTSIDE),
    ],
)
def test_holes_that_make_no_sense(holes: list[tuple[int, int]], refused: Refused) -> None:
    engine = Answering(("1",))
    answer = fill_holes(engine, Snapshot("file:///a.py", "python", 1, "x = 1\n"), holes, SETTINGS)
    assert (answer.refused, engine.infills) == (refused, [])


def test_out_of_time_is_said_so() -> None:
    plain, holes = marked("x = «»\ny = «»\n")
    engine = Answering(("1", ""), stop=StopReason.DEADLINE)
    answer = fill_holes(engine, Snapshot("file:///project/code", "python", 1, plain), holes, SETTINGS)
    assert answer.refused is Refused.DEADLINE
    assert engine.infills[0].deadline_s == SETTINGS.rewrite_deadline_ms / 1000


def test_excluded_files_never_reach_the_engine() -> None:
    engine = Answering(("1",))
    answer = fill_holes(engine, Snapshot("file:///a/.env", "python", 1, "x = \n"), [(4, 4)], SETTINGS)
    assert (answer.refused, engine.infills) == (Refused.EXCLUDED, [])


def test_order_is_the_documents() -> None:
    snapshot = Snapshot("file:///a.py", "python", 1, "a = \nb = \n")
    answer = fill_holes(Answering(("1", "2")), snapshot, [(9, 9), (4, 4)], SETTINGS)
    assert [one.start for one in answer.suggestions] == [4, 9]


def test_cancelling_passes_through() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        fill_holes(Answering(("1",)), Snapshot("file:///a.py", "python", 1, "x = "), [(4, 4)], SETTINGS, cancel=token)


TEXT = st.text(st.sampled_from("ab(){}\"',:;= \t\n\r#`|"), max_size=12)


@given(parts=st.lists(TEXT, min_size=3, max_size=3), texts=st.tuples(TEXT, TEXT))
def test_what_stands_between_the_holes_is_never_lost(parts: list[str], texts: tuple[str, str]) -> None:
    before, between, behind = parts
    snapshot = Snapshot("untitled:a", "javascript", 1, before + between + behind)
    holes = [(len(before), len(before)), (len(before + between), len(before + between))]
    answer = fill_holes(Answering(texts), snapshot, holes, SETTINGS)
    end = 0
    for one in answer.suggestions:
        characters = iter(one.text)
        assert all(character in characters for character in snapshot.text[one.start : one.end])
        assert one.start >= end
        end = one.end
