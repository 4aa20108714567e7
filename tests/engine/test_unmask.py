"""Unmasking: which of the open positions each strategy commits."""

from __future__ import annotations

import math

import pytest
import torch

from engine.unmask import Confident, EntropyBound, Klass, TopK, Unmask

from .said import canvas_of, places, step_of

OPEN = canvas_of([None] * 4)
PARTLY = canvas_of([7, None, None, None, "8"])


def test_confident_takes_all_above_the_threshold() -> None:
    assert places(Confident(0.9)(step_of(OPEN, [(1, 0.95), (1, 0.85), (1, 0.99), (1, 0.5)]))) == [0, 2]


def test_confident_takes_the_surest_where_none_is_sure() -> None:
    assert places(Confident(0.9)(step_of(OPEN, [(1, 0.3), (1, 0.4), (1, 0.6), (1, 0.5)]))) == [2]


@pytest.mark.parametrize(("count", "taken"), [(1, [2]), (2, [0, 2]), (9, [0, 1, 2, 3])])
def test_top_k_takes_so_many(count: int, taken: list[int]) -> None:
    assert places(TopK(count)(step_of(OPEN, [(1, 0.8), (1, 0.3), (1, 0.9), (1, 0.5)]))) == taken


def test_entropy_bound_takes_what_is_nearly_independent() -> None:
    """Their sum without the highest: 0, then the first, then the first two ... as arXiv 2505.24857 has it."""
    said = step_of(OPEN, [(1, 0.999), (1, 0.7), (1, 0.99), (1, 0.9)])
    low = said.statistics.entropy.sort().values.tolist()
    for count in range(1, 5):
        at_least = sum(low[: count - 1])
        taken = places(EntropyBound(at_least + 1e-5)(said))
        assert taken == sorted([0, 2, 3, 1][:count])
    assert places(EntropyBound(1e-9)(said)) == [0]


def test_klass_wants_the_same_said_for_some_steps() -> None:
    sure = [(1, 0.95), (1, 0.95), (1, 0.95), (1, 0.5)]
    first = step_of(OPEN, [(1, 0.95), (1, 0.6), (1, 0.95), (1, 0.5)])
    second = step_of(OPEN, [(1, 0.95), (1, 0.95), (1, 0.95), (1, 0.5)], first)
    third = step_of(OPEN, [(1, 0.95), (1, 0.95), (2, 0.96), (1, 0.5)], second)
    rule = Klass(0.9, 0.01, 2)
    assert places(rule(step_of(OPEN, sure))) == [0]  # nothing is known of before: only the surest
    assert len(places(rule(second))) == 1
    assert places(rule(third)) == [0, 2]  # 1 has wavered two steps ago; 2 is the surest, though it wavers now
    assert places(Klass(0.9, 0.01, 1)(third)) == [0, 1, 2]
    assert places(Klass(0.9, 10.0, 2)(third)) == [0, 1, 2]
    assert places(Klass(0.99, 10.0, 2)(third)) == [2]


def test_klass_looks_back_as_far_as_it_says() -> None:
    assert Klass(steps=3).memory == 3


def test_divergence_is_kullback_and_leiblers() -> None:
    now, then = step_of(canvas_of([None]), [(1, 0.7)]), step_of(canvas_of([None]), [(1, 0.4)])
    expected = 0.7 * math.log(0.7 / 0.4) + 0.3 * math.log(0.3 / 0.6)
    assert float(now.divergence(then)) == pytest.approx(expected, abs=1e-5)


def test_what_is_ruled_out_does_not_diverge() -> None:
    now, then = step_of(canvas_of([None]), [(1, 0.7)]), step_of(canvas_of([None]), [(1, 0.7)])
    for one in (now, then):
        one.logits[0, 3] = float("-inf")
    assert float(now.divergence(then)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("rule", [Confident(), TopK(1), TopK(3), Klass(), EntropyBound()])
def test_something_open_is_taken_however_sure_the_others_are(rule: Unmask) -> None:
    said = step_of(PARTLY, [(1, 0.99), (1, 0.2), (1, 0.3), (1, 0.25), (1, 0.99)])
    taken = rule(said) & PARTLY.open
    assert bool(taken[2])
    assert int(taken.sum()) == (3 if rule == TopK(3) else 1)


def test_with_nothing_open_nothing_open_is_taken() -> None:
    closed = canvas_of([7, "8"])
    for rule in (Confident(), TopK(2), Klass(), EntropyBound()):
        assert not bool((rule(step_of(closed, [(1, 0.5), (1, 0.5)])) & closed.open).any())
        assert isinstance(rule(step_of(closed, [(1, 0.5), (1, 0.5)])), torch.Tensor)
