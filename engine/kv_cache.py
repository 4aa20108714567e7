"""Keys and values of a prompt and of what follows it. Reused between requests as far as their prompts agree."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

_GROWTH = 512  # slots; growing copies everything, so not one by one


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Length of the longest common prefix."""
    for index, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return index
    return min(len(a), len(b))


class KVCache:
    """Slots (layer, kv head, slot, head width). `length` slots are committed; a forward writes its rows after them."""

    def __init__(self, layers: int, kv_heads: int, head_width: int) -> None:
        self._shape = (layers, kv_heads, head_width)
        self._keys = torch.empty(layers, kv_heads, _GROWTH, head_width)
        self._values = torch.empty_like(self._keys)
        self.length = 0
        self.prompt: list[int] = []

    def reuse(self, prompt: Sequence[int]) -> int:
        """Keep what agrees with `prompt`, drop the rest; returns the number of tokens kept."""
        self.length = common_prefix(self.prompt, prompt)  # what an answer left behind the prompt goes with it
        del self.prompt[self.length :]
        return self.length

    def room(self, rows: int) -> None:
        """Make sure that `rows` more slots exist."""
        needed = self.length + rows
        capacity = self._keys.shape[2]
        if needed <= capacity:
            return
        layers, kv_heads, width = self._shape
        grown = max(needed + _GROWTH, capacity * 3 // 2)
        for name in ("_keys", "_values"):
            old = getattr(self, name)
            new = torch.empty(layers, kv_heads, grown, width)
            new[:, :, : self.length] = old[:, :, : self.length]
            setattr(self, name, new)

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Put rows (rows, kv heads, head width) after the committed slots; returns all keys and values up to them."""
        end = self.length + keys.shape[0]
        self._keys[layer, :, self.length : end] = keys.transpose(0, 1)
        self._values[layer, :, self.length : end] = values.transpose(0, 1)
        return self._keys[layer, :, :end], self._values[layer, :, :end]

    def commit(self, rows: Sequence[int]) -> None:
        """Keep these rows of the last forward, in rising order; they close ranks."""
        for slot, row in enumerate(rows, self.length):
            if slot != self.length + row:
                self._keys[:, :, slot] = self._keys[:, :, self.length + row]
                self._values[:, :, slot] = self._values[:, :, self.length + row]
        self.length += len(rows)

    def commit_prompt(self, ids: Sequence[int]) -> None:
        """Keep all rows of the last forward as a part of the prompt."""
        self.prompt.extend(ids)
        self.length += len(ids)
