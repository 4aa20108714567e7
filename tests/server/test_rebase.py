from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.documents import Edit, apply_edits
from server.rebase import anchor, is_subsequence, move_cursor, rebase

LETTERS = st.text("ab(\n", max_size=4)


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> list[Edit]:
    """Up to three edits, each of the text that the ones before left."""
    edits: list[Edit] = []
    for _ in range(draw(st.integers(0, 3))):
        length = len(apply_edits(text, edits))
        start = draw(st.integers(0, length))
        edits.append(Edit(start, draw(st.integers(start, length)), draw(LETTERS)))
    return edits


@given(st.text("ab(\n", max_size=12), LETTERS, st.data())
def test_nothing_typed_is_doubled_or_lost(text: str, new: str, data: st.DataObject) -> None:
    """Where the answer still applies, it holds what was typed at its place, and its line is as it was around it."""
    cursor = data.draw(st.integers(0, len(text)))
    edits = data.draw(edits_of(text))
    place = rebase(text, cursor, cursor, new, edits)
    if place is None:
        return
    now = apply_edits(text, edits)
    assert 0 <= place[0] <= place[1] <= len(now)
    assert is_subsequence(now[slice(*place)], new)
    assert now[: place[0]].rpartition("\n")[2] == text[:cursor].rpartition("\n")[2]
    assert now[place[1] :].partition("\n")[0] == text[cursor:].partition("\n")[0]


@pytest.mark.parametrize(
    ("edits", "place"),
    [
        ([], (4, 4)),
        ([Edit(4, 4, "v")], (4, 5)),
        ([Edit(4, 4, "v"), Edit(5, 5, "al")], (4, 7)),
        ([Edit(4, 4, "vx"), Edit(5, 6, "")], None),  # wrong for a moment is wrong
        ([Edit(4, 4, "val"), Edit(6, 7, "")], (4, 6)),  # typed and taken back
        ([Edit(4, 4, "w")], None),
        ([Edit(3, 4, "")], None),  # what it was computed from is gone
        ([Edit(0, 1, "y")], None),
        ([Edit(4, 4, "value()")], None),  # more than was suggested
    ],
)
def test_typing_at_the_cursor(edits: list[Edit], place: tuple[int, int] | None) -> None:
    assert rebase("x = \n", 4, 4, "value", edits) == place


def test_edits_on_other_lines_move_it() -> None:
    text = "a\nx = \nb"
    assert rebase(text, 6, 6, "1", [Edit(0, 1, "import os\n"), Edit(15, 17, "c")]) is None  # its own line end is gone
    assert rebase(text, 6, 6, "1", [Edit(0, 1, "import os\n"), Edit(16, 17, "c")]) == (15, 15)
    assert rebase(text, 6, 6, "1", [Edit(0, 2, "")]) == (4, 4)  # a whole line above
    assert rebase(text, 6, 6, "1", [Edit(2, 2, "# b\n")]) == (10, 10)  # its own line is pushed down
    assert rebase(text, 6, 6, "1", [Edit(2, 2, "# b")]) is None
    assert rebase("f(; x", 2, 2, "1)", [Edit(5, 5, "\ny")]) == (2, 2)  # a line begun at the end of its own
    assert rebase("f(; x", 2, 2, "1)", [Edit(4, 4, "\ny")]) is None
    assert rebase("f(\n\n", 2, 2, "1)", [Edit(2, 3, "")]) is None  # something at the cursor itself was deleted


def test_a_bracket_the_editor_closed_is_part_of_the_answer() -> None:
    assert rebase("print", 5, 5, "(value)", [Edit(5, 5, "()")]) == (5, 7)
    assert rebase("print", 5, 5, "(value", [Edit(5, 5, "()")]) is None
    assert rebase("print", 5, 5, "[value]", [Edit(5, 5, "()")]) is None


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (Edit(0, 1, "xyz"), (4, 7)),
        (Edit(6, 6, "z"), (2, 5)),
        (Edit(2, 2, "z"), None),
        (Edit(5, 5, "z"), None),
        (Edit(3, 4, ""), None),
        (Edit(0, 9, ""), None),
        (Edit(0, 2, ""), None),
    ],
)
def test_anchors(edit: Edit, place: tuple[int, int] | None) -> None:
    assert anchor(2, 5, [edit]) == place


@given(st.text("ab\n", min_size=3, max_size=12), st.data())
def test_an_anchored_range_holds_the_text_it_held(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    edits = data.draw(edits_of(text))
    place = anchor(start, end, edits)
    if place is not None:
        assert apply_edits(text, edits)[slice(*place)] == text[start:end]


@pytest.mark.parametrize(
    ("edit", "cursor"), [(Edit(4, 4, "ab"), 6), (Edit(0, 1, ""), 3), (Edit(5, 5, "x"), 4), (Edit(2, 6, "y"), 3)]
)
def test_cursors(edit: Edit, cursor: int) -> None:
    assert move_cursor(4, [edit]) == cursor


def test_subsequences() -> None:
    assert is_subsequence("", "")
    assert is_subsequence(")", "a)")
    assert not is_subsequence("))", "a)")
    assert not is_subsequence("ba", "ab")


def test_a_replacement_everywhere_is_not_followed() -> None:
    text = "x = 1\n" * 5_000 + "y = "
    everywhere = [Edit(6 * line, 6 * line + 1, "z") for line in range(5_000)]
    assert rebase(text, len(text), len(text), "2", everywhere) is None
    assert rebase(text, len(text), len(text), "2", everywhere[:200]) == (len(text), len(text))
