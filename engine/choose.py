"""Logits to tokens. Greedy, or drawn from a temperature; both deterministic for a seed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


class Choose(Protocol):
    """Chooses a token for each row."""

    def __call__(self, logits: Tensor, first: int) -> list[int]:
        """logits (rows, vocabulary) -> ids; `first` is the number of the first row's token in the answer."""


@dataclass(frozen=True, slots=True)
class Greedy:
    """The likeliest token; of equal ones the lowest id."""

    def __call__(self, logits: Tensor, first: int) -> list[int]:
        """See `Choose`."""
        return list(logits.argmax(dim=-1).tolist())


@dataclass(frozen=True, slots=True)
class Drawn:
    """A token drawn from the nucleus `top_p` at `temperature`, by Gumbel noise that depends on seed and place only.

    The noise of a place does not depend on how many rows a forward had, so a verified draft draws the same text.
    """

    seed: int
    temperature: float = 0.7
    top_p: float = 0.9

    def __call__(self, logits: Tensor, first: int) -> list[int]:
        """See `Choose`."""
        return [self._draw(row, first + index) for index, row in enumerate(logits)]

    def _draw(self, row: Tensor, place: int) -> int:
        top, ids = row.topk(64)
        probabilities = (top / self.temperature).softmax(dim=0)
        inside = probabilities.cumsum(dim=0) - probabilities < self.top_p  # the first always is
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + place) & 0x7FFF_FFFF)
        noise = -torch.empty(64).exponential_(generator=generator).log()
        score = torch.where(inside, top / self.temperature + noise, torch.tensor(float("-inf")))
        return int(ids[score.argmax()])


def allow_only(logits: Tensor, ids: Sequence[int]) -> Tensor:
    """logits (vocabulary,) with all tokens but `ids` ruled out."""
    kept = torch.full_like(logits, float("-inf"))
    index = torch.tensor(ids, dtype=torch.long)
    kept[index] = logits[index]
    return kept


def rule_out(logits: Tensor, ids: Collection[int], rows: int) -> Tensor:
    """logits (rows, vocabulary) without these tokens in the first `rows` rows."""
    if not ids or not rows:
        return logits
    left = logits.clone()
    left[:rows, list(ids)] = float("-inf")
    return left
