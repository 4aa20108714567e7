"""`sfumato rewrite` with an engine that answers from a script: shown, as a diff, and written with nothing lost."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineConfig, ProgressSink
from server.cli import main
from tests.clients.scripted_engine import ScriptedOpening

FUNCTION = "import os\n\n\ndef f(a):\n    return a\n\n\nx = 1\n"
TYPED = "def f(a: int) -> int:\n    return a\n"
WHOLE = ["--range", "3:0-5:0"]
ASK = ["--instruction", "add type hints"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text(FUNCTION)
    return path


def run(path: Path, answer: str, *argv: str) -> int:
    return main(["rewrite", str(path), *argv], open_engine=ScriptedOpening({"answers": [answer]}))


def test_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(path, TYPED, *WHOLE, *ASK, "--json") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["text"] == TYPED
    assert answer["range"] == {"start": {"line": 3, "character": 0}, "end": {"line": 5, "character": 0}}
    assert (answer["mode"], answer["refused"], answer["stop_reason"]) == ("rewrite", None, "end")
    assert {"model", "forwards", "tokens", "tokens_per_forward", "ms"} < set(answer)
    assert path.read_text() == FUNCTION


def test_a_refusal_is_named_and_1(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(path, "def f(a:\n", *WHOLE, *ASK, "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["refused"]) == (None, "syntax")
    assert run(path, "def f(a:\n", *WHOLE, *ASK, "--write") == 1
    assert "refused: syntax" in capsys.readouterr().err
    assert path.read_text() == FUNCTION


def test_the_diff_applies(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    assert run(Path("a.py"), TYPED, *WHOLE, *ASK, "--diff") == 0
    out, err = capsys.readouterr()
    assert out.startswith("--- a/a.py\n+++ b/a.py\n@@ ")
    assert "stopped by end" in err
    subprocess.run(["git", "apply", "-"], input=out.encode(), check=True)
    assert path.read_text() == FUNCTION.replace("def f(a):\n    return a\n", TYPED)


def test_looking_changes_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(path, TYPED, *WHOLE, *ASK) == 0
    assert "+def f(a: int) -> int:" in capsys.readouterr().out
    assert path.read_text() == FUNCTION


def test_writing_keeps_mark_line_ends_and_permissions(path: Path) -> None:
    before = b"\xef\xbb\xbf" + FUNCTION.replace("\n", "\r\n").encode()
    path.write_bytes(before)
    path.chmod(0o640)
    assert run(path, TYPED, *WHOLE, *ASK, "--write") == 0
    assert path.read_bytes() == before.replace(b"def f(a):", b"def f(a: int) -> int:")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_nothing_is_written_over_somebody_elses_change(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scripted = ScriptedOpening({"answers": [TYPED]})

    def open_engine(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        path.write_text("theirs\n")
        return scripted(config, progress=progress)

    opening: Callable[..., Engine] = open_engine
    assert main(["rewrite", str(path), *WHOLE, *ASK, "--write"], open_engine=opening) == 1
    assert "changed by somebody else meanwhile; nothing was written" in capsys.readouterr().err
    assert path.read_text() == "theirs\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([*WHOLE, "--instruction", "  "], "--instruction is empty"),
        (["--range", "3:2-3:2", *ASK], "--range 3:2-3:2 is empty"),
        (["--range", "3:0-99:0", *ASK], "line 99 is outside the file: its lines are 0 to 8"),
        (["--range", "3:0-3:40", *ASK], "character 40 is outside line 3: its characters are 0 to 9"),
    ],
)
def test_what_cannot_be_is_said_before_the_model_is_opened(
    path: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    opening = ScriptedOpening({})
    assert main(["rewrite", str(path), *argv], open_engine=opening) == 2
    assert not opening.opened
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
