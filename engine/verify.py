"""Verification: proposals are accepted as far as the causal reading of the same weights chooses the same tokens.

Lossless (arXiv 2211.17192, for equal weights): the text is the one that reading would have written alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch
from torch import Generator, Tensor

from .canvas import Canvas


def accepted(proposed: Sequence[int], chosen: Sequence[int]) -> int:
    """How many leading proposals the reading chose as well; `chosen` has one token more than `proposed`."""
    for count, (mine, theirs) in enumerate(zip(proposed, chosen, strict=False)):
        if mine != theirs:
            return count
    return len(proposed)


def verified(canvas: Canvas, answer: Tensor, expected: Tensor, ends: Collection[int], generator: Generator) -> Canvas:
    """Pins the answer as far as it is what a causal reading expected, and the reading's own token after that.

    answer, expected: (length,). Pinned tokens are never in question; what follows an end token in its hole is that end
    token. All other positions are open again.
    """
    held = answer.tolist()
    ended: dict[int, int] = {}  # hole -> its end token
    settled = canvas.pinned.clone()
    for at, hole in enumerate(canvas.hole.tolist()):
        if not bool(canvas.pinned[at]):
            token = ended.get(hole, int(expected[at]))
            settled[at] = True
            agrees = hole in ended or held[at] == token
            held[at] = token
            if not agrees:
                break
        if held[at] in ends and hole >= 0:
            ended[hole] = held[at]
    canvas = canvas.pin(settled, torch.tensor(held, device=answer.device))
    return canvas.reopen(~settled, generator)
