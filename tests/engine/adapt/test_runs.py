"""Runs by name, with a stand-in for the training process where its own work is not the point."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.adapt.corpus import load_documents
from engine.adapt.progress import CurvePoint, TrainingProgress
from engine.adapt.recipe import Recipe
from engine.adapt.runs import Runs, RunState
from engine.errors import AdaptError

FILES = [
    (
        f"a{number}.py",
        "".join(f"def f{number}_{name}(value):\n    return value * {number}\n\n\n" for name in "abcdefghijklmnop"),
    )
    for number in range(60)
]
STAND_IN = """#!{python}
import subprocess, sys, time
from pathlib import Path
from engine.hub.disk import locked
path = Path(sys.argv[-1])
if "--background" in sys.argv:
    assert sys.argv[1:5] == ["-P", "-m", "engine.adapt", "--background"]
    subprocess.Popen([sys.argv[0], sys.argv[-1]], start_new_session=True)
    sys.exit()
with locked(path / "lock", lambda: None):
    (path / "best").mkdir(exist_ok=True)
    while not (path / "pause").exists():
        time.sleep(0.05)
"""


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    program = tmp_path / "trainer"
    program.write_text(STAND_IN.format(python=sys.executable))
    program.chmod(0o755)
    runs = Runs(tmp_path / "adapters", str(program))
    yield runs
    for name in runs.names:
        (runs.folder / name / "pause").touch()  # a test that failed leaves no process behind


def wait_for(runs: Runs, state: RunState) -> None:
    deadline = time.monotonic() + 60
    while runs.status("mine").state is not state:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_run_learns_from_code_alone_and_holds_some_out(runs: Runs) -> None:
    secret = FILES[0][1] + 'password = "correct-horse-battery"\n'
    more = [("key.py", secret), ("notes.txt", "x" * 999), ("x_pb2.py", FILES[1][1]), ("tiny.py", "x\n")]
    assert runs.create("mine", Recipe(), [*FILES, *more]) == 60
    path = runs.folder / "mine"
    assert len(load_documents(path / "train.jsonl")) == 57
    assert len(load_documents(path / "held_out.jsonl")) == 3
    recipe = Recipe.load(path / "recipe.json")
    assert (recipe.start_from, recipe.learning_rate) == ("infiller", 1e-4)
    assert recipe.languages == {"python": sum(len(text) for _, text in FILES)}


@pytest.mark.parametrize("name", ["", "..", "a/b", "Ä", ".hidden", "embedded"])
def test_a_name_that_is_none(runs: Runs, name: str) -> None:
    with pytest.raises(AdaptError, match="cannot name a run"):
        runs.create(name, Recipe(), FILES)
    assert runs.names == []


def test_a_name_that_is_taken(runs: Runs) -> None:
    runs.create("mine", Recipe(), FILES)
    with pytest.raises(AdaptError, match="there is a run 'mine' already"):
        runs.create("mine", Recipe(), FILES)


def test_too_little_code(runs: Runs) -> None:
    with pytest.raises(AdaptError, match="too little code to learn from: 3 files"):
        runs.create("mine", Recipe(), FILES[:3])
    with pytest.raises(AdaptError, match="too little code to learn from: 1 files"):
        runs.create("mine", Recipe(), [("all.py", "".join(text for _, text in FILES))])  # none to hold out


def test_started_paused_and_started_again(runs: Runs) -> None:
    runs.create("mine", Recipe(), FILES)
    assert runs.status("mine").state is RunState.PAUSED
    for _ in range(2):
        runs.start("mine")
        assert runs.status("mine").state is RunState.RUNNING
        for refused in (runs.start, runs.remove):
            with pytest.raises(AdaptError, match="is being trained"):
                refused("mine")
        runs.pause("mine")
        wait_for(runs, RunState.PAUSED)
    with pytest.raises(AdaptError, match="not being trained"):
        runs.pause("mine")
    assert runs.names == ["mine"]
    runs.remove("mine")
    assert runs.names == []


def test_a_trainer_that_does_not_start(tmp_path: Path) -> None:
    runs = Runs(tmp_path, "true", starting=0.2)
    runs.create("mine", Recipe(), FILES)
    with pytest.raises(AdaptError, match=r"mine did not start; .*log\.txt says why"):
        runs.start("mine")


def test_a_run_tells_how_far_it_is(runs: Runs) -> None:
    runs.create("mine", Recipe(), FILES)
    path = runs.folder / "mine"
    assert runs.status("mine").progress is None
    TrainingProgress(step=150, steps=200, seconds=60.0, pace=2.0, loss=1.5).save(path / "progress.json")
    points = [
        CurvePoint(step, step * 9, 1.0, 1e-4, middle, {"end": 0.5}) for step, middle in ((40, 1.0), (0, 2.0), (40, 0.9))
    ]
    for point in points:
        point.append(path / "curve.jsonl")
    status = runs.status("mine")
    assert status.progress
    assert status.progress.seconds_left == 100.0
    assert status.curve == [points[1], points[2]]
    TrainingProgress(step=200, steps=200, seconds=60.0, pace=2.0, loss=1.5).save(path / "progress.json")
    assert runs.status("mine").state is RunState.FINISHED


def test_choosing_needs_an_adapter_and_can_be_undone(runs: Runs) -> None:
    runs.create("mine", Recipe(), FILES)
    assert runs.chosen is None
    with pytest.raises(AdaptError, match="has no adapter yet"):
        runs.choose("mine")
    (runs.folder / "mine" / "best").mkdir()
    runs.choose("mine")
    assert runs.chosen == "mine"
    assert runs.adapter("mine") == runs.folder / "mine" / "best"
    runs.choose(None)
    assert runs.chosen is None


def test_what_was_chosen_and_is_gone_is_not_chosen(runs: Runs) -> None:
    runs.create("mine", Recipe(), FILES)
    (runs.folder / "mine" / "best").mkdir()
    runs.choose("mine")
    runs.remove("mine")
    assert runs.chosen is None


def test_a_run_that_is_not_there(runs: Runs) -> None:
    for ask in (runs.start, runs.pause, runs.remove, runs.status, runs.adapter):
        with pytest.raises(AdaptError, match="there is no run 'nope'"):
            ask("nope")
