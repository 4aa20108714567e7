"""A draft realigned: what of it is proposed after each step of the answer."""

from __future__ import annotations

import pytest

from engine.canvas import Canvas
from engine.remask import Realign

DRAFT = tuple(range(10, 60))
REALIGN = Realign(DRAFT)


def after(*committed: int) -> Canvas:
    canvas = Canvas.after([1, 2])
    return canvas.commit(committed) if committed else canvas


def test_it_begins_at_the_beginning() -> None:
    assert REALIGN(after(), 0, 0, None).proposed == DRAFT[:4]


def test_it_goes_on_where_the_answer_agrees() -> None:
    assert REALIGN(after(10, 11, 12), 0, 0, None).proposed == DRAFT[3:7]


@pytest.mark.parametrize(
    ("accepted", "offered", "count"), [(4, 4, 8), (8, 8, 16), (16, 16, 24), (24, 24, 24), (3, 4, 4), (0, 16, 4)]
)
def test_full_acceptance_doubles_what_is_proposed(accepted: int, offered: int, count: int) -> None:
    proposed = REALIGN(after(10, 11, 12), accepted, offered, None).proposed
    assert proposed == DRAFT[3 : 3 + count]


def test_after_other_words_it_takes_up_the_draft_again() -> None:
    assert REALIGN(after(10, 11, 99, 98), 0, 4, None).proposed == ()
    assert REALIGN(after(10, 11, 99, 98, 12), 0, 0, None).proposed == ()  # one token is no match
    assert REALIGN(after(10, 11, 99, 98, 12, 13), 0, 0, None).proposed == DRAFT[4:8]


def test_a_match_over_what_was_left_out() -> None:
    assert REALIGN(after(10, 11, 30, 31), 0, 0, None).proposed == DRAFT[22:26]


def test_the_longest_match_counts() -> None:
    realign = Realign((1, 2, 3, 7, 5, 2, 3, 8, 9))
    assert realign(after(5, 2, 3), 0, 0, None).proposed == (8, 9)


def test_of_equal_matches_the_nearest_counts() -> None:
    realign = Realign((1, 2, 3, 4, 1, 2, 5, 6, 1, 2, 7, 8))
    assert realign(after(1, 2), 0, 0, None).proposed == (3, 4, 1, 2)
    assert realign(after(1, 2, 9, 9, 9, 1, 2), 0, 0, None).proposed == (5, 6, 1, 2)


def test_at_its_end_it_proposes_nothing() -> None:
    assert REALIGN(after(58, 59), 0, 0, None).proposed == ()
    assert Realign(())(after(), 0, 0, None).proposed == ()
