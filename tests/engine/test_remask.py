"""Remasking: what each strategy opens again or changes, and that pinned tokens are none of it."""

from __future__ import annotations

import pytest
import torch

from engine.canvas import Canvas, Uniform
from engine.remask import InsertDelete, Keep, LowConfidence, Remask, Renoise, TokenEditing

from .said import MASK, Said, canvas_of, generator, places, step_of

EXPAND, DELETE = 7, 8


def after(rule: Remask, canvas: Canvas, said: list[Said], commit: list[int] = []) -> Canvas:  # noqa: B006 - only read
    step = step_of(canvas, said)
    where = torch.zeros(len(canvas), dtype=torch.bool)
    where[commit] = True
    return rule(step, canvas.commit(where, step.statistics.sampled), generator(1))


def test_keep_keeps() -> None:
    canvas = after(Keep(), canvas_of([1, None, "3"]), [(2, 0.99), (5, 0.9), (2, 0.99)], [1])
    assert canvas.ids.tolist() == [1, 5, 3]
    assert canvas.done


def test_low_confidence_opens_what_is_doubted_now() -> None:
    said = [(2, 0.99), (1, 0.8), (2, 0.9), (4, 0.5), (2, 0.99)]
    canvas = after(LowConfidence(0.3), canvas_of([1, 1, None, 1, "3"]), said, [2])
    assert canvas.ids.tolist() == [MASK, 1, 2, MASK, 3]
    assert places(canvas.open) == [0, 3]
    assert places(after(LowConfidence(0.01), canvas_of([1, 1, None, 1, "3"]), said, [2]).open) == [0]


def test_renoise_gives_new_noise_to_what_was_not_accepted_and_judges_all_again() -> None:
    shown = canvas_of([None, None, None, "3"], Uniform(10))
    canvas = after(Renoise(), shown, [(5, 0.9), (6, 0.9), (4, 0.1), (2, 0.99)], [1])
    drawn = torch.randint(10, (4,), generator=generator(1)).tolist()
    assert canvas.ids.tolist() == [drawn[0], 6, drawn[2], 3]
    assert places(canvas.open) == [0, 1, 2]


def test_token_editing_replaces_what_is_surely_another() -> None:
    said = [(2, 0.95), (2, 0.8), (1, 0.99), (2, 0.99), (5, 0.99)]
    canvas = after(TokenEditing(0.9), canvas_of([1, 1, 1, "3", None]), said)
    assert canvas.ids.tolist() == [2, 1, 1, 3, MASK]
    assert places(canvas.open) == [4]


def test_expand_opens_two_for_one_and_delete_none() -> None:
    rule = InsertDelete(EXPAND, DELETE)
    said = [(2, 0.99), (EXPAND, 0.9), (4, 0.9), (DELETE, 0.9), (2, 0.99)]
    canvas = after(rule, canvas_of(["1", None, None, None, "3"]), said, [1, 2, 3])
    assert canvas.ids.tolist() == [1, MASK, MASK, 4, 3]
    assert places(canvas.open) == [1, 2]
    assert places(canvas.pinned) == [0, 4]
    assert canvas.hole.tolist() == [-1, 0, 0, 1, -1]
    assert canvas.origin is not None
    assert canvas.origin.tolist() == [0, 1, 1, 2, 4]


def test_what_was_committed_before_can_be_followed_by_another_or_dropped() -> None:
    rule = InsertDelete(EXPAND, DELETE, threshold=0.9)
    said = [(EXPAND, 0.95), (DELETE, 0.95), (DELETE, 0.5), (1, 0.5), (DELETE, 0.99)]
    canvas = after(rule, canvas_of([1, 2, 4, None, "3"]), said)
    assert canvas.ids.tolist() == [1, MASK, 4, MASK, 3]
    assert places(canvas.open) == [1, 3]


def test_a_hole_grows_no_further_than_it_may() -> None:
    said: list[Said] = [(EXPAND, 0.9)] * 3
    canvas = after(InsertDelete(EXPAND, DELETE, most=4), canvas_of([None] * 3), said, [0, 1, 2])
    assert canvas.ids.tolist() == [MASK, MASK, EXPAND, EXPAND]
    assert places(canvas.open) == [0, 1]


def test_without_length_tokens_nothing_moves() -> None:
    canvas = after(InsertDelete(EXPAND, DELETE), canvas_of([1, None, "3"]), [(2, 0.99), (5, 0.9), (2, 0.99)], [1])
    assert canvas.origin is None
    assert canvas.ids.tolist() == [1, 5, 3]


@pytest.mark.parametrize("rule", [Keep(), LowConfidence(1.1), Renoise(), TokenEditing(0), InsertDelete(EXPAND, DELETE)])
@pytest.mark.parametrize("said", [EXPAND, DELETE, 1])
def test_pinned_tokens_stay_where_they_are(rule: Remask, said: int) -> None:
    shown = canvas_of(["1", "2", None, 4, "3"], Uniform(7))
    canvas = after(rule, shown, [(said, 0.99)] * 5, [0, 1, 2, 4])
    assert canvas.ids[canvas.pinned].tolist() == [1, 2, 3]
    assert not bool((canvas.open & canvas.pinned).any())
