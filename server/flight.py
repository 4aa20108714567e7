"""A request of the engine under way, and everybody who waits for it: who typed on meanwhile joins it.

For the thread of the event loop, but for `hear`. Knows no protocol and no engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress

from engine import Progress

from .context import lf
from .place import Place, Typed
from .snapshot import Snapshot
from .suggest import Answer

OnDraft = Callable[[str], None]
"""Hears the present draft after each step, on the event loop."""

_SETTLE_S = 0.002  # a client that types on ends its request and sends the next in one breath


class Flight:
    """Ends early once nobody waits for it. `started`: the engine is at work on it."""

    def __init__(self, place: Place, *, invoked: bool = False, on_draft: OnDraft | None = None) -> None:
        self.place = place
        self._on_draft = on_draft
        self.invoked = invoked
        self.started = False
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[Answer] | None = None
        self._waiting = 0
        self._draft = ""
        self._doubts: list[tuple[str, asyncio.Future[None]]] = []

    def take_off(self, work: Coroutine[None, None, Answer]) -> None:
        """Begin; `work` asks the engine."""
        self._task = asyncio.ensure_future(work)
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())  # somebody may have waited

    @property
    def ended(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return self._task is None or self._task.done()

    def joined_by(self, snapshot: Snapshot, offset: int, *, invoked: bool) -> Typed | None:
        """What was typed since it took off; None if it cannot answer a request there, for all that is known."""
        if self.ended or not self.started or (invoked and not self.invoked):
            return None
        typed = self.place.typed(snapshot, offset)
        return typed if typed is not None and _agrees(self._draft, typed.text) else None

    def hear(self, progress: Progress) -> None:
        """A progress sink, for the engine's thread."""
        with suppress(RuntimeError):  # the loop ended meanwhile
            self._loop.call_soon_threadsafe(self._heard, progress.text)

    async def landed(self) -> Answer:
        """The answer; raises what asking raised. Whoever stops waiting last ends it."""
        task = self._on_its_way()
        await self._wait(task)
        return task.result()

    async def agrees_with(self, typed: Typed) -> bool:
        """Wait as long as what is being written goes on as was typed; False once it does not."""
        task = self._on_its_way()
        doubt = self._loop.create_future()
        self._doubts.append((typed.text, doubt))
        await self._wait(task, doubt)
        if task.done():
            task.result()
        return task.done()

    def abandon(self) -> None:
        """End it, whoever waits."""
        if self._task is not None:
            self._task.cancel()

    def _on_its_way(self) -> asyncio.Task[Answer]:
        assert self._task is not None  # nobody waits before it took off
        return self._task

    async def _wait(self, *ends: asyncio.Future[None] | asyncio.Task[Answer]) -> None:
        self._waiting += 1
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting -= 1
            if self.started:
                self._loop.call_later(_SETTLE_S, self._end_if_forgotten)
            else:
                self._end_if_forgotten()

    def _end_if_forgotten(self) -> None:
        if not self._waiting and not self.ended:
            self.abandon()

    def _heard(self, draft: str) -> None:
        self._draft = draft
        if self._on_draft is not None:
            self._on_draft(draft)
        for typed, doubt in self._doubts:
            if not doubt.done() and not _agrees(draft, typed):
                doubt.set_result(None)


def _agrees(draft: str, typed: str) -> bool:
    """Whether one may go on as the other. Blanks at the seam come and go in cleaning."""
    one, other = draft.lstrip(), lf(typed).lstrip()
    return one.startswith(other) or other.startswith(one)
