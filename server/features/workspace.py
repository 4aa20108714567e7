"""Which folders are open: imported files are read from disk below these only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..session import Session
from ..snapshot import Snapshot


def register(server: LanguageServer, session: Session) -> None:
    """Register the handler."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = _paths(folder.uri for folder in params.event.removed)
        rest = [folder for folder in session.related.folders if folder not in gone]
        session.related.folders = (*rest, *_paths(folder.uri for folder in params.event.added))


def initial_folders(params: types.InitializeParams) -> tuple[Path, ...]:
    """The folders that are open from the beginning."""
    return _paths([folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""])


def _paths(uris: Iterable[str]) -> tuple[Path, ...]:
    """Folders by the names that the client has for them, and by their real ones."""
    files = [Snapshot(uri, "", 0, "").file for uri in uris]
    return tuple(dict.fromkeys(path for file in files if file is not None for path in (file, file.resolve())))
