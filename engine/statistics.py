"""What a denoising step wants to know of its logits, row by row. The one place where logits become numbers."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Of softmax(softcap(logits) / temperature), each (rows,).

    `best`: the likeliest token; `sampled`: a drawn one, or `best`. `confidence`, `best_confidence`: their
    probabilities. `entropy`: nats. `gap`: log of how many times likelier the best token is than the next.
    """

    best: Tensor
    sampled: Tensor
    confidence: Tensor
    best_confidence: Tensor
    entropy: Tensor
    gap: Tensor


def scaled(logits: Tensor, temperature: float, softcap: float | None) -> Tensor:
    """(rows, vocabulary) in fp32: softcap(logits) / temperature."""
    z = logits.float()
    if softcap is not None:
        z = torch.tanh(z / softcap) * softcap
    return z / temperature


def statistics(logits: Tensor, temperature: float, softcap: float | None) -> Statistics:
    """logits (rows, vocabulary), of any float type; -inf rules a token out."""
    z = scaled(logits, temperature, softcap)
    logs = z - z.logsumexp(dim=-1, keepdim=True)
    entropy = -(logs.exp() * logs.clamp_min(torch.finfo(torch.float32).min)).sum(dim=-1)
    top, _ = logs.topk(2, dim=-1)
    best, sure = logs.argmax(dim=-1), top[:, 0].exp()
    return Statistics(best, best, sure, sure, entropy, top[:, 0] - top[:, 1])
