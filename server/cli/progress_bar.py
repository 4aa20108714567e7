"""What the engine is busy with, on standard error: a bar on a terminal, else a line a stage and every ten per cent.

Knows stages and numbers, not what they are of.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

import engine

_SAID = {
    "download": "fetching",
    "verify": "verifying",
    "convert": "preparing, once,",
    "load": "loading",
    "denoise": "denoising for",
}
_IN_BYTES = ("download", "verify")
_STEP = 10  # per cent between two lines where there is no terminal


class ProgressBar:
    """A `ProgressSink` that draws; one bar a stage, gone when it is left. `name` is what is worked on or for."""

    def __init__(self, name: str, console: Console | None = None) -> None:
        self._name = name
        self._console = console or Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
        self._bar = Progress(
            *columns,
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._told = ""

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, progress: engine.Progress) -> None:
        if progress.text and progress.stage != "denoise":  # there it is the draft
            self._print(progress.text)
        else:
            self.show(progress.stage, progress.done, progress.total)

    def show(self, stage: str, done: int, total: int) -> None:
        """How far `stage` is; `total` 0 = unknown."""
        doing = f"{_SAID.get(stage, stage)} {self._name}"
        if self._console.is_terminal:
            self._draw(stage, doing, done, total)
        elif stage != "denoise":
            self._tell(f"{doing}: {_percent(done, total)}" if stage == "download" and total else doing)

    def _draw(self, stage: str, doing: str, done: int, total: int) -> None:
        for other, task in self._tasks.items():
            self._bar.update(task, visible=other == stage)
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(doing, total=None, amount="")
        amount = f"{done / 1e6:.0f}/{total / 1e6:.0f} MB" if stage in _IN_BYTES and total else ""
        self._bar.update(self._tasks[stage], completed=done, total=total or None, amount=amount)

    def _tell(self, line: str) -> None:
        if line != self._told:
            self._told = line
            self._print(line)

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _percent(done: int, total: int) -> str:
    return f"{done * 100 // total // _STEP * _STEP} % of {total / 1e6:.0f} MB"
