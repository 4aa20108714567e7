"""The fused kernel of `sampling.py`: each logit is read once, in its own type, and nothing is written but statistics.

A program walks one row's part of the vocabulary in blocks with the online softmax (arXiv 1805.02867), carried over to
the entropy, the two highest logits and the Gumbel arg max. Few rows are split into several parts, so that a short
canvas fills a GPU as well; what the parts say is put together in torch, where it is a few numbers a row.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from .philox import Draw
from .sampling import Statistics

BLOCK = 4096  # logits a program holds at a time
PROGRAMS = 512  # enough for every multiprocessor of a large GPU to have a few
_NUMBERS = 6  # of a part: top, second, total, weighted, score, drawn
_IDS = 2  # best, sampled


def fused(
    logits: Tensor, temperature: float, softcap: float | None, draw: Draw | None, programs: int = PROGRAMS
) -> Statistics:
    """See `sampling.statistics`, whose checks have been made."""
    rows, vocabulary = logits.shape
    blocks = triton.cdiv(vocabulary, BLOCK)
    span = BLOCK * triton.cdiv(blocks, min(blocks, triton.cdiv(programs, max(rows, 1))))
    parts = triton.cdiv(vocabulary, span)
    numbers = torch.empty(rows, parts, _NUMBERS, dtype=torch.float32, device=logits.device)
    ids = torch.empty(rows, parts, _IDS, dtype=torch.int64, device=logits.device)
    if rows:
        where = draw or Draw(0)
        with torch.cuda.device(logits.get_device()):
            _read_part[(rows, parts)](
                logits, numbers, ids, logits.stride(0), vocabulary, span, float(temperature), float(softcap or 1.0),
                where.seed, where.step, where.place, softcap is not None, draw is not None, BLOCK, num_warps=8,
            )  # fmt: skip
    return _together(numbers, ids)


def _together(numbers: Tensor, ids: Tensor) -> Statistics:
    """(rows, parts, ...) -> the row's; what a part says is relative to its own top."""
    top, second, total, weighted, score, drawn = numbers.unbind(-1)  # (rows, parts)
    best_part, drawn_part = top.argmax(dim=1, keepdim=True), score.argmax(dim=1, keepdim=True)  # of equals the first
    highest = top.gather(1, best_part)
    below = (top - highest).clamp_min(torch.finfo(torch.float32).min)  # parts may be ruled out altogether
    share = below.exp() * total
    sums = share.sum(dim=1)
    entropy = sums.log() - (below.exp() * weighted + share * below).sum(dim=1) / sums
    others = top.scatter(1, best_part, float("-inf"))
    runner_up = torch.maximum(second.gather(1, best_part), others.amax(dim=1, keepdim=True))
    return Statistics(
        best=ids[..., 0].gather(1, best_part)[:, 0],
        sampled=ids[..., 1].gather(1, drawn_part)[:, 0],
        confidence=(drawn.gather(1, drawn_part) - highest)[:, 0].exp() / sums,
        best_confidence=1 / sums,
        entropy=entropy,
        gap=(highest - runner_up)[:, 0],
    )


@triton.jit(do_not_specialize=["seed", "step", "place"])
def _read_part(
    logits, numbers, ids, row_stride, vocabulary, span, temperature, softcap, seed, step, place,
    CAPPED: tl.constexpr, DRAWN: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row, part = tl.program_id(0), tl.program_id(1)
    line = logits + row.to(tl.int64) * row_stride
    top, second, score, drawn = float("-inf"), float("-inf"), float("-inf"), float("-inf")
    total, weighted = 0.0, 0.0
    best, sampled = part * span, part * span
    for start in range(part * span, min(part * span + span, vocabulary), BLOCK):
        token = start + tl.arange(0, BLOCK)
        z = tl.load(line + token, mask=token < vocabulary, other=float("-inf")).to(tl.float32)
        if CAPPED:  # which would let in what is ruled out, and what lies past the end
            z = tl.where(z == float("-inf"), z, _tanh(z / softcap) * softcap)
        z = z / temperature
        # the two highest
        block_top, at = tl.max(z, axis=0, return_indices=True)
        block_second = tl.max(tl.where(token == start + at, float("-inf"), z), axis=0)
        best = tl.where(block_top > top, start + at, best)
        second = tl.maximum(tl.minimum(top, block_top), tl.maximum(second, block_second))
        # the softmax's denominator, and the sum of z under it, both relative to the top
        new_top = tl.maximum(top, block_top)
        shift = tl.where(total > 0, top - new_top, 0.0)
        above = tl.where(z == float("-inf"), 0.0, z - new_top)
        weight = tl.where(z == float("-inf"), 0.0, tl.exp(above))
        scale = tl.exp(shift)
        weighted = scale * (weighted + shift * total) + tl.sum(weight * above, axis=0)
        total = scale * total + tl.sum(weight, axis=0)
        top = new_top
        # the Gumbel arg max
        if DRAWN:
            noisy = z + _gumbel(seed, start, step, place + row, BLOCK)
            block_score, at = tl.max(noisy, axis=0, return_indices=True)
            block_drawn = tl.max(tl.where(token == start + at, z, float("-inf")), axis=0)
            sampled = tl.where(block_score > score, start + at, sampled)
            drawn = tl.where(block_score > score, block_drawn, drawn)
            score = tl.maximum(score, block_score)
    if not DRAWN:
        score, drawn, sampled = top, top, best
    here = row * tl.num_programs(1) + part
    tl.store(numbers + here * 6, top)
    tl.store(numbers + here * 6 + 1, second)
    tl.store(numbers + here * 6 + 2, total)
    tl.store(numbers + here * 6 + 3, weighted)
    tl.store(numbers + here * 6 + 4, score)
    tl.store(numbers + here * 6 + 5, drawn)
    tl.store(ids + here * 2, best)
    tl.store(ids + here * 2 + 1, sampled)


@triton.jit
def _tanh(x):
    """The language has none of its own."""
    e = tl.exp(-2.0 * tl.abs(x))
    size = (1.0 - e) / (1.0 + e)
    return tl.where(x < 0, -size, size)


@triton.jit
def _gumbel(seed, start, step, place, BLOCK: tl.constexpr):
    """See `philox.gumbel`."""
    quad = (start // 4 + tl.arange(0, BLOCK // 4)).to(tl.uint32)
    nothing = quad * 0
    w0, w1, w2, w3 = tl.philox(seed, quad, nothing + place.to(tl.uint32), nothing + step.to(tl.uint32), nothing)
    words = tl.interleave(tl.interleave(w0, w2), tl.interleave(w1, w3))  # lane by lane of each counter
    v = tl.minimum((words.to(tl.float32) + 0.5) * 2.3283064365386963e-10, 0.99999994)  # 2^-32, 1 - 2^-24
    small = v * (1.0 + v * (0.5 + v * 0.33333334))  # -log1p(-v), which the language lacks, where v < 2^-7
    return -tl.log(tl.where(v < 0.0078125, small, -tl.log(1.0 - v)))
