"""What the engine is busy with, on standard error: a bar on a terminal, else a line every ten per cent of a download.

Knows stages and numbers, not what they are of.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

import engine

_SAID = {
    "download": "Fetching the model",
    "verify": "Verifying the model",
    "convert": "Preparing the model, once",
    "load": "Loading the model",
    "denoise": "Denoising",
}
_STEP = 10  # per cent between two lines


class ProgressBar:
    """A `ProgressSink` that draws; one bar a stage, gone when it is left."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._console.is_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._told = -1

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, progress: engine.Progress) -> None:
        if progress.text and progress.stage != "denoise":  # something to say; of denoising it is the draft
            self.say(progress.text)
        else:
            self.show(progress.stage, progress.done, progress.total)

    def say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, stage: str, done: int, total: int) -> None:
        """How far `stage` is; `total` 0 = unknown."""
        amount = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if stage == "download" and total else ""
        if self._console.is_terminal:
            self._draw(stage, done, total, amount)
        elif amount and done * 100 // total // _STEP != self._told:
            self._told = done * 100 // total // _STEP
            self.say(f"{_SAID[stage]}: {amount}")

    def _draw(self, stage: str, done: int, total: int, amount: str) -> None:
        for other, task in self._tasks.items():
            self._bar.update(task, visible=other == stage)
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(_SAID.get(stage, stage), total=None, amount="")
        self._bar.update(self._tasks[stage], completed=done, total=total or None, amount=amount)
