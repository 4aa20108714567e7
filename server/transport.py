"""Bytes in, messages out: standard input and output, or one client over TCP, until the client or its process is gone.

Standard output is the protocol's alone: whatever else prints goes to standard error. Knows no feature.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import BinaryIO, Protocol

from engine import ConfigError

from .log import log_folder, open_log
from .protocol import TolerantProtocol
from .session import Session

_HEADER_LIMIT = 16_384
log = logging.getLogger(__name__)


class Served(Protocol):
    """What this module needs of a server."""

    session: Session

    @property
    def protocol(self) -> TolerantProtocol:
        """Where messages go."""


class Output(Protocol):
    """Where bytes go."""

    def write(self, data: bytes) -> object:
        """Write all of it."""


def serve_stdio(server: Served) -> int:
    """Serve the client at standard input and output; the exit code."""
    sys.stdout.flush()
    _open_if_closed(2)
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.set_blocking(output.fileno(), True)
    os.dup2(2, 1)  # a stray print, of a native library too, must not end up among the messages
    open_log(log_folder())
    return asyncio.run(_serve_pipes(server, 0, _Blocking(output)))


def serve_tcp(server: Served, host: str, port: int, allow_remote: bool = False) -> int:
    """Serve one client that connects to `host`:`port`; the exit code. Port 0 takes a free one; it is said on stderr.

    Raises `ConfigError` when others could connect and that was not allowed.
    """
    if not allow_remote and not _is_loopback(host):
        raise ConfigError(f"{host} is no loopback address: others could read what you write; use 127.0.0.1")
    open_log(log_folder())
    return asyncio.run(_serve_socket(server, host, port))


class _Blocking:
    """A file that is written to the last byte; a client that went away is noticed by the reader."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        with suppress(BrokenPipeError):
            while rest:
                rest = rest[self._file.write(rest) :]


def _open_if_closed(descriptor: int) -> None:
    """Or else the next file that is opened takes its number, and with it what libraries write there."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)


async def _serve_pipes(server: Served, source: int, output: Output) -> int:
    reader = asyncio.StreamReader(limit=_HEADER_LIMIT)
    loop = asyncio.get_running_loop()

    def pump() -> None:
        """Not a thread pool: leaving must not wait for a client that neither writes nor closes."""
        with suppress(RuntimeError):  # the loop ended meanwhile
            with suppress(OSError):  # standard input was never open
                while data := os.read(source, 65_536):
                    loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=pump, name="stdin", daemon=True).start()
    return await _serve(server, reader, output)


async def _serve_socket(server: Served, host: str, port: int) -> int:
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
        asyncio.get_running_loop().create_future()
    )

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()  # one client
        else:
            connected.set_result((reader, writer))

    async with await asyncio.start_server(take, host, port, limit=_HEADER_LIMIT) as listener:
        address = listener.sockets[0].getsockname()
        print(f"sfumato: listening on {address[0]}:{address[1]}", file=sys.stderr, flush=True)
        reader, writer = await connected
        try:
            return await _serve(server, reader, writer)
        finally:
            writer.close()


async def _serve(server: Served, reader: asyncio.StreamReader, output: Output) -> int:
    """Messages until the end of the stream, `exit`, a signal, or the end of the client's process."""
    leaving: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def leave(code: int) -> None:
        if not leaving.done():
            leaving.set_result(code)

    server.session.on_exit = leave
    server.protocol.set_writer(output)  # type: ignore[arg-type]
    with _on_signal(lambda: leave(0)):
        reading = asyncio.create_task(_read_messages(reader, server.protocol.receive))
        reading.add_done_callback(lambda _: leave(int(not server.protocol.was_shut_down)))
        code = await leaving
        reading.cancel()
        stopped = server.session.close()
    if not stopped:  # native code that does not listen; what it writes is complete or absent, so nothing is lost
        logging.shutdown()
        os._exit(code)
    return code


async def _read_messages(reader: asyncio.StreamReader, receive: Callable[[bytes], None]) -> None:
    """Until the stream ends, or is no stream of messages."""
    while True:
        length = 0
        try:
            while header := await reader.readuntil(b"\n"):
                name, _, value = header.strip().partition(b":")
                if name.lower() == b"content-length" and value.strip().isdigit():
                    length = int(value)
                if not name:
                    break
            body = await reader.readexactly(length)
        except asyncio.IncompleteReadError:
            return
        except asyncio.LimitOverrunError:
            log.error("what comes in is no stream of messages")
            return
        if body:
            receive(body)
        await asyncio.sleep(0)  # a handler takes its snapshot before the next message can change the document


@contextmanager
def _on_signal(leave: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    caught = []
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            loop.add_signal_handler(number, leave)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
