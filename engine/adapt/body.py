"""The frozen base with adapters, differentiable: the same forward as `models/qwen2.py`, over flat rows of many streams.

Serving has int8 rows, one stream and no gradients; here are several streams at once, and gradients for the adapters
alone. A test holds both equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..models.adapted import GGUF_NAMES
from ..models.base import MASK
from ..models.gguf import Shape
from .low_rank import LowRank

_GROUPS = {"qkv": ("q", "k", "v"), "o": ("o",), "gate_up": ("gate", "up"), "down": ("down",)}

KV = list[tuple[Tensor, Tensor]]
"""Keys and values of each layer, each (kv heads, rows, head width)."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows of one forward that see each other, and the past they continue. `MASK` in `ids` is an open position.

    `visible` (rows, past + rows); None: causal. `canvas` (rows,): rows of the second adapter, if any. `plain`: none is
    of the first.
    """

    ids: Sequence[int]
    past: KV | None = None
    positions: Sequence[int] | None = None  # default: they go on counting
    visible: Tensor | None = None
    canvas: Tensor | None = None
    plain: bool = False

    @property
    def seen(self) -> int:
        """Rows of the past."""
        return self.past[0][0].shape[1] if self.past else 0


@dataclass(frozen=True, slots=True)
class _Step:
    streams: Sequence[Stream]
    cosine: Tensor  # (rows, 1, head width)
    sine: Tensor
    masks: Sequence[Tensor]  # of each stream, (rows, past + rows), added to the scores
    gates: Sequence[Tensor | None]  # of each adapter, (rows, 1)


class TrainingBody:
    """`adapters` in the order (causal rows, canvas rows); one alone acts on all rows."""

    def __init__(
        self, shape: Shape, tensors: Mapping[str, Tensor], adapters: Sequence[LowRank], device: str, dtype: torch.dtype
    ) -> None:
        self.shape, self.adapters, self.device, self.dtype = shape, adapters, device, dtype
        self._weights = {
            (layer, group): torch.cat([tensors[f"blk.{layer}.{GGUF_NAMES[name]}.weight"] for name in names]).to(
                device, dtype
            )
            for layer in range(shape.layers)
            for group, names in _GROUPS.items()
        }
        self._bias = [
            torch.cat([tensors[f"blk.{layer}.{GGUF_NAMES[name]}.bias"] for name in _GROUPS["qkv"]]).to(device, dtype)
            for layer in range(shape.layers)
        ]
        self._norms = {
            name: tensor.to(device, dtype) for name, tensor in tensors.items() if name.endswith("norm.weight")
        }
        self._embedding = tensors["token_embd.weight"].to(device, dtype)
        self._head = tensors["output.weight"].to(device, dtype)
        inverse = 1.0 / shape.rope_base ** (torch.arange(0, shape.head_width, 2).double() / shape.head_width)
        self._inverse = torch.cat((inverse, inverse))

    def read(self, streams: Sequence[Stream]) -> tuple[Tensor, list[KV]]:
        """Hidden states (rows of all streams, width) after the last norm, and each stream's own keys and values."""
        step = self._step(streams)
        x = self._embed([number for stream in streams for number in stream.ids])
        written: list[KV] = [[] for _ in streams]
        for layer in range(self.shape.layers):
            x = self._layer(layer, x, step, written)
        return self._norm(x, "output_norm.weight"), written

    def logits(self, hidden: Tensor, vocabulary: Tensor | None = None) -> Tensor:
        """(rows, width) -> fp32 (rows, vocabulary), or of these token ids alone."""
        return F.linear(hidden, self._head if vocabulary is None else self._head[vocabulary]).float()

    def _layer(self, layer: int, x: Tensor, step: _Step, written: Sequence[KV]) -> Tensor:
        qkv = self._linear(layer, "qkv", self._norm(x, f"blk.{layer}.attn_norm.weight"), step)
        x = x + self._linear(layer, "o", self._attend(layer, qkv, step, written), step)
        gate_up = self._linear(layer, "gate_up", self._norm(x, f"blk.{layer}.ffn_norm.weight"), step)
        gate, up = torch.split(gate_up, self.shape.inner, dim=1)
        return x + self._linear(layer, "down", F.silu(gate) * up, step)

    def _linear(self, layer: int, group: str, x: Tensor, step: _Step) -> Tensor:
        y = F.linear(x, self._weights[layer, group], self._bias[layer] if group == "qkv" else None)
        keys = [f"{layer}-{name}" for name in _GROUPS[group]]
        for adapter, gate in zip(self.adapters, step.gates, strict=True):
            down = torch.cat([adapter.down[key] for key in keys]).to(x.dtype)
            low = F.linear(x, down) * adapter.scale
            lows = torch.split(low if gate is None else low * gate, adapter.rank, dim=1)
            ups = [F.linear(each, adapter.up[key].to(x.dtype)) for each, key in zip(lows, keys, strict=True)]
            y = y + torch.cat(ups, dim=1)
        return y

    def _attend(self, layer: int, qkv: Tensor, step: _Step, written: Sequence[KV]) -> Tensor:
        shape = self.shape
        heads = qkv.view(len(qkv), shape.heads + 2 * shape.kv_heads, shape.head_width)
        turned = _rotate(heads[:, : shape.heads + shape.kv_heads], step.cosine, step.sine)
        kv = (turned[:, shape.heads :], heads[:, shape.heads + shape.kv_heads :])
        outs, start = [], 0
        for stream, mask, own in zip(step.streams, step.masks, written, strict=True):
            rows = slice(start, start := start + len(stream.ids))
            own.append((kv[0][rows].transpose(0, 1), kv[1][rows].transpose(0, 1)))
            keys, values = own[-1]
            if stream.past:
                keys, values = (torch.cat(pair, dim=1) for pair in zip(stream.past[layer], own[-1], strict=True))
            keys, values = (each.repeat_interleave(shape.heads // shape.kv_heads, 0) for each in (keys, values))
            queries = turned[rows, : shape.heads].transpose(0, 1)
            out = F.scaled_dot_product_attention(queries[None], keys[None], values[None], attn_mask=mask)[0]
            outs.append(out.transpose(0, 1).reshape(-1, shape.width))
        return torch.cat(outs)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return F.rms_norm(x, (self.shape.width,), self._norms[name], self.shape.rms_epsilon)

    def _embed(self, ids: Sequence[int]) -> Tensor:
        index = torch.tensor(ids, device=self.device)
        x = self._embedding[index.clamp(min=0)]
        mask = self.adapters[-1].mask if self.adapters else None
        return x if mask is None else torch.where((index == MASK)[:, None], mask.to(x.dtype), x)

    def _step(self, streams: Sequence[Stream]) -> _Step:
        places = [stream.positions or range(stream.seen, stream.seen + len(stream.ids)) for stream in streams]
        positions = torch.tensor([place for each in places for place in each], dtype=torch.float64)
        angles = positions[:, None] * self._inverse  # (rows, head width)
        cosine, sine = (turn[:, None].to(self.device, self.dtype) for turn in (angles.cos(), angles.sin()))
        return _Step(streams, cosine, sine, [self._mask(stream) for stream in streams], self._gates(streams))

    def _mask(self, stream: Stream) -> Tensor:
        rows = len(stream.ids)
        visible = stream.visible
        if visible is None:
            visible = torch.ones(rows, stream.seen + rows, dtype=torch.bool).tril_(stream.seen)
        return torch.zeros(visible.shape).masked_fill_(~visible, float("-inf")).to(self.device, self.dtype)

    def _gates(self, streams: Sequence[Stream]) -> list[Tensor | None]:
        if len(self.adapters) < 2:
            return [None] * len(self.adapters)
        rows = [s.canvas if s.canvas is not None else torch.zeros(len(s.ids), dtype=torch.bool) for s in streams]
        causal = [~each & (not stream.plain) for each, stream in zip(rows, streams, strict=True)]
        return [torch.cat(each)[:, None].to(self.device, self.dtype) for each in (causal, rows)]


def _rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary position embedding (arXiv 2104.09864): x (rows, heads, width)."""
    half = x.shape[-1] // 2
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sine
