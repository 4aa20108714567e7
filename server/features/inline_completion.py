"""textDocument/inlineCompletion: ghost text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..edits import from_cursor, inline_item, offset_of, offsets_of
from ..flight import OnDraft
from ..progress import WorkDone
from ..rebase import move_cursor
from ..session import Session
from ..snapshot import Snapshot
from ..suggestion import Suggestion
from .asking import look_ahead, moved, suggestions_at

_INVOKED = types.InlineCompletionTriggerKind.Invoked


def register(server: LanguageServer, session: Session) -> None:
    """Register the handler. Without options of its own the feature would not be announced at all."""

    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions(work_done_progress=True))
    async def inline_completion(params: types.InlineCompletionParams) -> types.InlineCompletionList:
        snapshot = session.documents.snapshot(params.text_document.uri)
        if snapshot is None:
            session.note("completion", "unknown-document", None)
            return types.InlineCompletionList(items=[])
        offset = offset_of(snapshot.lines, params.position, session.documents.encoding)
        invoked = params.context.trigger_kind is _INVOKED
        selected = params.context.selected_completion_info
        with _drafts(server, params.work_done_token if invoked else None) as on_draft:
            if selected is None:
                items = await _plain(server, session, snapshot, offset, on_draft, invoked=invoked)
            else:
                items = await _extending(server, session, snapshot, selected, on_draft, invoked=invoked)
        return types.InlineCompletionList(items=items)


@contextmanager
def _drafts(server: LanguageServer, token: int | str | None) -> Iterator[OnDraft | None]:
    """The present draft as progress, for a client that asked for it by hand and brought a token."""
    if token is None:
        yield None
        return
    progress = WorkDone(server, "Complete")
    progress.begin(token)
    try:
        yield progress.report
    finally:
        progress.end()


async def _plain(
    server: LanguageServer,
    session: Session,
    snapshot: Snapshot,
    offset: int,
    on_draft: OnDraft | None,
    *,
    invoked: bool,
) -> list[types.InlineCompletionItem]:
    with session.documents.watch(snapshot) as watch:
        suggestions = await suggestions_at(server, session, snapshot, offset, invoked=invoked, on_draft=on_draft)
        present = session.documents.snapshot(snapshot.uri)
        if present is None:
            return []
        cursor, encoding = move_cursor(offset, watch.edits), session.documents.encoding
        shown = [ghost for one in moved(watch, suggestions) if (ghost := from_cursor(present, one, cursor))]
        session.attention.show(snapshot.uri, shown)
        look_ahead(session, present, shown)
        return [inline_item(present, one, encoding) for one in shown]


async def _extending(
    server: LanguageServer,
    session: Session,
    snapshot: Snapshot,
    selected: types.SelectedCompletionInfo,
    on_draft: OnDraft | None,
    *,
    invoked: bool,
) -> list[types.InlineCompletionItem]:
    """Items that extend what is selected in the completion popup: asked for as if it had been accepted."""
    start, end = offsets_of(snapshot.lines, selected.range, session.documents.encoding)
    accepted = Snapshot(
        snapshot.uri,
        snapshot.language,
        snapshot.version,
        snapshot.text[:start] + selected.text + snapshot.text[end:],
    )
    cursor = start + len(selected.text)
    with session.documents.watch(snapshot) as watch:
        answered = await suggestions_at(server, session, accepted, cursor, invoked=invoked, on_draft=on_draft)
        extending = [
            whole for one in answered if (whole := _from_selected(accepted, one, start, cursor, end)) is not None
        ]
        present = session.documents.snapshot(snapshot.uri)
        if present is None:
            return []
        shown = moved(watch, tuple(extending))
        session.attention.show(snapshot.uri, shown)
        return [inline_item(present, one, session.documents.encoding) for one in shown]


def _from_selected(accepted: Snapshot, one: Suggestion, start: int, cursor: int, end: int) -> Suggestion | None:
    """A suggestion made after accepting, as one for the document in which nothing is accepted yet."""
    kept = accepted.text[one.start : cursor]
    if not one.start <= cursor <= one.end or not one.text.startswith(kept):
        return None
    return Suggestion(start, end + one.end - cursor, accepted.text[start:cursor] + one.text[len(kept) :])
