"""Precisions: the same product from the same codes."""

from __future__ import annotations

import pytest
import torch

from engine.kernels.int8 import quantize_rows
from engine.kernels.linear import PRECISIONS


@pytest.mark.parametrize(("name", "tolerance"), [("float32", 1e-6), ("int8", 1e-3)])
def test_a_product_in_each_precision(name: str, tolerance: float) -> None:
    generator = torch.Generator().manual_seed(0)
    x, weight = torch.randn(5, 96, generator=generator), torch.randn(40, 96, generator=generator)
    codes, scale = quantize_rows(weight)
    precision = PRECISIONS[name]
    assert precision.name == name
    y = precision.pack(codes, scale)(precision.prepare(x, 5))
    expected = x @ (codes * scale[:, None]).T
    assert (y - expected).abs().max() < tolerance * expected.abs().max()
    assert y.dtype is torch.float32
