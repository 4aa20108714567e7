"""The latency harness against the real server with a scripted engine, started over stdio as the real one is."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.latency import main
from benchmarks.typing_session import TypingSession
from server.cli.editor_client import ServerGone

DELAY_S = 0.1


def scripted(folder: Path, script: dict[str, Any]) -> list[str]:
    (folder / "script.json").write_text(json.dumps(script))
    return [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(folder / "script.json")]


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = scripted(tmp_path, {"answers": [{"texts": ["value"], "delay_s": DELAY_S}]})
    assert main(["--places", "3", "--keys", "3", "--out", str(tmp_path / "out.json")], command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "out.json").read_text())
    assert report["model"] == "embedded"
    assert 0 < report["initialize_ms"] / 1000 < report["ready_s"] + 1
    assert report["asked"] == 3 * 4 - 1
    single = report["single_line_ms"]
    timed = [report[name]["n"] for name in ("single_line_ms", "multi_line_ms", "moved_ms", "typed_through_ms")]
    assert sum(timed) + report["empty"] == report["asked"]
    assert single["n"] > 0
    assert single["p50"] >= DELAY_S * 1000
    assert report["cancel_to_idle_ms"]["n"] > 0
    assert report["memory"]["resident_bytes"] > 10 << 20
    assert report["machine"]["cores"] >= 1


def test_a_model_that_does_not_open_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = scripted(tmp_path, {"models": {"embedded": {"error": "no room for the model"}}})
    assert main([], command) == 1
    assert capsys.readouterr().err == "latency: no room for the model\n"


def test_a_server_that_does_not_start_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], ["no-such-command-anywhere"]) == 1
    assert capsys.readouterr().err.startswith("latency: no-such-command-anywhere does not start")


def test_a_server_that_ends_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], [sys.executable, "-c", "raise SystemExit('nothing to serve')"]) == 1
    assert "nothing to serve" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = scripted(tmp_path, {"answers": ["value"]})
    assert main(["--places", "1", "--keys", "1", "--out", str(tmp_path / "nowhere" / "out.json")], command) == 1
    assert "nowhere" in capsys.readouterr().err


async def test_a_session_sees_answers_and_their_time(tmp_path: Path) -> None:
    command = scripted(tmp_path, {"answers": [{"texts": ["value"], "delay_s": DELAY_S}]})
    async with TypingSession.started(command, "python", "x = \n") as session:
        await session.ready()
        answer = await session.ask(4)
        assert answer.text == "value"
        assert answer.ms >= DELAY_S * 1000
        await session.replace(4, 4, "va")
        assert (await session.ask(6)).text == "lue"


async def test_a_request_that_was_over_is_no_cancellation(tmp_path: Path) -> None:
    async with TypingSession.started(scripted(tmp_path, {"answers": ["value"]}), "python", "x = \n") as session:
        await session.ready()
        assert await session.cancel(4, after_s=0.3) is None


async def test_a_server_that_dies_while_it_is_waited_for_ends_the_wait(tmp_path: Path) -> None:
    script = {"models": {"embedded": {"progress": [["load", 0, 0]], "delay_s": 30.0}}}
    async with TypingSession.started(scripted(tmp_path, script), "python", "x = \n") as session:
        waiting = asyncio.create_task(session.ready())
        os.kill(session.pid, signal.SIGKILL)
        with pytest.raises(ServerGone, match="the server ended"):
            await asyncio.wait_for(waiting, 10)
