"""The command `sfumato.debugInformation`: what a person needs who asks why something is slow, quiet or wrong."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version

import msgspec
from pygls.lsp.server import LanguageServer

from ..session import Session

DEBUG_INFORMATION = "sfumato.debugInformation"


def register(server: LanguageServer, session: Session) -> None:
    """Register the command."""

    @server.command(DEBUG_INFORMATION)
    async def run(_arguments: Sequence[object] | None, _token: int | str | None) -> dict[str, object]:
        engine, status = session.runner.engine, session.runner.status
        return {
            "versions": {
                "sfumato": server.version,
                "python": platform.python_version(),
                "pygls": version("pygls"),
                "lsprotocol": version("lsprotocol"),
            },
            "platform": platform.platform(),
            "status": {"state": status.state.value, "message": status.message},
            "model": dict(engine.info) if engine is not None else None,
            "encoding": session.documents.encoding.value,
            "documents": len(session.documents),
            "settings": msgspec.to_builtins(session.settings),
            "last": asdict(session.last) if session.last is not None else None,
            "refusals": dict(session.refusals),
        }
