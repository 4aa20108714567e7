"""An editor with the demo's files in it: opens them, asks the server, and says what would be inserted and at what cost.

Knows the wire's shapes for the few requests the demo makes; draws nothing.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from ..languages import language_id_of_path
from ..positions import PositionEncoding
from ..snapshot import Snapshot
from ..suggestion import Suggestion
from .demo_places import Cursor, Selection
from .editor_client import EditorClient, RequestFailed

T = TypeVar("T")

FILES = Path(__file__).with_name("demo_files")
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"inlineCompletion": {}},
    "window": {"workDoneProgress": True},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}
_AUTOMATIC = 2  # InlineCompletionTriggerKind: as while typing


class _Position(msgspec.Struct):
    line: int
    character: int


class _Range(msgspec.Struct):
    start: _Position
    end: _Position


class _Item(msgspec.Struct, rename="camel"):
    insert_text: str
    range: _Range


class _Items(msgspec.Struct):
    items: list[_Item]


class _Outcome(msgspec.Struct):
    """Of a command that changes text: a rewrite has one `text` and its `range`, holes have `texts` and `ranges`."""

    range: _Range | None = None
    text: str = ""
    ranges: list[_Range] = []
    texts: list[str] = []

    def edits(self) -> list[tuple[_Range, str]]:
        """What goes where."""
        rewritten = [(self.range, self.text)] if self.range else []
        return [*rewritten, *zip(self.ranges, self.texts, strict=True)]


class Status(msgspec.Struct):
    """`sfumato/status`."""

    state: str
    message: str = ""
    done: int = 0
    total: int = 0


class Cost(msgspec.Struct):
    """What the debug information says of the last request."""

    ms: float = 0
    forwards: int = 0
    tokens: int = 0
    tokens_per_forward: float = 0
    mode: str = ""
    refused: str | None = None


class _Debug(msgspec.Struct):
    last: Cost | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What one place got: nothing, when `suggestions` is empty. `waited_ms` is what the editor waited."""

    snapshot: Snapshot
    suggestions: tuple[Suggestion, ...]
    waited_ms: float
    cost: Cost

    @property
    def after(self) -> str:
        """The document with everything inserted."""
        text = self.snapshot.text
        for one in reversed(self.suggestions):
            text = text[: one.start] + one.text + text[one.end :]
        return text


class DemoSession:
    """One editor window; `on_status` hears of every change of the server's state."""

    def __init__(self, command: Sequence[str], on_status: Callable[[Status], None]) -> None:
        self._client = EditorClient(command, self._hear)
        self._on_status = on_status
        self._ready = asyncio.Event()
        self._failure = ""

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.__aexit__(*error)

    async def initialize(self) -> float:
        """The handshake; milliseconds until it was answered."""
        began = time.monotonic()
        options = {"speculate": False}  # nobody accepts anything here
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": _CAPABILITIES,
            "initializationOptions": options,
        }
        await self._client.request("initialize", params, msgspec.Raw)
        waited_ms = (time.monotonic() - began) * 1000
        await self._client.notify("initialized", {})
        return waited_ms

    async def ready(self) -> None:
        """Wait until the model is loaded; raises `RequestFailed` with the reason when it cannot be."""
        await self._client.unless_gone(self._ready.wait())
        if self._failure:
            raise RequestFailed(self._failure)

    async def complete(self, cursor: Cursor) -> Shown:
        """Stand at a position, as while typing."""
        snapshot = await self._open(cursor.file)
        params = {
            "textDocument": {"uri": snapshot.uri},
            "position": {"line": cursor.line, "character": cursor.character},
            "context": {"triggerKind": _AUTOMATIC},
        }
        began = time.monotonic()
        answer = await self._client.request("textDocument/inlineCompletion", params, msgspec.Raw)
        waited_ms = (time.monotonic() - began) * 1000
        found: list[_Item] | _Items | None = msgspec.json.decode(answer, type=list[_Item] | _Items | None)
        items = found.items if isinstance(found, _Items) else found or []
        return await self._shown(snapshot, [(item.range, item.insert_text) for item in items[:1]], waited_ms)

    async def change(self, selection: Selection) -> Shown:
        """Fill the holes of a selection, or rewrite it; only to look at."""
        snapshot = await self._open(selection.file)
        (line, character), (end_line, end_character) = selection.start, selection.end
        arguments: dict[str, object] = {
            "uri": snapshot.uri,
            "version": snapshot.version,
            "range": {
                "start": {"line": line, "character": character},
                "end": {"line": end_line, "character": end_character},
            },
            "preview": True,
        }
        if selection.instruction:
            arguments["instruction"] = selection.instruction
        command = "sfumato.rewrite" if selection.instruction else "sfumato.fillHoles"
        began = time.monotonic()
        outcome = await self._execute(command, [arguments], _Outcome)
        waited_ms = (time.monotonic() - began) * 1000
        return await self._shown(snapshot, outcome.edits(), waited_ms)

    async def _open(self, name: str) -> Snapshot:
        path = FILES / name
        text = path.read_text(encoding="utf-8")
        snapshot = Snapshot(path.as_uri(), language_id_of_path(name), 1, text)
        item = {"uri": snapshot.uri, "languageId": snapshot.language, "version": snapshot.version, "text": text}
        await self._client.notify("textDocument/didOpen", {"textDocument": item})
        return snapshot

    async def _shown(self, snapshot: Snapshot, edits: Sequence[tuple[_Range, str]], waited_ms: float) -> Shown:
        debug = await self._execute("sfumato.debugInformation", [], _Debug)
        await self._client.notify("textDocument/didClose", {"textDocument": {"uri": snapshot.uri}})
        suggestions = (_suggestion(snapshot, place, text) for place, text in edits)
        in_order = tuple(sorted(suggestions, key=lambda one: one.start))
        return Shown(snapshot, in_order, waited_ms, debug.last or Cost())

    async def _execute(self, command: str, arguments: Sequence[object], answer: type[T]) -> T:
        params = {"command": command, "arguments": arguments}
        return await self._client.request("workspace/executeCommand", params, answer)

    def _hear(self, method: str, params: msgspec.Raw) -> None:
        if method != "sfumato/status":
            return
        status = msgspec.json.decode(params, type=Status)
        self._on_status(status)
        if status.state in ("ready", "failed"):
            self._failure = status.message if status.state == "failed" else ""
            self._ready.set()


def _suggestion(snapshot: Snapshot, place: _Range, text: str) -> Suggestion:
    def offset(at: _Position) -> int:
        return snapshot.lines.offset(at.line, at.character, PositionEncoding.UTF16)

    return Suggestion(offset(place.start), offset(place.end), text)
