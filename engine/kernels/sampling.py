"""What a denoising step wants to know of its logits, row by row, without an fp32 copy of them.

A canvas of 256 positions over 262,144 tokens is 268 MB in fp32, and a sampler written plainly makes several. On a GPU
one Triton kernel reads the logits once, in whatever type they are (`sampling_triton.py`); everywhere else the twin here
does the same a few rows at a time. Both draw the same random numbers, so a seed gives the same tokens on both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from torch import Tensor

from .philox import Draw, gumbel

_TRITON = find_spec("triton") is not None  # there is none for Windows
_CHUNK = 1 << 18  # logits that the twin holds in fp32 at a time: 1 MB, which a core's cache keeps


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Of softmax(softcap(logits) / temperature), each (rows,).

    `best`: the likeliest token, of equal ones the lowest id; `sampled`: a drawn one, or `best` without a draw.
    `confidence`, `best_confidence`: the probabilities of `sampled` and `best`. `entropy`: nats. `gap`: log of how many
    times likelier the best token is than the next.
    """

    best: Tensor
    sampled: Tensor
    confidence: Tensor
    best_confidence: Tensor
    entropy: Tensor
    gap: Tensor


def statistics(
    logits: Tensor, temperature: float = 1.0, softcap: float | None = None, draw: Draw | None = None
) -> Statistics:
    """logits (rows, vocabulary), bf16, fp16 or fp32, contiguous in the last dimension; -inf rules a token out.

    Raises `ValueError` for logits of another shape and for a temperature that is not above 0.
    """
    if logits.dim() != 2 or not logits.shape[1] or logits.stride(1) != 1:
        raise ValueError(f"logits are {tuple(logits.shape)} with strides {logits.stride()}; want rows of a vocabulary")
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}; use more than 0, and no draw for the likeliest token")
    if logits.is_cuda and _TRITON:
        from .sampling_triton import fused

        return fused(logits, temperature, softcap, draw)
    return plain(logits, temperature, softcap, draw)


def scaled(logits: Tensor, temperature: float, softcap: float | None) -> Tensor:
    """(rows, vocabulary) in fp32: softcap(logits) / temperature. For a few rows at a time."""
    z = logits.float()
    if softcap is not None:
        z = torch.where(z.isneginf(), z, torch.tanh(z / softcap) * softcap)  # the cap would let in what is ruled out
    return z / temperature


def chunks(logits: Tensor) -> Iterator[slice]:
    """Rows that may be held in fp32 at a time."""
    rows, vocabulary = logits.shape
    step = max(1, _CHUNK // vocabulary)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def plain(logits: Tensor, temperature: float, softcap: float | None, draw: Draw | None) -> Statistics:
    """The twin: the textbook's formulas on a few rows at a time."""
    rows = len(logits)
    # made first: small results between large temporaries would keep the allocator from using their room again
    ids = torch.empty(2, rows, dtype=torch.int64, device=logits.device)
    numbers = torch.empty(4, rows, device=logits.device)
    for chunk in chunks(logits):
        seen = _of_rows(logits[chunk], temperature, softcap, draw, chunk.start)
        ids[:, chunk] = torch.stack((seen.best, seen.sampled))
        numbers[:, chunk] = torch.stack((seen.confidence, seen.best_confidence, seen.entropy, seen.gap))
    return Statistics(*ids, *numbers)


def _of_rows(logits: Tensor, temperature: float, softcap: float | None, draw: Draw | None, first: int) -> Statistics:
    z = scaled(logits, temperature, softcap)
    best = z.argmax(dim=-1)
    sampled = best
    if draw is not None:
        sampled = (z + gumbel(draw, range(first, first + len(z)), z.shape[1], z.device)).argmax(dim=-1)
    top = z.amax(dim=-1)
    logs = z - z.logsumexp(dim=-1, keepdim=True)
    # what cannot be has no part in the entropy, and 0 * -inf would be no number
    entropy = -(logs.exp() * logs.clamp_min(torch.finfo(torch.float32).min)).sum(dim=-1)
    confidence, best_confidence = (logs.gather(1, ids[:, None])[:, 0].exp() for ids in (sampled, best))
    gap = top - z.scatter_(1, best[:, None], float("-inf")).amax(dim=-1)
    return Statistics(best, sampled, confidence, best_confidence, entropy, gap)
