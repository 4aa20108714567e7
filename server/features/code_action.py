"""textDocument/codeAction: ready-made instructions for the selection. Nothing is computed before one is chosen."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..edits import offsets_of, range_of
from ..presets import presets
from ..session import Session
from ..snapshot import Snapshot
from .fill_holes import FILL_HOLES, placeholders
from .rewrite import AGAIN, REWRITE

_REWRITE, _QUICK_FIX = types.CodeActionKind.RefactorRewrite, types.CodeActionKind.QuickFix


def register(server: LanguageServer, session: Session) -> None:
    """Register the handler."""
    options = types.CodeActionOptions(code_action_kinds=[_REWRITE, _QUICK_FIX])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        snapshot = session.documents.snapshot(params.text_document.uri)
        if snapshot is None:
            return []
        actions = _actions(session, snapshot, params)
        wanted = [action for action in actions if _is_wanted(action, params.context.only)]
        if session.client.code_action_literals:
            return list(wanted)
        return [action.command for action in wanted if action.command is not None]


def _actions(session: Session, snapshot: Snapshot, params: types.CodeActionParams) -> list[types.CodeAction]:
    encoding = session.documents.encoding
    start, end = offsets_of(snapshot.lines, params.range, encoding)
    actions = []
    last = session.rewritten.place_in(snapshot) if session.rewritten else None
    if last is not None and start <= last[1] and last[0] <= end:
        again = {"uri": snapshot.uri, "version": snapshot.version}
        actions.append(_action(session, "Run again", _REWRITE, AGAIN, again))
    if not (selected := snapshot.text[start:end]).strip():
        return actions
    where = {"uri": snapshot.uri, "version": snapshot.version, "range": range_of(snapshot.lines, start, end, encoding)}
    if placeholders(snapshot.text, start, end, session.settings.placeholder):
        actions.append(_action(session, "Fill the holes", _REWRITE, FILL_HOLES, where))
    problems = tuple(diagnostic.message for diagnostic in params.context.diagnostics)
    for preset in presets(snapshot.language, selected, problems):
        arguments = {**where, "instruction": preset.instruction}
        actions.append(_action(session, preset.title, _QUICK_FIX if preset.mends else _REWRITE, REWRITE, arguments))
    return actions


def _action(
    session: Session, title: str, kind: types.CodeActionKind, command: str, arguments: dict[str, object]
) -> types.CodeAction:
    title = f"Sfumato: {title}"
    return types.CodeAction(
        title=title,
        kind=kind,
        command=types.Command(title=title, command=command, arguments=[arguments]),
        tags=[types.CodeActionTag.LlmGenerated] if session.client.code_action_tags else None,
    )


def _is_wanted(action: types.CodeAction, only: object) -> bool:
    """Whether the client asked for this kind or for one it belongs to."""
    if not only or action.kind is None:
        return True
    kinds = [str(getattr(kind, "value", kind)) for kind in only] if isinstance(only, list | tuple) else []
    kind = str(getattr(action.kind, "value", action.kind))
    return any(kind == asked or kind.startswith(f"{asked}.") or not asked for asked in kinds)
