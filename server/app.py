"""The language server put together: the table of contents of its features."""

from __future__ import annotations

import logging
from importlib.metadata import PackageNotFoundError, version

from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from .features import (
    code_action,
    commands,
    configuration,
    debug_information,
    fill_holes,
    inline_completion,
    lifecycle,
    outcome,
    rewrite,
    synchronization,
    workspace,
)
from .features.converter import tolerant_converter
from .protocol import TolerantProtocol
from .runner import OpenEngine
from .session import Session
from .transport import serve_stdio, serve_tcp

__all__ = ["SfumatoServer", "create_server", "serve_stdio", "serve_tcp"]

log = logging.getLogger(__name__)


class SfumatoServer(LanguageServer):
    """pygls' server with a session."""

    protocol: TolerantProtocol

    def __init__(self, open_engine: OpenEngine) -> None:
        super().__init__(
            "sfumato",
            _version(),
            protocol_cls=TolerantProtocol,
            converter_factory=tolerant_converter,
        )
        self.session = Session(open_engine)

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Log it: whoever asked was answered, and nobody else wants a pop-up."""
        log.warning("%s: %s", source.__name__, type(error).__name__)


def create_server(open_engine: OpenEngine) -> SfumatoServer:
    """A server for one client; `open_engine` is called on the engine thread once the client is initialized."""
    server = SfumatoServer(open_engine)
    for feature in (
        lifecycle,
        synchronization,
        workspace,
        configuration,
        inline_completion,
        commands,
        rewrite,
        fill_holes,
        code_action,
        outcome,
        debug_information,
    ):
        feature.register(server, server.session)
    return server


def _version() -> str:
    try:
        return version("sfumato")
    except PackageNotFoundError:
        return "0+source"
