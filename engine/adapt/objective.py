"""The infiller's objective: the last tokens before the suffix, any of which could be a hole's first, and its end.

In the suffix-first order nothing marks where a hole starts, so one text with its suffix teaches as many holes as it has
tokens. What comes before them is context: no loss, and mostly no gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from .body import KV, Stream, TrainingBody
from .examples import Example

SHORT_VOCABULARY = (
    32768  # the whole head is a fifth of a row's work; what is missing are rare tokens that are no target
)
_AT_ONCE = 4  # examples a forward of a validation


@dataclass(frozen=True, slots=True)
class Score:
    """How good an adapter is on held-out examples; of two, the one with the smaller `loss` is kept."""

    loss: float
    figures: Mapping[str, float]


class Objective(Protocol):
    """What the trainer minimises, and how it measures on held-out examples."""

    def loss(self, body: TrainingBody, examples: Sequence[Example]) -> Tensor:
        """The loss of one step."""

    def score(self, body: TrainingBody, examples: Sequence[Example]) -> Score:
        """The validation."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What a forward said at the graded tokens of some examples, then at their ends."""

    losses: Tensor  # (examples' tokens and ends,), in nats
    right: Tensor  # the same, bool: the likeliest token is the text's
    ends: Tensor  # the same, bool: this is the end token


@dataclass(frozen=True, slots=True)
class InfillerObjective:
    """`end`: the token that ends a hole, which counts `end_weight` tokens; `short`: the first ids of the vocabulary."""

    end: int
    end_weight: float
    short: int = SHORT_VOCABULARY

    def loss(self, body: TrainingBody, examples: Sequence[Example]) -> Tensor:
        """The mean over all graded tokens and ends, by weight."""
        graded = self.grade(body, examples)
        weights = torch.where(graded.ends, self.end_weight, 1.0)
        return (graded.losses * weights).sum() / weights.sum()

    @torch.no_grad()
    def score(self, body: TrainingBody, examples: Sequence[Example]) -> Score:
        """`middle`, `end`: nats a token. `exact`: share of holes whose every token and end are the likeliest, so that
        greedy decoding writes the text itself. `stops`: the same for ends alone. The loss is a hole of eight tokens'.
        """
        middles, ends, exact, stops = [], [], 0, 0
        for example, losses, right in self._each(body, examples):
            middles += losses[:-1].tolist()
            ends.append(losses[-1].item())
            exact += bool(right[-1 - min(example.middle, example.graded) :].all())
            stops += bool(right[-1])
        count = max(1, len(examples))
        middle, end = sum(middles) / max(1, len(middles)), sum(ends) / count
        return Score(
            (8 * middle + end) / 9, {"middle": middle, "end": end, "exact": exact / count, "stops": stops / count}
        )

    def _each(self, body: TrainingBody, examples: Sequence[Example]) -> Iterator[tuple[Example, Tensor, Tensor]]:
        for start in range(0, len(examples), _AT_ONCE):
            some = examples[start : start + _AT_ONCE]
            graded, sizes = self.grade(body, some), [example.graded + 1 for example in some]
            yield from zip(some, torch.split(graded.losses, sizes), torch.split(graded.right, sizes), strict=True)

    def grade(self, body: TrainingBody, examples: Sequence[Example]) -> Graded:
        """Compare each graded token, and the end after them, with what the row before it predicts."""
        pasts = _contexts(body, examples)
        streams = [Stream(example.ids[example.context :], past) for example, past in zip(examples, pasts, strict=True)]
        hidden, _ = body.read(streams)
        parts = torch.split(hidden, [len(stream.ids) for stream in streams])
        graded = torch.cat([part[-example.graded - 1 :] for part, example in zip(parts, examples, strict=True)])
        targets = [target for example in examples for target in (*example.ids[-example.graded :], self.end)]
        labels = torch.tensor(targets, device=graded.device)
        frequent = torch.arange(min(self.short, body.shape.vocabulary), device=graded.device)
        vocabulary = torch.unique(torch.cat((frequent, labels)))  # sorted
        places = torch.searchsorted(vocabulary, labels)
        logits = body.logits(graded, vocabulary)
        losses = F.cross_entropy(logits, places, reduction="none")
        return Graded(losses, logits.argmax(dim=1) == places, labels == self.end)


@torch.no_grad()
def _contexts(body: TrainingBody, examples: Sequence[Example]) -> list[KV | None]:
    """Keys and values of the rows that are read without gradient, all examples in one forward."""
    having = [example for example in examples if example.context]
    streams = [Stream(example.ids[: example.context]) for example in having]
    written = iter(body.read(streams)[1] if streams else [])
    return [next(written) if example.context else None for example in examples]
