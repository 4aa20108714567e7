"""The denoiser's objective: many blocks of open positions over one causal reading, distilled towards that reading.

    causal stream        base + infiller, of a rewrite the base alone, frozen:   ... t[a-1] t[a] t[a+1] t[a+2] ...
    block of anchor a    open positions a+1 ... a+B, which see the stream up to a, and each other
    position a+1+j       predicts token a+2+j: the stream's likeliest token at a+1+j, for that is what gets accepted

The anchor stays in the causal stream, so the next token is exact. Where the stream's likeliest token is not the text's,
decoding leaves the text, and what follows there says little: it counts less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from ..models.base import MASK
from .body import KV, Stream, TrainingBody
from .examples import Example
from .objective import SHORT_VOCABULARY, Score


@dataclass(frozen=True, slots=True)
class Blocks:
    """How open positions are laid over an example."""

    anchors: int = 24  # blocks an example
    width: int = 12  # open positions a block
    revealed: float = 0.25  # share of blocks in which some positions hold their token already, a share drawn evenly
    falling: float = 0.85  # weight of a position against the one before it: it is used only if all before are right
    off_text: float = 0.25  # weight of what follows where decoding would have left the text


@dataclass(frozen=True, slots=True)
class Laid:
    """One example's blocks as one stream's rows, block by block."""

    ids: list[int]  # MASK where open
    positions: list[int]  # of the stream's row whose likeliest token each row is to predict
    visible: Tensor  # (rows, stream + rows)
    anchors: list[int]


def lay_blocks(ids: Sequence[int], graded: int, blocks: Blocks, random: Random) -> Laid:
    """Blocks after some of the graded rows, none drawn twice. Those near the end go on past it, as in serving."""
    places = range(len(ids) - graded - 1, len(ids) - 1)
    anchors = sorted(random.sample(places, min(blocks.anchors, len(places))))
    width, rows = blocks.width, len(anchors) * blocks.width
    visible = torch.zeros(rows, len(ids) + rows, dtype=torch.bool)
    laid: list[int] = []
    for number, anchor in enumerate(anchors):
        block = slice(number * width, (number + 1) * width)
        visible[block, : anchor + 1] = True
        visible[block, len(ids) + block.start : len(ids) + block.stop] = True
        shown = random.random() if random.random() < blocks.revealed else 0.0
        following = [*ids[anchor + 1 : anchor + 1 + width], *[MASK] * width][:width]
        laid += [token if random.random() < shown else MASK for token in following]
    return Laid(laid, [anchor + 1 + j for anchor in anchors for j in range(width)], visible, anchors)


@dataclass(frozen=True, slots=True)
class DenoiserObjective:
    """For a body whose second adapter is the denoiser; the first, frozen, reads the stream."""

    blocks: Blocks
    short: int = SHORT_VOCABULARY  # serving proposes none but these

    def loss(self, body: TrainingBody, examples: Sequence[Example]) -> Tensor:
        """The mean over all open positions, by weight."""
        losses, weights, _ = self._read(body, examples)
        return (losses * weights).sum() / weights.sum().clamp(min=1e-6)

    @torch.no_grad()
    def score(self, body: TrainingBody, examples: Sequence[Example]) -> Score:
        """`draft`: nats an open position. `accepted`: proposals a block that verification would take, one after
        another, on top of the exact next token and the one that a verification gives; a lower bound, since what the
        reading would write once it has left the text is not known.
        """
        losses, weights, runs = self._read(body, examples)
        draft = ((losses * weights).sum() / weights.sum().clamp(min=1e-6)).item()
        return Score(draft, {"draft": draft, "accepted": runs.float().mean().item()})

    def _read(self, body: TrainingBody, examples: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
        """Losses and weights (rows of all examples,), and how many of each block's first proposals are right."""
        pasts, likeliest = self._causal(body, examples)
        laid = [lay_blocks(e.ids, e.graded, self.blocks, Random(sum(e.ids))) for e in examples]
        streams = [
            Stream(each.ids, past, each.positions, each.visible, torch.ones(len(each.ids), dtype=torch.bool))
            for each, past in zip(laid, pasts, strict=True)
        ]
        hidden, _ = body.read(streams)
        logits = body.logits(hidden, torch.arange(min(self.short, body.shape.vocabulary), device=hidden.device))
        sought = [
            likeliest_at(own, place) for each, own in zip(laid, likeliest, strict=True) for place in each.positions
        ]
        targets = torch.tensor(sought, device=hidden.device)
        known = (targets >= 0) & (targets < logits.shape[1])
        losses = F.cross_entropy(logits, torch.where(known, targets, 0), reduction="none")
        weighed = [self._weights(e.ids, b, own) for e, b, own in zip(examples, laid, likeliest, strict=True)]
        weights = torch.tensor([weight for each in weighed for weight in each], device=hidden.device) * known
        right = logits.argmax(dim=1) == targets
        return losses, weights, right.view(-1, self.blocks.width).long().cumprod(dim=1).sum(dim=1)

    @torch.no_grad()
    def _causal(self, body: TrainingBody, examples: Sequence[Example]) -> tuple[list[KV], list[list[int]]]:
        """The streams' keys and values, and the likeliest next token at each row, -1 before the graded ones."""
        hidden, written = body.read([Stream(example.ids, plain=example.plain) for example in examples])
        parts = torch.split(hidden, [len(example.ids) for example in examples])
        likeliest = []
        for part, example in zip(parts, examples, strict=True):
            graded = body.logits(part[-example.graded - 1 :]).argmax(dim=1).tolist()
            likeliest.append([-1] * (len(example.ids) - len(graded)) + graded)
        return written, likeliest

    def _weights(self, ids: Sequence[int], laid: Laid, likeliest: Sequence[int]) -> list[float]:
        """Falling with the distance, and less from where decoding from the anchor would have left the text."""
        weights = []
        for anchor in laid.anchors:
            weight = 1.0
            for place in range(anchor + 1, anchor + 1 + self.blocks.width):
                if place < len(ids) and likeliest[place - 1] != ids[place]:
                    weight = self.blocks.off_text
                weights.append(weight * self.blocks.falling ** (place - anchor - 1))
        return weights


def likeliest_at(likeliest: Sequence[int], place: int) -> int:
    """The likeliest token at a row of the stream; -1 past its end, where there is nothing to predict."""
    return likeliest[place] if place < len(likeliest) else -1
