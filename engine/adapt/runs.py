"""Training runs by name: made, started in the background, paused, watched, and chosen as a model. Imports no torch.

Its folder, `adapters/` in the hub's: one folder a run (`state.py` says what is in it), and `chosen`, a run's name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import AdaptError
from ..hub.disk import home, locked, storage
from .cleaning import is_written, language_of, tells_a_secret
from .corpus import Document, save_documents
from .progress import CurvePoint, TrainingProgress, load_curve
from .recipe import Recipe

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_HELD_OUT = 20  # every so manieth file is for validation
_LEAST = 40_000  # characters: less is learnt by heart
_RESERVED = ("embedded", "causal", "base")


class RunState(StrEnum):
    """Where a run is."""

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class RunStatus:
    """`progress` is None before the first step; `adapter` is where the best one so far lies, if there is one."""

    name: str
    state: RunState
    progress: TrainingProgress | None
    curve: Sequence[CurvePoint]
    adapter: Path | None
    log: Path


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs in a folder. Every method that takes a name raises `AdaptError` for one that is not there."""

    folder: Path
    python: str = sys.executable
    starting: float = 60.0  # seconds a trainer may take to begin, most of them for importing torch on a busy machine

    def create(self, name: str, recipe: Recipe, files: Sequence[tuple[str, str]]) -> int:
        """A tuning on these (path, text): only what people wrote is taken, no secrets. Returns how many files were.

        Raises `AdaptError` for a name that is taken or none, and for too little text.
        """
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise AdaptError(f"{name!r} cannot name a run; use small letters, digits, dots and dashes, such as my-code")
        documents = [
            Document(name, path, language, text)
            for path, text in files
            if (language := language_of(path)) and is_written(text) and not tells_a_secret(text)
        ]
        if len(documents) < 2 or sum(len(document.text) for document in documents) < _LEAST:
            raise AdaptError(f"too little code to learn from: {len(documents)} files; {_LEAST:,} characters are needed")
        sizes = Counter[str]()
        for document in documents:
            sizes[document.language] += len(document.text)
        training = [document for number, document in enumerate(documents) if number % _HELD_OUT]
        self.create_from(name, recipe.tuning(sizes), training, documents[::_HELD_OUT])
        return len(documents)

    def create_from(
        self, name: str, recipe: Recipe, documents: Sequence[Document], held_out: Sequence[Document]
    ) -> None:
        """A run on these documents as they are."""
        path = self.folder / name
        if path.exists():
            raise AdaptError(f"there is a run {name!r} already: resume it, remove it, or give another name")
        making = self.folder / f".{name}"
        with storage(making):
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(parents=True)
            save_documents(documents, making / "train.jsonl")
            save_documents(held_out, making / "held_out.jsonl")
            recipe.save(making / "recipe.json")
            making.replace(path)

    def start(self, name: str) -> None:
        """Go on training in a process of its own, which outlives this one. Raises `AdaptError` if it does not start."""
        path = self._path(name)
        if self.status(name).state is RunState.RUNNING:
            raise AdaptError(f"{name} is being trained already")
        with storage(path):
            (path / "pause").unlink(missing_ok=True)
            with (path / "log.txt").open("ab") as log:
                # -P: the working folder is the user's, and what lies there must not be imported
                command = [self.python, "-P", "-m", "engine.adapt", "--background", str(path)]
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)
        patience = time.monotonic() + self.starting
        while not _held(path / "lock"):
            if time.monotonic() > patience:
                raise AdaptError(f"{name} did not start; {path / 'log.txt'} says why")
            time.sleep(0.1)

    def pause(self, name: str) -> None:
        """Have it save and leave after the step it is at. A file, since a process's number may be another's by now."""
        path = self._path(name)
        if self.status(name).state is not RunState.RUNNING:
            raise AdaptError(f"{name} is not being trained")
        with storage(path):
            (path / "pause").touch()

    def remove(self, name: str) -> None:
        """All of it, the adapter too."""
        path = self._path(name)
        if self.status(name).state is RunState.RUNNING:
            raise AdaptError(f"{name} is being trained; pause it first")
        with storage(path):
            shutil.rmtree(path)

    @property
    def names(self) -> list[str]:
        """Of all runs, sorted."""
        return sorted(path.parent.name for path in self.folder.glob("[!.]*/recipe.json"))

    def status(self, name: str) -> RunStatus:
        """What is known without asking the process."""
        path = self._path(name)
        progress = TrainingProgress.load(path / "progress.json")
        finished = progress is not None and progress.step >= progress.steps
        state = RunState.RUNNING if _held(path / "lock") else RunState.FINISHED if finished else RunState.PAUSED
        best = path / "best"
        return RunStatus(
            name, state, progress, load_curve(path / "curve.jsonl"), best if best.exists() else None, path / "log.txt"
        )

    def adapter(self, name: str) -> Path:
        """The best adapter of a run. Raises `AdaptError` before there is one."""
        found = self.status(name).adapter
        if found is None:
            raise AdaptError(f"{name} has no adapter yet; see `sfumato adapt status`")
        return found

    @property
    def chosen(self) -> str | None:
        """The run whose adapter the default model has, if one was chosen and is there."""
        path = self.folder / "chosen"
        name = path.read_text("utf-8").strip() if path.exists() else ""
        return name if (self.folder / name / "best").exists() and name else None

    def choose(self, name: str | None) -> None:
        """Have the default model use a run's adapter; None: the shipped one."""
        with storage(self.folder):
            if name is None:
                (self.folder / "chosen").unlink(missing_ok=True)
            else:
                self.adapter(name)
                (self.folder / "chosen").write_text(name + "\n", "utf-8")

    def _path(self, name: str) -> Path:
        path = self.folder / name
        if not _NAME.fullmatch(name) or not (path / "recipe.json").exists():
            raise AdaptError(f"there is no run {name!r}; see `sfumato adapt status`")
        return path


def open_runs() -> Runs:
    """Those of this user."""
    return Runs(home() / "adapters")


class _Held(Exception):  # noqa: N818 - an answer, not a fault
    pass


def _held(lock: Path) -> bool:
    def answer() -> None:
        raise _Held

    try:
        with locked(lock, answer):
            return False
    except _Held:
        return True
