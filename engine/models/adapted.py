"""Linear maps with gated low-rank adapters, from a model's tensors in either precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import ModelError
from ..kernels.int8 import quantize_rows
from ..kernels.linear import Precision
from .adapters import Adapter

GGUF_NAMES = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip


class AdaptedLinear:
    """Linear maps that read the same rows, fused, each with the low-rank terms of the adapters stacked.

    y_i = W_i x + b_i + B_i (g * A_i x); `g` gates each adapter's ranks row by row. All A_i are rows of the same product
    as the W_i; all B_i are one block-diagonal product, whose input is small enough that 7 bits a row do.
    """

    def __init__(
        self, names: Sequence[str], layer: int, precision: Precision, tensors: Tensors, adapters: Sequence[Adapter]
    ) -> None:
        self._precision = precision
        weights = [tensors.codes(f"blk.{layer}.{GGUF_NAMES[name]}.weight") for name in names]
        downs = [torch.cat([adapter.down[layer, name] for adapter in adapters]) for name in names if adapters]
        ups = [
            tensors.encode(torch.cat([adapter.up[layer, name] for adapter in adapters], dim=1))
            for name in names
            if adapters
        ]
        codes, scales = zip(*weights, *map(tensors.encode, downs), strict=True)
        self._linear = precision.pack(torch.cat(codes), torch.cat(scales))
        self._up = precision.pack(*_block_diagonal(ups)) if ups else None
        self._out = sum(code.shape[0] for code, _ in weights)
        biases = [tensors.bias(f"blk.{layer}.{GGUF_NAMES[name]}.bias") for name in names]
        self._bias = torch.cat([bias for bias in biases if bias is not None]) if biases[0] is not None else None
        self._maps = len(names)

    def __call__(self, x: Any, gates: Mapping[int, Tensor] | None) -> Tensor:
        """`gates`: for so many maps side by side, (rows, their ranks), 1 where an adapter's rank is active; None
        switches all adapters off."""
        raw = self._linear(x)  # (rows, out + ranks of each map)
        y = raw[:, : self._out]
        if self._bias is not None:
            y += self._bias
        if gates is None or self._up is None:
            return y
        low = raw[:, self._out :] * gates[self._maps]
        return y.add_(self._up(self._precision.prepare(low, 0)))


def _block_diagonal(blocks: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Codes and scales of several maps -> those of one map that reads their inputs side by side."""
    codes, scales = zip(*blocks, strict=True)
    joined: Tensor = torch.block_diag(*codes)  # type: ignore[no-untyped-call]
    return joined, torch.cat(scales)


class Tensors:
    """A model's tensors by GGUF name, as int8 rows or as fp32; the weights of one precision, whatever the source."""

    def __init__(self, tensors: Mapping[str, Tensor], precision: Precision) -> None:
        self._tensors = tensors
        self._int8 = precision.name == "int8"

    def __getitem__(self, name: str) -> Tensor:
        """Raises `ModelError` for a tensor that the file lacks."""
        if name not in self._tensors:
            raise ModelError(f"the model file has no tensor {name!r}; it may be cut off or of another architecture")
        return self._tensors[name]

    def vector(self, name: str) -> Tensor:
        """A small tensor, copied: it must not keep the whole file mapped."""
        return self[name].clone()

    def bias(self, name: str) -> Tensor | None:
        """A bias, where the map has one."""
        return self.vector(name) if name in self._tensors else None

    def codes(self, name: str) -> tuple[Tensor, Tensor]:
        """Codes (out, in) and scales (out,)."""
        if self._int8:
            return self[f"{name}.codes"], self[f"{name}.scale"]
        weight = self[name]
        return weight, torch.ones(weight.shape[0])

    def encode(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The same for a matrix that is not in the file."""
        return quantize_rows(weight) if self._int8 else (weight, torch.ones(weight.shape[0]))
