"""workspace/didChangeConfiguration: settings pushed by the client, or fetched when it only says that they changed."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..session import Session
from .messages import show_settings_problems


def register(server: LanguageServer, session: Session) -> None:
    """Register the handler."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if params.settings is not None:
            take(params.settings)
        elif session.client.configuration:
            item = types.ConfigurationItem(section="sfumato")
            server.workspace_configuration(types.ConfigurationParams(items=[item])).add_done_callback(fetched)

    def fetched(answer: Future[Any]) -> None:
        if not answer.cancelled() and answer.exception() is None and answer.result():
            take(answer.result()[0])

    def take(raw: object) -> None:
        show_settings_problems(server, session, session.configure(raw))
