"""What of a draft the next forward verifies: the masks' own proposals, or an old text's tokens, realigned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .draft import Draft


class Propose(Protocol):
    """Fills a draft with proposals and open blocks after a commit."""

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """`accepted` of `offered` proposals were verified; `block` (width, vocabulary): the logits of the masks that
        continue exactly what was accepted, if there was such a block."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No proposals, no masks: one token a forward."""

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """See `Propose`."""
        return draft


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

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """See `Propose`."""
        proposed = self._sure(block) if block is not None else ()
        blocks = {0, len(proposed)} if self.fallback else {len(proposed)}
        return draft.propose(proposed).open_after(sorted(blocks), self.width)

    def _sure(self, block: Tensor) -> Sequence[int]:
        best, ids = block[: self.most].max(dim=-1)  # (width,)
        logs = best - block[: self.most].logsumexp(dim=-1)
        running = logs.cumsum(dim=0).exp()
        return [token for token, sure in zip(ids.tolist(), running.tolist(), strict=True) if sure >= self.threshold]


@dataclass(frozen=True, slots=True)
class Realign:
    """Proposes the tokens of an old text that follow the longest match with what was committed last.

    The selected text is what a rewrite proposes: unchanged runs are verified many tokens at a time. After a
    divergence the match is sought again, of equal ones the nearest to where the answer has got to. `least` to `most`
    tokens are proposed: twice as many after each full acceptance.
    """

    old: tuple[int, ...]
    least: int = 4
    most: int = 24
    longest: int = 8

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """See `Propose`."""
        count = min(self.most, 2 * offered) if offered and accepted == offered else self.least
        start = self._resume(draft.committed)
        return draft.propose(self.old[start : start + max(count, self.least)] if start is not None else ())

    def _resume(self, committed: Sequence[int]) -> int | None:
        if not committed:
            return 0
        for size in range(min(self.longest, len(committed)), 1, -1):
            wanted = tuple(committed[-size:])
            found = [at + size for at in range(len(self.old) - size + 1) if self.old[at : at + size] == wanted]
            if found:
                return min(found, key=lambda at: abs(at - len(committed)))
        return None
