"""The infiller's loss: the last tokens before the suffix, any of which could have been the hole's first, and its end.

In the suffix-first order nothing marks where a hole starts, so one text with its suffix teaches as many holes as it has
tokens. What comes before them is context: no loss, and mostly no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .body import KV, Stream, TrainingBody
from .examples import Example

SHORT_VOCABULARY = (
    32768  # the whole head is a fifth of a row's work; what is missing are rare tokens that are no target
)


@dataclass(frozen=True, slots=True)
class Graded:
    """What a forward said at the graded tokens of some examples, then at their ends."""

    losses: Tensor  # (examples' tokens and ends,), in nats
    right: Tensor  # the same, bool: the likeliest token is the text's
    ends: Tensor  # the same, bool: this is the end token

    def weighted(self, end_weight: float) -> Tensor:
        """The mean loss, an end counting `end_weight` tokens."""
        weights = torch.where(self.ends, end_weight, 1.0)
        return (self.losses * weights).sum() / weights.sum()


def grade(body: TrainingBody, examples: Sequence[Example], end: int, *, short: int = SHORT_VOCABULARY) -> Graded:
    """Compare each graded token, and the end after them, with what the row before it predicts."""
    pasts = _contexts(body, examples)
    streams = [Stream(example.ids[example.context :], past) for example, past in zip(examples, pasts, strict=True)]
    hidden, _ = body.read(streams)
    parts = torch.split(hidden, [len(stream.ids) for stream in streams])
    graded = torch.cat([part[-example.graded - 1 :] for part, example in zip(parts, examples, strict=True)])
    targets = [target for example in examples for target in (*example.ids[-example.graded :], end)]
    labels = torch.tensor(targets, device=graded.device)
    vocabulary = torch.unique(
        torch.cat((torch.arange(min(short, body.shape.vocabulary), device=graded.device), labels))
    )  # sorted
    places = torch.searchsorted(vocabulary, labels)
    logits = body.logits(graded, vocabulary)
    return Graded(F.cross_entropy(logits, places, reduction="none"), logits.argmax(dim=1) == places, labels == end)


@torch.no_grad()
def _contexts(body: TrainingBody, examples: Sequence[Example]) -> list[KV | None]:
    """Keys and values of the rows that are read without gradient, all examples in one forward."""
    having = [example for example in examples if example.context]
    streams = [Stream(example.ids[: example.context]) for example in having]
    written = iter(body.read(streams)[1] if streams else [])
    return [next(written) if example.context else None for example in examples]
