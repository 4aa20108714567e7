"""The demo's own reader of JSON-RPC against a real process."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from server.cli.editor_client import EditorClient, RequestFailed, ServerGone

TINY = [sys.executable, str(Path(__file__).with_name("tiny_server.py"))]


def client(told: list[tuple[str, object]] | None = None) -> EditorClient:
    heard = [] if told is None else told
    return EditorClient(TINY, lambda method, params: heard.append((method, msgspec.json.decode(params))))


async def test_answers_find_their_questions() -> None:
    async with client() as editor:
        answers = await asyncio.gather(*(editor.request("echo", [number, "é🙂"], list[object]) for number in range(5)))
    assert answers == [[number, "é🙂"] for number in range(5)]


async def test_an_answer_in_another_shape_is_an_error() -> None:
    async with client() as editor:
        with pytest.raises(msgspec.ValidationError):
            await editor.request("echo", "text", int)


async def test_an_error_is_raised_with_its_message() -> None:
    async with client() as editor:
        with pytest.raises(RequestFailed, match="it failed"):
            await editor.request("fail", None, msgspec.Raw)


async def test_notifications_are_heard() -> None:
    told: list[tuple[str, object]] = []
    async with client(told) as editor:
        await editor.request("tell", None, msgspec.Raw)
    assert told == [("sfumato/status", {"state": "ready"})]


@pytest.mark.parametrize(
    ("method", "params", "answer"),
    [
        ("workspace/configuration", {"items": [{}, {}]}, [None, None]),
        ("workspace/applyEdit", {"edit": {}}, {"applied": False, "failureReason": "this client only looks"}),
        ("window/workDoneProgress/create", {"token": "a"}, None),
    ],
)
async def test_what_a_server_asks_is_answered(method: str, params: object, answer: object) -> None:
    async with client() as editor:
        assert await editor.request("ask", {"method": method, "params": params}, object) == answer


async def test_a_server_that_chatters_on_stderr_does_not_block() -> None:
    async with client() as editor:
        await editor.request("chatter", None, msgspec.Raw)


async def test_a_server_that_dies_leaves_its_last_words() -> None:
    async with client() as editor:
        with pytest.raises(ServerGone, match="ended with code 3: something broke"):
            await editor.request("die", None, msgspec.Raw)
        with pytest.raises(ServerGone, match="something broke"):
            await editor.request("echo", None, msgspec.Raw)


async def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ServerGone, match="does not start: No such file"):
        async with EditorClient(["/no/such/server"], lambda *_: None):
            pass


async def test_a_server_that_does_not_go_is_killed() -> None:
    async with EditorClient([*TINY, "--stubborn"], lambda *_: None, patience_s=0.2) as editor:
        await editor.request("echo", 1, int)
