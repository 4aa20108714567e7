"""The command `sfumato.debugInformation`: what a person needs who asks why something is slow, quiet or wrong."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import threading
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version

import msgspec
from pygls.lsp.server import LanguageServer

from ..session import Session
from ..snapshot import Snapshot
from .commands import DebugInformationArguments, read_arguments

DEBUG_INFORMATION = "sfumato.debugInformation"


def register(server: LanguageServer, session: Session) -> None:
    """Register the command."""

    @server.command(DEBUG_INFORMATION)
    async def run(arguments: Sequence[object] | None, _token: int | str | None) -> dict[str, object]:
        asked = read_arguments(arguments, DebugInformationArguments) if arguments else DebugInformationArguments()
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
            "threads": threading.active_count(),
            "tasks": len(asyncio.all_tasks()),
            "documents": len(session.documents),
            "document": _described(session.documents.snapshot(asked.uri)),
            "settings": msgspec.to_builtins(session.settings),
            "last": asdict(record.last) if record.last is not None else None,
            "snippets": session.related.shown,
            "suppressions": dict(record.suppressions),
            "refusals": dict(record.refusals),
            "recent": record.recent,
            "counts": dict(record.counts),
            "speculation": dict(session.speculation.counts),
            "outcomes": dict(session.attention.outcomes),
            "back_off_ms": round(session.attention.back_off_s * 1000),
            "cache": {"answers": len(session.cache), "bytes": session.cache.size},
        }


def _described(snapshot: Snapshot | None) -> dict[str, object] | None:
    """The server's copy of one document, so that it can be compared with the editor's, but not a word of its text."""
    if snapshot is None:
        return None
    return {
        "version": snapshot.version,
        "language": snapshot.language,
        "characters": len(snapshot.text),
        "lines": snapshot.lines.count,
        "sha256": hashlib.sha256(snapshot.text.encode("utf-8")).hexdigest(),
    }
