"""`sfumato adapt` over runs in a folder of the test's."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import pytest

from engine import adapt as runs_of
from server.cli import adapt, models
from tests.engine.adapt.test_runs import FILES, runs

__all__ = ["runs"]  # a fixture


def ask(runs: runs_of.Runs, *argv: str) -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    adapt.add_parser(commands, lambda: runs)
    models.add_parser(commands, open_runs=lambda: runs)
    args = parser.parse_args(argv)
    return int(args.run(args))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "My Project!"
    path.mkdir()
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    for name, text in FILES:
        (path / name).write_text(text)
    return path


def test_a_repository_from_train_to_use(runs: runs_of.Runs, repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(runs, "adapt", "train", "--repo", str(repo), "--steps", "7") == 0
    said = capsys.readouterr().out
    assert f"60 of the 60 files in {repo} are learnt from; they are only read\n" in said
    assert "my-project is being trained in the background: 7 steps" in said
    ask(runs, "adapt", "status")
    assert capsys.readouterr().out == "my-project  running  before the first step\n"
    ask(runs, "adapt", "pause", "my-project")
    assert capsys.readouterr().out.startswith("my-project is paused")
    ask(runs, "models", "use", "my-project")
    assert capsys.readouterr().out.startswith("embedded now uses the adapter of my-project\n")
    assert runs.chosen == "my-project"
    ask(runs, "models", "use", "embedded")
    assert runs.chosen is None
    ask(runs, "adapt", "resume", "my-project")
    ask(runs, "adapt", "pause", "my-project")


def test_status_says_how_far_how_good_and_how_long_yet(runs: runs_of.Runs, capsys: pytest.CaptureFixture[str]) -> None:
    ask(runs, "adapt", "status")
    assert "no runs yet" in capsys.readouterr().out
    runs.create("mine", runs_of.Recipe(), FILES)
    path = runs.folder / "mine"
    runs_of.TrainingProgress(step=200, steps=200, seconds=5400.0, pace=2.0, loss=1.5).save(path / "progress.json")
    for step, loss in ((0, 2.0), (100, 1.0), (200, 1.5)):
        runs_of.CurvePoint(step, 9, 1.0, 1e-4, loss, {}).append(path / "curve.jsonl")
    ask(runs, "adapt", "status")
    expected = "mine  finished  step 200 of 200  1.5 h of computing  loss 1.50  held-out loss 2.00 -> 1.00\n"
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(("seconds", "words"), [(8, "8 s"), (600, "10 min"), (5400, "1.5 h"), (86400, "24.0 h")])
def test_durations_in_the_unit_of_a_person(seconds: float, words: str) -> None:
    assert adapt.duration(seconds) == words


def test_a_finished_run_is_not_resumed(runs: runs_of.Runs) -> None:
    runs.create("mine", runs_of.Recipe(), FILES)
    runs_of.TrainingProgress(9, 9, 1.0, 1.0, 1.0).save(runs.folder / "mine" / "progress.json")
    with pytest.raises(adapt.AdaptError, match="mine is finished"):
        ask(runs, "adapt", "resume", "mine")
