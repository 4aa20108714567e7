"""initialize, initialized, exit; and how the engine fares in between: status, progress, one message on failure."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder, get_capability
from pygls.lsp.server import LanguageServer

from ..parent import wait_for_end
from ..positions import PositionEncoding
from ..progress import WorkDone
from ..session import ClientSupport, Session
from ..status import State, Status
from .completion import register_for_clients_without_inline_completion
from .messages import show, show_settings_problems
from .workspace import initial_folders

log = logging.getLogger(__name__)


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers."""
    problems: list[str] = []
    watching: list[asyncio.Task[None]] = []
    session.on_status = EngineReporter(server, session)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.client = client_support(params.capabilities)
        session.documents.encoding = chosen_encoding(params.capabilities)
        session.related.folders = initial_folders(params)
        problems[:] = session.initialize(params.initialization_options)
        if not session.client.inline_completion:
            register_for_clients_without_inline_completion(server, session)
        if params.process_id is not None:
            watching.append(asyncio.create_task(_leave_with(params.process_id, session)))

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        show_settings_problems(server, session, problems)
        session.open_engine()

    @server.feature(types.EXIT)
    def leave(_params: None) -> None:
        session.on_exit(0 if getattr(server.protocol, "was_shut_down", False) else 1)


async def _leave_with(pid: int, session: Session) -> None:
    await wait_for_end(pid)
    log.info("the client's process %d is gone", pid)
    session.on_exit(1)


def client_support(capabilities: types.ClientCapabilities) -> ClientSupport:
    """What the server asks of the client's capabilities."""

    def has(path: str) -> bool:
        return bool(get_capability(capabilities, path))

    tags = get_capability(capabilities, "text_document.code_action.tag_support.value_set") or ()
    return ClientSupport(
        inline_completion=get_capability(capabilities, "text_document.inline_completion") is not None,
        work_done_progress=has("window.work_done_progress"),
        configuration=has("workspace.configuration"),
        versioned_edits=has("workspace.workspace_edit.document_changes"),
        change_annotations=has("workspace.workspace_edit.change_annotation_support"),
        code_action_literals=get_capability(capabilities, "text_document.code_action.code_action_literal_support")
        is not None,
        code_action_tags=types.CodeActionTag.LlmGenerated in tags,
    )


def chosen_encoding(capabilities: types.ClientCapabilities) -> PositionEncoding:
    """The client's first choice, as pygls announces it."""
    kind = ServerCapabilitiesBuilder.choose_position_encoding(capabilities)
    return PositionEncoding(types.PositionEncodingKind(kind).value)


class EngineReporter:
    """Tells the client about every change of the engine's status."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
        self._server = server
        self._session = session
        self._progress: WorkDone | None = None

    def __call__(self, status: Status) -> None:
        """Hear of a change."""
        self._server.protocol.notify(
            "sfumato/status",
            {"state": status.state.value, "message": status.message, "done": status.done, "total": status.total},
        )
        if status.state in (State.DOWNLOADING, State.LOADING):
            self._show(status)
        elif self._progress is not None:
            self._progress.end("ready" if status.state is State.READY else None)
            self._progress = None
        if status.state is State.FAILED:
            log.error("no engine: %s", status.message)
            show(self._server, status.message, types.MessageType.Error)  # an engine fails once: none is tried again

    def _show(self, status: Status) -> None:
        if not self._session.client.work_done_progress:
            return
        progress, is_new = self._progress or WorkDone(self._server, "Sfumato"), self._progress is None
        progress.report(status.message, status.percentage)
        if is_new:
            self._progress = progress
            progress.create()
