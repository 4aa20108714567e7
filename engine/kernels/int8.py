"""int8 weights on the CPU, with activations quantised row by row.

torch's dynamic int8 product scales activations per tensor, so that rows of one call would influence each other. Here
each row is turned into integers by its own scale first, and a guard row pins the tensor's range so that those integers
pass through unchanged: a row's result is the same bit for bit, whatever other rows are in the call.

Seven bits a row keep the products of AVX2's 16-bit accumulation from saturating. Rows that must be exact are sent
twice, as a coarse row and as the residue of its rounding, which together carry 13 bits.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

import torch
from torch import Tensor

COARSE = 63.0  # largest integer of a quantised activation
FINE = 126.0  # the residue is at most half a step: times 126 it spans the same integers


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """fp32 (out, in) -> int8 codes (out, in) and fp32 scales (out,); symmetric, per output row."""
    scale = weight.abs().amax(dim=1).clamp_min(1e-12) / 127.0
    return (weight / scale[:, None]).round_().clamp_(-127, 127).to(torch.int8), scale


class QuantizedRows:
    """Activations (rows, in) as integers; `exact` counts the leading rows that also have a residue.

    Made once for all the products that read the same activations.
    """

    __slots__ = ("codes", "exact", "rows", "scale")

    def __init__(self, x: Tensor, exact: int) -> None:
        self.rows, width = x.shape
        self.exact = exact
        self.scale = x.abs().amax(dim=1, keepdim=True).clamp_min_(1e-12).mul_(1.0 / COARSE)  # (rows, 1)
        scaled = x / self.scale
        coarse = scaled.round()
        residue = (scaled[:exact] - coarse[:exact]).mul_(FINE).round_()
        self.codes = torch.cat((coarse, residue, _guard(width)))  # (rows + exact + 1, in)


@lru_cache(maxsize=64)
def _guard(width: int) -> Tensor:
    """The row (1, width) that holds the ends of the range."""
    guard = torch.zeros(1, width)
    guard[0, 0], guard[0, 1] = -COARSE, COARSE + 1.0
    return guard


class Int8Linear:
    """y = x W^T with int8 W (out, in), packed for this CPU."""

    __slots__ = ("_packed", "in_features", "out_features")

    def __init__(self, codes: Tensor, scale: Tensor) -> None:
        self.out_features, self.in_features = codes.shape
        zero = torch.zeros(self.out_features, dtype=torch.long)
        with warnings.catch_warnings():  # torch announces the end of quantised tensors; its version is pinned
            warnings.simplefilter("ignore", UserWarning)
            weight = torch._make_per_channel_quantized_tensor(codes, scale.double(), zero, 0)
            self._packed = torch.ops.quantized.linear_prepack(weight, None)

    def __call__(self, x: QuantizedRows) -> Tensor:
        """Returns fp32 (rows, out)."""
        raw = torch.ops.quantized.linear_dynamic(x.codes, self._packed, True)  # (rows + exact + 1, out)
        y: Tensor = raw[: x.rows]
        if x.exact:
            y[: x.exact].add_(raw[x.rows : x.rows + x.exact], alpha=1.0 / FINE)
        return y.mul_(x.scale)


def plain(x: QuantizedRows, codes: Tensor, scale: Tensor) -> Tensor:
    """The same product in fp64, for tests."""
    weight = codes.double() * scale.double()[:, None]
    y = x.codes[: x.rows].double() @ weight.T
    y[: x.exact] += (x.codes[x.rows : x.rows + x.exact].double() @ weight.T) / FINE
    return (y * x.scale.double()).float()
