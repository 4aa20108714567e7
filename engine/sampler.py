"""Samplers: logits to statistics and a proposal for each position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Generator, Tensor

from .kernels.philox import Draw
from .kernels.sampling import Statistics, scaled, statistics


class Sampler(Protocol):
    """Reads a step's logits."""

    def __call__(self, logits: Tensor, temperature: float, softcap: float | None, generator: Generator) -> Statistics:
        """logits: (length, vocabulary)."""


@dataclass(frozen=True, slots=True)
class Greedy:
    """Proposes the likeliest token; draws nothing."""

    def __call__(self, logits: Tensor, temperature: float, softcap: float | None, generator: Generator) -> Statistics:
        """See `Sampler`."""
        return statistics(logits, temperature, softcap)


@dataclass(frozen=True, slots=True)
class Gumbel:
    """Proposes a token drawn from all, by Gumbel-max in the pass that reads the statistics: no copy of the logits.

    The generator gives each step its key; the noise itself depends on key, position and token alone.
    """

    def __call__(self, logits: Tensor, temperature: float, softcap: float | None, generator: Generator) -> Statistics:
        """See `Sampler`."""
        key = int(torch.randint(1 << 62, (), generator=generator, device=generator.device))
        return statistics(logits, temperature, softcap, Draw(key))


@dataclass(frozen=True, slots=True)
class TopP:
    """Proposes a token drawn from the nucleus of probability `p` (arXiv 1904.09751); 1.0 draws from all.

    The draw is torch's multinomial over the whole canvas at once, which is transformers' for DiffusionGemma, token for
    token; it needs the canvas' probabilities in fp32. `Gumbel` draws from the same distribution without.
    """

    p: float = 1.0

    def __call__(self, logits: Tensor, temperature: float, softcap: float | None, generator: Generator) -> Statistics:
        """See `Sampler`."""
        read = statistics(logits, temperature, softcap)
        probabilities = scaled(logits, temperature, softcap).softmax(dim=-1)
        inside = probabilities if self.p >= 1 else _nucleus(probabilities, self.p)
        sampled = torch.multinomial(inside, 1, generator=generator)  # (length, 1)
        return replace(read, sampled=sampled[:, 0], confidence=probabilities.gather(1, sampled)[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """Another sampler, with tokens ruled out everywhere. never: (vocabulary,) bool."""

    sampler: Sampler
    never: Tensor

    def __call__(self, logits: Tensor, temperature: float, softcap: float | None, generator: Generator) -> Statistics:
        """See `Sampler`. The logits are changed in place, as a canvas' seams change them."""
        return self.sampler(logits.masked_fill_(self.never, float("-inf")), temperature, softcap, generator)


def _nucleus(probabilities: Tensor, p: float) -> Tensor:
    """The fewest likeliest tokens that hold `p` together; the others are 0."""
    ordered, ids = probabilities.sort(dim=-1, descending=True)
    outside = ordered.cumsum(dim=-1) - ordered >= p  # the first never is
    return probabilities.scatter(1, ids, ordered.masked_fill(outside, 0.0))
