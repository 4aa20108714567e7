"""Samplers: a token of a place is the same whatever else is in the forward."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.choose import Drawn, Greedy, allow_only, rule_out


def logits(rows: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, 100, generator=torch.Generator().manual_seed(seed))


def test_greedy_takes_the_likeliest_and_of_equal_ones_the_lowest() -> None:
    assert Greedy()(torch.tensor([[0.0, 2.0, 1.0], [3.0, 3.0, 1.0]]), 0) == [1, 0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 50), st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_drawn_tokens_do_not_depend_on_the_rows_of_a_forward(seed: int, first: int, sizes: list[int]) -> None:
    rows, choose = logits(sum(sizes), seed), Drawn(seed)
    one_by_one = [choose(row[None], first + place)[0] for place, row in enumerate(rows)]
    in_groups, at = [], 0
    for size in sizes:
        in_groups += choose(rows[at : at + size], first + at)
        at += size
    assert one_by_one == in_groups == choose(rows, first)


def test_drawing_again_with_a_seed_gives_the_same_and_another_seed_another() -> None:
    rows = logits(40)
    assert Drawn(3)(rows, 0) == Drawn(3)(rows, 0)
    assert Drawn(3)(rows, 0) != Drawn(4)(rows, 0)
    assert Drawn(3)(rows, 0) != Drawn(3)(rows, 1)


def test_drawing_leaves_the_global_generator_alone() -> None:
    state = torch.random.get_rng_state()
    Drawn(1)(logits(3), 0)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_drawn_tokens_follow_the_probabilities() -> None:
    row = torch.full((100,), -50.0)
    row[7], row[9] = 1.0, 1.0 + torch.log(torch.tensor(3.0)).item()
    drawn = [Drawn(seed, temperature=1.0, top_p=1.0)(row[None], 0)[0] for seed in range(600)]
    assert set(drawn) == {7, 9}
    assert 0.68 < drawn.count(9) / len(drawn) < 0.82


def test_only_the_nucleus_is_drawn_from() -> None:
    row = torch.full((100,), -50.0)
    row[7], row[9], row[11] = 5.0, 4.9, 1.0
    assert {Drawn(seed, temperature=1.0, top_p=0.9)(row[None], 0)[0] for seed in range(300)} == {7, 9}
    assert {Drawn(seed, temperature=1.0, top_p=0.3)(row[None], 0)[0] for seed in range(50)} == {7}


def test_a_low_temperature_is_greedy() -> None:
    rows = logits(20)
    assert Drawn(5, temperature=1e-4)(rows, 0) == Greedy()(rows, 0)


def test_nothing_but_what_is_allowed_is_chosen() -> None:
    row = logits(1)[0]
    kept = allow_only(row, [3, 50, 98])
    assert set(torch.isfinite(kept).nonzero().flatten().tolist()) == {3, 50, 98}
    assert torch.equal(kept[[3, 50, 98]], row[[3, 50, 98]])
    assert {Drawn(seed, top_p=1.0)(kept[None], 0)[0] for seed in range(40)} <= {3, 50, 98}


def test_tokens_are_ruled_out_of_the_first_rows_only_and_of_a_copy() -> None:
    rows = logits(4)
    left = rule_out(rows, {4, 7}, 2)
    assert left[:2, [4, 7]].isinf().all()
    assert left.isfinite().sum() == 4 * 100 - 4
    assert torch.equal(left[2:], rows[2:])
    assert torch.equal(rows, logits(4))
    assert rule_out(rows, frozenset(), 2) is rows is rule_out(rows, {4}, 0)
