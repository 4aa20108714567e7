from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.acceptance import Acceptance, Outcome
from server.suggestion import Suggestion

from .clock import Clock
from .writing import Writing


def shown(text: str, *suggestions: Suggestion) -> tuple[Acceptance, Writing, Clock]:
    clock, writing = Clock(), Writing(text)
    acceptance = Acceptance(clock)
    acceptance.show(writing.now.uri, suggestions)
    clock.now += 1
    return acceptance, writing, clock


def test_what_the_document_has_was_accepted() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo(1)"))
    assert acceptance.changed(*writing.type(4, "foo(1)")) is Outcome.ACCEPTED
    assert acceptance.place is None
    assert acceptance.changed(*writing.type(10, ";")) is None


def test_a_replaced_range_is_accepted_as_editors_do_it() -> None:
    acceptance, writing, _ = shown("f()\n", Suggestion(2, 3, "a) + 1"))
    assert acceptance.changed(*writing.edit(2, 3, "a) + 1")) is Outcome.ACCEPTED


def test_parts_of_it_keep_it_there_until_it_is_whole() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo(1)"))
    assert acceptance.changed(*writing.type(4, "f")) is Outcome.WENT_ON
    assert acceptance.changed(*writing.type(5, "oo")) is Outcome.WENT_ON
    assert acceptance.changed(*writing.type(7, "(1)")) is Outcome.ACCEPTED


def test_the_candidate_that_is_written_counts() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"), Suggestion(4, 4, "bar"))
    assert acceptance.changed(*writing.type(4, "b")) is Outcome.WENT_ON
    assert acceptance.changed(*writing.type(5, "ar")) is Outcome.ACCEPTED


def test_what_would_change_nothing_cannot_be_accepted() -> None:
    acceptance, writing, _ = shown("\na", Suggestion(1, 2, "a"))
    assert acceptance.changed(*writing.type(0, "a")) is None
    assert acceptance.place is None


def test_something_else_rejects_it_once() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    assert acceptance.changed(*writing.type(4, "q")) is Outcome.REJECTED
    assert acceptance.changed(*writing.type(5, "q")) is None


def test_what_nobody_saw_was_not_rejected() -> None:
    acceptance, writing, clock = shown("x = \n", Suggestion(4, 4, "foo"))
    clock.now -= 0.9
    assert acceptance.changed(*writing.type(4, "q")) is Outcome.DISMISSED


def test_a_deletion_and_an_edit_elsewhere_on_its_line_say_nothing() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    assert acceptance.changed(*writing.delete(3, 4)) is Outcome.DISMISSED
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    assert acceptance.changed(*writing.type(0, "y")) is Outcome.DISMISSED


def test_an_edit_on_another_line_moves_it() -> None:
    acceptance, writing, _ = shown("a\nx = \n", Suggestion(6, 6, "foo"))
    assert acceptance.changed(*writing.type(0, "b")) is Outcome.MOVED
    assert acceptance.place == 7
    assert acceptance.changed(*writing.type(7, "foo")) is Outcome.ACCEPTED


def test_taking_it_back_right_after_rejects_it() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    acceptance.changed(*writing.type(4, "foo"))
    acceptance.show(writing.now.uri, [Suggestion(7, 7, "()")])  # the next one is there already
    assert acceptance.changed(*writing.delete(4, 7)) is Outcome.REJECTED
    assert acceptance.place is None


def test_taking_it_back_later_does_not() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    acceptance.changed(*writing.type(4, "foo"))
    acceptance.changed(*writing.type(7, ";"))
    acceptance.changed(*writing.delete(7, 8))
    assert acceptance.changed(*writing.delete(4, 7)) is None


def test_an_empty_answer_takes_away_what_was_shown_in_its_document_only() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    acceptance.show("file:///other.py", [])
    assert acceptance.place == 4
    acceptance.show(writing.now.uri, [])
    assert acceptance.place is None


def test_other_documents_and_closing() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    assert acceptance.changed(*Writing("x = \n", "file:///b.py").type(4, "q")) is None
    acceptance.forget("file:///b.py")
    assert acceptance.place == 4
    acceptance.forget(writing.now.uri)
    assert acceptance.changed(*writing.type(4, "q")) is None


def test_what_the_client_says_counts_once() -> None:
    acceptance, writing, _ = shown("x = \n", Suggestion(4, 4, "foo"))
    assert acceptance.told("file:///b.py") is None
    assert acceptance.told(writing.now.uri) == 4
    assert acceptance.told(writing.now.uri) is None
    assert acceptance.changed(*writing.type(4, "foo")) is None


TEXT = st.text(st.sampled_from("ab(\n)"), max_size=6)


@given(
    before=TEXT,
    behind=TEXT,
    text=st.text(st.sampled_from("ab(\n)"), min_size=1, max_size=6),
    replaced=st.integers(0, 2),
    edits=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2), st.text(st.sampled_from("ab()"), max_size=3))),
)
def test_as_long_as_it_goes_on_accepting_it_gives_the_same(
    before: str, behind: str, text: str, replaced: int, edits: list[tuple[int, int, str]]
) -> None:
    end = len(before) + min(replaced, len(behind))
    acceptance, writing, _ = shown(before + behind, Suggestion(len(before), end, text))
    accepted = before + text + (before + behind)[end:]
    for at, length, typed in edits:
        start = min(at, len(writing.now.text))
        outcome = acceptance.changed(*writing.edit(start, min(start + length, len(writing.now.text)), typed))
        if outcome is Outcome.ACCEPTED:
            assert writing.now.text == accepted
        if outcome is not Outcome.WENT_ON:
            return
        assert acceptance.place == len(before)
