"""The engine and its one thread: what runs next, what is superseded, what is cancelled.

Everything but the work itself happens on the event loop. Knows no protocol, no documents and no texts.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from queue import SimpleQueue
from typing import Protocol, TypeVar, cast

from engine import CancelToken, Engine, EngineConfig, Progress, ProgressSink, SfumatoError

from .log import describe, log_fault
from .status import State, Status

T = TypeVar("T")
_REPORT_EVERY_S = 0.1
_SETTLE_S = 0.002  # editors send a request and its successor, or its end, in one breath: only the last should run
_SETTLED_S = 0.05  # for certain, however late the loop is


class OpenEngine(Protocol):
    """The shape of `engine.open_engine`."""

    def __call__(self, config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        """Open the engine that `config` names; blocks."""


class Rank(IntEnum):
    """Who goes first."""

    SPECULATION = 0  # nobody asked: it gives way to everything, and shows nowhere
    COMPLETION = 1
    COMMAND = 2  # asked for by hand, and waited for


class Superseded(Exception):  # noqa: N818 - an answer, not a fault
    """Something newer took the place of this work."""


class NotReady(Exception):  # noqa: N818 - an answer, not a fault
    """There is no engine to ask, and there will be none soon; the message says why."""


class EngineFault(Exception):  # noqa: N818 - whose fault it is
    """The engine raised what it never should; the message names the exception, the log has its traceback."""


@dataclass(eq=False, slots=True)
class _Job:
    work: Callable[[Engine, CancelToken], object]
    rank: Rank
    key: str
    future: asyncio.Future[object]
    cancel: CancelToken = field(default_factory=CancelToken)
    asked_at: float = field(default_factory=time.monotonic)
    settled: bool = False


class Runner:
    """Runs one piece of work at a time; `on_status` hears of every change, on the event loop."""

    def __init__(self, open_engine: OpenEngine, on_status: Callable[[Status], None]) -> None:
        self._open_engine = open_engine
        self._on_status = on_status
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._opening: CancelToken | None = None
        self._waiting: list[_Job] = []
        self._running: _Job | None = None
        self.engine: Engine | None = None
        self.status = Status(State.STARTING)
        self.queue_ms = 0.0

    def open(self, config: EngineConfig) -> None:
        """Open an engine in place of the present one, or of one that is still being opened."""
        self._loop = asyncio.get_running_loop()
        if not self._thread.is_alive():
            self._thread.start()
        if self._opening is not None:
            self._opening.cancel()
        token = self._opening = CancelToken()
        self.engine = None  # two models at once may not fit in memory
        self._tell(Status(State.STARTING))
        self._tasks.put(lambda: self._open(config, token))

    def close(self, timeout_s: float) -> bool:
        """Cancel everything and end the thread; False if it did not end in time."""
        if self._opening is not None:
            self._opening.cancel()
        for job in self._jobs():
            self._drop(job, Superseded("the server is closing"))
        if not self._thread.is_alive():
            return True
        self._tasks.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    async def run(self, work: Callable[[Engine, CancelToken], T], *, rank: Rank, key: str) -> T:
        """The outcome of `work`, called with the engine and a cancel token on the engine thread.

        The newest completion of a key supersedes older ones, a command the completion that runs, and everything the
        speculation. Raises
        `Superseded`, `NotReady`, `EngineFault`, and `SfumatoError` as the engine does. When the caller is cancelled
        the token is set; work that has not started never does.
        """
        if not self.status.is_usable:
            raise NotReady(str(self.status))
        job = _Job(work, rank, key, asyncio.get_running_loop().create_future())
        self._supersede_for(job)
        self._waiting.append(job)
        self._settle(job)
        try:
            return cast("T", await job.future)
        except asyncio.CancelledError:
            self._drop(job)
            raise

    def promote(self, key: str) -> None:
        """The speculation of `key` was asked for: it is a completion now."""
        for job in self._jobs():
            if job.rank is Rank.SPECULATION and job.key == key:
                job.rank = Rank.COMPLETION
                if job is self._running:
                    self._tell(Status(State.WORKING))

    def _jobs(self) -> tuple[_Job, ...]:
        return (*self._waiting, *([self._running] if self._running else ()))

    def _supersede_for(self, newer: _Job) -> None:
        for job in self._jobs():
            same_place = newer.rank is Rank.COMPLETION and job.key == newer.key
            in_the_way = newer.rank > job.rank and job is self._running
            gives_way = job.rank is Rank.COMPLETION and (same_place or in_the_way)
            if gives_way or job.rank is Rank.SPECULATION:
                self._drop(job, Superseded("a newer request took its place"))

    def _drop(self, job: _Job, reason: Exception | None = None) -> None:
        job.cancel.cancel()
        if job in self._waiting:
            self._waiting.remove(job)
        if reason is not None and not job.future.done():
            job.future.set_exception(reason)

    def _settle(self, job: _Job) -> None:
        """Let a job run after a moment. On a loop that is late, messages wait that may end it: then a moment more."""
        loop = asyncio.get_running_loop()
        due = loop.time() + _SETTLE_S

        def settled() -> None:
            if loop.time() > due + _SETTLE_S and time.monotonic() < job.asked_at + _SETTLED_S:
                self._settle(job)
            else:
                job.settled = True
                self._next()

        loop.call_at(due, settled)

    def _next(self) -> None:
        settled = [job for job in self._waiting if job.settled]
        if self._running is not None or self.engine is None or not settled:
            return
        job, engine = max(settled, key=lambda job: job.rank), self.engine  # the oldest of the highest rank
        self._waiting.remove(job)
        self._running = job
        self._tasks.put(lambda: self._run(job, engine))
        if job.rank is Rank.SPECULATION:
            return
        self.queue_ms = (time.monotonic() - job.asked_at) * 1000
        if self.status.state is not State.WORKING:
            self._tell(Status(State.WORKING))

    def _finished(self, job: _Job, outcome: object, error: Exception | None) -> None:
        self._running = None
        if not job.future.done():
            if error is None:
                job.future.set_result(outcome)
            else:
                job.future.set_exception(error)
        is_asked = any(job.rank is not Rank.SPECULATION for job in self._waiting)
        if not is_asked and self.status.state is State.WORKING:
            self._tell(Status(State.READY))
        self._next()

    def _opened(self, token: CancelToken, engine: Engine | None, failure: str) -> None:
        if token is not self._opening:
            return  # another configuration came meanwhile
        self._opening = None
        self.engine = engine
        self._tell(Status(State.FAILED, failure) if engine is None else Status(State.READY))
        self._next()

    def _progressed(self, token: CancelToken, progress: Progress) -> None:
        if token is self._opening:
            self._tell(Status.of(progress))

    def _tell(self, status: Status) -> None:
        self.status = status
        if not status.is_usable:
            for job in tuple(self._waiting):
                self._drop(job, NotReady(str(status)))
        self._on_status(status)

    # What follows runs on the engine thread.

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()

    def _call(self, function: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop ended meanwhile: nobody is left to hear
            self._loop.call_soon_threadsafe(function, *args)

    def _open(self, config: EngineConfig, token: CancelToken) -> None:
        engine, failure = None, ""
        try:
            token.raise_if_cancelled()
            engine = self._open_engine(config, progress=self._reporter(token))
        except SfumatoError as error:
            failure = str(error)
        except BaseException as error:  # noqa: BLE001 - a fault of the engine must not end the server, nor its thread
            log_fault("opening the engine", error)
            failure = f"the engine does not open: {_explain(error)}"
        self._call(self._opened, token, engine, failure)

    def _reporter(self, token: CancelToken) -> ProgressSink:
        """Passes on what is worth showing, and ends the opening once nobody wants that engine any more."""
        last = Progress("")
        reported_at = 0.0

        def report(progress: Progress) -> None:
            nonlocal last, reported_at
            token.raise_if_cancelled()
            now = time.monotonic()
            if progress.stage != last.stage or progress.text != last.text or now >= reported_at + _REPORT_EVERY_S:
                last, reported_at = progress, now
                self._call(self._progressed, token, progress)

        return report

    def _run(self, job: _Job, engine: Engine) -> None:
        outcome: object = None
        failure: Exception | None = None
        try:
            job.cancel.raise_if_cancelled()
            outcome = job.work(engine, job.cancel)
        except SfumatoError as error:
            failure = error
        except BaseException as error:  # noqa: BLE001 - a fault of the engine must not end the server, nor its thread
            log_fault("a request", error)
            failure = EngineFault(_explain(error))
        self._call(self._finished, job, outcome, failure)


def _explain(error: BaseException) -> str:
    """What can be shown of a fault, and what helps; allocators of libraries have errors of their own."""
    if isinstance(error, MemoryError) or "tried to allocate" in str(error).lower():
        return "out of memory; close something, or set a smaller `promptTokens` or `model`"
    return describe(error)
