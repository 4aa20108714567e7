"""The training loop: steps of numbered examples, validation, the best kept, and a state that survives a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import torch
from torch import nn

from .body import TrainingBody
from .examples import Example
from .low_rank import LowRank
from .objective import Objective
from .progress import CurvePoint, TrainingProgress
from .recipe import Recipe
from .state import RunFolder

SAVE_SECONDS = 240.0  # a kill loses at most this and one step

ExampleOf = Callable[[int], Example]


class Trainer:
    """One run of one adapter. `examples(n)` is example number n; `held_out` are for validation.

    `recipe` is asked before every step, so that the rate and the end can be moved while it runs.
    """

    def __init__(
        self,
        recipe: Callable[[], Recipe],
        folder: RunFolder,
        body: TrainingBody,
        adapter: LowRank,
        examples: ExampleOf,
        held_out: Sequence[Example],
        objective: Objective,
        base_sha256: str,
        save_seconds: float = SAVE_SECONDS,
    ) -> None:
        self._recipe_now, self._recipe = recipe, recipe()
        self._folder, self._body, self._adapter = folder, body, adapter
        self._examples, self._held_out, self._objective, self._base = examples, held_out, objective, base_sha256
        self._optimizer = torch.optim.AdamW(adapter.parameters(), betas=(0.9, 0.98), weight_decay=0.0, fused=True)
        self.step = 0
        self._tokens, self._seconds, self._best = 0, 0.0, float("inf")
        self._processor, self._clock, self._pace = time.process_time(), time.monotonic(), 0.0
        self._save_seconds, self._saved_at = save_seconds, time.monotonic()
        if state := folder.load_state():
            self._restore(state)

    def run(self, stopped: Callable[[], bool]) -> bool:
        """Train to the end; False if `stopped` said so before. Either way the state is saved."""
        if not self._folder.curve.exists():
            self._validate()  # where it starts
        while self.step < self._next_recipe().steps and not stopped() and not self._folder.asked_to_pause:
            self._report(self._train_step())
            if self.step % self._recipe.validate_every == 0 or self.step == self._recipe.steps:
                self._validate()
            if time.monotonic() - self._saved_at >= self._save_seconds:
                self._save()
        self._save()
        return self.step >= self._recipe.steps

    def _next_recipe(self) -> Recipe:
        self._recipe = self._recipe_now()
        return self._recipe

    def _train_step(self) -> float:
        recipe = self._recipe
        first = self.step * recipe.batch
        examples = [self._examples(number) for number in range(first, first + recipe.batch)]
        loss = self._objective.loss(self._body, examples)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._adapter.parameters(), recipe.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = recipe.rate(self.step)
        self._optimizer.step()
        self._tokens += sum(len(example.ids) for example in examples)
        self.step += 1
        return loss.item()

    def _report(self, loss: float) -> None:
        processor, clock = time.process_time(), time.monotonic()
        self._seconds += processor - self._processor
        took = clock - self._clock
        self._pace = 0.8 * self._pace + 0.2 * took if self._pace else took
        self._processor, self._clock = processor, clock
        self._folder.report(TrainingProgress(self.step, self._recipe.steps, self._seconds, self._pace, loss))

    def _validate(self) -> None:
        """A point of the curve; the best adapter so far is kept."""
        score = self._objective.score(self._body, self._held_out)
        rate, seconds = self._recipe.rate(self.step), round(self._seconds, 1)
        point = CurvePoint(self.step, self._tokens, seconds, rate, score.loss, dict(score.figures))
        point.append(self._folder.curve)
        if score.loss < self._best:
            self._best = score.loss
            self._adapter.save(self._folder.best, self._base)
        self._save()

    def _save(self) -> None:
        self._folder.save_state(
            {
                "adapter": self._adapter.state_dict(),
                "optimizer": self._optimizer.state_dict(),
                "step": self.step,
                "tokens": self._tokens,
                "seconds": self._seconds,
                "best": self._best,
            }
        )
        self._saved_at = time.monotonic()

    def _restore(self, state: dict[str, object]) -> None:
        self._adapter.load_state_dict(state["adapter"])  # type: ignore[arg-type]
        self._optimizer.load_state_dict(state["optimizer"])  # type: ignore[arg-type]
        self.step, self._tokens = int(state["step"]), int(state["tokens"])  # type: ignore[call-overload]
        self._seconds, self._best = float(state["seconds"]), float(state["best"])  # type: ignore[arg-type]
