"""What the engine is busy with, as a bar on standard error; nothing when that is no terminal.

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
    "convert": "Preparing the model",
    "load": "Loading the model",
    "denoise": "Denoising",
}


class ProgressBar:
    """A `ProgressSink` that draws; one bar a stage, gone when it is left."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, progress: engine.Progress) -> None:
        self.show(progress.stage, progress.done, progress.total)

    def show(self, stage: str, done: int, total: int) -> None:
        """Draw how far `stage` is; `total` 0 = unknown."""
        for other, task in self._tasks.items():
            self._bar.update(task, visible=other == stage)
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(_SAID.get(stage, stage), total=None, amount="")
        amount = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if stage == "download" and total else ""
        self._bar.update(self._tasks[stage], completed=done, total=total or None, amount=amount)
