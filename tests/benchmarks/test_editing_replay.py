"""Edits between two versions, typed into the real server over a scripted engine."""

from __future__ import annotations

import json
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.editing_replay import Asked, main, summarise
from benchmarks.replayed_edits import TypedEdit, edits_between, pauses

OLD = "def f(a):\n    return a\n\n\nx = 1\n"
NEW = "def f(a):\n    return a + foo(1)\n\n\nx = 1\ny = bar(x)\n"


def versions(folder: Path, old: str = OLD, new: str = NEW, name: str = "a.py") -> tuple[Path, Path]:
    for version, text in (("old", old), ("new", new)):
        (folder / version / "p").mkdir(parents=True, exist_ok=True)
        (folder / version / "p" / name).write_bytes(text.encode())
    return folder / "old", folder / "new"


def applied(edit: TypedEdit) -> str:
    return edit.text[: edit.start] + edit.typed + edit.text[edit.end :]


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("a\nb\n", "a\nnew\nb\n", ["\nnew"]),
        ("b\n", "new\nb\n", ["new\n"]),
        ("x = foo(1)\n", "x = foo(1, 2)\n", [", 2"]),
        ("x = one\n", "x = two\n", ["two"]),
        ("a\nb\nc\nd\n", "a\nB\nc\nD\n", ["B", "D"]),
        ("a\nb\n", "a\n", []),
        ("a\n", "a\n\n\n", []),
    ],
)
def test_each_edit_is_what_somebody_types(tmp_path: Path, old: str, new: str, typed: list[str]) -> None:
    edits = list(edits_between(*versions(tmp_path, old, new)))
    assert [edit.typed for edit in edits] == typed
    assert [edit.path for edit in edits] == ["p/a.py"] * len(typed)
    if edits:
        assert applied(edits[-1]) == new
    for before, after in pairwise(edits):
        assert applied(before) == after.text


@pytest.mark.parametrize(("name", "text"), [("a.unheard", "x\n"), ("a.py", "x = 'é'\n"), ("a.py", "x\r\n")])
def test_other_files_are_left_out(tmp_path: Path, name: str, text: str) -> None:
    assert list(edits_between(*versions(tmp_path, "y\n", text, name))) == []


def test_pauses_are_behind_indentation_words_and_openers() -> None:
    typed = "\n    return call(one, two)"
    every = pauses(typed, 99, random.Random(0))
    assert {typed[:at].rsplit("\n", 1)[-1] for at in every} == {
        "    ",
        "    return",
        "    return call",
        "    return call(",
        "    return call(one",
        "    return call(one, ",
        "    return call(one, two",
    }
    assert len(pauses(typed, 2, random.Random(0))) == 2
    assert set(pauses(typed, 2, random.Random(0))) < set(every)


def asked(shown: str | None, remaining: str, reason: str = "", errors: int = 0) -> Asked:
    return Asked(1.0, shown, reason, remaining, errors)


def test_rates_are_of_what_was_asked_and_of_what_was_shown() -> None:
    summary = summarise(
        [
            asked("a + b", "a + b\nnext", errors=0),
            asked("a + b\n", "a + b\nnext"),
            asked("a - b", "a + b"),
            asked("c", "a", errors=2),
            asked(None, "a", "after-deletion"),
            asked(None, "a", "syntax"),
            asked(None, "a", "syntax"),
            asked(None, "a", "after-rejection"),
        ]
    )
    assert summary["show_rate"] == 0.5
    assert summary["quiet_rate"] == 0.25
    assert summary["reasons"] == {"syntax": 2, "after-deletion": 1, "after-rejection": 1}
    assert (summary["begun"], summary["prefix"], summary["exact"]) == (0.75, 0.5, 0.25)
    assert summary["characters_accepted"] == len("a + b" + "a + b\n")
    assert (summary["adds_errors"], summary["syntax_delta"]) == (0.25, 0.5)


def run(folder: Path, script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (folder / "script.json").write_text(json.dumps(script))
    command = [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(folder / "script.json")]
    old, new = versions(folder)
    assert main(["--before", str(old), "--after", str(new)], command) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def test_what_is_written_next_is_accepted_and_nothing_is_doubled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    report = run(tmp_path, {"answers": ["1)"], "log": str(log)}, capsys)
    edits = list(edits_between(tmp_path / "old", tmp_path / "new"))
    assert (report["edits"], report["typed"]) == (2, len(" + foo(1)" + "\ny = bar(x)"))
    assert report["prefix"] > 0
    assert report["characters_accepted"] == 2  # at one pause, and not again where it has been typed
    states = [one.text[: one.start] + one.typed[:at] + one.text[one.end :] for one in edits for at in range(20)]
    seen = [json.loads(line)["text"] for line in log.read_text().splitlines()]
    assert seen
    assert set(seen) <= set(states)
    assert report["asked"] == sum(report["reasons"].values()) + round(report["show_rate"] * report["asked"])


def test_no_edit_is_an_error_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, _ = versions(tmp_path)
    assert main(["--before", str(old), "--after", str(old)], ["never"]) == 1
    assert capsys.readouterr().err == "editing_replay: there is no edit to replay between these folders\n"
