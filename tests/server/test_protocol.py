"""Every request is answered exactly once, whatever comes in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients.editor import AnsweredWithError, InProcessEditor

URI = "file:///project/a.py"


async def test_nothing_but_initialize_comes_first() -> None:
    async with InProcessEditor({}) as editor:
        with pytest.raises(AnsweredWithError) as raised:
            await editor.request("textDocument/inlineCompletion", {})
        assert raised.value.code == -32002
        editor.open(URI, "x")
        await editor.initialize()
        assert editor.server.session.documents.snapshot(URI) is None
        with pytest.raises(AnsweredWithError) as raised:
            await editor.request("initialize", {"processId": None, "capabilities": {}})
        assert raised.value.code == -32600


async def test_an_initialize_that_cannot_be_read_may_be_sent_again() -> None:
    async with InProcessEditor({}) as editor:
        with pytest.raises(AnsweredWithError):
            await editor.request("initialize", {"capabilities": 3})
        await editor.initialize()


async def test_requests_after_shutdown_are_refused() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        await editor.request("shutdown")
        with pytest.raises(AnsweredWithError) as raised:
            await editor.command("sfumato.debugInformation")
        assert raised.value.code == -32600
        assert editor.server.protocol.was_shut_down


@pytest.mark.parametrize(
    "params",
    [
        None,
        3,
        [],
        {},
        {"textDocument": {"uri": URI}},
        {"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}, "context": {"triggerKind": 1}},
        {"textDocument": {"uri": URI}, "position": {"line": "x", "character": 0}, "context": {"triggerKind": 1}},
        {"textDocument": 7, "position": {"line": 0, "character": 0}, "context": {}},
    ],
)
async def test_parameters_that_make_no_sense_are_answered_quietly(params: Any) -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.initialize()
        with pytest.raises(AnsweredWithError):
            await editor.request("textDocument/inlineCompletion", params)
        assert editor.shown == []
        editor.open(URI, "y = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1


@pytest.mark.parametrize("method", ["initialized", "textDocument/didClose", "$/cancelRequest", "textDocument/didOpen"])
async def test_a_notification_that_asks_for_an_answer_is_told_that_there_is_none(method: str) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        with pytest.raises(AnsweredWithError) as raised:
            await editor.request(method, {"textDocument": {"uri": URI}, "id": 1})
        assert raised.value.code in (-32601, -32602)


@pytest.mark.parametrize(
    ("message", "answered"),
    [
        ({"id": 7, "method": 3}, 7),
        ({"id": "a", "method": None}, "a"),
        ({"id": [1], "method": "textDocument/codeAction"}, None),
        ({"id": {"a": 1}, "method": 1}, None),
        ({"id": True, "method": "shutdown"}, None),
        ({"id": None, "method": "shutdown"}, None),
        ({"id": 1.5, "method": "shutdown"}, None),
    ],
)
async def test_what_names_no_method_or_no_request_is_answered_once(message: Any, answered: Any) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.send({"params": {}, **message})
        await editor.command("sfumato.debugInformation")
        assert [answer["error"]["code"] for answer in editor.answers[answered]] == [-32600]


@pytest.mark.parametrize("msg_id", ["one", 0, -7, "", 2**40])
async def test_any_id_is_answered_under_that_id(msg_id: Any) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.ask("workspace/executeCommand", {"command": "sfumato.debugInformation"}, msg_id)
        await editor.answer(msg_id)


async def test_unknown_methods() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.notify("$/unknown", {})
        editor.notify("textDocument/unknown", {})
        with pytest.raises(AnsweredWithError) as raised:
            await editor.request("textDocument/unknown", {})
        assert raised.value.code == -32601
        assert editor.shown == []


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"3", b'{"id": 1}', b'{"jsonrpc": "1.0"}'])
async def test_what_is_no_message_is_answered_as_such(body: bytes) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.server.protocol.receive(body)
        await editor.until(lambda: bool(editor.answers[None]))
        assert editor.answers[None][0]["error"]["code"] in (-32700, -32600)
        await editor.command("sfumato.debugInformation")


async def test_notifications_that_make_no_sense_are_dropped() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        for method in (
            "textDocument/didOpen",
            "textDocument/didChange",
            "$/cancelRequest",
            "workspace/didChangeConfiguration",
        ):
            editor.notify(method, 3)
        await editor.command("sfumato.debugInformation")
        assert editor.shown == []


async def test_answers_nobody_waits_for_and_answers_that_make_no_sense() -> None:
    async with InProcessEditor({"answers": ["2", "3"]}, ignores={"workspace/applyEdit"}) as editor:
        await editor.initialize()
        editor.send({"id": "never-asked", "result": 1})
        editor.open(URI, "x = 1\n")
        wanted = {
            "uri": URI,
            "instruction": "x",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}},
        }
        asked = editor.ask_command("sfumato.rewrite", wanted)
        request = await edit_request(editor)
        editor.send({"id": request, "result": 3})
        with pytest.raises(AnsweredWithError):
            await editor.answer(asked)


async def test_an_answer_that_comes_after_the_command_was_cancelled_is_harmless() -> None:
    async with InProcessEditor({"answers": ["2", "3"]}, ignores={"workspace/applyEdit"}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        wanted = {
            "uri": URI,
            "instruction": "x",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}},
        }
        asked = editor.ask_command("sfumato.rewrite", wanted)
        request = await edit_request(editor)
        editor.notify("$/cancelRequest", {"id": asked})
        with pytest.raises(AnsweredWithError):
            await editor.answer(asked)
        editor.send({"id": request, "result": {"applied": True}})
        await editor.command("sfumato.debugInformation")


async def edit_request(editor: InProcessEditor) -> str:
    """The id under which the server asks for an edit."""
    heard: list[str] = []
    hear = editor.hear_bytes

    def listen(data: bytes) -> None:
        message = json.loads(data.split(b"\r\n\r\n", 1)[1])
        if message.get("method") == "workspace/applyEdit":
            heard.append(message["id"])
        hear(data)

    editor.server.protocol.set_writer(type("Ear", (), {"write": staticmethod(listen)})())
    await editor.until(lambda: bool(heard))
    return heard[0]


async def test_keystrokes_leave_nothing_behind() -> None:
    """pygls keeps a future for every change that its own handler takes."""
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "")
        before = len(editor.server.protocol._request_futures)
        for _ in range(100):
            editor.edit(URI, (0, 0), (0, 0), "x")
        assert len(editor.server.protocol._request_futures) == before
