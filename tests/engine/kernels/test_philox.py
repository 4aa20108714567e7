"""The random numbers: the published ones, and noise that depends on its place alone."""

from __future__ import annotations

import math

import pytest
import torch

from engine.kernels.philox import Draw, gumbel, noise, philox

# Random123, examples/kat_vectors: philox4x32, 10 rounds
_KNOWN = [
    ((0, 0, 0, 0), 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (1 << 64) - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), 0x299F31D0A4093822, "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "words"), _KNOWN)
def test_the_published_numbers(counter: tuple[int, ...], key: int, words: str) -> None:
    assert " ".join(f"{int(word):08x}" for word in philox(key, counter)) == words


def test_a_token_is_a_lane_of_its_counter() -> None:
    draw = Draw(seed=5 << 32 | 9, step=3, place=70)
    words = [philox(draw.seed, (token // 4, 72, 3, 0))[token % 4] for token in range(7)]
    assert torch.equal(gumbel(draw, range(2, 3), 7)[0], noise(torch.stack(words)))


def test_noise_depends_on_seed_step_and_place_alone() -> None:
    whole = gumbel(Draw(1, 2, place=10), range(5), 100)
    assert torch.equal(gumbel(Draw(1, 2, place=13), range(1), 100), whole[3:4])
    assert torch.equal(gumbel(Draw(1, 2, place=10), range(3, 5), 41), whole[3:5, :41])
    for other in (Draw(2, 2, 10), Draw(1, 3, 10), Draw(1 | 1 << 40, 2, 10)):
        assert (gumbel(other, range(5), 100) == whole).sum() < 3


def test_noise_is_gumbel_noise() -> None:
    drawn = gumbel(Draw(0), range(4), 1 << 18).double()
    assert drawn.mean() == pytest.approx(0.577216, abs=0.006)  # Euler's constant
    assert drawn.var() == pytest.approx(math.pi**2 / 6, abs=0.02)
    for quantile in (0.01, 0.5, 0.9999):
        assert drawn.flatten().sort()[0][int(quantile * drawn.numel())] == pytest.approx(
            -math.log(-math.log(quantile)), abs=0.1
        )


def test_noise_is_finite_and_falls_with_its_word() -> None:
    words = torch.tensor([0, 1, 2, 1 << 10, 1 << 24, 1 << 31, (1 << 32) - 1])
    drawn = noise(words).tolist()
    assert all(map(math.isfinite, drawn))
    assert drawn == sorted(drawn, reverse=True)
    assert drawn[0] == pytest.approx(33 * math.log(2))  # words near 0 are told apart: a large vocabulary needs it


@pytest.mark.parametrize(
    "wrong", [(-1, 0, 0), (1 << 63, 0, 0), (0, -1, 0), (0, 1 << 31, 0), (0, 0, -1), (0, 0, 1 << 31)]
)
def test_what_the_counter_cannot_hold_is_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="outside"):
        Draw(*wrong)
