"""The joint benchmark with a scripted engine: what each way asks, what is kept, and going on after a stop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.joint_quality import main
from engine import (
    CancelToken,
    Candidate,
    InfillRequest,
    InfillResult,
    Mode,
    ProgressSink,
    StopReason,
    SyntaxCheck,
    Timings,
    Usage,
)

from .hand_made import MIDDLE, AnsweringEngine, humaneval_row, write_rows

LINES = ["    total = a + b\n", "    total += 0\n", "    twice = total\n", "    return twice\n"]
BEFORE = humaneval_row(0)["prompt"]


class Filler(AnsweringEngine):
    """Fills hole after hole from a script by what stands before each; lists how many errors its first try adds."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        super().__init__()
        self.script = answers
        self.faults: list[int] = []

    def infill(
        self,
        request: InfillRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> InfillResult:
        self.requests.append(request)
        texts, before, at = [], "", 0
        for hole in request.holes:
            before += request.text[at : hole.start]
            at = hole.end
            texts.append(next((text for end, text in self.script.items() if before.endswith(end)), "?"))
            before += texts[-1]
        if check is not None:
            self.faults += [check(tuple(texts)), check(tuple("(" for _ in texts))]
        usage = Usage(prompt_tokens=20, forwards=2, tokens=6, ms=Timings(encode=3.0, denoise=4.0, total=7.0))
        candidates = [Candidate(tuple(texts), StopReason.END), Candidate(("    total = 7\n",), StopReason.END)]
        return InfillResult(tuple(candidates[: request.candidates]), "filler", request.mode or Mode.LOSSLESS, usage)


def run(folder: Path, part: str, engine: AnsweringEngine, *more: str) -> dict[str, Any]:
    arguments = [part, "--data", str(folder / "tasks.jsonl"), "--out", str(folder / "out.json"), *more]
    assert main(arguments, lambda _: engine) == 0
    summary: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return summary


def two_holes(folder: Path) -> Filler:
    """One task: the first and the third of four lines."""
    row = humaneval_row(0) | {"canonical_solution": LINES[0], "suffix": "".join(LINES[1:3]) + LINES[3].rstrip()}
    write_rows(folder / "tasks.jsonl", [row])
    return Filler({BEFORE: LINES[0], LINES[1]: LINES[2]})


def test_what_each_way_to_fill_two_holes_asks(tmp_path: Path) -> None:
    engine = two_holes(tmp_path)
    summary = run(tmp_path, "holes", engine)
    _, *asked = engine.requests  # the first one warms up
    first, second = len(BEFORE), len(BEFORE + LINES[1])
    between, after = LINES[1], LINES[3].rstrip()
    texts = [BEFORE + between + after, BEFORE + LINES[0] + between + after, BEFORE + between]
    assert [request.text for request in asked] == [*texts, texts[1], texts[0]]
    assert [request.mode for request in asked] == [Mode.LOSSLESS] * 4 + [Mode.JOINT]
    assert [hole.start for hole in asked[-1].holes] == [first, second]
    assert asked[1].holes[0].start == asked[3].holes[0].start == len(BEFORE + LINES[0] + between)
    assert list(summary["ways"]) == ["in_turn", "cut_off", "joint"]
    for figures in summary["ways"].values():
        assert figures["pass_at_1"][0] == figures["exact_match"][0] == 1
    assert [summary["ways"][way]["forwards"] for way in summary["ways"]] == [4, 4, 2]
    assert engine.faults == [0, 1]  # only the joint mode is given the syntax check


def test_a_wrong_filling_of_either_hole_fails(tmp_path: Path) -> None:
    engine = two_holes(tmp_path)
    engine.script = {BEFORE: LINES[0], LINES[1]: "    twice = 2 * total\n"}
    assert run(tmp_path, "holes", engine, "--ways", "joint")["ways"]["joint"]["pass_at_1"][0] == 0


def test_candidates_are_judged_one_by_one(tmp_path: Path) -> None:
    write_rows(tmp_path / "tasks.jsonl", [humaneval_row(0)])
    engine = Filler({BEFORE: "    total = (\n"})
    summary = run(tmp_path, "candidates", engine)
    assert [request.candidates for request in engine.requests] == [1, 1, 3]
    assert summary["n"] == 1
    assert summary["ways"]["joint"]["candidates"] == 2
    assert summary["ways"]["joint"]["syntax_valid"][0] == summary["ways"]["joint"]["any_passes"][0] == 0
    engine.script = {BEFORE: MIDDLE}
    (tmp_path / "out.records.jsonl").unlink()
    again = run(tmp_path, "candidates", engine)["ways"]
    assert again["lossless"]["pass_at_1"][0] == again["joint"]["any_passes"][0] == 1


def test_a_later_run_asks_only_what_is_new(tmp_path: Path) -> None:
    engine = two_holes(tmp_path)
    run(tmp_path, "holes", engine, "--ways", "in_turn")
    asked = len(engine.requests)
    assert run(tmp_path, "holes", engine)["n"] == 1
    assert len(engine.requests) == asked + 1 + 2 + 1  # a warm-up, then the two other ways


def test_a_way_of_the_other_part_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path, "holes", AnsweringEngine(), "--ways", "lossless")
    assert "holes knows no way lossless; use in_turn, cut_off, joint" in capsys.readouterr().err


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["holes", "--data", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "out.json")]
    assert main(arguments, lambda _: AnsweringEngine()) == 1
    assert capsys.readouterr().err.startswith("joint_quality: ")
