"""The command `sfumato.rewrite`: replace exactly one range as an instruction says."""

from __future__ import annotations

from collections.abc import Sequence

from pygls.lsp.server import LanguageServer

from engine import CancelToken, Engine, ProgressSink

from ..edits import offsets_of
from ..session import Session
from ..suggest import rewrite
from .changing import Changing, Wanted, Written, current_snapshot
from .commands import RewriteArguments, read_arguments

REWRITE = "sfumato.rewrite"


def register(server: LanguageServer, session: Session) -> None:
    """Register the command."""
    changing = Changing(server, session)

    @server.command(REWRITE)
    async def run(arguments: Sequence[object] | None, token: int | str | None) -> dict[str, object]:
        asked = read_arguments(arguments, RewriteArguments)
        return await changing.carry_out(
            lambda: _wanted(session, asked), kind="rewrite", preview=asked.preview, token=token
        )


def _wanted(session: Session, asked: RewriteArguments) -> Wanted:
    snapshot = current_snapshot(session, asked.uri, asked.version)
    start, end = offsets_of(snapshot.lines, asked.range.to_protocol(), session.documents.encoding)
    settings = session.settings

    def write(engine: Engine, cancel: CancelToken, progress: ProgressSink) -> Written:
        answer = rewrite(engine, snapshot, start, end, asked.instruction, settings, cancel=cancel, progress=progress)
        return Written((answer.suggestion,) if answer.suggestion else (), answer.refused, answer.result)

    ranges = ((start, end),)
    return Wanted("rewrite", _title(asked.instruction), snapshot, ranges, asked.preview, is_several=False, write=write)


def _title(instruction: str) -> str:
    """The instruction as far as a title holds it."""
    line = " ".join(instruction.split())
    return f"Rewrite: {line if len(line) <= 60 else line[:59] + '…'}"
