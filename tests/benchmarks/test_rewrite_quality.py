"""The rewrite benchmark with a scripted engine: what each way asks, how it is judged, and going on after a stop."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.rewrite_quality import WAYS, main
from engine import (
    CancelToken,
    Drafts,
    Progress,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    StopReason,
    SyntaxCheck,
    Usage,
)

from .hand_made import AnsweringEngine, editeval_row, humanevalpack_row, write_rows

FORWARDS = {Drafts.SELECTION: 2, Drafts.NOTHING: 20, Drafts.DENOISER: 10, Drafts.LOOKUP: 4}


def mended(request: RewriteRequest) -> str:
    return request.text[request.start : request.end].replace(" - ", " + ")


class Rewriter(AnsweringEngine):
    """Answers by a rule; draws a round of 12 tokens, and one of 8 if the check minds the first."""

    def __init__(self, answer: Callable[[RewriteRequest], str] = mended) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[RewriteRequest] = []

    def rewrite(
        self,
        request: RewriteRequest,
        *,
        cancel: CancelToken | None = None,
        progress: ProgressSink | None = None,
        check: SyntaxCheck | None = None,
    ) -> RewriteResult:
        self.asked.append(request)
        text = self.answer(request)
        assert check is not None
        for done in (5, 12, 3, 8) if check((text,)) else (5, 12):
            if progress is not None:
                progress(Progress("denoise", done))
        stop = StopReason.LENGTH if request.max_tokens == 1 else StopReason.END
        return RewriteResult(text, stop, "scripted", Usage(prompt_tokens=30, forwards=FORWARDS[request.drafts]))


def run(folder: Path, engine: Rewriter, *more: str) -> dict[str, Any]:
    arguments = ["--data", str(folder / "tasks.jsonl"), "--out", str(folder / "out.json"), *more]
    assert main(arguments, lambda _: engine) == 0
    summary: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return summary


def with_tasks(folder: Path, *rows: dict[str, str]) -> Path:
    write_rows(folder / "tasks.jsonl", rows)
    return folder


def test_every_way_is_asked_the_same_with_its_own_drafts(tmp_path: Path) -> None:
    engine = Rewriter()
    summary = run(with_tasks(tmp_path, humanevalpack_row("Python", 0)), engine)
    first, *asked = engine.asked
    assert first.max_tokens == 1  # reads the prompt for all of them
    assert [request.drafts for request in asked] == list(WAYS.values())
    assert len({(one.text, one.start, one.end, one.instruction, one.attempt, one.max_tokens) for one in asked}) == 1
    assert asked[0].text[asked[0].start : asked[0].end] == "def add(a, b):\n    return a - b"
    assert list(summary["ways"]) == ["selection", "causal_chat", "unseeded_canvas", "prompt_lookup"]
    assert {figures["pass_at_1"][0] for figures in summary["ways"].values()} == {1}
    assert summary["ways"]["selection"]["tokens_per_forward"][0] == 12 / 2
    against = summary["against"]["prompt_lookup / selection"]
    assert (against["forwards"][0], against["fewer_forwards"], against["differs"]) == (2, 0, [])
    assert summary["parts"]["Python"]["n"] == summary["n"] == 1


def test_a_wrong_text_fails_and_a_refused_one_is_named(tmp_path: Path) -> None:
    rows = [editeval_row(number) for number in range(3)]
    answers = {"EditEval/0": " * ", "EditEval/1": " - ", "EditEval/2": " + "}
    for row in rows:
        row["input"] = f"# {row['task_id']}\n{row['input']}"

    def answer(request: RewriteRequest) -> str:
        text = request.text[request.start : request.end]
        return text.replace(" - ", next(sign for name, sign in answers.items() if name in text))

    summary = run(with_tasks(tmp_path, *rows), Rewriter(answer), "--ways", "selection")
    figures = summary["ways"]["selection"]
    assert figures["pass_at_1"][0] == 1 / 3
    assert figures["refused"] == {"unchanged": 1}
    assert figures["edits_outside"] == 0
    assert figures["tokens_per_forward"][0] == (12 + 20 + 12) / 6  # the refused one had a second round


def test_texts_that_differ_are_counted(tmp_path: Path) -> None:
    def answer(request: RewriteRequest) -> str:
        return mended(request) + ("  # b" if request.drafts is Drafts.LOOKUP else "")

    summary = run(with_tasks(tmp_path, editeval_row(0)), Rewriter(answer))
    assert summary["against"]["prompt_lookup / selection"]["differs"] == ["EditEval/0"]
    assert summary["against"]["causal_chat / selection"]["differs"] == []


def test_what_cannot_be_judged_is_skipped_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    rows = [humanevalpack_row("JavaScript", 0), editeval_row(0) | {"output": "wrong"}, editeval_row(1)]
    summary = run(with_tasks(tmp_path, *rows), Rewriter())
    assert summary["n"] == 1
    assert summary["skipped"] == {
        "nothing here runs javascript": ["JavaScript/0"],
        "what its authors made fails here": ["EditEval/0"],
    }


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs JavaScript, and there is none here")
def test_javascript_is_run(tmp_path: Path) -> None:
    row = humanevalpack_row("JavaScript", 0)
    with_tasks(tmp_path, row)
    assert run(tmp_path, Rewriter(), "--ways", "selection")["ways"]["selection"]["pass_at_1"][0] == 1
    (tmp_path / "out.records.jsonl").unlink()
    wrong = Rewriter(lambda request: mended(request).replace(" + ", " * "))
    assert run(tmp_path, wrong, "--ways", "selection")["ways"]["selection"]["pass_at_1"][0] == 0


def test_a_later_run_asks_only_what_is_new(tmp_path: Path) -> None:
    with_tasks(tmp_path, *(editeval_row(number) for number in range(3)))
    engine = Rewriter()
    run(tmp_path, engine, "--limit", "2", "--ways", "selection")
    assert run(tmp_path, engine, "--ways", "selection", "prompt_lookup")["n"] == 3
    assert len(engine.asked) == 2 * 2 + (2 * 2 + 3)  # for the prompt each time, then what is new
    arguments = ["--data", str(tmp_path / "tasks.jsonl"), "--out", str(tmp_path / "out.json"), "--seed", "1"]
    assert main(arguments, lambda _: engine) == 1  # records of another run


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "out.json")]
    assert main(arguments, lambda _: Rewriter()) == 1
    assert capsys.readouterr().err.startswith("rewrite_quality: ")
