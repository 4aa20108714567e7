"""The embedded family: a frozen causal encoder, and the same weights with gated adapters as denoiser of the canvas.

`causal` is the same family without a denoiser, `base` without any adapter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from ..cancel import NO_DEADLINE, CancelToken, Deadline
from ..kv_cache import PrefixCaches
from ..threads import Threads
from ..tokenizer import Tokenizer
from .base import Prompts, Reading, Rows, Voice, causal
from .qwen2 import Qwen2

PROMPT_CHUNK = 128  # tokens between two looks at the cancel token
SHORT_VOCABULARY = 32768  # Qwen2's ids are ordered by how early they were merged: proposals come from the frequent ones

QWEN_PROMPTS = Prompts(
    fim_prefix=151659,
    fim_suffix=151661,
    fim_middle=151660,
    turn_start=151644,
    turn_end=151645,
    text_end=151643,
)


class EmbeddedModel:
    """Qwen2 weights behind the `Model` protocol."""

    prompts = QWEN_PROMPTS

    def __init__(self, body: Qwen2, tokenizer: Tokenizer, canvas: int, threads: int = 1) -> None:
        self._body = body
        self._threads = Threads(threads)
        self.tokenizer = tokenizer
        self.canvas = canvas if body.can_propose else 0
        self._caches: Mapping[Voice, PrefixCaches] = {voice: PrefixCaches(body.new_cache) for voice in Voice}

    def encode(self, prompt: Sequence[int], voice: Voice, cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """Encode what the prefix KV does not hold yet, at most `PROMPT_CHUNK` tokens a forward."""
        reused = self._caches[voice].begin(prompt)
        cache = self._caches[voice].current
        while cache.length < len(prompt) and not deadline.passed:
            cancel.raise_if_cancelled()
            chunk = prompt[cache.length : cache.length + PROMPT_CHUNK]
            positions = range(cache.length, cache.length + len(chunk))
            self._forward(Rows(chunk, positions, 0, 0, causal(len(chunk))), voice)
            cache.commit_prompt(chunk)
        return reused

    def read(self, rows: Rows, voice: Voice) -> Reading:
        """Exact rows through the whole head, canvas rows through its frequent part."""
        hidden = self._forward(rows, voice)
        end = rows.exact + rows.canvas
        return Reading(self._body.logits(hidden[: rows.exact]), self._body.short_logits(hidden[rows.exact : end]))

    def commit(self, rows: Sequence[int], voice: Voice) -> None:
        """Keep these rows of the last forward."""
        self._caches[voice].current.commit(rows)

    def _forward(self, rows: Rows, voice: Voice) -> Tensor:
        with self._threads.forward():
            return self._body.forward(rows, self._caches[voice].current, adapted=voice is Voice.INFILL)
