"""didOpen, didChange, didClose: what the client tells about its documents."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..documents import Change
from ..session import Session

log = logging.getLogger(__name__)


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session.documents.open(document.uri, document.language_id, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        changes = [_change(change) for change in params.content_changes]
        if not session.documents.change(document.uri, document.version, changes):
            log.warning("a change of a document that is not open")

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.documents.close(params.text_document.uri)


def _change(change: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return Change(change.text)
    start, end = change.range.start, change.range.end
    return Change(change.text, (start.line, start.character), (end.line, end.character))
