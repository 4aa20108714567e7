"""What leaves the machine, what is written down, and what is left alone: asked of the real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.editor import AnsweredWithError, SubprocessEditor, range_of

ROOT = Path(__file__).parents[2]
NO_NETWORK = Path(__file__).with_name("no_network")
FORBIDDEN, DIED = "FORBIDDEN", 97
MARK = "zq7xk_mark"  # nothing of ours contains it
CODE = "def double(number):\n    return number * 2\n\n\ndef triple(number):\n    return "
INLINE = "textDocument/inlineCompletion"


def offline() -> dict[str, str]:
    """The environment of a process that dies when it touches a socket."""
    return {**os.environ, "PYTHONPATH": f"{NO_NETWORK}{os.pathsep}{ROOT}"}


def sfumato(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command, with sockets forbidden."""
    command = [sys.executable, "-m", "server", *arguments]
    return subprocess.run(command, cwd=ROOT, env=offline(), capture_output=True, text=True, timeout=500, check=False)


def test_fetching_the_model_needs_the_network_and_the_ban_works() -> None:
    done = sfumato("models", "pull")
    assert done.returncode == DIED
    assert FORBIDDEN in done.stderr


@pytest.mark.parametrize("command", ["doctor", "models list", "models path", "models verify", "--version", "--help"])
def test_commands_that_tell_something_need_none(command: str) -> None:
    done = sfumato(*command.split())
    assert done.returncode in (0, 1)
    assert FORBIDDEN not in done.stderr


@pytest.mark.model
def test_infill_needs_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    done = sfumato("infill", str(tmp_path / "a.py"), "--line", "5", "--character", "11")
    assert done.returncode == 0, done.stderr
    assert "number * 3" in done.stdout


@pytest.mark.model
@pytest.mark.slow
def test_rewrite_needs_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    done = sfumato("rewrite", str(tmp_path / "a.py"), "--range", "0:0-2:0", "--instruction", "add type hints")
    assert done.returncode in (0, 1), done.stderr
    assert FORBIDDEN not in done.stderr


@pytest.mark.model
async def test_a_session_with_the_real_model_needs_none() -> None:
    async with await SubprocessEditor().start(sys.executable, "-m", "server", "serve", env=offline()) as editor:
        await editor.initialize(ready=False)
        await editor.until(lambda: editor.state in ("ready", "failed"), 300)
        editor.open("untitled:a", CODE)
        asked = editor.ask_inline("untitled:a", 5, 11)
        await editor.until(lambda: bool(editor.answers[asked]), 300)
        [item] = (await editor.answer(asked))["items"]
        assert item["insertText"] == "number * 3"
        assert await editor.leave() == 0
        assert FORBIDDEN not in await editor.errors()


def server_on(machine: Path, script: dict[str, Any]) -> Coroutine[Any, Any, SubprocessEditor]:
    """The real server over a scripted engine; every folder it might write to lies in `machine`."""
    machine.mkdir()
    (machine.parent / "script.json").write_text(json.dumps({**script, "log": str(machine.parent / "asked.log")}))
    folders = {name: str(machine) for name in ("HOME", "TMPDIR", "SFUMATO_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    command = [sys.executable, "-m", "tests.clients.scripted_server", "--script", str(machine.parent / "script.json")]
    return SubprocessEditor().start(*command, env={**offline(), **folders})


def asked_of_the_engine(machine: Path) -> list[dict[str, Any]]:
    """Its requests, whole."""
    log = machine.parent / "asked.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def wrong_messages(uri: str) -> Iterator[tuple[str, Any]]:
    """Requests that end in an error, with the user's words wherever words can be."""
    document = {"uri": uri}
    yield INLINE, {"textDocument": document, "position": MARK, "context": {"triggerKind": 1}}
    yield INLINE, {"textDocument": {"uri": f"file:///{MARK}"}, "position": {"line": MARK}, "context": MARK}
    yield "workspace/executeCommand", {"command": "sfumato.rewrite", "arguments": [{"uri": uri, "instruction": [MARK]}]}
    yield "workspace/executeCommand", {"command": "sfumato.fillHoles", "arguments": [MARK]}
    yield "workspace/executeCommand", {"command": MARK, "arguments": [MARK]}
    yield "textDocument/hover", {"textDocument": document, "text": MARK}


async def test_nothing_of_the_users_is_written_down(tmp_path: Path) -> None:
    """Code, selections, instructions, drafts, answers, settings, and all of them in messages and errors."""
    machine, uri = tmp_path / "machine", (tmp_path / "work" / "a.py").as_uri()
    answers: list[Any] = [MARK, {"texts": [MARK], "drafts": [MARK]}, MARK, {"error": MARK}]
    async with await server_on(machine, {"answers": answers}) as editor:
        await editor.initialize(initializationOptions={"exclude": [MARK], MARK: MARK, "maxTokens": MARK})
        editor.open(uri, f"{MARK} = 1\nx = \n")
        editor.edit(uri, (1, 4), (1, 4), f"{MARK} + ")
        await editor.inline(uri, 1, 17)
        where = {"uri": uri, "range": range_of((0, 0), (1, 0)), "instruction": MARK, "preview": True}
        await editor.command("sfumato.rewrite", where)
        await editor.command("sfumato.fillHoles", {"uri": uri, "holes": [range_of((1, 4), (1, 4))], "preview": True})
        for _ in range(2):  # a fault of the engine, whose message quotes the user
            await editor.command("sfumato.rewrite", where)
            await editor.inline(uri, 1, 4)
        for method, params in wrong_messages(uri):
            with pytest.raises(AnsweredWithError):
                await editor.request(method, params)
        editor.send(f"{MARK}")
        editor.send_bytes(b"Content-Length: %d\r\n\r\n{%s" % (len(MARK) + 1, MARK.encode()))
        editor.notify("textDocument/didChange", {"textDocument": {"uri": MARK}, "contentChanges": [{"text": [MARK]}]})
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "text": MARK}})
        editor.notify("workspace/didChangeConfiguration", {"settings": {"sfumato": {"placeholder": [MARK]}}})
        assert len(asked_of_the_engine(machine)) >= 5
        assert await editor.leave() == 0
        assert MARK not in await editor.errors()
    written = [path for path in machine.rglob("*") if path.is_file()]
    assert "raised RuntimeError" in "".join(path.read_text() for path in written if path.suffix == ".log")
    assert [path for path in written if MARK.encode() in path.read_bytes()] == []


async def test_excluded_files_are_neither_completed_nor_shown(tmp_path: Path) -> None:
    """Open or imported from disk, by whatever name; beside one that is shown, so that it can be seen to work."""
    machine, work = tmp_path / "machine", tmp_path / "Work"
    texts = {
        "secrets.py": "def hidden_one(a): ...\n",
        "IDs/ID_RSA.py": "def hidden_two(a): ...\n",
        "linked.py": "",  # a link to a key
        "private/keys.py": "def hidden_three(a): ...\n",  # by an ignore file
        "plain.py": "def visible(a): ...\n",
    }
    imports = "from secrets import hidden_one\nfrom IDs.ID_RSA import hidden_two\nfrom linked import hidden_four\n"
    imports += "from private.keys import hidden_three\nfrom plain import visible\n"
    calls = "hidden_one(1)\nhidden_two(1)\nhidden_three(1)\nhidden_four(1)\nvisible(1)\nx = \n"
    prepare(work, texts)
    async with await server_on(machine, {"answers": ["visible(2)"]}) as editor:
        await editor.initialize(workspaceFolders=[{"uri": work.as_uri(), "name": "work"}])
        uri = (work / "main.py").as_uri()
        editor.open(uri, imports + calls)
        assert len(await editor.inline(uri, 10, 4)) == 1  # from disk
        for name, text in texts.items():
            editor.open((work / name).as_uri(), text or "def hidden_four(a): ...\n")
        editor.open(f"untitled:{work}/secrets.py", "def hidden_one(b): ...\n")
        editor.edit(uri, (10, 4), (10, 4), "1 + ")
        assert len(await editor.inline(uri, 10, 8)) == 1  # from open documents
        where = {"range": range_of((0, 0), (0, 3)), "instruction": "x"}
        for name in texts.keys() - {"plain.py"}:
            private = (work / name).as_uri()
            assert await editor.inline(private, 0, 4, kind=1) == []
            for command, facts in (("rewrite", where), ("fillHoles", {"holes": [where["range"]]})):
                outcome = await editor.command(f"sfumato.{command}", {"uri": private, "preview": True, **facts})
                assert outcome["refused"] == "excluded"
        assert await editor.leave() == 0
    asked = asked_of_the_engine(machine)
    assert [[one["text"] for one in request["snippets"]] for request in asked] == [
        ["# Work/plain.py:\n# def visible(a):"]
    ] * 2


def prepare(work: Path, texts: dict[str, str]) -> None:
    """The files, some of them private in one way or another."""
    for name, text in texts.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    (work / ".sfumatoignore").write_text("/Private/\n")
    (work / "linked.py").unlink()
    (work / "server.key").write_text("def hidden_four(a): ...\n")
    (work / "linked.py").symlink_to("server.key")
