"""textDocument/completion, for clients that cannot show ghost text: the same suggestion as an item of the popup."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..edits import completion_item, offset_of
from ..rebase import move_cursor
from ..session import Session
from .asking import moved, suggestions_at


def register_for_clients_without_inline_completion(server: LanguageServer, session: Session) -> None:
    """Register the handler, while `initialize` is handled: only then is the client known."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions())
    async def completion(params: types.CompletionParams) -> types.CompletionList:
        """Automatic always: popups open while one types, and the protocol does not tell that from asking."""
        snapshot = session.documents.snapshot(params.text_document.uri)
        if snapshot is None:
            session.note("completion", "unknown-document", None)
            return types.CompletionList(is_incomplete=True, items=[])
        encoding = session.documents.encoding
        offset = offset_of(snapshot.lines, params.position, encoding)
        with session.documents.watch(snapshot) as watch:
            suggestions = await suggestions_at(server, session, snapshot, offset, invoked=False)
            present = session.documents.snapshot(snapshot.uri) or snapshot
            cursor = move_cursor(offset, watch.edits)
            items = [completion_item(present, one, cursor, encoding) for one in moved(watch, suggestions)]
        return types.CompletionList(is_incomplete=True, items=[item for item in items if item is not None])
