"""`sfumato demo` against the real server over a scripted engine."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from tests.clients.scripted_engine import ScriptedOpening

TYPED = """\
def mean(values: list[float]) -> float:
    total = 0
    for value in values:
        total = total + value
    return total / len(values)
"""
ANSWERS: list[Any] = [
    "sum(line.quantity * line.unit_price for line in lines)",
    "counts[word] += 1",
    "return items.filter((item) => item.id !== id);",
    '"Cairo", "continent": "Africa" },',
    "Not Found | There is nothing at that address. |",
    ["self.width * self.height", "2 * (self.width + self.height)"],
    TYPED,
]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.json"


def demo(script: Path, content: dict[str, Any], *options: str) -> int:
    script.write_text(json.dumps(content))
    command = shlex.join([sys.executable, "-m", "tests.clients.scripted_server", "--script", str(script)])
    return main(["demo", "--server-command", command, *options], open_engine=ScriptedOpening({}))


def test_every_place_is_shown_with_its_cost(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = [["download", done, 500_000_000] for done in (0, 250_000_000, 500_000_000)] + [["load", 0, 0]]
    code = demo(script, {"answers": ANSWERS, "models": {"embedded": {"progress": progress, "delay_s": 0.15}}})
    out, err = capsys.readouterr()
    assert code == 0, out + err
    for answer in ANSWERS[:5]:
        assert answer in out
    assert "return self.width * self.height" in out
    assert "return 2 * (self.width + self.height)" in out
    assert "+def mean(values: list[float]) -> float:" in out
    assert out.count("6 tokens in 2 forwards, 3.0 tokens per forward") == 7
    assert out.count(" ms · ") == 7
    assert "fetching the model: 50 % of 500 MB" in err


def test_a_picture_of_it(script: Path, tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    assert demo(script, {"answers": ANSWERS}, "--picture", str(picture)) == 0
    assert "status-codes.md" in picture.read_text("utf-8")
    assert demo(script, {"answers": ANSWERS}, "--picture", str(tmp_path / "no" / "demo.svg")) == 1


def test_a_place_that_got_nothing_is_named_and_1(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(script, {"answers": [ANSWERS[0], "", *ANSWERS[2:]]}) == 1
    out = capsys.readouterr().out
    assert "nothing: empty" in out
    assert "Nothing came for: Python, the body of a loop" in out


def test_a_model_that_does_not_open_is_one_line_and_1(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(script, {"models": {"embedded": {"error": "no network and no model"}}}) == 1
    assert capsys.readouterr().err == "sfumato demo: no network and no model\n"


def test_a_server_that_ends_is_one_line_and_1(capsys: pytest.CaptureFixture[str]) -> None:
    command = shlex.join([sys.executable, "-c", "import sys; sys.exit('no luck')"])
    assert main(["demo", "--server-command", command]) == 1
    assert capsys.readouterr().err == "sfumato demo: the server ended with code 1: no luck\n"
