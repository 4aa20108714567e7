"""Training a tiny model: it learns, it goes on after a kill as if there had been none, and its best is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.adapt.corpus import Document
from engine.adapt.examples import Sampler
from engine.adapt.low_rank import LowRank
from engine.adapt.objective import InfillerObjective, Score
from engine.adapt.progress import CurvePoint, load_curve
from engine.adapt.recipe import Cutting, Recipe
from engine.adapt.state import RunFolder
from engine.adapt.trainer import Trainer
from engine.models.adapters import load_adapter
from engine.models.toy import Toy
from tests.engine.models.tiny_qwen import SHAPE

from .tiny_training import training_body

TOY = Toy()
(END,) = {TOY.prompts.text_end}
TEXT = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n\n" for number in range(9))
RECIPE = Recipe(
    steps=12,
    batch=2,
    learning_rate=3e-3,
    warm_up=2,
    validate_every=6,
    cutting=Cutting(graded=12, suffix=(4, 12), prefix=(14, 30), least=4),
)


def trainer(folder: Path, recipe: Recipe = RECIPE, save_seconds: float = 240.0) -> Trainer:
    folder.mkdir(exist_ok=True)
    torch.manual_seed(recipe.seed)
    adapter = LowRank(SHAPE, rank=4, alpha=8)
    documents = [Document("pypi:a", "a.py", "python", TEXT)]
    examples = Sampler(documents, {"python": 1.0}, TOY.tokenizer, TOY.prompts, recipe.cutting, 0)
    checks = [examples(number) for number in range(-3, 0)]
    body = training_body(adapter)
    objective = InfillerObjective(END, recipe.end_weight)
    return Trainer(
        lambda: recipe, RunFolder(folder), body, adapter, examples, checks, objective, "0" * 64, save_seconds
    )


def curve(folder: Path) -> list[CurvePoint]:
    return load_curve(RunFolder(folder).curve)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    state = RunFolder(folder).load_state()
    assert state
    return state["adapter"]


def test_it_learns(tmp_path: Path) -> None:
    assert trainer(tmp_path, replace(RECIPE, steps=60, validate_every=20)).run(lambda: False)
    losses = [point.loss for point in curve(tmp_path)]
    assert losses[-1] < 0.6 * losses[0]
    assert [point.step for point in curve(tmp_path)] == [0, 20, 40, 60]


def test_stopped_and_resumed_is_as_never_stopped(tmp_path: Path) -> None:
    trainer(tmp_path / "whole").run(lambda: False)
    for steps in (1, 5, 8):
        part = trainer(tmp_path / "parts")
        assert not part.run(lambda steps=steps, part=part: part.step >= steps)
        assert part.step == steps
    assert trainer(tmp_path / "parts").run(lambda: False)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_the_best_is_kept_not_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([3.0, 1.0, 2.0])  # before the first step, after six, after twelve
    monkeypatch.setattr(InfillerObjective, "score", lambda *_: Score(next(scores), {}))
    run = trainer(tmp_path)
    run.run(lambda: run.step >= 8)
    best = load_adapter(tmp_path / "best").down[0, "q"]
    assert not torch.equal(best, weights(tmp_path)["down.0-q"].bfloat16().float())
    run.run(lambda: False)
    assert torch.equal(load_adapter(tmp_path / "best").down[0, "q"], best)
    scores = iter([3.0, 1.0])
    part = trainer(tmp_path / "part")
    part.run(lambda: part.step >= 6)
    assert torch.equal(weights(tmp_path / "part")["down.0-q"].bfloat16().float(), best)


def test_saves_by_time(tmp_path: Path) -> None:
    run = trainer(tmp_path, save_seconds=0.0)
    seen: list[int] = []

    def stopped() -> bool:
        seen.append(RunFolder(tmp_path).load_state()["step"])  # type: ignore[index]
        return len(seen) > 4

    run.run(stopped)
    assert seen == [0, 1, 2, 3, 4]


def test_a_state_cut_off_while_it_is_written_is_not_read(tmp_path: Path) -> None:
    trainer(tmp_path, replace(RECIPE, steps=3)).run(lambda: False)
    (tmp_path / "state.pt.new").write_bytes(b"cut o")
    assert trainer(tmp_path).step == 3


KILLED = """
import sys
from pathlib import Path
from tests.engine.adapt.test_trainer import RECIPE, trainer
from dataclasses import replace
trainer(Path(sys.argv[1]), replace(RECIPE, steps=10**6), save_seconds=0.0).run(lambda: False)
"""


def test_a_kill_at_any_moment_loses_no_more_than_what_was_not_saved(tmp_path: Path) -> None:
    """kill -9 while it does little but save: every time the state is whole, and no older than what progress says."""
    step = 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[3])
        try:
            deadline = time.monotonic() + 60
            while _reported(tmp_path) < step + 3 and time.monotonic() < deadline:
                time.sleep(0.01)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        state = RunFolder(tmp_path).load_state()
        assert state
        assert _reported(tmp_path) - 1 <= state["step"] <= _reported(tmp_path)
        assert state["step"] >= step + 2
        step = state["step"]


def _reported(folder: Path) -> int:
    path = folder / "progress.json"
    return int(json.loads(path.read_text())["step"]) if path.exists() else 0
