"""The command `sfumato.fillHoles`: several holes of a document at once, each seeing the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pygls.lsp.server import LanguageServer

from engine import CancelToken, Engine, ProgressSink

from ..edits import offsets_of
from ..session import Session
from ..snapshot import Snapshot
from ..suggest import fill_holes
from .changing import Changing, Refusal, Wanted, Written, current_snapshot
from .commands import FillHolesArguments, read_arguments

FILL_HOLES = "sfumato.fillHoles"


def register(server: LanguageServer, session: Session) -> None:
    """Register the command."""
    changing = Changing(server, session)

    @server.command(FILL_HOLES)
    async def run(arguments: Sequence[object] | None, token: int | str | None) -> dict[str, object]:
        asked = read_arguments(arguments, FillHolesArguments)
        return await changing.carry_out(
            lambda: _wanted(session, asked), kind="fill holes", preview=asked.preview, token=token
        )


def _wanted(session: Session, asked: FillHolesArguments) -> Wanted:
    snapshot = current_snapshot(session, asked.uri, asked.version)
    holes = _holes(session, snapshot, asked)
    if not holes:
        raise Refusal(
            "no-holes", f"no hole is marked there; write {session.settings.placeholder} where text is missing"
        )
    settings, snippets = session.settings, session.snippets_at(snapshot, holes[0][0])

    def write(engine: Engine, cancel: CancelToken, progress: ProgressSink) -> Written:
        answer = fill_holes(engine, snapshot, holes, settings, cancel=cancel, progress=progress, snippets=snippets)
        return Written(tuple(answer.suggestions), answer.refused, answer.result)

    return Wanted("fill holes", "Fill the holes", snapshot, tuple(holes), asked.preview, is_several=True, write=write)


def _holes(session: Session, snapshot: Snapshot, asked: FillHolesArguments) -> list[tuple[int, int]]:
    """The holes in document order."""
    encoding = session.documents.encoding
    if asked.holes is not None:
        return sorted(offsets_of(snapshot.lines, hole.to_protocol(), encoding) for hole in asked.holes)
    start, end = 0, len(snapshot.text)
    if asked.range is not None:
        start, end = offsets_of(snapshot.lines, asked.range.to_protocol(), encoding)
    return placeholders(snapshot.text, start, end, session.settings.placeholder)


def placeholders(text: str, start: int, end: int, placeholder: str) -> list[tuple[int, int]]:
    """Where `placeholder` stands in `text[start:end]`."""
    return [found.span() for found in re.compile(re.escape(placeholder)).finditer(text, start, end)]
