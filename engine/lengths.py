"""Lengths: how long the holes of a canvas are to be. Length, not denoising, is what infilling most often fails at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from .canvas import Canvas
from .denoise import Denoising
from .kernels.sampling import statistics
from .models.base import CanvasModel, CausalReading, Shown

Layout = Callable[[Sequence[int]], Denoising]
"""Lengths of the holes, in order -> a fresh canvas with holes of these lengths."""
Run = Callable[[Sequence[Denoising]], None]
"""Denoises canvases, as one batch."""


class Lengths(Protocol):
    """Finds the lengths that fit."""

    def __call__(self, model: CanvasModel, layout: Layout, run: Run) -> Denoising:
        """A canvas with holes of the right lengths, denoised."""


@dataclass(frozen=True, slots=True)
class Given:
    """These lengths. Right where the model fills a hole up with end tokens, or changes its length by `InsertDelete`."""

    lengths: tuple[int, ...]

    def __call__(self, model: CanvasModel, layout: Layout, run: Run) -> Denoising:
        """See `Lengths`."""
        one = layout(self.lengths)
        run([one])
        return one


@dataclass(frozen=True, slots=True)
class FirstStep:
    """Of several lengths the one of whose holes the model is surest at its first step, which reads all in one batch.

    A model is surer of some lengths whatever stands around them. So what it says of as many open positions with nothing
    around them is taken off: one forward more.
    """

    lengths: tuple[tuple[int, ...], ...]
    calibrated: bool = True

    def __call__(self, model: CanvasModel, layout: Layout, run: Run) -> Denoising:
        """See `Lengths`."""
        trials = [layout(lengths) for lengths in self.lengths]
        said = model.denoise([trial.shown for trial in trials])
        sure = [_sure(model, trial, logits[trial.canvas.open]) for trial, logits in zip(trials, said, strict=True)]
        if self.calibrated:
            holes = [_holes(trial.canvas) for trial in trials]
            bare = iter(model.denoise([hole for several in holes for hole in several]))
            for number, several in enumerate(holes):
                if several:  # where no hole has a position, nothing can be sure
                    sure[number] -= _sure(model, trials[number], torch.cat([next(bare) for _ in several]))
        one = trials[max(range(len(trials)), key=lambda number: sure[number])]
        run([one])
        return one


def _sure(model: CanvasModel, trial: Denoising, logits: torch.Tensor) -> float:
    """The mean log probability of the likeliest tokens; without any, nothing is sure."""
    read = statistics(logits, trial.strategies.schedule(0), model.softcap)
    return float(read.best_confidence.log().mean()) if len(read.best) else float("-inf")


def _holes(canvas: Canvas) -> list[Shown]:
    """The open positions of each hole, with nothing around them."""
    numbers = sorted(set(canvas.hole[canvas.open].tolist()))
    return [Shown(canvas.ids[canvas.open & (canvas.hole == number)], None) for number in numbers]


@dataclass(frozen=True, slots=True)
class ByReading:
    """Of several lengths, denoised in one batch, the one whose whole text a causal reading finds likeliest."""

    lengths: tuple[tuple[int, ...], ...]
    reading: CausalReading

    def __call__(self, model: CanvasModel, layout: Layout, run: Run) -> Denoising:
        """See `Lengths`."""
        trials = [layout(lengths) for lengths in self.lengths]
        run(trials)
        return max(trials, key=lambda one: self._likely(one.text_ids(model.ends)))

    def _likely(self, ids: Sequence[int]) -> float:
        if not ids:
            return float("-inf")
        logs = self.reading(ids).log_softmax(dim=-1)
        return float(logs.gather(1, torch.tensor(ids, device=logs.device)[:, None]).sum())
