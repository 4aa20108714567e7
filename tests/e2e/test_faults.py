"""What goes wrong around the server, and how each of it ends: asked of the real process.

What is tested elsewhere: the end of standard input, of the client's process and of the parent, signals while it
completes (tests/server/test_transport.py); full disks, killed and concurrent downloads and conversions
(tests/engine/test_hub_disk.py, test_hub_derived.py, test_hub.py); clocks (tests/test_architecture.py).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.hub.disk import home
from tests.clients.editor import SubprocessEditor, range_of

URI = "file:///project/a.py"
ALLOCATOR = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes. Error code 12"
INSTEAD = {"uri": URI, "range": range_of((0, 0), (0, 5)), "instruction": "do it"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="no such signals or devices")


async def start(folder: Path, script: Mapping[str, Any], **env: str) -> SubprocessEditor:
    file = folder / "script.json"
    file.write_text(json.dumps(script), encoding="utf-8")
    command = [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(file)]
    return await SubprocessEditor().start(*command, env=env)


@pytest.mark.parametrize(
    ("raises", "message", "shown"),
    [
        ("ValueError", "quotes the user's code", "ValueError"),
        ("MemoryError", "", "out of memory"),
        ("RuntimeError", ALLOCATOR, "out of memory"),
        ("RecursionError", "", "RecursionError"),
        ("SystemExit", "1", "SystemExit"),
    ],
)
async def test_a_fault_of_the_engine_is_said_once_and_the_next_request_works(
    tmp_path: Path, raises: str, message: str, shown: str
) -> None:
    fault = {"texts": [""], "error": message, "raises": raises}
    async with await start(tmp_path, {"answers": [fault, fault, fault, "foo"]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        assert [await editor.inline(URI, 0, 4) for _ in range(2)] == [[], []]
        assert (await editor.command("sfumato.rewrite", {**INSTEAD, "preview": True}))["refused"] == "engine-fault"
        assert len(await editor.inline(URI, 0, 4)) == 1
        [said] = editor.shown
        assert shown in said
        assert "user's code" not in said
        told = await editor.command("sfumato.debugInformation")
        assert told["refusals"]["engine-fault"] == 3
        assert await editor.leave() == 0
        assert await editor.errors() == ""


async def test_no_memory_for_one_model_leaves_room_for_another(tmp_path: Path) -> None:
    script = {"models": {"embedded": {"fault": "", "raises": "MemoryError"}}, "answers": ["foo"]}
    async with await start(tmp_path, script) as editor:
        await editor.initialize()
        assert editor.state == "failed"
        assert "out of memory; close something" in editor.statuses[-1]["message"]
        editor.open(URI, "x = \n")
        assert await editor.inline(URI, 0, 4) == []
        editor.notify("workspace/didChangeConfiguration", {"settings": {"sfumato": {"model": "causal"}}})
        await editor.until(lambda: editor.state == "ready")
        assert len(await editor.inline(URI, 0, 4)) == 1
        assert await editor.leave() == 0


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
async def test_a_log_on_a_full_disk_is_said_once_and_nothing_else_suffers(tmp_path: Path) -> None:
    log = tmp_path / "home" / "log"
    log.mkdir(parents=True)
    (log / "sfumato.log").symlink_to("/dev/full")
    fault = {"texts": [""], "error": "boom"}  # writes to the log
    async with await start(tmp_path, {"answers": [fault, fault, "foo"]}, SFUMATO_HOME=str(tmp_path / "home")) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        assert [len(await editor.inline(URI, 0, 4)) for _ in range(3)] == [0, 0, 1]
        assert await editor.leave() == 0
        assert await editor.errors() == "sfumato: the log is not written: No space left on device\n"


async def test_two_servers_share_a_home(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    script = {"answers": [{"texts": [""], "error": "boom"}, {"texts": ["foo"], "delay_s": 0.1}]}
    async with (
        await start(tmp_path, script, SFUMATO_HOME=home) as one,
        await start(tmp_path, script, SFUMATO_HOME=home) as other,
    ):
        for editor in (one, other):
            await editor.initialize()
            editor.open(URI, "x = \n")
            assert await editor.inline(URI, 0, 4) == []
        asked = [(editor, editor.ask_inline(URI, 0, 4)) for editor in (one, other)]
        for editor, request in asked:
            assert len((await editor.answer(request))["items"]) == 1
        assert await one.leave() == 0
        assert len(await other.inline(URI, 0, 4)) == 1  # the first one's end is nothing to it
        assert await other.leave() == 0
        assert (await one.errors(), await other.errors()) == ("", "")
    written = (tmp_path / "home" / "log" / "sfumato.log").read_text(encoding="utf-8")
    assert all(f" {editor.process.pid} ERROR" in written for editor in (one, other))


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_during_a_rewrite_ends_it_without_an_edit(tmp_path: Path, number: signal.Signals) -> None:
    async with await start(tmp_path, {"answers": [{"texts": ["y = 2"], "drafts": ["y"], "delay_s": 60}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        asked = editor.ask_command("sfumato.rewrite", INSTEAD)
        await editor.until(lambda: bool(editor.progress))
        editor.process.send_signal(number)
        assert await editor.ended() == 0
        assert (editor.applied, editor.documents[URI]) == ([], "x = 1\n")
        assert len(editor.answers[asked]) <= 1
        assert await editor.errors() == ""


@posix
async def test_a_signal_while_a_model_is_opened_ends_it(tmp_path: Path) -> None:
    deaf = {"models": {"embedded": {"progress": [["load", 0, 0]], "delay_s": 60}}}
    async with await start(tmp_path, deaf) as editor:
        await editor.initialize(ready=False)
        await editor.until(lambda: editor.state == "loading")
        editor.process.send_signal(signal.SIGTERM)
        assert await editor.ended() == 0


@posix
@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("harm", ["removed", "cut short"])
async def test_the_models_files_may_go_while_it_runs(tmp_path: Path, harm: str) -> None:
    """Removed, they stay until the server ends. One that is cut short in place ends it, as the system does that to
    who has it mapped; the editor starts another, which prepares the file anew (test_hub_derived.py)."""
    copy = tmp_path / "home"
    shutil.copytree(home(), copy, copy_function=os.link)
    [mapped] = copy.glob("derived/*/*/embedding.safetensors")
    shutil.copyfile(mapped, mapped.with_suffix(".copy"))
    mapped.with_suffix(".copy").replace(mapped)  # this one is ours to harm
    editor = await SubprocessEditor().start(sys.executable, "-m", "server", "serve", env={"SFUMATO_HOME": str(copy)})
    async with editor:
        await editor.initialize(ready=False)
        await editor.until(lambda: editor.state == "ready", timeout_s=120)
        editor.open(URI, "def double(number):\n    return number * \n")
        if harm == "removed":
            shutil.rmtree(copy)
            assert await editor.inline(URI, 1, 20)
            assert await editor.leave() == 0
        else:
            os.truncate(mapped, 0)
            editor.ask_inline(URI, 1, 20)
            assert await editor.ended(60) == -signal.SIGBUS
