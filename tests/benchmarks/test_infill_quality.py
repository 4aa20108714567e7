"""The whole harness with a scripted engine: figures, definitions, stopping and going on, bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.infill_quality import main
from engine import EngineConfig, Hole, Mode, UnknownModelError

from .hand_made import MIDDLE, AnsweringEngine, humaneval_row, santacoder_row, write_rows

KEYS = [
    "n",
    "pass_at_1",
    "exact_match",
    "syntax_valid",
    "stops",
    "tokens",
    "forwards",
    "tokens_per_forward",
    "tokens_per_second",
    "intervals",
    "run",
]


def arguments(folder: Path, *more: str) -> list[str]:
    return ["--model", "embedded", "--data", str(folder / "tasks.jsonl"), "--out", str(folder / "out.json"), *more]


def run(folder: Path, engine: AnsweringEngine, *more: str) -> dict[str, Any]:
    assert main(arguments(folder, *more), lambda _: engine) == 0
    summary: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return summary


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.records.jsonl").read_text().splitlines()[1:]]


def humaneval(folder: Path, answers: Sequence[str]) -> AnsweringEngine:
    rows = [humaneval_row(number) for number in range(len(answers))]
    write_rows(folder / "tasks.jsonl", rows)
    return AnsweringEngine({row["prompt"]: answer for row, answer in zip(rows, answers, strict=True)})


def test_humaneval_is_scored_by_its_tests(tmp_path: Path) -> None:
    engine = humaneval(
        tmp_path,
        [
            MIDDLE,  # exact
            "    total = b + a\n",  # right, other words
            "    total = a - b\n",  # wrong
            "    total = (a + b\n",  # no syntax
            "    total = a + b #",  # swallows the next line, and did not stop by itself
        ],
    )
    summary = run(tmp_path, engine, "--records")
    assert list(summary) == KEYS
    assert (summary["n"], summary["pass_at_1"], summary["exact_match"]) == (5, 0.4, 0.2)
    assert (summary["syntax_valid"], summary["stops"]) == (0.8, 0.8)
    assert (summary["tokens"], summary["forwards"], summary["tokens_per_forward"]) == (30, 10, 3.0)
    assert summary["tokens_per_second"] > 0
    assert all(low <= summary[name] <= high for name, (low, high) in summary["intervals"].items())
    endings = {record["text"]: record["ending"] for record in records(tmp_path)}
    assert endings[MIDDLE] == "passed"
    assert endings["    total = a - b\n"] == "failed AssertionError"
    assert endings["    total = (a + b\n"] == "failed SyntaxError"


def test_the_engine_gets_the_hole_and_never_its_length(tmp_path: Path) -> None:
    engine = humaneval(tmp_path, [MIDDLE])
    run(tmp_path, engine, "--mode", "joint")
    _, request = engine.requests  # the first one warms up
    row = humaneval_row(0)
    assert request.text == row["prompt"] + row["suffix"]
    assert request.holes == (Hole(len(row["prompt"]), len(row["prompt"])),)
    assert (request.max_tokens, request.mode, request.language) == (256, Mode.JOINT, "python")


def test_santacoder_is_scored_by_its_text(tmp_path: Path) -> None:
    rows = [
        santacoder_row("py", "def f(x):", "    return x", "\n", problem=1),
        santacoder_row("js", "function f(x) {", "    return x;", "}\n", problem=1),
        santacoder_row("js", "function g(x) {", "    return x;", "}\n", problem=2),
    ]
    write_rows(tmp_path / "tasks.jsonl", rows)
    answers = ["\n    return x", "    return x;", "    return (x;"]
    summary = run(tmp_path, AnsweringEngine({row["prompt"]: text for row, text in zip(rows, answers, strict=True)}))
    assert list(summary) == KEYS
    assert summary["pass_at_1"] is None
    assert summary["intervals"]["pass_at_1"] == [None, None]
    assert summary["exact_match"] == summary["syntax_valid"] == pytest.approx(2 / 3)
    assert summary["run"]["confinement"] is None


def test_the_run_says_what_it_was(tmp_path: Path) -> None:
    engine = humaneval(tmp_path, [MIDDLE] * 3)
    described = run(tmp_path, engine, "--limit", "2", "--seed", "9", "--precision", "float32")["run"]
    asked = {"model": "embedded", "precision": "float32", "mode": "default", "limit": 2, "seed": 9}
    assert asked.items() <= described.items()
    assert described["engine"] == {"model": "answering", "digest": "none", "threads": "1"}  # no path of this machine
    assert described["data"] == "tasks.jsonl"
    assert len(described["data_sha256"]) == 64
    assert described["machine"]["cpu"]
    assert described["confinement"].startswith("namespaces:")


def test_records_are_kept_only_when_asked(tmp_path: Path) -> None:
    run(tmp_path, humaneval(tmp_path, [MIDDLE]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "tasks.jsonl"]


def test_a_larger_limit_goes_on_from_kept_records(tmp_path: Path) -> None:
    engine = humaneval(tmp_path, [MIDDLE] * 6)
    small = run(tmp_path, engine, "--limit", "2", "--records")
    large = run(tmp_path, engine, "--limit", "5", "--records")
    assert (small["n"], large["n"], large["run"]["taken_over"]) == (2, 5, 2)
    assert len(engine.requests) == 5 + 2  # a warm-up each
    assert len({record["id"] for record in records(tmp_path)}) == 5


def test_a_finished_run_is_summarised_again_without_the_engine(tmp_path: Path) -> None:
    engine = humaneval(tmp_path, [MIDDLE] * 2)
    first = run(tmp_path, engine, "--records")
    again = run(tmp_path, engine, "--records")
    assert len(engine.requests) == 3
    assert {key: first[key] for key in KEYS[:-1]} == {key: again[key] for key in KEYS[:-1]}


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    before = _interrupted(tmp_path, signal.SIGKILL)
    assert before.returncode == -signal.SIGKILL
    done = len(records(tmp_path))
    assert 2 <= done < 6
    summary = run(tmp_path, AnsweringEngine(), "--records")
    assert (summary["n"], summary["run"]["taken_over"]) == (6, done)
    assert summary["pass_at_1"] == 1.0
    assert len(records(tmp_path)) == 6


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_says_so_and_loses_nothing(tmp_path: Path, number: signal.Signals) -> None:
    stopped = _interrupted(tmp_path, number)
    assert stopped.returncode == 128 + number
    done = len(records(tmp_path))
    assert f"stopped with {done} of 6 done; the same command goes on from there" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert not (tmp_path / "out.json").exists()
    assert run(tmp_path, AnsweringEngine())["run"]["taken_over"] == done


def _interrupted(folder: Path, number: signal.Signals) -> subprocess.CompletedProcess[str]:
    """A process of its own, sent `number` once it has two records."""
    humaneval(folder, [MIDDLE] * 6)
    command = [sys.executable, "-m", "tests.benchmarks.slow_infill_quality", *arguments(folder, "--records")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        journal = folder / "out.records.jsonl"
        until = time.monotonic() + 20
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
            assert time.monotonic() < until, "no records in 20 s"
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    return subprocess.CompletedProcess(command, process.returncode, "", said)


def test_bad_input_is_one_line_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def unknown(_: EngineConfig) -> AnsweringEngine:
        raise UnknownModelError("no model 'embedded'; try embedded")

    humaneval(tmp_path, [MIDDLE])
    assert main(arguments(tmp_path), unknown) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "infill_quality: no model 'embedded'; try embedded"
    assert main([*arguments(tmp_path), "--data", str(tmp_path / "none.jsonl")], unknown) == 1
    assert "none.jsonl: cannot be read" in capsys.readouterr().err
    assert main([*arguments(tmp_path), "--out", str(tmp_path / "nowhere" / "out.json")], _opens) == 1
    assert "nowhere" in capsys.readouterr().err


def test_records_of_another_run_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, humaneval(tmp_path, [MIDDLE]), "--records")
    assert main(arguments(tmp_path, "--seed", "1"), _opens) == 1
    assert "records of another run (differs in seed)" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [["--limit", "0"], ["--limit", "x"], ["--mode", "fast"], ["--precision", "int4"]])
def test_bad_options_are_refused(tmp_path: Path, bad: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(arguments(tmp_path, *bad), _opens)
    assert error.value.code == 2
    assert "usage:" in capsys.readouterr().err


def _opens(_: EngineConfig) -> AnsweringEngine:
    return AnsweringEngine()


def test_seconds_are_the_engines_and_not_those_of_the_tests(tmp_path: Path) -> None:
    row = humaneval_row(0)
    write_rows(tmp_path / "tasks.jsonl", [row | {"test": row["test"] + "\nimport time\ntime.sleep(1)\n"}])
    summary = run(tmp_path, AnsweringEngine(seconds=0.05))
    assert summary["pass_at_1"] == 1.0
    assert 6 / 1.0 < summary["tokens_per_second"] <= 6 / 0.05
