"""Lengths: how long the holes of a canvas are to be. Length, not denoising, is what infilling most often fails at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from .denoise import Denoising
from .models.base import CausalReading


class Layouts(Protocol):
    """Lays out the holes of a text anew, with other lengths."""

    def whole(self, lengths: Sequence[int]) -> Denoising:
        """The canvas with holes of these lengths."""

    def bare(self, hole: int, length: int) -> Denoising:
        """One hole of this length, with nothing pinned around it."""


class Runner(Protocol):
    """Runs canvases as one batch."""

    def step(self, canvases: Sequence[Denoising]) -> None:
        """One step of each."""

    def denoise(self, canvases: Sequence[Denoising]) -> None:
        """To their ends."""


class Lengths(Protocol):
    """Finds the lengths that fit."""

    def __call__(self, layouts: Layouts, runner: Runner) -> Denoising:
        """A canvas with holes of the right lengths, denoised."""


@dataclass(frozen=True, slots=True)
class Given:
    """These lengths. Right where the model fills a hole up with end tokens, or changes its length by `InsertDelete`."""

    lengths: tuple[int, ...]

    def __call__(self, layouts: Layouts, runner: Runner) -> Denoising:
        """See `Lengths`."""
        one = layouts.whole(self.lengths)
        runner.denoise([one])
        return one


@dataclass(frozen=True, slots=True)
class FirstStep:
    """The lengths of which the model is surest at its first step: first of those offered, then of those between.

    What it says of the same hole with nothing around it is taken off, since a model is surer of some lengths whatever
    stands there; and log odds are compared, since probabilities near one differ by nothing. `offered`: for each hole;
    `usual`: the length of each while another is tried; `finer`: lengths tried between two of those offered; `at_once`:
    lengths tried in one batch, each with its logits.
    """

    offered: tuple[tuple[int, ...], ...]
    usual: tuple[int, ...]
    finer: int = 12
    at_once: int = 16
    calibrated: bool = True

    def __call__(self, layouts: Layouts, runner: Runner) -> Denoising:
        """See `Lengths`."""
        return Given(tuple(lengths[0] for lengths in self.ranked(layouts, runner)))(layouts, runner)

    def ranked(self, layouts: Layouts, runner: Runner) -> list[list[int]]:
        """For each hole the lengths that were tried, the surest first."""
        sure: list[dict[int, float]] = [{} for _ in self.usual]
        usual, offered = list(self.usual), [list(each) for each in self.offered]
        for _ in range(2):
            self._try(layouts, runner, usual, offered, sure)
            usual = [max(each, key=each.__getitem__) for each in sure]
            offered = [self._between(one, sorted(each)) for one, each in zip(usual, sure, strict=True)]
        return [sorted(each, key=lambda n, each=each: -each[n]) for each in sure]  # type: ignore[misc]

    def _between(self, best: int, tried: Sequence[int]) -> list[int]:
        """Lengths between the neighbours of the best one, evenly."""
        at = tried.index(best)
        low, high = tried[max(at - 1, 0)], tried[min(at + 1, len(tried) - 1)]
        return sorted(set(range(low, high, -(-(high - low) // self.finer) or 1)) - set(tried))

    def _try(
        self,
        layouts: Layouts,
        runner: Runner,
        usual: Sequence[int],
        offered: Sequence[Sequence[int]],
        sure: Sequence[dict[int, float]],
    ) -> None:
        """How sure a first step is of each hole, by length."""
        trials = [(hole, length) for hole, lengths in enumerate(offered) for length in lengths]
        for start in range(0, len(trials), self.at_once):
            some = trials[start : start + self.at_once]
            whole = [layouts.whole([*usual[:hole], length, *usual[hole + 1 :]]) for hole, length in some]
            bare = [layouts.bare(hole, length) for hole, length in some] if self.calibrated else []
            runner.step([*whole, *bare])
            for number, (hole, length) in enumerate(some):
                sure[hole][length] = _odds(whole[number], hole) - (_odds(bare[number], 0) if bare else 0.0)


def _odds(one: Denoising, hole: int) -> float:
    """Mean log odds of a hole's likeliest tokens against the next, as the last step saw them."""
    assert one.last is not None  # there has been a step
    return float(one.last.statistics.gap[one.last.canvas.free(hole)].mean())


@dataclass(frozen=True, slots=True)
class ByReading:
    """Of several lengths of all holes, denoised in one batch, those whose text a causal reading finds likeliest."""

    lengths: tuple[tuple[int, ...], ...]
    reading: CausalReading
    ends: Collection[int]

    def __call__(self, layouts: Layouts, runner: Runner) -> Denoising:
        """See `Lengths`."""
        trials = [layouts.whole(lengths) for lengths in self.lengths]
        runner.denoise(trials)
        return max(trials, key=lambda one: self._likely(one.text_ids(self.ends)))

    def _likely(self, ids: Sequence[int]) -> float:
        if not ids:
            return float("-inf")
        logs = self.reading(ids).log_softmax(dim=-1)
        return float(logs.gather(1, torch.tensor(ids, device=logs.device)[:, None]).sum())
