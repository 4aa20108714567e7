"""A language server started and spoken to as an editor does it: JSON-RPC over the pipes of a subprocess.

Its own reader of the protocol, not the server's library, so that both sides do not share a mistake. Knows the frame
and the few requests a server makes of its client; knows no feature.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Self, TypeVar

import msgspec

T = TypeVar("T")
OnNotification = Callable[[str, msgspec.Raw], None]


class ServerGone(Exception):  # noqa: N818 - names what happened
    """The server ended, or never started; the message holds its last words."""


class RequestFailed(Exception):  # noqa: N818 - names what happened
    """The server answered with an error."""


class _Error(msgspec.Struct):
    code: int
    message: str


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None


class _ConfigurationParams(msgspec.Struct):
    items: list[msgspec.Raw]


class EditorClient:
    """One server process. Use as a context; leaving it shuts the server down."""

    def __init__(self, command: Sequence[str], on_notification: OnNotification, *, patience_s: float = 5) -> None:
        self._command = command
        self._patience_s = patience_s
        self._on_notification = on_notification
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._last_words = b""
        self._next_id = 0

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise ServerGone(f"{self._command[0]} does not start: {error.strerror}") from None
        self._stdin = _piped(self._process.stdin)
        self._tasks = [
            asyncio.create_task(self._read_messages(_piped(self._process.stdout))),
            asyncio.create_task(self._read_errors(_piped(self._process.stderr))),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Shut down as the protocol asks; a server that does not go in `patience_s` is killed."""
        with suppress(ServerGone, RequestFailed, TimeoutError, ConnectionError):
            async with asyncio.timeout(self._patience_s):
                await self.request("shutdown", None, msgspec.Raw)
                await self.notify("exit", None)
                await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await asyncio.gather(*self._tasks)

    async def request(self, method: str, params: object, answer: type[T]) -> T:
        """Ask and wait; raises `RequestFailed`, `ServerGone`."""
        self._next_id += 1
        waiting = self._waiting[self._next_id] = asyncio.get_running_loop().create_future()
        await self._send({"id": self._next_id, "method": method, "params": params})
        return msgspec.json.decode(await waiting, type=answer)

    async def notify(self, method: str, params: object) -> None:
        """Tell; nothing comes back."""
        await self._send({"method": method, "params": params})

    async def unless_gone(self, waiting: Awaitable[T]) -> T:
        """Wait for something that a notification brings; raises `ServerGone` when none can come any more."""
        wanted = asyncio.ensure_future(waiting)
        await asyncio.wait((wanted, self._tasks[0]), return_when=asyncio.FIRST_COMPLETED)
        if not wanted.done():
            wanted.cancel()
            raise self._gone()
        return wanted.result()

    async def _send(self, message: Mapping[str, object]) -> None:
        if self._process.returncode is not None:
            raise self._gone()
        body = msgspec.json.encode({"jsonrpc": "2.0", **message})
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        try:
            await self._stdin.drain()
        except ConnectionError:
            await self._process.wait()
            raise self._gone() from None

    async def _read_messages(self, stream: asyncio.StreamReader) -> None:
        with suppress(asyncio.IncompleteReadError):  # how the end of the stream shows
            while True:
                headers = (await stream.readuntil(b"\r\n\r\n")).decode("ascii").lower().split("\r\n")
                length = next(int(line.split(":")[1]) for line in headers if line.startswith("content-length:"))
                await self._take(msgspec.json.decode(await stream.readexactly(length), type=_Message))
        await self._process.wait()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self._gone())

    async def _take(self, message: _Message) -> None:
        if not message.method:
            waiting = self._waiting.pop(int(message.id or 0))
            if message.error is not None:
                waiting.set_exception(RequestFailed(message.error.message))
            else:
                waiting.set_result(message.result)
        elif message.id is None:
            self._on_notification(message.method, message.params)
        else:
            await self._send({"id": message.id, "result": _answer(message)})

    async def _read_errors(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(4096):
            self._last_words = (self._last_words + chunk)[-400:]

    def _gone(self) -> ServerGone:
        said = " / ".join(self._last_words.decode(errors="replace").split("\n")).strip(" /") or "it said nothing"
        return ServerGone(f"the server ended with code {self._process.returncode}: {said}")


def _piped(stream: T | None) -> T:
    if stream is None:
        raise ServerGone("the server has no pipes")
    return stream


def _answer(message: _Message) -> object:
    """What an editor without opinions answers."""
    match message.method:
        case "workspace/configuration":
            return [None for _ in msgspec.json.decode(message.params, type=_ConfigurationParams).items]
        case "workspace/applyEdit":
            return {"applied": False, "failureReason": "this client only looks"}
        case _:
            return None
