"""A change asked for by hand, from its ranges to exactly one edit; shared by rewrite and fill holes.

Anchored while it runs: edits elsewhere move it, edits inside end it. Every outcome is one object (editors/PROTOCOL.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from engine import Cancelled, CancelToken, Engine, InfillResult, Progress, ProgressSink, RewriteResult, SfumatoError

from ..documents import Watch
from ..edits import range_of, workspace_edit
from ..privacy import is_excluded
from ..progress import WorkDone
from ..rebase import anchor
from ..runner import EngineFault, NotReady, Rank, Superseded
from ..session import Session
from ..snapshot import Snapshot
from ..suggestion import Suggestion
from .commands import cancel_current_task_by
from .messages import show

REASONS = {
    "unknown-document": "the document is not open",
    "stale-version": "the document changed since; ask again",
    "changed-inside": "the text was changed while it was being written",
    "closed": "the document was closed",
    "excluded": "this file is excluded",
    "empty": "nothing was written",
    "unchanged": "there is nothing to change",
    "same-again": "the same text came out again; try once more, or say it differently",
    "cannot-confirm": "this editor cannot ask before a change; preview it, or set confirmChanges to false",
    "nothing-to-run-again": "the text changed since the last rewrite; select it and ask anew",
    "deadline": "the time ran out (setting rewriteDeadlineMs)",
    "syntax": "the result would have added syntax errors",
    "cut-off": "the result was cut off; select less",
    "no-holes": "no hole is marked there",
    "no-instruction": "an instruction is needed",
    "overlapping-holes": "holes overlap",
}


@dataclass(frozen=True, slots=True)
class Written:
    """What the text side answered."""

    suggestions: tuple[Suggestion, ...]
    refused: str | None
    result: InfillResult | RewriteResult | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be changed: `ranges` of `snapshot`, by `write`, which runs on the engine thread.

    `is_several`: the outcome lists ranges and texts, even if there is only one.
    """

    kind: str
    title: str
    snapshot: Snapshot
    ranges: tuple[tuple[int, int], ...]
    preview: bool
    is_several: bool
    write: Callable[[Engine, CancelToken, ProgressSink], Written]
    on_applied: Callable[[Snapshot, Suggestion], None] | None = None  # the document it was applied to


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """No change, and why: a name for programs, a sentence for people."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(sentence or REASONS.get(reason, f"refused ({reason})"))
        self.reason = reason


def current_snapshot(session: Session, uri: str, version: int | None) -> Snapshot:
    """The document a command is about; raises `Refusal` if it is not the one the client saw, or is excluded."""
    snapshot = session.documents.snapshot(uri)
    if snapshot is None:
        raise Refusal("unknown-document")
    if version is not None and version != snapshot.version:
        raise Refusal("stale-version")
    if is_excluded(snapshot, session.settings.exclude):
        raise Refusal("excluded")
    return snapshot


class Changing:
    """Carries out what is wanted, for one server."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
        self._server = server
        self._session = session

    async def carry_out(
        self, find: Callable[[], Wanted], *, kind: str, preview: bool, token: int | str | None
    ) -> dict[str, object]:
        """The outcome for the client. `find` raises `Refusal` when there is nothing to do."""
        try:
            return await self._change(find(), token)
        except Refusal as refusal:
            self._session.note(kind, refusal.reason, None)
            if not preview:
                show(self._server, f"{kind}: {refusal}", types.MessageType.Info)
            return {"applied": False, "refused": refusal.reason, "message": str(refusal)}

    async def _change(self, wanted: Wanted, token: int | str | None) -> dict[str, object]:
        client = self._session.client
        if self._asks_first(wanted) and not (client.versioned_edits and client.change_annotations):
            raise Refusal("cannot-confirm")
        progress = self._begin_progress(wanted.title, token)
        try:
            with self._session.documents.watch(wanted.snapshot) as watch:
                written = await self._write(wanted, watch, _Drafts(progress, whole=token is not None))
                self._session.note(wanted.kind, written.refused, written.result)
                if written.refused is not None or not written.suggestions:
                    raise Refusal(written.refused or "empty")
                present, suggestions = self._moved(written.suggestions, watch)
        finally:
            progress.end()
        return await self._hand_over(wanted, present, suggestions)

    def _asks_first(self, wanted: Wanted) -> bool:
        return self._session.settings.confirm_changes and not wanted.preview

    def _begin_progress(self, title: str, token: int | str | None) -> WorkDone:
        progress = WorkDone(self._server, title, cancellable=True)
        status = self._session.runner.status
        if self._session.runner.engine is None:
            progress.report(str(status))
        if token is not None:
            cancel_current_task_by(self._session, token)
            progress.begin(token)
        elif self._session.client.work_done_progress:
            progress.create(lambda own: cancel_current_task_by(self._session, own))
        return progress

    async def _write(self, wanted: Wanted, watch: Watch, drafts: _Drafts) -> Written:
        self._session.open_engine()
        running = asyncio.ensure_future(
            self._session.runner.run(
                lambda engine, cancel: wanted.write(engine, cancel, drafts),
                rank=Rank.COMMAND,
                key=wanted.snapshot.uri,
            )
        )
        lost: list[str] = []

        def follow() -> None:
            if watch.closed:
                lost.append("closed")
            elif any(anchor(*place, watch.edits) is None for place in wanted.ranges):
                lost.append("changed-inside")
            if lost:
                running.cancel()

        watch.on_change = follow
        try:
            return await running
        except asyncio.CancelledError:
            if lost and running.cancelled():
                raise Refusal(lost[0]) from None
            raise
        except NotReady as error:
            raise Refusal("not-ready", str(error)) from None
        except (Cancelled, Superseded):
            raise Refusal("cancelled", "it was stopped") from None
        except (EngineFault, SfumatoError) as error:
            raise Refusal("engine-fault", f"the engine failed: {error}") from None
        finally:
            watch.on_change = None

    def _moved(self, suggestions: tuple[Suggestion, ...], watch: Watch) -> tuple[Snapshot, list[Suggestion]]:
        """The present document and what applies to it, after edits elsewhere."""
        present = self._session.documents.snapshot(watch.snapshot.uri)
        if present is None or watch.closed:
            raise Refusal("closed")
        moved = []
        for one in suggestions:
            place = anchor(one.start, one.end, watch.edits)
            if place is None:
                raise Refusal("changed-inside")
            moved.append(Suggestion(*place, one.text))
        return present, moved

    async def _hand_over(self, wanted: Wanted, present: Snapshot, suggestions: list[Suggestion]) -> dict[str, object]:
        encoding, client = self._session.documents.encoding, self._session.client
        label = f"Sfumato: {wanted.title}"
        confirm = label if self._asks_first(wanted) else ""
        edit = workspace_edit(present, suggestions, encoding, versioned=client.versioned_edits, confirm=confirm)
        ranges = [range_of(present.lines, one.start, one.end, encoding) for one in suggestions]
        texts = [one.text for one in suggestions]
        outcome: dict[str, object] = {"applied": False, "refused": None, "message": None, "version": present.version}
        outcome |= {"ranges": ranges, "texts": texts} if wanted.is_several else {"range": ranges[0], "text": texts[0]}
        if wanted.preview:
            return outcome | {"edit": edit}
        answer = await self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=label))
        if answer.applied and wanted.on_applied is not None:
            wanted.on_applied(present, suggestions[0])
        if not answer.applied:
            reason = answer.failure_reason or "it gave no reason"
            outcome["message"] = f"the editor did not apply the change: {reason}"
            show(self._server, f"{wanted.kind}: {outcome['message']}")
        return outcome | {"applied": answer.applied}


class _Drafts:
    """A progress sink for the engine thread: the whole draft if the client brought its own progress, else one line."""

    def __init__(self, progress: WorkDone, *, whole: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._progress = progress
        self._whole = whole

    def __call__(self, progress: Progress) -> None:
        text = progress.text if self._whole else next(reversed(progress.text.strip().splitlines()), "").strip()[:80]
        if text:
            self._loop.call_soon_threadsafe(self._progress.report, text)
