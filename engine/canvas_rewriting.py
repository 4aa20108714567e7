"""Rewriting a selection on canvases, block after block: a finished canvas is encoded and the next goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Generator

from .canvas import Canvas, Gap
from .denoise import Denoising
from .ending import AtEnd, AtFence, AtLength, Ending, before_fence, fenced, first_ending
from .frame import Frame
from .request import Progress, RewriteRequest, StopReason, SyntaxCheck
from .rewriting import Rewritten
from .sampler import Ruled
from .work import CanvasWork

DRAFT_NOISE = 0.5  # noise level of the selected text, which seeds the canvases


def rewrite(work: CanvasWork, request: RewriteRequest, budget: int, check: SyntaxCheck | None) -> Rewritten:
    """The text of `request.attempt`; if `check` finds added errors, one repair round with another draw.

    Raises `Cancelled`.
    """
    first = _attempt(work, request, budget, 2 * request.attempt)
    errors = check((first.text,)) if check else 0
    if not errors or check is None or work.deadline.passed:
        return first
    second = _attempt(work, request, budget, 2 * request.attempt + 1)
    return second if check((second.text,)) < errors else first


def _attempt(work: CanvasWork, request: RewriteRequest, budget: int, seed: int) -> Rewritten:
    model = work.setup.model
    frame = work.setup.frames.rewrite(request, budget)
    selected = request.text[request.start : request.end]
    draft = model.tokenizer.encode(fenced(selected, frame.fence))
    endings: list[Ending] = [AtEnd(model.ends), AtFence(model.tokenizer, frame.fence), AtLength(request.max_tokens)]
    never = work.setup.textless.clone()
    never[list(model.ends)] = False
    strategies = replace(work.setup.strategies, sampler=Ruled(work.setup.strategies.sampler, never))
    generator = Generator(model.device).manual_seed(seed)
    answer: list[int] = []
    reason: StopReason | None = None
    while reason is None:
        if not work.encode([*frame.prompt, *answer]):
            reason = StopReason.DEADLINE
            break
        length = min(work.setup.longest, request.max_tokens - len(answer))
        gap = Gap(length, draft[len(answer) :], DRAFT_NOISE)
        one = Denoising(Canvas.of([gap], model.noise, generator), strategies, generator)
        _denoise(work, one, answer, frame)
        reason = _take(one, answer, endings)
    text = before_fence(model.tokenizer.decode(answer), frame.fence)
    return Rewritten(text, len(answer), reason)


def _take(one: Denoising, answer: list[int], endings: Sequence[Ending]) -> StopReason | None:
    """Append what a canvas says, as far as it goes; returns why to stop."""
    said = one.filling(0)
    kept, reason = first_ending(endings, answer, said) or (len(said), None)
    answer += said[:kept]
    return StopReason.DEADLINE if one.stop_reason is StopReason.DEADLINE else reason


def _denoise(work: CanvasWork, one: Denoising, answer: Sequence[int], frame: Frame) -> None:
    def watch() -> None:
        if work.progress is not None:
            so_far = [*answer, *one.filling(0)]
            text = before_fence(work.setup.model.tokenizer.decode(so_far), frame.fence)
            work.progress(Progress("denoise", len(so_far), 0, text))

    work.denoise([one], watch)
