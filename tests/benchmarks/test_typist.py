"""Typing against an editor that remembers what was done to it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.typing_session import Answer
from benchmarks.typist import Kind, Place, Stroke, choose_places, summarise, type_place, type_places

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


def test_places_are_long_lines_without_indentation_each_taken_once() -> None:
    places = choose_places(TEXT, 10, 0)
    lines = [TEXT[place.start : place.end] for place in places]
    assert sorted(lines) == ["def first_function(value):", "return value + another_value"]
    assert choose_places(TEXT, 1, 0) == places[:1]
    assert choose_places("short\n", 3, 0) == ()


async def test_a_place_is_typed_key_by_key_and_put_back() -> None:
    editor = RememberingEditor("  hello\nrest", [None, None, None])
    strokes = await type_place(editor, editor.text, Place(2, 7), "ab")
    assert editor.asked == ["  |\nrest", "  a|\nrest", "  ab|\nrest"]
    assert [stroke.kind for stroke in strokes] == [Kind.MOVED, Kind.KEY, Kind.KEY]
    assert editor.text == "  hello\nrest"


async def test_each_place_gets_the_line_of_the_next() -> None:
    editor = RememberingEditor("one\ntwo\n", [None] * 6)
    await type_places(editor, editor.text, [Place(0, 3), Place(4, 7)], 2)
    assert editor.asked == ["|\ntwo\n", "t|\ntwo\n", "tw|\ntwo\n", "one\n|\n", "one\no|\n", "one\non|\n"]
    assert editor.text == "one\ntwo\n"


async def test_no_keys_are_one_request_a_place() -> None:
    editor = RememberingEditor("one\ntwo\n", [None] * 2)
    assert len(await type_places(editor, editor.text, [Place(0, 3), Place(4, 7)], 0)) == 2


async def test_keys_that_continue_the_shown_text_are_told_apart() -> None:
    editor = RememberingEditor("x = 1", ["help", "elp", "lp", "zz", None])
    strokes = await type_place(editor, editor.text, Place(4, 5), "hell")
    through = Kind.TYPED_THROUGH
    assert [stroke.kind for stroke in strokes] == [Kind.MOVED, through, through, through, Kind.KEY]


def test_answers_are_summarised_by_kind() -> None:
    strokes = [
        Stroke(Kind.MOVED, Answer(800.0, "a\nb")),
        Stroke(Kind.KEY, Answer(200.0, "x")),
        Stroke(Kind.KEY, Answer(400.0, "y")),
        Stroke(Kind.KEY, Answer(900.0, "x\ny")),
        Stroke(Kind.TYPED_THROUGH, Answer(2.0, "z")),
        Stroke(Kind.KEY, Answer(1.0, None)),
    ]
    summary = summarise(strokes)
    assert summary["single_line_ms"] == {"n": 2, "p50": 300.0, "p90": 380.0, "max": 400.0}
    assert summary["multi_line_ms"] == {"n": 1, "p50": 900.0, "p90": 900.0, "max": 900.0}
    assert summary["moved_ms"] == {"n": 1, "p50": 800.0, "p90": 800.0, "max": 800.0}
    assert summary["typed_through_ms"] == {"n": 1, "p50": 2.0, "p90": 2.0, "max": 2.0}
    assert (summary["asked"], summary["empty"]) == (6, 1)
