"""workspace/executeCommand: arguments read, the command run as a task of its own, cancelled by either of two roads."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
from lsprotocol import types
from msgspec import Meta
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from ..session import Session

T = TypeVar("T")
_Count = Annotated[int, Meta(ge=0)]


class Position(msgspec.Struct, frozen=True):
    """As in the protocol: columns in the negotiated encoding."""

    line: _Count
    character: _Count


class Range(msgspec.Struct, frozen=True):
    """As in the protocol: the end is not part of it."""

    start: Position
    end: Position

    def to_protocol(self) -> types.Range:
        """The same as the protocol's own type."""
        start, end = self.start, self.end
        return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


class RewriteArguments(msgspec.Struct, frozen=True, rename="camel"):
    """Of `sfumato.rewrite`. Without a version the present text is meant; another attempt gives another text."""

    uri: str
    range: Range
    instruction: str
    version: int | None = None
    preview: bool = False
    attempt: _Count = 0


class AgainArguments(msgspec.Struct, frozen=True, rename="camel"):
    """Of `sfumato.rewriteAgain`."""

    uri: str
    version: int | None = None


class FillHolesArguments(msgspec.Struct, frozen=True, rename="camel"):
    """Of `sfumato.fillHoles`: the holes, or a range in which placeholders mark them."""

    uri: str
    holes: list[Range] | None = None
    range: Range | None = None
    version: int | None = None
    preview: bool = False


class DebugInformationArguments(msgspec.Struct, frozen=True, rename="camel"):
    """Of `sfumato.debugInformation`: the document that is also to be described."""

    uri: str = ""


def read_arguments(arguments: Sequence[object] | None, kind: type[T]) -> T:
    """The single argument of a command; raises the protocol's error, which names the field."""
    if arguments is None or len(arguments) != 1:
        raise JsonRpcInvalidParams(f"one argument is expected, an object; got {len(arguments or ())}")
    try:
        return msgspec.convert(arguments[0], kind)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(str(error)) from None


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers; the commands themselves are registered with `server.command`."""

    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    async def execute_command(params: types.ExecuteCommandParams) -> object:
        command = server.protocol.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"no command {params.command!r}")
        return await command(params.arguments, params.work_done_token)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(params: types.WorkDoneProgressCancelParams) -> None:
        if (cancel := session.cancel_by_token.get(params.token)) is not None:
            cancel()


def cancel_current_task_by(session: Session, token: int | str) -> None:
    """Let the client cancel what runs now through its progress."""
    task = asyncio.current_task()
    if task is not None:
        session.cancel_by_token[token] = task.cancel
        task.add_done_callback(lambda _: session.cancel_by_token.pop(token, None))
