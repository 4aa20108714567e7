"""Linear maps with gated low-rank adapters, from a model's tensors in either precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..kernels.int8 import quantize_rows
from ..kernels.linear import Linear, Precision
from .adapters import Adapter

_GGUF_NAMES = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip


class AdaptedLinear:
    """Linear maps that read the same rows, fused, each with the low-rank terms of the adapters stacked.

    y_i = W_i x + b_i + B_i (g * A_i x); `g` gates each adapter's ranks row by row.
    """

    def __init__(
        self, names: Sequence[str], layer: int, precision: Precision, tensors: Tensors, adapters: Sequence[Adapter]
    ) -> None:
        weights = [tensors.codes(f"blk.{layer}.{_GGUF_NAMES[name]}.weight") for name in names]
        downs = [
            tensors.encode(torch.cat([adapter.down[layer, name] for adapter in adapters])) for name in names if adapters
        ]
        codes, scales = zip(*weights, *downs, strict=True)
        self._linear: Linear = precision.pack(torch.cat(codes), torch.cat(scales))
        self._widths = [code.shape[0] for code, _ in weights]
        self._out = sum(self._widths)
        self._rank = sum(adapter.rank for adapter in adapters)
        self._ups = [torch.cat([adapter.up[layer, name].T for adapter in adapters]) for name in names if adapters]
        biases = [tensors.bias(f"blk.{layer}.{_GGUF_NAMES[name]}.bias") for name in names]
        self._bias = torch.cat([b for b in biases if b is not None]) if biases[0] is not None else None

    def __call__(self, x: Any, gate: Tensor | None) -> Tensor:
        """`gate` (rows, ranks) is 1 where an adapter's rank is active; None switches all adapters off."""
        raw = self._linear(x)  # (rows, out + ranks of each map)
        y = raw[:, : self._out]
        if self._bias is not None:
            y += self._bias
        if gate is None or not self._ups:
            return y
        used = gate.shape[1]
        at, low = 0, self._out
        for width, up in zip(self._widths, self._ups, strict=True):
            y[:, at : at + width].addmm_(raw[:, low : low + used] * gate, up[:used])
            at, low = at + width, low + self._rank
        return y


class Tensors:
    """A model's tensors by GGUF name, as int8 rows or as fp32; the weights of one precision, whatever the source."""

    def __init__(self, tensors: Mapping[str, Tensor], precision: Precision) -> None:
        self._tensors = tensors
        self._int8 = precision.name == "int8"

    def __getitem__(self, name: str) -> Tensor:
        return self._tensors[name]

    def bias(self, name: str) -> Tensor | None:
        """A bias, where the map has one."""
        return self._tensors.get(name)

    def codes(self, name: str) -> tuple[Tensor, Tensor]:
        """Codes (out, in) and scales (out,)."""
        if self._int8:
            return self._tensors[f"{name}.codes"], self._tensors[f"{name}.scale"]
        weight = self._tensors[name]
        return weight, torch.ones(weight.shape[0])

    def encode(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The same for a matrix that is not in the file."""
        return quantize_rows(weight) if self._int8 else (weight, torch.ones(weight.shape[0]))
