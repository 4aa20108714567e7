"""The denoising loop, written once: predict, propose, unmask, remask, stop?

It knows canvases and strategies, and a model only through `denoise`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from torch import Generator, Tensor

from .cancel import CancelToken, Deadline
from .canvas import OUTSIDE, Canvas
from .models.base import CanvasModel, CausalReading, Conditioning, Shown
from .remask import Remask
from .request import StopReason
from .sampler import Sampler
from .schedule import Schedule
from .step import Step
from .stopping import Stopping
from .unmask import Unmask
from .verify import verified


@dataclass(frozen=True, slots=True)
class Strategies:
    """How a canvas is denoised."""

    schedule: Schedule
    sampler: Sampler
    unmask: Unmask
    remask: Remask
    stopping: Stopping


@dataclass(slots=True)
class Denoising:
    """One canvas on its way. `generator` draws all its noise, so that no other canvas of a batch changes it."""

    canvas: Canvas
    strategies: Strategies
    generator: Generator
    steps: int = 0
    last: Step | None = None
    best: Tensor | None = None  # (length,): the likeliest tokens of the last step
    stop_reason: StopReason | None = None

    @property
    def answer(self) -> Tensor | None:
        """(length,): the best so far, valid at any time; None before the first step."""
        return None if self.best is None else self.canvas.answer(self.best)

    @property
    def accepted(self) -> Tensor:
        """(length,) bool: what is committed, or was by the last step: a uniform canvas keeps every position open."""
        drawn = self.canvas.ids == self.last.statistics.sampled if self.last else self.canvas.pinned
        return drawn | ~self.canvas.open

    @property
    def shown(self) -> Shown:
        """What the model is asked about."""
        if self.last is None:
            return Shown(self.canvas.ids, None)
        conditioning = Conditioning(self.last.logits, self.last.temperature, self.canvas.ids, self.canvas.pinned)
        return Shown(self.canvas.ids, conditioning)

    def take(self, logits: Tensor, softcap: float | None) -> None:
        """One step. logits: (length, vocabulary), which become this canvas' own."""
        use, shown = self.strategies, self.canvas
        shown.allow(logits)
        temperature = use.schedule(self.steps)
        read = use.sampler(logits, temperature, softcap, self.generator)
        before = _back(self.last, max(use.unmask.memory, use.stopping.memory))
        step = Step(shown, logits, temperature, softcap, read, before)
        committed = shown.commit(use.unmask(step) & shown.open, read.sampled)
        self._move(step, use.remask(step, committed, self.generator))
        self.steps += 1
        if self.canvas.done or use.stopping(step):
            self.stop_reason = StopReason.END
        elif self.steps == use.schedule.steps:
            self.stop_reason = StopReason.STEPS

    def _move(self, step: Step, canvas: Canvas) -> None:
        """On to the next canvas. One with other positions has no history: nothing said before is about them."""
        origin, best = canvas.origin, step.statistics.best
        self.canvas = replace(canvas, origin=None)
        self.best = best if origin is None else best[origin]
        self.last = step if origin is None else None

    def filling(self, hole: int) -> list[int]:
        """The tokens of a hole; none before the first step."""
        answer = self.answer
        return [] if answer is None else list(answer[self.canvas.hole == hole].tolist())

    def text_ids(self, ends: Collection[int]) -> list[int]:
        """The whole canvas' tokens, each hole's up to its first end token; none before the first step."""
        answer, found, ended = self.answer, list[int](), set[int]()
        if answer is None:
            return found
        for token, hole in zip(answer.tolist(), self.canvas.hole.tolist(), strict=True):
            ended |= {hole} if hole != OUTSIDE and token in ends else set()
            found += [] if hole in ended else [token]
        return found


def _back(step: Step | None, memory: int) -> Step | None:
    """A step with no more than `memory` steps in all: each holds its logits."""
    if step is None or not memory:
        return None
    return replace(step, previous=_back(step.previous, memory - 1))


Watch = Callable[[], None]


def denoise(
    model: CanvasModel, canvases: Sequence[Denoising], cancel: CancelToken, deadline: Deadline, watch: Watch
) -> int:
    """Denoise all canvases after the encoded prompt; returns the number of forwards. Raises `Cancelled`.

    A deadline leaves every canvas with its best so far.
    """
    forwards = 0
    for one in canvases:
        if one.canvas.done:
            one.stop_reason = StopReason.END
    while live := [one for one in canvases if one.stop_reason is None]:
        cancel.raise_if_cancelled()
        if deadline.passed:
            for one in live:
                one.stop_reason = StopReason.DEADLINE
            break
        said = model.denoise([one.shown for one in live])
        forwards += 1
        for one, logits in zip(live, said, strict=True):
            one.take(logits, model.softcap)
        watch()
    return forwards


def denoise_and_verify(
    model: CanvasModel, one: Denoising, reading: CausalReading, cancel: CancelToken, deadline: Deadline, watch: Watch
) -> int:
    """Denoise until a causal reading would have written the same; returns the number of forwards, readings included.

    Each reading pins the tokens it agrees with and one of its own, so there are no more rounds than open positions. A
    deadline leaves the best so far.
    """
    forwards = 0
    while True:
        forwards += denoise(model, [one], cancel, deadline, watch)
        answer = one.answer
        if answer is None or one.stop_reason is StopReason.DEADLINE:
            return forwards
        said = reading(answer.tolist())
        forwards += 1
        one.canvas.allow(said)
        one.canvas = verified(one.canvas, answer, said.argmax(dim=-1), model.ends, one.generator)
        if one.canvas.done:
            return forwards
        one.steps, one.last, one.stop_reason = 0, None, None
