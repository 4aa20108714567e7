"""The ends of a connection, each seen from outside: a process over pipes or a socket."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine import ConfigError
from server.app import create_server, serve_tcp
from tests.clients.editor import Editor, SubprocessEditor
from tests.clients.scripted_engine import ScriptedOpening

URI = "file:///project/a.py"
SLOW = {"answers": [{"texts": ["x"], "delay_s": 60}]}
Command = Callable[..., list[str]]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    def build(script: Mapping[str, Any], *arguments: str) -> list[str]:
        file = tmp_path / "script.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        return [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(file), *arguments]

    return build


async def start(*command: str) -> SubprocessEditor:
    return await SubprocessEditor().start(*command)


async def test_shutdown_and_exit(command: Command) -> None:
    async with await start(*command({})) as editor:
        await editor.initialize()
        assert await editor.leave() == 0
        assert await editor.errors() == ""


@pytest.mark.parametrize("script", [{}, SLOW])
async def test_exit_alone_and_the_end_of_standard_input(command: Command, script: dict[str, Any]) -> None:
    for leave in ("exit", "eof"):
        async with await start(*command(script)) as editor:
            await editor.initialize()
            editor.open(URI, "x = \n")
            editor.ask_inline(URI, 0, 4)
            assert editor.process.stdin is not None
            if leave == "exit":
                editor.notify("exit")
            else:
                editor.process.stdin.close()
            assert await editor.ended() == 1
            assert await editor.errors() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signals_end_it_cleanly_while_it_works(command: Command, number: signal.Signals) -> None:
    async with await start(*command(SLOW)) as editor:
        await editor.initialize()
        editor.open(URI, "x = \n")
        editor.ask_inline(URI, 0, 4)
        await editor.until(lambda: editor.state == "working")
        editor.process.send_signal(number)
        assert await editor.ended() == 0
        assert await editor.errors() == ""


async def test_an_engine_that_does_not_listen_holds_nothing_up(command: Command) -> None:
    deaf = {"models": {"embedded": {"progress": [["load", 0, 0]], "delay_s": 60}}}
    async with await start(*command(deaf)) as editor:
        await editor.initialize(ready=False)
        await editor.until(lambda: editor.state == "loading")
        assert await editor.leave() == 0


async def test_messages_may_come_in_any_pieces_and_with_any_header(command: Command) -> None:
    async with await start(*command({})) as editor:
        body = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
        )
        data = b"content-type: x; charset=utf-8\r\nCONTENT-LENGTH:  %d\r\n\r\n%b" % (len(body), body.encode())
        for piece in (data[:3], data[3:60], data[60:-1], data[-1:]):
            editor.send_bytes(piece)
            await asyncio.sleep(0.02)
        await editor.answer(1)


async def test_a_stream_that_is_none_of_messages_ends_it(command: Command) -> None:
    async with await start(*command({})) as editor:
        editor.send_bytes(b"x" * 100_000)
        assert await editor.ended() == 1


async def test_headers_without_a_length_are_skipped(command: Command) -> None:
    async with await start(*command({})) as editor:
        editor.send_bytes(b"Content-Type: x\r\n\r\n")
        await editor.initialize()


async def test_a_large_document_and_a_request_right_behind_it(command: Command) -> None:
    async with await start(*command({"answers": ["x"]})) as editor:
        await editor.initialize()
        editor.open(URI, "y = 1\n" * 300_000 + "x = ")
        assert len(await editor.inline(URI, 300_000, 4)) == 1


async def test_a_snapshot_is_taken_before_the_next_message_is_read(command: Command) -> None:
    """All in one write: the request speaks of the text before the change."""
    async with await start(*command({"answers": [{"texts": ["value)"], "delay_s": 0.1}]})) as editor:
        await editor.initialize()
        editor.open(URI, "print(\n")
        asked = editor.ask_inline(URI, 0, 6)
        editor.edit(URI, (0, 6), (0, 6), "val")
        [item] = (await editor.answer(asked))["items"]
        assert editor.accept(URI, item) == "print(value)\n"


async def test_only_messages_reach_standard_output(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "import os, sys\n"
        "from server.app import create_server, serve_stdio\n"
        "from tests.clients.scripted_engine import ScriptedOpening\n"
        "class Noisy(ScriptedOpening):\n"
        "    def __call__(self, config, *, progress=None):\n"
        "        print('printed'); sys.stdout.flush(); os.write(1, b'written\\n')\n"
        "        return super().__call__(config, progress=progress)\n"
        "sys.exit(serve_stdio(create_server(Noisy({}))))\n"
    )
    editor = await SubprocessEditor().start(sys.executable, str(noisy), env={"PYTHONPATH": str(Path.cwd())})
    async with editor:
        await editor.initialize()
        assert await editor.leave() == 0
        errors = await editor.errors()
        assert "printed" in errors
        assert "written" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the descriptors")
@pytest.mark.parametrize("closed", ["2>&-", "0<&-"])
async def test_descriptors_that_were_never_open(command: Command, closed: str) -> None:
    async with await start("sh", "-c", f'exec "$@" {closed}', "sh", *command({})) as editor:
        if closed == "2>&-":
            await editor.initialize()
            assert await editor.leave() == 0
        else:
            assert await editor.ended() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork semantics of pipes")
async def test_it_leaves_when_the_clients_process_dies_though_its_pipes_stay_open(command: Command) -> None:
    client = await asyncio.create_subprocess_exec("sleep", "60")
    async with await start(*command(SLOW)) as editor:
        await editor.initialize(processId=client.pid)
        client.kill()
        await client.wait()
        assert await editor.ended() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
async def test_it_leaves_when_its_parent_is_killed(command: Command, tmp_path: Path) -> None:
    """The parent stays as a zombie until its own parent looks; its pipes are held open by this test."""
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import subprocess, sys, time\n"
        "server = subprocess.Popen(sys.argv[1:])\n"
        "print(server.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    )
    async with await start(sys.executable, str(parent), *command({})) as editor:
        assert editor.process.stderr is not None
        server = int(await editor.process.stderr.readline())
        await editor.initialize(processId=editor.process.pid)
        os.kill(editor.process.pid, signal.SIGKILL)
        async with asyncio.timeout(5):
            while is_running(server):  # noqa: ASYNC110 - not our child
                await asyncio.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


class SocketEditor(Editor):
    """An editor over a socket."""

    async def connect(self, port: int) -> SocketEditor:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        self._reading = asyncio.create_task(self._read())
        return self

    def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    async def _read(self) -> None:
        while data := await self._reader.read(65536):
            self.hear_bytes(data)

    async def close_socket(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()
        await self._reading


async def test_one_client_over_a_socket(command: Command) -> None:
    async with await start(*command({"answers": ["x"]}, "--tcp", "0")) as process:
        assert process.process.stderr is not None
        port = int((await process.process.stderr.readline()).decode().rsplit(":", 1)[1])
        editor = await SocketEditor().connect(port)
        await editor.initialize()
        second = await SocketEditor().connect(port)
        await second._reading  # turned away
        editor.open(URI, "y = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1
        await editor.request("shutdown")
        editor.notify("exit")
        assert await process.ended() == 0
        await editor.close_socket()
        await second.close_socket()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_other_machines_are_kept_out_unless_allowed(host: str) -> None:
    with pytest.raises(ConfigError, match="no loopback address"):
        serve_tcp(create_server(ScriptedOpening({})), host, 0)
