"""Which open positions become proposals that the next forward verifies, and where masks stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .canvas import Canvas


class Unmask(Protocol):
    """Fills a canvas with proposals and open blocks after a commit."""

    def __call__(self, canvas: Canvas, accepted: int, offered: int, block: Tensor | None) -> Canvas:
        """`accepted` of `offered` proposals were verified; `block` (width, vocabulary): the logits of the masks that
        continue exactly what was accepted, if there was such a block."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No proposals, no masks: one token a forward."""

    def __call__(self, canvas: Canvas, accepted: int, offered: int, block: Tensor | None) -> Canvas:
        """See `Unmask`."""
        return canvas


@dataclass(frozen=True, slots=True)
class Confident:
    """Masks propose; the leading proposals that all hold with probability `threshold` are verified next.

    Fast-dLLM's rule (arXiv 2505.22618) on the running product, since a proposal after a refused one is lost.
    `fallback` puts a second block right after the anchor, for when the first proposal is refused.
    """

    width: int
    most: int = 8
    threshold: float = 0.2
    fallback: bool = True

    def __call__(self, canvas: Canvas, accepted: int, offered: int, block: Tensor | None) -> Canvas:
        """See `Unmask`."""
        proposed = self._sure(block) if block is not None else ()
        blocks = {0, len(proposed)} if self.fallback else {len(proposed)}
        return canvas.propose(proposed).open_after(sorted(blocks), self.width)

    def _sure(self, block: Tensor) -> Sequence[int]:
        best, ids = block[: self.most].max(dim=-1)  # (width,)
        logs = best - block[: self.most].logsumexp(dim=-1)
        running = logs.cumsum(dim=0).exp()
        return [token for token, sure in zip(ids.tolist(), running.tolist(), strict=True) if sure >= self.threshold]
