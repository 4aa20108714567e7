"""Samplers: what is proposed for each position."""

from __future__ import annotations

import pytest
import torch

from engine.kernels.sampling import scaled
from engine.sampler import Greedy, Gumbel, Ruled, Sampler, TopP

from .said import generator, logits_of

LOGITS = logits_of([(1, 0.5), (2, 0.9), (3, 0.2)])


def test_greedy_takes_the_likeliest_and_draws_nothing() -> None:
    noise = generator()
    read = Greedy()(LOGITS, 0.5, None, noise)
    assert read.sampled.tolist() == read.best.tolist() == [1, 2, 3]
    assert torch.equal(noise.get_state(), generator().get_state())


@pytest.mark.parametrize("sampler", [Gumbel(), TopP()])
def test_drawn_tokens_come_as_often_as_they_are_likely(sampler: Sampler) -> None:
    rows = LOGITS[:1].expand(4000, -1)
    sampled = sampler(rows, 1.0, None, generator(3)).sampled
    assert float((sampled == 1).float().mean()) == pytest.approx(0.5, abs=0.03)
    colder = sampler(rows, 0.5, None, generator(3)).sampled
    assert float((colder == 1).float().mean()) == pytest.approx(0.25 / (0.25 + 9 * (0.5 / 9) ** 2), abs=0.03)


@pytest.mark.parametrize("sampler", [Gumbel(), TopP(), TopP(0.9)])
def test_a_seed_draws_the_same_again_and_each_step_something_else(sampler: Sampler) -> None:
    rows = LOGITS[2:].expand(50, -1)
    noise = generator(1)
    first, next_step = (sampler(rows, 1.0, None, noise).sampled.tolist() for _ in range(2))
    again, other = (sampler(rows, 1.0, None, generator(seed)).sampled.tolist() for seed in (1, 2))
    assert first == again != other
    assert first != next_step


def test_the_nucleus_leaves_out_the_unlikely() -> None:
    rows = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log().expand(2000, -1)
    assert set(TopP(0.75)(rows, 1.0, None, generator()).sampled.tolist()) == {0, 1}
    assert set(TopP(0.85)(rows, 1.0, None, generator()).sampled.tolist()) == {0, 1, 2}
    assert set(TopP(1.0)(rows, 1.0, None, generator()).sampled.tolist()) == {0, 1, 2, 3}
    assert set(TopP(0.01)(rows, 1.0, None, generator()).sampled.tolist()) == {0}


@pytest.mark.parametrize("sampler", [Gumbel(), TopP()])
def test_confidence_is_the_proposals_own_probability(sampler: Sampler) -> None:
    read = sampler(LOGITS, 0.7, 2.0, generator(5))
    probabilities = scaled(LOGITS, 0.7, 2.0).softmax(dim=-1)
    assert torch.allclose(read.confidence, probabilities.gather(1, read.sampled[:, None])[:, 0])
    assert torch.allclose(read.best_confidence, probabilities.amax(dim=-1))


@pytest.mark.parametrize("sampler", [Greedy(), Gumbel(), TopP(), TopP(0.9)])
def test_tokens_that_are_ruled_out_are_never_proposed(sampler: Sampler) -> None:
    never = torch.zeros(LOGITS.shape[1], dtype=torch.bool)
    never[[1, 2]] = True
    read = Ruled(sampler, never)(LOGITS.repeat(100, 1), 1.0, 2.0, generator())
    assert not {1, 2} & {*read.sampled.tolist(), *read.best.tolist()}
