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
        engine, status, record = session.runner.engine, session.runner.status, session.record
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
            "last": asdict(record.last) if record.last is not None else None,
            "suppressions": dict(record.suppressions),
            "refusals": dict(record.refusals),
            "recent": record.recent,
            "counts": dict(record.counts),
            "speculation": dict(session.speculation.counts),
            "outcomes": dict(session.attention.outcomes),
            "back_off_ms": round(session.attention.back_off_s * 1000),
            "cache": {"answers": len(session.cache), "bytes": session.cache.size},
        }
