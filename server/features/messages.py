"""What is said to the user, sparingly: nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..session import Session


def show(server: LanguageServer, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
    """Show one line."""
    server.window_show_message(types.ShowMessageParams(type=kind, message=f"Sfumato: {message}"))


def show_once(server: LanguageServer, session: Session, message: str, kind: types.MessageType) -> None:
    """Show one line, unless it was shown before."""
    if session.is_news(message):
        show(server, message, kind)


def show_settings_problems(server: LanguageServer, session: Session, problems: Sequence[str]) -> None:
    """Name every bad setting that was not named before, in one message."""
    if news := [problem for problem in problems if session.is_news(problem)]:
        show(server, "ignored settings: " + "; ".join(news))
