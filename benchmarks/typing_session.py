"""One editor with one ASCII document, typed in and asked about, against a real server process.

Measures what the editor waits for. Knows the protocol's shapes; never knows what the server does behind them.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Self

import msgspec

from server.cli.editor_client import EditorClient, RequestFailed

AUTOMATIC = 2  # InlineCompletionTriggerKind: as while typing
POLL_S = 0.5
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"inlineCompletion": {}},
    "window": {"workDoneProgress": True},
}


class StartError(Exception):
    """The server's engine did not become ready."""


class _Position(msgspec.Struct):
    line: int
    character: int


class _Range(msgspec.Struct):
    start: _Position
    end: _Position


class _Item(msgspec.Struct, rename="camel"):
    insert_text: str
    range: _Range | None = None


class _Items(msgspec.Struct):
    items: list[_Item] = []


class _Told(msgspec.Struct):
    refused: str | None = None


class _DebugInformation(msgspec.Struct):
    last: _Told | None = None


class _Status(msgspec.Struct):
    state: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is what the first item puts in place of `replaced` characters at the cursor; None: there was no item."""

    ms: float
    text: str | None
    replaced: int = 0


class Server(EditorClient):
    """The client, and three things that only a measurement wants of it."""

    @property
    def pid(self) -> int:
        return self._process.pid

    def raise_if_gone(self) -> None:
        if self._process.returncode is not None:
            raise self._gone()

    async def cancel_newest(self) -> None:
        await self.notify("$/cancelRequest", {"id": self._next_id})


class TypingSession:
    """Made by `started`. Offsets count characters of the document as it is now."""

    def __init__(self, command: Sequence[str], text: str) -> None:
        self._server = Server(command, self._notified)
        self._text = text
        self._version = 1
        self._opened = 0
        self._status = _Status("")
        self._changed = asyncio.Event()
        self._began = time.perf_counter()
        self.initialize_ms = 0.0

    @classmethod
    @asynccontextmanager
    async def started(cls, command: Sequence[str], language: str, text: str) -> AsyncIterator[Self]:
        """Start the server, shake hands and open the document; the end of the context shuts the server down."""
        session = cls(command, text)
        async with session._server as server:
            params = {"processId": os.getpid(), "rootUri": None, "capabilities": CAPABILITIES}
            await server.request("initialize", params, msgspec.Raw)
            session.initialize_ms = _ms_since(session._began)
            await server.notify("initialized", {})
            await session.open(language, text)
            yield session

    @property
    def pid(self) -> int:
        """Of the server."""
        return self._server.pid

    async def ready(self) -> float:
        """Seconds from the start of the process until its engine can work. Raises `StartError`."""
        await self._until("ready", "failed")
        if self._status.state == "failed":
            raise StartError(self._status.message)
        return _ms_since(self._began) / 1000

    async def open(self, language: str, text: str) -> None:
        """Open a document in the place of the one that is open."""
        if self._opened:
            await self._server.notify("textDocument/didClose", {"textDocument": {"uri": self._uri}})
        self._opened += 1
        self._text = text
        document = {"uri": self._uri, "languageId": language, "version": self._version, "text": text}
        await self._server.notify("textDocument/didOpen", {"textDocument": document})

    async def why_nothing(self) -> str:
        """The name of the reason why the last request got nothing."""
        params = {"command": "sfumato.debugInformation"}
        raw = await self._server.request("workspace/executeCommand", params, msgspec.Raw)
        last = msgspec.json.decode(raw, type=_DebugInformation).last
        return (last and last.refused) or "unknown"

    @property
    def _uri(self) -> str:
        return f"untitled:benchmark-{self._opened}"

    async def replace(self, start: int, end: int, text: str) -> None:
        """Edit the document, as an editor reports it: one incremental change."""
        change = {"range": {"start": self._position(start), "end": self._position(end)}, "text": text}
        self._text = self._text[:start] + text + self._text[end:]
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        await self._server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    async def ask(self, offset: int) -> Answer:
        """An automatic inline completion at `offset`."""
        began = time.perf_counter()
        answer = await self._request(offset)
        ms = _ms_since(began)
        items = answer.items if isinstance(answer, _Items) else answer or []
        if not items:
            return Answer(ms, None)
        end = items[0].range.end.character if items[0].range else self._position(offset)["character"]
        return Answer(ms, self._added(items[0], offset), end - self._position(offset)["character"])

    async def cancel(self, offset: int, after_s: float) -> float | None:
        """Ask, cancel after a while; milliseconds until the engine is idle again. None: it had finished before."""
        asking = asyncio.create_task(self._request(offset))
        await asyncio.sleep(after_s)
        if asking.done() or self._status.state != "working":
            await asking
            return None
        began = time.perf_counter()
        await self._server.cancel_newest()
        await self._until("ready", "failed")
        ms = _ms_since(began)
        try:
            await asking
        except RequestFailed:
            return ms
        return None  # it was answered while the cancellation was on its way

    async def _request(self, offset: int) -> _Items | list[_Item] | None:
        params = {
            "textDocument": {"uri": self._uri},
            "position": self._position(offset),
            "context": {"triggerKind": AUTOMATIC},
        }
        answer = await self._server.request("textDocument/inlineCompletion", params, msgspec.Raw)
        return msgspec.json.decode(answer, type=_Items | list[_Item] | None)

    def _added(self, item: _Item, offset: int) -> str:
        """An item's text without what stands between the start of its range and the cursor already."""
        if item.range is None:
            return item.insert_text
        before = self._position(offset)["character"] - item.range.start.character
        return item.insert_text[before:]

    def _position(self, offset: int) -> dict[str, int]:
        start = self._text.rfind("\n", 0, offset) + 1
        return {"line": self._text.count("\n", 0, start), "character": offset - start}

    async def _until(self, *states: str) -> None:
        while self._status.state not in states:
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._changed.wait()
            self._server.raise_if_gone()

    def _notified(self, method: str, params: msgspec.Raw) -> None:
        if method == "sfumato/status":
            self._status = msgspec.json.decode(params, type=_Status)
            self._changed.set()


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
