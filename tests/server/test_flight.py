from __future__ import annotations

import asyncio

import pytest

from engine import Progress
from server.flight import Flight
from server.place import Place, Typed
from server.snapshot import Snapshot
from server.suggest import Answer

ANSWER = Answer()


def document(text: str) -> Snapshot:
    return Snapshot("file:///a.py", "python", 1, text)


class Work:
    """What a flight waits for; ends when told."""

    def __init__(self, *, invoked: bool = False, started: bool = True) -> None:
        self.done = asyncio.get_running_loop().create_future()
        self.cancelled = False
        self.flight = Flight(Place.of(document("x = \ny"), 4), invoked=invoked)
        self.flight.take_off(self._run())
        self.flight.started = started

    async def _run(self) -> Answer:
        try:
            await self.done
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return ANSWER

    async def writes(self, draft: str) -> None:
        self.flight.hear(Progress("denoise", text=draft))
        await asyncio.sleep(0)


async def test_everybody_who_waits_gets_the_answer() -> None:
    work = Work()
    waiting = [asyncio.ensure_future(work.flight.landed()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    await asyncio.sleep(0.01)
    work.done.set_result(None)
    assert [await waiting[0], await waiting[2]] == [ANSWER, ANSWER]
    assert work.flight.ended


async def test_it_ends_soon_after_the_last_one_left() -> None:
    work = Work()
    waiting = asyncio.ensure_future(work.flight.landed())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0.02)
    assert work.cancelled


async def test_one_that_has_not_started_ends_at_once() -> None:
    work = Work(started=False)
    waiting = asyncio.ensure_future(work.flight.landed())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(0)
    assert work.cancelled


async def test_a_successor_in_the_same_breath_takes_it_over() -> None:
    work = Work()
    first = asyncio.ensure_future(work.flight.landed())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    second = asyncio.ensure_future(work.flight.agrees_with(Typed("f", "")))
    await asyncio.sleep(0.02)
    assert not work.cancelled
    work.done.set_result(None)
    assert await second


@pytest.mark.parametrize(
    ("text", "offset", "typed"),
    [
        ("x = \ny", 4, Typed("", "")),
        ("x = fo\ny", 6, Typed("fo", "")),
        ("x = f()\ny", 6, Typed("f(", ")")),
        ("x =\ny", 3, None),
        ("x = f\nz", 5, None),
    ],
)
async def test_who_typed_on_may_join(text: str, offset: int, typed: Typed | None) -> None:
    work = Work()
    assert work.flight.joined_by(document(text), offset, invoked=False) == typed
    work.flight.abandon()


async def test_not_before_it_started_nor_after_it_ended_nor_for_more_than_it_gives() -> None:
    now, early = document("x = \ny"), Work(started=False)
    assert early.flight.joined_by(now, 4, invoked=False) is None
    early.flight.abandon()
    work = Work()
    assert work.flight.joined_by(now, 4, invoked=True) is None
    work.done.set_result(None)
    await work.flight.landed()
    assert work.flight.joined_by(now, 4, invoked=False) is None
    asked = Work(invoked=True)
    assert asked.flight.joined_by(now, 4, invoked=True) == asked.flight.joined_by(now, 4, invoked=False) is not None
    asked.flight.abandon()


async def test_what_was_typed_otherwise_is_no_reason_to_wait() -> None:
    work = Work()
    joined = asyncio.ensure_future(work.flight.agrees_with(Typed("foo", "")))
    await work.writes(" fo")  # a blank at the seam is cleaned off
    await work.writes("foo(1)")
    await asyncio.sleep(0.01)
    assert not joined.done()
    other = asyncio.ensure_future(work.flight.agrees_with(Typed("foo[", "")))
    await asyncio.sleep(0)
    await work.writes("foo(1) + ")
    assert await other is False
    assert work.flight.joined_by(document("x = bar\ny"), 7, invoked=False) is None
    assert work.flight.joined_by(document("x = foo(\ny"), 8, invoked=False) is not None
    work.done.set_result(None)
    assert await joined is True


async def test_line_ends_of_the_document_are_no_difference() -> None:
    work = Work()
    joined = asyncio.ensure_future(work.flight.agrees_with(Typed("a\r\n", "")))
    await asyncio.sleep(0)
    await work.writes("a\nb")
    await asyncio.sleep(0.01)
    assert not joined.done()
    work.done.set_result(None)
    assert await joined


async def test_what_asking_raised_reaches_everybody() -> None:
    work = Work()
    waiting = [work.flight.landed(), work.flight.agrees_with(Typed("", ""))]
    tasks = [asyncio.ensure_future(one) for one in waiting]
    await asyncio.sleep(0)
    work.done.set_exception(ValueError("boom"))
    assert [str(one) for one in await asyncio.gather(*tasks, return_exceptions=True)] == ["boom", "boom"]


async def test_a_draft_heard_after_the_loop_ended_is_no_fault() -> None:
    flight = Flight(Place.of(document(""), 0))
    flight._loop = asyncio.new_event_loop()
    flight._loop.close()
    flight.hear(Progress("denoise", text="x"))


async def test_whoever_looks_on_hears_each_draft() -> None:
    heard: list[str] = []
    flight = Flight(Place.of(document("x"), 1), on_draft=heard.append)
    for draft in ("a", "ab"):
        flight.hear(Progress("denoise", text=draft))
    await asyncio.sleep(0)
    assert heard == ["a", "ab"]
