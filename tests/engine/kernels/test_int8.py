"""The int8 product: equal to its plain twin, without saturation, and each row alone in the world."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernels.int8 import Int8Linear, QuantizedRows, plain, quantize_rows

SIZES = st.sampled_from([(8, 2), (8, 3), (16, 64), (33, 70), (896, 128), (64, 896)])


def random(rows: int, columns: int, seed: int, spread: float = 1.0) -> torch.Tensor:
    """Rows of very different sizes, as activations are."""
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randn(rows, 1, generator=generator).mul(spread).exp()
    return torch.randn(rows, columns, generator=generator) * sizes


def linear(out: int, columns: int, seed: int = 0) -> tuple[Int8Linear, torch.Tensor, torch.Tensor]:
    codes, scale = quantize_rows(random(out, columns, seed))
    return Int8Linear(codes, scale), codes, scale


def assert_equal_to_plain(x: torch.Tensor, exact: int, made: tuple[Int8Linear, torch.Tensor, torch.Tensor]) -> None:
    rows = QuantizedRows(x, exact)
    y, expected = made[0](rows), plain(rows, *made[1:])
    size = (x.abs().amax(dim=1, keepdim=True) * (made[1].float().abs() * made[2][:, None]).sum(dim=1)).clamp_min(1e-9)
    assert ((y - expected).abs() / size).max() < 1e-6


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(1, 20), st.integers(0, 20), st.integers(0, 1000))
def test_it_is_equal_to_its_plain_twin(size: tuple[int, int], rows: int, exact: int, seed: int) -> None:
    assert_equal_to_plain(random(rows, size[1], seed), min(exact, rows), linear(*size, seed))


@pytest.mark.parametrize("columns", [64, 896, 4864])
@pytest.mark.parametrize("pattern", ["all alike", "pairs alike", "signs alternate"])
def test_the_largest_weights_and_activations_do_not_saturate(columns: int, pattern: str) -> None:
    """AVX2 adds neighbouring products in 16 bits: 2 * 127 * 127 fits, 2 * 255 * 127 does not."""
    signs = torch.ones(columns)
    if pattern == "pairs alike":
        signs[2::4] = signs[3::4] = -1
    if pattern == "signs alternate":
        signs[1::2] = -1
    codes = (signs * 127).to(torch.int8).repeat(16, 1)
    codes[1::2] *= -1
    scale = torch.full((16,), 0.01)
    for x in (signs, -signs, torch.ones(columns)):
        assert_equal_to_plain(torch.stack([x, 0.5 * x, -x]), 2, (Int8Linear(codes, scale), codes, scale))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(0, 11), st.integers(0, 12), st.integers(0, 1000))
def test_a_row_is_the_same_bit_for_bit_whatever_other_rows_there_are(
    rows: int, row: int, exact: int, seed: int
) -> None:
    made, _, _ = linear(70, 130)
    row, exact = min(row, rows - 1), min(exact, rows)
    together = made(QuantizedRows(random(rows, 130, seed, spread=4.0), exact))
    alone = made(QuantizedRows(random(rows, 130, seed, spread=4.0)[row : row + 1], int(row < exact)))
    assert torch.equal(together[row], alone[0])


def test_exact_rows_carry_thirteen_bits_and_others_seven() -> None:
    x, (made, codes, scale) = random(6, 896, 1), linear(64, 896)
    truth = x.double() @ (codes.double() * scale.double()[:, None]).T
    y = made(QuantizedRows(x, 3)).double()
    errors = ((y - truth).pow(2).mean(dim=1) / truth.pow(2).mean(dim=1)).sqrt()
    assert errors[:3].max() < 3e-4
    assert 3e-3 < errors[3:].min() <= errors[3:].max() < 3e-2


def test_activations_stay_within_seven_bits() -> None:
    rows = QuantizedRows(random(5, 64, 3, spread=6.0), 5)
    assert rows.codes[:-1].abs().max() <= 63
    assert torch.equal(rows.codes, rows.codes.round())


def test_a_row_of_zeros_is_zero() -> None:
    made, _, _ = linear(8, 64)
    assert torch.equal(made(QuantizedRows(torch.zeros(2, 64), 1)), torch.zeros(2, 8))


def test_no_rows_give_no_rows() -> None:
    made, _, _ = linear(8, 64)
    assert made(QuantizedRows(torch.zeros(0, 64), 0)).shape == (0, 8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000))
def test_weights_are_rounded_to_the_nearest_of_their_rows_codes(seed: int) -> None:
    weight = random(12, 40, seed, spread=5.0)
    codes, scale = quantize_rows(weight)
    assert codes.dtype is torch.int8
    assert codes.abs().amax(dim=1).eq(127).all()
    assert ((codes * scale[:, None] - weight).abs() <= scale[:, None] * 0.5001).all()


def test_a_weight_row_of_zeros_stays_zero() -> None:
    codes, scale = quantize_rows(torch.zeros(2, 4))
    assert torch.equal(codes * scale[:, None], torch.zeros(2, 4))


def test_the_weights_scales_are_their_own() -> None:
    """One scale for the whole matrix would lose the small row."""
    weight = torch.tensor([[100.0, 50.0], [0.001, -0.0005]])
    codes, scale = quantize_rows(weight)
    made = Int8Linear(codes, scale)
    y = made(QuantizedRows(torch.tensor([[1.0, 1.0]]), 1))
    assert y[0].tolist() == pytest.approx([150.0, 0.0005], rel=0.01)
