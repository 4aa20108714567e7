"""The command `sfumato.noteOutcome`: a client that knows says what became of the ghost text. None has to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from pygls.lsp.server import LanguageServer

from ..acceptance import Outcome
from ..session import Session
from .commands import read_arguments

NOTE_OUTCOME = "sfumato.noteOutcome"


class OutcomeArguments(msgspec.Struct, frozen=True, rename="camel"):
    """Of `sfumato.noteOutcome`."""

    uri: str
    outcome: Literal["accepted", "rejected"]


def register(server: LanguageServer, session: Session) -> None:
    """Register the command."""

    @server.command(NOTE_OUTCOME)
    async def run(arguments: Sequence[object] | None, _token: int | str | None) -> dict[str, bool]:
        told = read_arguments(arguments, OutcomeArguments)
        return {"noted": session.attention.told(told.uri, Outcome(told.outcome))}
