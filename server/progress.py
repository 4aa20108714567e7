"""Work-done progress: one piece of work as the client shows it. Knows no engine; for the event loop alone.

Progress of our own has to be created by the client first; until it answers, the latest report is only remembered, and
a client that never answers holds nothing up.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future

from lsprotocol import types
from pygls.lsp.server import LanguageServer

_REPORT_EVERY_S = 0.1


class WorkDone:
    """From begin to end, exactly one of each. `token` is the client's own, if it sent one with its request."""

    def __init__(self, server: LanguageServer, title: str, *, cancellable: bool = False) -> None:
        self._server = server
        self._title = title
        self._cancellable = cancellable
        self._message: str | None = None
        self._percentage: int | None = None
        self._begun = False
        self._ended = False
        self._reported_at = 0.0
        self.token: int | str | None = None

    def begin(self, token: int | str) -> None:
        """Begin under a token that the client knows."""
        self.token = token
        self._begin()

    def create(self, on_token: Callable[[int | str], None] | None = None) -> None:
        """Ask the client for progress of our own; `on_token` hears the token at once, as it may be cancelled early."""
        self.token = str(uuid.uuid4())
        if on_token is not None:
            on_token(self.token)
        self._server.window_work_done_progress_create(
            types.WorkDoneProgressCreateParams(token=self.token)
        ).add_done_callback(self._created)

    def report(self, message: str | None, percentage: int | None = None) -> None:
        """Show where the work is; more often than the eye follows is left out."""
        self._message, self._percentage = message, percentage
        now = time.monotonic()
        if not self._begun or self._ended or now < self._reported_at + _REPORT_EVERY_S:
            return
        self._reported_at = now
        self._send(types.WorkDoneProgressReport(message=message, percentage=percentage, cancellable=self._cancellable))

    def end(self, message: str | None = None) -> None:
        """The work is over, whatever became of it; a second end is none."""
        if self._begun and not self._ended:
            self._send(types.WorkDoneProgressEnd(message=message))
        self._ended = True

    def _created(self, answer: Future[None]) -> None:
        if not answer.cancelled() and answer.exception() is None and not self._ended:
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        self._send(
            types.WorkDoneProgressBegin(
                title=self._title,
                cancellable=self._cancellable,
                message=self._message,
                percentage=self._percentage,
            )
        )

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        assert self.token is not None  # begun means there is one
        self._server.progress(types.ProgressParams(token=self.token, value=value))
