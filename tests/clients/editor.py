"""An editor for tests: keeps documents, applies what it is told to, notes everything, and can be asked to misbehave.

Speaks plain JSON with its own frames and its own slow positions, so that it shares no mistake with the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from server.app import create_server

from .scripted_engine import ScriptedOpening

Json = Any
WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
GHOST_TEXT = {
    "textDocument": {"inlineCompletion": {"dynamicRegistration": False}},
    "window": {"workDoneProgress": True},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}


class AnsweredWithError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]


@dataclass
class Editor:
    """One side of a connection; subclasses say where bytes go."""

    encoding: str = "utf-16"
    speculates: bool = False  # whether the server may ask its engine on its own: scripts count requests
    refuses_edits: str | None = None  # the reason it gives
    ignores: set[str] = field(default_factory=set)  # requests of the server that it never answers
    configuration: Json = None
    documents: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    applied: list[dict[str, Any]] = field(default_factory=list)
    progress: dict[Json, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[Json, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._next_id = 0
        self._buffer = b""
        self._changed = asyncio.Condition()

    # What it says

    def send_bytes(self, data: bytes) -> None:
        """Put bytes on the wire."""
        raise NotImplementedError

    def send(self, message: Json) -> None:
        """Send one message, whatever it is."""
        body = json.dumps({"jsonrpc": "2.0", **message} if isinstance(message, dict) else message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Json = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Json = None, msg_id: Json = None) -> Json:
        """Send a request and return its id."""
        self._next_id += 1
        msg_id = self._next_id if msg_id is None else msg_id
        self.send({"id": msg_id, "method": method, "params": params})
        return msg_id

    async def answer(self, msg_id: Json) -> Json:
        """Wait for the answer; raises `AnsweredWithError`."""
        await self.until(lambda: bool(self.answers[msg_id]))
        answer = self.answers[msg_id][0]
        if "error" in answer:
            raise AnsweredWithError(answer["error"])
        return answer["result"]

    async def request(self, method: str, params: Json = None) -> Json:
        """Ask and wait."""
        return await self.answer(self.ask(method, params))

    async def until(self, condition: Any, timeout_s: float = 20) -> None:
        """Wait until something that the server says makes `condition` true."""
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(condition)

    async def initialize(self, capabilities: Json = None, *, ready: bool = True, **params: Json) -> Json:
        """The handshake; waits for the engine unless told otherwise."""
        capabilities = {**(GHOST_TEXT if capabilities is None else capabilities)}
        capabilities.setdefault("general", {"positionEncodings": [self.encoding]})
        options = params.get("initializationOptions", {})
        if not self.speculates and isinstance(options, dict) and "sfumato" not in options:
            params["initializationOptions"] = {"speculate": False, **options}
        result = await self.request("initialize", {"processId": None, "capabilities": capabilities, **params})
        self.notify("initialized", {})
        if ready:
            await self.until(lambda: self.state in ("ready", "failed"))
        return result

    @property
    def state(self) -> str:
        """The last state the server told."""
        return str(self.statuses[-1]["state"]) if self.statuses else ""

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        """Open a document."""
        self.documents[uri], self.versions[uri] = text, version
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def close(self, uri: str) -> None:
        """Close a document."""
        del self.documents[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def edit(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Change a document by hand."""
        edit = {"range": range_of(start, end), "newText": text}
        self.documents[uri] = apply_edits(self.documents[uri], [edit], self.encoding)
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        changes = [{"range": edit["range"], "text": text}]
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def ask_inline(
        self, uri: str, line: int, character: int, *, kind: int = 2, selected: Json = None, **params: Json
    ) -> Json:
        """Ask for ghost text and return the request's id."""
        context = {"triggerKind": kind} | ({"selectedCompletionInfo": selected} if selected else {})
        params |= {"textDocument": {"uri": uri}, "position": at(line, character), "context": context}
        return self.ask("textDocument/inlineCompletion", params)

    async def inline(self, uri: str, line: int, character: int, **how: Json) -> list[dict[str, Any]]:
        """Ghost text at a position."""
        items: list[dict[str, Any]] = (await self.answer(self.ask_inline(uri, line, character, **how)))["items"]
        return items

    def accept(self, uri: str, item: Mapping[str, Any]) -> str:
        """The document after accepting ghost text."""
        edit = {"range": item["range"], "newText": item["insertText"]}
        return apply_edits(self.documents[uri], [edit], self.encoding)

    def ask_command(self, command: str, *arguments: Json, **params: Json) -> Json:
        """Ask for a command and return the request's id."""
        return self.ask("workspace/executeCommand", {"command": command, "arguments": list(arguments), **params})

    async def command(self, command: str, *arguments: Json, **params: Json) -> Json:
        """Run a command."""
        return await self.answer(self.ask_command(command, *arguments, **params))

    # What it hears

    def hear_bytes(self, data: bytes) -> None:
        """Take bytes off the wire, however they are cut."""
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            header, rest = self._buffer.split(b"\r\n\r\n", 1)
            length = next(
                int(h.split(b":")[1]) for h in header.split(b"\r\n") if h.lower().startswith(b"content-length")
            )
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            self._hear(json.loads(rest[:length]))

    def _hear(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if method is None:
            self.answers[message["id"]].append(message)
        elif "id" in message:
            if method not in self.ignores:
                self.send({"id": message["id"], "result": self._obey(method, params)})
        elif method == "sfumato/status":
            self.statuses.append(params)
        elif method == "window/showMessage":
            self.shown.append(params["message"])
        elif method == "$/progress":
            self.progress[params["token"]].append(params["value"])
        asyncio.ensure_future(self._tell())  # noqa: RUF006 - waits for nothing but the lock

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _obey(self, method: str, params: Json) -> Json:
        if method == "workspace/configuration":
            return [self.configuration for _ in params["items"]]
        if method != "workspace/applyEdit":
            return None
        self.applied.append(params)
        if self.refuses_edits is not None:
            return {"applied": False, "failureReason": self.refuses_edits}
        for change in params["edit"]["documentChanges"]:
            uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
            if version != self.versions[uri]:
                return {"applied": False, "failureReason": "version"}
            self.documents[uri] = apply_edits(self.documents[uri], change["edits"], self.encoding)
            self.versions[uri] += 1
            document = {"uri": uri, "version": self.versions[uri]}
            self.notify(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": self.documents[uri]}]}
            )
        return {"applied": True}


class InProcessEditor(Editor):
    """An editor in front of a server in the same event loop."""

    def __init__(self, script: Mapping[str, Any], **how: Json) -> None:
        super().__init__(**how)
        self.opening = ScriptedOpening(script)
        self.server = create_server(self.opening)
        self.server.protocol.set_writer(self)
        self.exit_codes: list[int] = []
        self.server.session.on_exit = self.exit_codes.append

    def send_bytes(self, data: bytes) -> None:
        self.server.protocol.receive(data.split(b"\r\n\r\n", 1)[1])

    def write(self, data: bytes) -> None:
        """What the server calls."""
        self.hear_bytes(data)

    @property
    def asked(self) -> int:
        """Requests that reached the engine."""
        return self.opening.engine.asked if self.opening.engine else 0

    async def until_asked(self, count: int) -> None:
        """Wait until that many requests have reached the engine."""
        async with asyncio.timeout(10):
            while self.asked < count:  # noqa: ASYNC110 - the engine runs in a thread of its own
                await asyncio.sleep(0.002)

    async def __aenter__(self) -> InProcessEditor:
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self.server.session.close()
        await asyncio.sleep(0)


class SubprocessEditor(Editor):
    """An editor in front of a process that speaks over its standard input and output."""

    process: asyncio.subprocess.Process

    async def start(self, *command: str, env: Mapping[str, str] | None = None) -> SubprocessEditor:
        """Start the server."""
        pipe = asyncio.subprocess.PIPE
        environment = {**os.environ, **(env or {})}
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )
        self._reading = asyncio.create_task(self._read())
        return self

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(65536):
            self.hear_bytes(data)

    async def leave(self) -> int:
        """Shut the server down as the protocol asks; its exit code."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.ended()

    async def ended(self, timeout_s: float = 10) -> int:
        """Wait for the process to end; its exit code. Whatever came on standard output was a message."""
        async with asyncio.timeout(timeout_s):
            code = await self.process.wait()
            await self._reading
        assert not self._buffer
        return code

    async def errors(self) -> str:
        """What the process wrote on standard error, once it ended."""
        assert self.process.stderr is not None
        return (await self.process.stderr.read()).decode()

    async def __aenter__(self) -> SubprocessEditor:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.ended()


def at(line: int, character: int) -> dict[str, int]:
    """A position."""
    return {"line": line, "character": character}


def range_of(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    """A range."""
    return {"start": at(*start), "end": at(*end)}


def offset_of(text: str, position: Mapping[str, int], encoding: str = "utf-16") -> int:
    """Offset of a position, found by walking; a position that no editor could mean fails."""
    codec, width = WIDTHS[encoding]
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    assert position["line"] < len(starts), f"no line {position['line']}"
    offset = starts[position["line"]]
    units = 0
    while units < position["character"]:
        assert text[offset : offset + 1] not in ("", "\r", "\n"), "a column past the end of its line"
        units += len(text[offset].encode(codec)) // width
        offset += 1
    assert units == position["character"], "a column inside a character"
    return offset


def position_of(text: str, offset: int, encoding: str = "utf-16") -> dict[str, int]:
    """Position of an offset, found by walking."""
    codec, width = WIDTHS[encoding]
    line = start = 0
    for at, character in enumerate(text[:offset]):
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            line, start = line + 1, at + 1
    return at(line, len(text[start:offset].encode(codec)) // width)


def apply_edits(text: str, edits: Sequence[Mapping[str, Any]], encoding: str = "utf-16") -> str:
    """The text after edits that all speak of the text before; they may not overlap."""
    places = [
        (offset_of(text, e["range"]["start"], encoding), offset_of(text, e["range"]["end"], encoding), e["newText"])
        for e in edits
    ]
    places.sort(key=lambda place: place[:2])
    assert all(one[1] <= other[0] for one, other in pairwise(places)), "edits overlap"
    for start, end, new in reversed(places):
        text = text[:start] + new + text[end:]
    return text
