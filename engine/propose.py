"""What the next forward verifies: what masks propose, or what an old text or the prompt has after the same tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

    The selected text is what a rewrite proposes: unchanged runs are verified many tokens at a time. After a change the
    match is sought again, of equal ones the nearest to where the answer has got to; what matches in the prompt or the
    answer alone is taken from there, the last one first. `least` to `most` tokens are proposed: twice as many after
    each full acceptance.
    """

    old: tuple[int, ...]
    prompt: tuple[int, ...] = ()
    first: int = 24
    least: int = 4
    most: int = 48
    longest: int = 4

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """See `Propose`."""
        if not draft.committed:
            return draft.propose(self.old[: self.first])
        count = min(self.most, 2 * offered) if accepted == offered else self.least
        return draft.propose(self._following(draft.committed)[: max(count, self.least)])

    def _following(self, committed: tuple[int, ...]) -> tuple[int, ...]:
        text = (*self.prompt, *committed)
        for wanted in _endings(committed, self.longest):
            if ends := _ends(self.old, wanted):
                return self.old[min(ends, key=lambda end: abs(end - len(committed))) :]
            if ends := _ends(text, wanted):
                return text[ends[-1] :]
        return ()


@dataclass(frozen=True, slots=True)
class Lookup:
    """Plain prompt lookup: the `count` tokens that follow the first longest match with the text's own last tokens.

    As transformers' `PromptLookupCandidateGenerator` does it, with the sizes of its author's
    (github.com/apoorvumang/prompt-lookup-decoding).
    """

    prompt: tuple[int, ...]
    count: int = 10
    longest: int = 3

    def __call__(self, draft: Draft, accepted: int, offered: int, block: Tensor | None) -> Draft:
        """See `Propose`."""
        text = (*self.prompt, *draft.committed)
        found = (ends[0] for wanted in _endings(text, self.longest) if (ends := _ends(text, wanted)))
        start = next(found, len(text))
        return draft.propose(text[start : start + self.count])


def _endings(tokens: tuple[int, ...], longest: int) -> Iterator[tuple[int, ...]]:
    """The last tokens, the most of them first."""
    return (tokens[-size:] for size in range(min(longest, len(tokens)), 0, -1))


def _ends(text: tuple[int, ...], wanted: tuple[int, ...]) -> list[int]:
    """Where `wanted` ends in `text` with something behind it, in order."""
    size = len(wanted)
    return [at + size for at in range(len(text) - size) if text[at : at + size] == wanted]
