from __future__ import annotations

import pytest

from server.quiet import BackOff, EditHistory, Suppressed

from .clock import Clock
from .writing import Writing

DELETION, UNDO, REJECTION = Suppressed.AFTER_DELETION, Suppressed.AFTER_UNDO, Suppressed.AFTER_REJECTION


def test_one_or_two_deletions_mend_a_mistake_and_three_make_room() -> None:
    history, writing = EditHistory(Clock()), Writing("x = foo")
    said = []
    for end in (7, 6, 5):
        history.changed(*writing.delete(end - 1, end))
        said.append(history.suppressed(writing.now, end - 1))
    assert said == [DELETION, DELETION, None]


@pytest.mark.parametrize(
    ("text", "start", "end", "mends"),
    [
        ("x = foo", 4, 7, True),  # a word
        ("x = foo()", 7, 9, True),  # a pair that the editor takes away at once
        ("    x", 0, 4, True),  # a step of indentation
        ("x = 1\ny", 5, 6, True),  # a line end
        ("return a + b\n", 0, 12, False),
        ("f(a, b)\n", 1, 7, False),
    ],
)
def test_a_line_that_is_cleared_is_to_be_written(text: str, start: int, end: int, mends: bool) -> None:
    history, writing = EditHistory(Clock()), Writing(text)
    history.changed(*writing.delete(start, end))
    assert (history.suppressed(writing.now, start) is DELETION) == mends


def test_writing_on_ends_the_quiet() -> None:
    history, writing = EditHistory(Clock()), Writing("x = foo")
    history.changed(*writing.delete(6, 7))
    history.changed(*writing.type(6, "u"))
    assert history.suppressed(writing.now, 7) is None
    history.changed(*writing.delete(6, 7))
    assert history.suppressed(writing.now, 6) is DELETION  # and the row begins anew


def test_the_quiet_is_at_its_place_for_a_while_in_its_document() -> None:
    clock = Clock()
    history, writing, other = EditHistory(clock), Writing("a = 1\nx = foo"), Writing("x = fo", "file:///b.py")
    history.changed(*writing.delete(12, 13))
    assert history.suppressed(writing.now, 5) is None
    assert history.suppressed(other.now, 12) is None
    clock.now += 2.9
    assert history.suppressed(writing.now, 12) is DELETION
    clock.now += 0.1
    assert history.suppressed(writing.now, 12) is None


def test_a_selection_that_is_written_over_is_no_deletion() -> None:
    history, writing = EditHistory(Clock()), Writing("x = foo")
    history.changed(*writing.edit(4, 7, "b"))
    assert history.suppressed(writing.now, 5) is None


def test_a_document_that_is_as_it_was_was_undone_or_redone() -> None:
    history, writing = EditHistory(Clock()), Writing("x = \n")
    history.changed(*writing.type(4, "foo(1)"))
    history.changed(*writing.delete(4, 10))
    assert history.suppressed(writing.now, 4) is UNDO
    history.changed(*writing.type(4, "foo(1)"))
    assert history.suppressed(writing.now, 10) is UNDO
    history.changed(*writing.type(10, ";"))
    assert history.suppressed(writing.now, 11) is None


def test_an_undo_of_a_replacement_is_one() -> None:
    history, writing = EditHistory(Clock()), Writing("x = foo\n")
    history.changed(*writing.edit(4, 7, "bars"))
    history.changed(*writing.edit(4, 8, "foo"))
    assert history.suppressed(writing.now, 7) is UNDO


def test_the_same_letter_again_is_typing() -> None:
    history, writing = EditHistory(Clock()), Writing("x = fo\n")
    history.changed(*writing.delete(5, 6))
    history.changed(*writing.type(5, "o"))
    assert history.suppressed(writing.now, 6) is None


def test_only_so_many_texts_are_remembered_and_none_of_a_closed_document() -> None:
    history, writing = EditHistory(Clock()), Writing("\n")
    history.changed(*writing.type(0, "ab"))
    for number in range(100):
        history.changed(*writing.type(2, f"{number:03}"))
    history.changed(*writing.delete(0, 302))
    assert history.suppressed(writing.now, 0) is DELETION  # a long word, and not known to be an undo
    history.closed(writing.now.uri)
    assert history.suppressed(writing.now, 0) is None


def test_the_back_off_grows_shrinks_and_has_bounds() -> None:
    back_off = BackOff(Clock())
    delays = []
    for _ in range(12):
        back_off.rejected("u", 0)
        delays.append(back_off.delay_s)
    assert delays[:3] == pytest.approx([0.15, 0.225, 0.3375])
    assert delays[-1] == 3.0
    back_off.accepted()
    assert back_off.delay_s == pytest.approx(2.4)
    for _ in range(50):
        back_off.accepted()
    assert back_off.delay_s == 0.05


def test_the_back_off_is_for_the_line_and_moves_with_it() -> None:
    clock = Clock()
    back_off, writing = BackOff(clock), Writing("a = 1\nx = foo\n")
    back_off.rejected(writing.now.uri, 10)
    assert back_off.suppressed(writing.now, 13) is REJECTION
    assert back_off.suppressed(writing.now, 5) is None
    assert back_off.suppressed(Writing("a = 1\nx = foo\n", "file:///b.py").now, 13) is None
    _, _, edits = writing.type(0, "import os\n")
    back_off.changed(writing.now.uri, edits)
    assert back_off.suppressed(writing.now, 23) is REJECTION
    assert back_off.suppressed(writing.now, 13) is None
    clock.now += 0.15
    assert back_off.suppressed(writing.now, 23) is None


def test_rejections_of_long_ago_do_not_count() -> None:
    clock = Clock()
    back_off = BackOff(clock)
    for _ in range(5):
        back_off.rejected("u", 0)
    clock.now += 601
    back_off.rejected("u", 0)
    assert back_off.delay_s == pytest.approx(0.15)
