from __future__ import annotations

import asyncio

import pytest

from server.acceptance import Outcome
from server.flight import Flight
from server.place import Place
from server.settings import Settings
from server.snapshot import Snapshot
from server.speculation import Speculation, after_accepting, goes_on
from server.suggest import Answer
from server.suggestion import Suggestion

HERE, THERE = (Place.of(Snapshot("file:///a.py", "python", 1, "x = foo"), offset) for offset in (7, 4))


class TakeOff:
    """Counts flights; none lands by itself."""

    def __init__(self) -> None:
        self.flights: list[Flight] = []
        self.cancelled = 0

    def __call__(self) -> Flight:
        flight = Flight(HERE)
        flight.take_off(self._run())
        self.flights.append(flight)
        return flight

    async def _run(self) -> Answer:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Answer()


async def test_it_starts_in_a_moment_unless_it_is_dropped_before() -> None:
    one, take_off = Speculation(after_s=0.01), TakeOff()
    one.begin(HERE, take_off)
    one.drop()
    await asyncio.sleep(0.03)
    assert take_off.flights == []
    one.begin(HERE, take_off)
    await asyncio.sleep(0.03)
    assert (len(take_off.flights), one.flight, one.counts) == (1, take_off.flights[0], {"started": 1})
    one.drop()
    await asyncio.sleep(0)
    assert (take_off.cancelled, one.flight) == (1, None)


async def test_what_is_on_its_way_to_the_same_place_goes_on() -> None:
    one, take_off = Speculation(after_s=0.01), TakeOff()
    one.begin(HERE, take_off)
    one.begin(HERE, take_off)
    await asyncio.sleep(0.03)
    one.begin(HERE, take_off)
    await asyncio.sleep(0.03)
    assert (len(take_off.flights), take_off.cancelled) == (1, 0)
    one.begin(THERE, take_off)
    await asyncio.sleep(0.03)
    assert (len(take_off.flights), take_off.cancelled) == (2, 1)
    one.drop()


@pytest.mark.parametrize("outcome", Outcome)
async def test_it_lives_as_long_as_the_ghost_text_and_its_acceptance(outcome: Outcome) -> None:
    one, take_off = Speculation(after_s=0.01), TakeOff()
    one.begin(HERE, take_off)
    await asyncio.sleep(0.03)
    one.judge(outcome)
    await asyncio.sleep(0)
    assert take_off.cancelled == (outcome not in (Outcome.WENT_ON, Outcome.ACCEPTED))
    one.drop()


async def test_what_was_claimed_is_not_dropped() -> None:
    one, take_off = Speculation(after_s=0.01), TakeOff()
    one.begin(HERE, take_off)
    await asyncio.sleep(0.03)
    flight = one.claim()
    one.drop()
    await asyncio.sleep(0)
    assert (take_off.cancelled, one.claim()) == (0, None)
    assert flight is not None
    flight.abandon()


def test_accepting_replaces_and_moves_the_cursor() -> None:
    snapshot = Snapshot("file:///a.py", "python", 3, "f()\ny")
    accepted, cursor = after_accepting(snapshot, Suggestion(2, 3, "a) + 1"))
    assert (accepted.text, cursor, accepted.uri, accepted.language) == ("f(a) + 1\ny", 8, "file:///a.py", "python")


def test_only_where_the_engine_would_read_on() -> None:
    settings = Settings(prompt_tokens=64)
    short = Snapshot("file:///a.py", "python", 1, "x = \ny = 2\n")
    assert goes_on(short, Suggestion(4, 4, "foo"), settings)
    long = Snapshot("file:///a.py", "python", 1, "a = 1\n" * 200)
    assert goes_on(long, Suggestion(606, 606, "b"), settings) != goes_on(long, Suggestion(606, 606, "b" * 80), settings)
