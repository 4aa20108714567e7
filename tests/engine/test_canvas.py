"""The canvas: what holds which token, and that nothing changes a pinned one."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.canvas import OUTSIDE, Canvas, Gap, Masks, Noise, Pin, Uniform

from .said import MASK, canvas_of, generator, places

PARTS = [Pin([1, 2]), Gap(3), Pin([3]), Gap(2, draft=[5, 6, 7], noise_level=0.0), Pin([4])]


def test_pins_and_holes_stand_in_their_order() -> None:
    canvas = Canvas.of(PARTS, Masks(MASK), generator())
    assert canvas.ids.tolist() == [1, 2, MASK, MASK, MASK, 3, 5, 6, 4]
    assert canvas.hole.tolist() == [OUTSIDE, OUTSIDE, 0, 0, 0, OUTSIDE, 1, 1, OUTSIDE]
    assert places(canvas.pinned) == [0, 1, 5, 8]
    assert places(canvas.open) == [2, 3, 4]  # a draft without noise is committed


def test_an_empty_hole_has_a_number_too() -> None:
    canvas = Canvas.of([Gap(0), Pin([1]), Gap(1)], Masks(MASK), generator())
    assert canvas.hole.tolist() == [OUTSIDE, 1]
    assert len(Canvas.of([], Masks(MASK), generator())) == 0
    assert Canvas.of([Pin([1])], Masks(MASK), generator()).done


def test_uniform_noise_is_drawn_for_the_whole_canvas_whatever_is_pinned() -> None:
    drawn = torch.randint(10, (9,), generator=generator(4)).tolist()
    free = Canvas.of([Gap(9)], Uniform(10), generator(4))
    assert free.ids.tolist() == drawn
    canvas = Canvas.of(PARTS, Uniform(10), generator(4))
    assert canvas.ids[2:5].tolist() == drawn[2:5]
    assert places(canvas.open) == [2, 3, 4, 6, 7]  # nothing tells a draft's token from noise


@pytest.mark.parametrize("noise", [Masks(MASK), Uniform(9)])
@pytest.mark.parametrize("level", [0.0, 0.25, 0.75, 1.0])
def test_a_draft_is_noise_to_the_given_share(noise: Noise, level: float) -> None:
    draft = [17] * 2000
    canvas = Canvas.of([Pin([17] * 50), Gap(2500, draft, level)], noise, generator())
    kept = canvas.ids == 17
    assert float(kept[50:2050].float().mean()) == pytest.approx(1 - level, abs=0.03)
    assert bool(kept[:50].all())
    assert not bool(kept[2050:].any())
    assert bool((canvas.open[50:] == ~kept[50:]).all()) is noise.marked or level == 1.0


def test_commit_closes_and_reopen_gives_noise() -> None:
    canvas = canvas_of([None, None, "3"])
    committed = canvas.commit(torch.tensor([True, False, True]), torch.tensor([5, 6, 7]))
    assert committed.ids.tolist() == [5, MASK, 3]
    assert places(committed.open) == [1]
    again = committed.reopen(torch.tensor([True, False, True]), generator())
    assert again.ids.tolist() == [MASK, MASK, 3]
    assert places(again.open) == [0, 1]


def test_pin_is_for_good() -> None:
    canvas = canvas_of([None, None, "3"]).pin(torch.tensor([True, False, True]), torch.tensor([5, 6, 7]))
    assert canvas.ids.tolist() == [5, MASK, 3]
    assert places(canvas.pinned) == [0, 2]
    assert canvas.commit(torch.ones(3, dtype=torch.bool), torch.tensor([8, 8, 8])).ids.tolist() == [5, 8, 3]


def test_the_answer_is_what_is_held_and_the_likeliest_elsewhere() -> None:
    assert canvas_of([4, None, "3"]).answer(torch.tensor([7, 8, 9])).tolist() == [4, 8, 3]


def test_only_what_heals_may_stand_at_a_seam() -> None:
    canvas = Canvas.of([Pin([1]), Gap(2, [5, 5], 0.0, first=[2, 3], last=[4])], Masks(MASK), generator())
    assert places(canvas.open) == [1, 2]  # a draft does not heal
    logits = torch.zeros(3, 10)
    canvas.allow(logits)
    assert [places(~row.isneginf()) for row in logits] == [list(range(10)), [2, 3], [4]]


def test_a_seam_moves_with_its_position_and_is_never_deleted_or_parted_from_its_pin() -> None:
    canvas = Canvas.of([Pin([1]), Gap(4, first=[2], last=[4]), Pin([5])], Masks(MASK), generator())
    moved = canvas.spread(torch.tensor([1, 0, 2, 0, 2, 1]), torch.zeros(6, dtype=torch.bool), generator())
    assert moved.origin is not None
    assert moved.origin.tolist() == [0, 1, 2, 2, 4, 5]
    assert {at: only.tolist() for at, only in moved.seams.items()} == {1: [2], 4: [4]}


def test_a_hole_is_free_but_at_its_seams() -> None:
    canvas = Canvas.of([Gap(3, first=[2]), Pin([1]), Gap(1, last=[4])], Masks(MASK), generator())
    assert places(canvas.free(0)) == [1, 2]
    assert places(canvas.free(1)) == [4]  # it has nothing else


def test_one_position_heals_both_seams() -> None:
    canvas = Canvas.of([Gap(1, first=[2, 3], last=[3, 4])], Masks(MASK), generator())
    assert {at: only.tolist() for at, only in canvas.seams.items()} == {0: [3]}


states = st.sampled_from(["pinned", "committed", "open"])


@settings(max_examples=200, deadline=None)
@given(st.data(), st.lists(states, min_size=1, max_size=12), st.booleans())
def test_no_method_changes_a_pin_or_loses_one(data: st.DataObject, kinds: list[str], marked: bool) -> None:
    picture: list[int | str | None] = [
        {"pinned": str(at % 8), "committed": at % 8, "open": None}[kind] for at, kind in enumerate(kinds)
    ]
    canvas = canvas_of(picture, Masks(MASK) if marked else Uniform(9))
    pinned = canvas.ids[canvas.pinned].tolist()
    for _ in range(data.draw(st.integers(1, 6))):
        size = len(canvas)
        where = torch.tensor(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=torch.bool)
        counts = torch.tensor(data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), dtype=torch.long)
        moves = {
            "commit": lambda c=canvas, w=where: c.commit(w, torch.full((len(c),), 8)),
            "reopen": lambda c=canvas, w=where: c.reopen(w, generator(2)),
            "all_open": lambda c=canvas: c.all_open(),
            "spread": lambda c=canvas, w=where, n=counts: c.spread(n, w, generator(2)),
        }
        canvas = moves[data.draw(st.sampled_from(sorted(moves)))]()
        assert canvas.ids[canvas.pinned].tolist() == pinned
        assert canvas.hole[canvas.pinned].tolist() == [OUTSIDE] * len(pinned)
        assert not bool((canvas.pinned & canvas.open).any())
