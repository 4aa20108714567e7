"""Keys and values of a prompt and of what follows it. Reused between requests as far as their prompts agree.

A few prompts are kept beside each other: who jumps back to where he was, or fills holes in turn, finds his own again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

_GROWTH = 512  # slots; growing copies everything, so not one by one
_PROMPTS = 3  # kept; each takes memory like a prompt of the whole budget
_WORTH_KEEPING = 64  # tokens of a prompt beyond what the next one shares; typing and deleting leave fewer behind


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

    def take_over(self, other: KVCache, tokens: int) -> None:
        """Hold the first `tokens` of the other's prompt, and nothing else."""
        self.length, self.prompt = 0, other.prompt[:tokens]
        self.room(tokens)
        self._keys[:, :, :tokens] = other._keys[:, :, :tokens]
        self._values[:, :, :tokens] = other._values[:, :, :tokens]
        self.length = tokens

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
            with torch.inference_mode(False):  # a forward calls; what it makes could not be moved about outside of one
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


class PrefixCaches:
    """The prefix KVs of the last prompts, the least recently used given up first."""

    def __init__(self, new_cache: Callable[[], KVCache]) -> None:
        self._new_cache = new_cache
        self._caches = [new_cache()]  # the last one used is the last one

    @property
    def current(self) -> KVCache:
        """The one of the prompt that `begin` was last called for."""
        return self._caches[-1]

    def begin(self, prompt: Sequence[int]) -> int:
        """Make `current` the cache that goes on with `prompt`; returns how many of its tokens are held already."""
        shared, best = max(
            ((common_prefix(cache.prompt, prompt), cache) for cache in reversed(self._caches)), key=lambda pair: pair[0]
        )
        if len(best.prompt) - shared > _WORTH_KEEPING:
            best = self._beside(best, shared)
        self._caches = [*(cache for cache in self._caches if cache is not best), best]
        return best.reuse(prompt)

    def _beside(self, kept: KVCache, shared: int) -> KVCache:
        """Another cache that begins as `kept` does."""
        if len(self._caches) < _PROMPTS:
            other = self._new_cache()
        else:
            other = next(cache for cache in self._caches if cache is not kept)
        other.take_over(kept, shared)
        return other
