"""Typing against an editor that remembers what was done to it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.typing_session import Answer
from benchmarks.typist import Keystroke, Place, choose_places, summarise, type_place

TEXT = "import os\n\n\ndef first_function(value):\n    return value + another_value\n"


class RememberingEditor:
    def __init__(self, text: str, answers: Sequence[str | None]) -> None:
        self.text = text
        self.asked: list[str] = []
        self._answers = list(answers)

    async def replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]

    async def ask(self, offset: int) -> Answer:
        self.asked.append(f"{self.text[:offset]}|{self.text[offset:]}")
        return Answer(1.0, self._answers.pop(0))


def test_places_are_ends_of_long_lines_each_taken_once() -> None:
    places = choose_places(TEXT, 10, 0)
    assert sorted(TEXT[place.start : place.end] for place in places) == ["lue + another_value", "t_function(value):"]
    assert choose_places(TEXT, 1, 0) == places[:1]
    assert choose_places("short\n", 3, 0) == ()


async def test_a_place_is_typed_key_by_key_and_put_back() -> None:
    editor = RememberingEditor("ab = hello\nrest", [None, None, None])
    await type_place(editor, editor.text, Place(5, 10), 2)
    assert editor.asked == ["ab = |\nrest", "ab = h|\nrest", "ab = he|\nrest"]
    assert editor.text == "ab = hello\nrest"


async def test_no_more_keys_than_were_taken_away() -> None:
    editor = RememberingEditor("xy", [None] * 3)
    await type_place(editor, editor.text, Place(0, 2), 9)
    assert editor.asked == ["|", "x|", "xy|"]
    assert editor.text == "xy"


async def test_keys_that_continue_the_shown_text_are_told_apart() -> None:
    editor = RememberingEditor("x = hello", ["help", "elp", "lp", "zz", None])
    strokes = await type_place(editor, editor.text, Place(4, 9), 4)
    assert [stroke.typed_through for stroke in strokes] == [False, True, True, True, False]


def test_answers_are_summarised_by_kind() -> None:
    strokes = [
        Keystroke(Answer(200.0, "x"), False),
        Keystroke(Answer(400.0, "y"), False),
        Keystroke(Answer(900.0, "x\ny"), False),
        Keystroke(Answer(2.0, "z"), True),
        Keystroke(Answer(1.0, None), False),
    ]
    summary = summarise(strokes)
    assert summary["single_line_ms"] == {"n": 2, "p50": 300.0, "p90": 380.0, "max": 400.0}
    assert summary["multi_line_ms"] == {"n": 1, "p50": 900.0, "p90": 900.0, "max": 900.0}
    assert summary["typed_through_ms"] == {"n": 1, "p50": 2.0, "p90": 2.0, "max": 2.0}
    assert (summary["asked"], summary["empty"]) == (5, 1)
