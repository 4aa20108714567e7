"""A Qwen2 body over flat rows: any rows, any mask, one prefix KV, low-rank adapters gated row by row.

transformers' Qwen2 is the reference that a test holds it equal to. It is written out here because the int8 rows, the
fused projections and the gated adapters need the linear maps themselves (docs/decisions/0002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..kernels.linear import Precision
from ..kv_cache import KVCache
from .adapted import AdaptedLinear, Tensors
from .adapters import Adapter
from .base import MASK, Rows
from .gguf import Shape


class Layer:
    """One transformer layer."""

    def __init__(
        self, index: int, shape: Shape, precision: Precision, tensors: Tensors, adapters: Sequence[Adapter]
    ) -> None:
        def linear(*names: str) -> AdaptedLinear:
            return AdaptedLinear(names, index, precision, tensors, adapters)

        self._index, self._shape, self._precision = index, shape, precision
        self._attention_norm = tensors.vector(f"blk.{index}.attn_norm.weight")
        self._mlp_norm = tensors.vector(f"blk.{index}.ffn_norm.weight")
        self._qkv, self._o = linear("q", "k", "v"), linear("o")
        self._gate_up, self._down = linear("gate", "up"), linear("down")

    def __call__(self, x: Tensor, step: Step, cache: KVCache) -> Tensor:
        """x (rows, width) -> (rows, width); writes this layer's keys and values into the cache."""
        prepare, gates = self._precision.prepare, step.gates
        # The attention's own maps are the ones that rounding hurts: exact for all rows (docs/decisions/0004).
        normed = prepare(self._norm(x, self._attention_norm), x.shape[0])
        attended = self._attend(self._qkv(normed, gates), step, cache)
        x = x + self._o(prepare(attended, step.exact), gates)
        gate_up = self._gate_up(prepare(self._norm(x, self._mlp_norm), step.exact), gates)
        inner = F.silu(gate_up[:, : self._shape.inner]).mul_(gate_up[:, self._shape.inner :])
        return x + self._down(prepare(inner, step.exact), gates)

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(x, (self._shape.width,), weight, self._shape.rms_epsilon)

    def _attend(self, qkv: Tensor, step: Step, cache: KVCache) -> Tensor:
        shape, rows = self._shape, qkv.shape[0]
        heads = qkv.view(rows, shape.heads + 2 * shape.kv_heads, shape.head_width)
        turned = _rotate(heads[:, : shape.heads + shape.kv_heads], step.cosine, step.sine)
        keys, values = cache.write(self._index, turned[:, shape.heads :], heads[:, shape.heads + shape.kv_heads :])
        group = shape.heads // shape.kv_heads
        # The queries of one kv head side by side: (kv heads, group * rows, head width)
        queries = turned[:, : shape.heads].transpose(0, 1).reshape(shape.kv_heads, group * rows, shape.head_width)
        out = F.scaled_dot_product_attention(queries[None], keys[None], values[None], attn_mask=step.mask)[0]
        return out.view(shape.heads, rows, shape.head_width).transpose(0, 1).reshape(rows, shape.width)


def _rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary position embedding (arXiv 2104.09864): x (rows, heads, width), cosine and sine (rows, 1, width)."""
    half = x.shape[-1] // 2
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sine


@dataclass(frozen=True, slots=True)
class Step:
    """What all layers of one forward share."""

    exact: int
    gates: Mapping[int, Tensor] | None  # see `AdaptedLinear`
    mask: Tensor | None  # (1, 1, group * rows, slots), added to the scores
    cosine: Tensor  # (rows, 1, head width)
    sine: Tensor


class Qwen2:
    """The body, its embedding and its head. `adapters` in the order (causal rows, canvas rows), or none."""

    def __init__(
        self, shape: Shape, precision: Precision, tensors: Tensors, adapters: Sequence[Adapter], short: int
    ) -> None:
        self.shape = shape
        self._ranks = [adapter.rank for adapter in adapters]
        self._mask = next((adapter.mask for adapter in adapters if adapter.mask is not None), None)
        self._precision = precision
        self._embedding = tensors["token_embd.weight"]
        self._norm = tensors.vector("output_norm.weight")
        codes, scale = tensors.codes("output.weight")
        with ThreadPoolExecutor(torch.get_num_threads()) as pool:  # packing is the most of loading, and one-threaded
            head = pool.submit(precision.pack, codes, scale)
            short_head = pool.submit(precision.pack, codes[:short], scale[:short]) if short else head
            layers = pool.map(lambda index: Layer(index, shape, precision, tensors, adapters), range(shape.layers))
            self._layers = list(layers)
            self._head, self._short_head = head.result(), short_head.result()
        inverse = 1.0 / shape.rope_base ** (torch.arange(0, shape.head_width, 2).double() / shape.head_width)
        self._inverse = torch.cat((inverse, inverse))

    def new_cache(self) -> KVCache:
        """An empty prefix KV of this body's shape."""
        return KVCache(self.shape.layers, self.shape.kv_heads, self.shape.head_width)

    @property
    def can_propose(self) -> bool:
        """Whether there is an adapter for the canvas."""
        return self._mask is not None

    @torch.inference_mode()
    def forward(self, rows: Rows, cache: KVCache, *, adapted: bool) -> Tensor:
        """Returns hidden states (rows, width) after the last norm; the rows wait in the cache to be committed."""
        cache.room(len(rows))
        step = self._step(rows, cache, adapted)
        x = self._embed(rows.ids)
        for layer in self._layers:
            x = layer(x, step, cache)
        return F.rms_norm(x, (self.shape.width,), self._norm, self.shape.rms_epsilon)

    @torch.inference_mode()
    def logits(self, hidden: Tensor) -> Tensor:
        """(rows, width) -> (rows, vocabulary), exact."""
        return self._head(self._precision.prepare(hidden, hidden.shape[0]))

    @torch.inference_mode()
    def short_logits(self, hidden: Tensor) -> Tensor:
        """(rows, width) -> (rows, short): the most frequent tokens only, not exact; for proposals."""
        return self._short_head(self._precision.prepare(hidden, 0))

    def _embed(self, ids: Sequence[int]) -> Tensor:
        index = torch.tensor([max(number, 0) for number in ids])
        x = self._embedding[index].float()
        masked = [row for row, number in enumerate(ids) if number == MASK]
        if masked and self._mask is not None:
            x[masked] = self._mask
        return x

    def _step(self, rows: Rows, cache: KVCache, adapted: bool) -> Step:
        angles = torch.tensor(rows.positions, dtype=torch.float64)[:, None] * self._inverse  # (rows, head width)
        group = self.shape.heads // self.shape.kv_heads
        seen = rows.visible.shape[1]  # slots after the prompt, then this forward's rows
        mask = torch.zeros(len(rows), cache.length + len(rows))
        mask[:, -seen:].masked_fill_(~rows.visible, float("-inf"))
        return Step(
            exact=rows.exact,
            gates=self._gates(rows, adapted) if self._ranks and (adapted or rows.canvas) else None,
            mask=mask.repeat(group, 1)[None, None],
            cosine=angles.cos().float()[:, None],
            sine=angles.sin().float()[:, None],
        )

    def _gates(self, rows: Rows, adapted: bool) -> Mapping[int, Tensor]:
        """The first adapter, if asked for, on all rows but the canvas; the second, if any, on the canvas."""
        ranks = self._ranks
        gate = torch.zeros(len(rows), sum(ranks))
        gate[:, : ranks[0]] = float(adapted)
        canvas = slice(rows.exact, rows.exact + rows.canvas)
        gate[canvas, : ranks[0]] = 0.0
        gate[canvas, ranks[0] :] = 1.0
        return {maps: gate.repeat(1, maps) for maps in (1, 2, 3)}
