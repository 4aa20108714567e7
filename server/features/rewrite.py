"""The commands `sfumato.rewrite` and `sfumato.rewriteAgain`: replace exactly one range as an instruction says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pygls.lsp.server import LanguageServer

from engine import CancelToken, Engine, ProgressSink

from ..context import snapped
from ..edits import offsets_of
from ..rewriting import Rewritten
from ..session import Session
from ..snapshot import Snapshot
from ..suggest import rewrite
from ..suggestion import Suggestion
from .changing import Changing, Refusal, Wanted, Written, current_snapshot
from .commands import AgainArguments, RewriteArguments, read_arguments

REWRITE, AGAIN = "sfumato.rewrite", "sfumato.rewriteAgain"


def register(server: LanguageServer, session: Session) -> None:
    """Register the commands."""
    changing = Changing(server, session)

    @server.command(REWRITE)
    async def run(arguments: Sequence[object] | None, token: int | str | None) -> dict[str, object]:
        asked = read_arguments(arguments, RewriteArguments)
        return await changing.carry_out(
            lambda: _wanted(session, asked), kind="rewrite", preview=asked.preview, token=token
        )

    @server.command(AGAIN)
    async def run_again(arguments: Sequence[object] | None, token: int | str | None) -> dict[str, object]:
        asked = read_arguments(arguments, AgainArguments)
        return await changing.carry_out(lambda: _again(session, asked), kind="rewrite", preview=False, token=token)


def _wanted(session: Session, asked: RewriteArguments) -> Wanted:
    snapshot = current_snapshot(session, asked.uri, asked.version)
    place = offsets_of(snapshot.lines, asked.range.to_protocol(), session.documents.encoding)
    start, end = (snapped(snapshot.text, offset) for offset in place)
    last = Rewritten(snapshot, Suggestion(start, end, snapshot.text[start:end]), asked.instruction, asked.attempt)
    return _rewriting(session, last, snapshot, (start, end), preview=asked.preview)


def _again(session: Session, asked: AgainArguments) -> Wanted:
    """The last rewrite once more, of the text it was made of; where its result stands, or where it was undone."""
    snapshot, last = current_snapshot(session, asked.uri, asked.version), session.rewritten
    if last is None or (place := last.place_in(snapshot)) is None:
        raise Refusal("nothing-to-run-again")
    return _rewriting(session, replace(last, attempt=last.attempt + 1), snapshot, place, preview=False)


def _rewriting(
    session: Session, last: Rewritten, present: Snapshot, place: tuple[int, int], *, preview: bool
) -> Wanted:
    """Rewrite what `last` is made of, and put it at `place` of the present document."""
    settings, made = session.settings, last.made

    def write(engine: Engine, cancel: CancelToken, progress: ProgressSink) -> Written:
        answer = rewrite(
            engine,
            last.original,
            made.start,
            made.end,
            last.instruction,
            settings,
            attempt=last.attempt,
            cancel=cancel,
            progress=progress,
        )
        new = answer.suggestion
        if new is None:
            return Written((), answer.refused, answer.result)
        if new.text == present.text[slice(*place)]:
            return Written((), "same-again", answer.result)
        return Written((Suggestion(*place, new.text),), None, answer.result)

    def remember(document: Snapshot, suggestion: Suggestion) -> None:
        """What it was made of, with what was typed elsewhere meanwhile, and what came of it."""
        selected = last.original.text[made.start : made.end]
        start, text = suggestion.start, document.text
        original = replace(document, text=text[:start] + selected + text[suggestion.end :])
        session.rewritten = replace(
            last, original=original, made=Suggestion(start, start + len(selected), suggestion.text)
        )

    title = _title(last.instruction)
    return Wanted("rewrite", title, present, (place,), preview, is_several=False, write=write, on_applied=remember)


def _title(instruction: str) -> str:
    """The instruction as far as a title holds it."""
    line = " ".join(instruction.split())
    return f"Rewrite: {line if len(line) <= 60 else line[:59] + '…'}"
