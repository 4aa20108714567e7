from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import torch

from engine import CancelToken, Engine, EngineConfig, ModelError, Progress, ProgressSink, RequestError
from server.runner import EngineFault, NotReady, Rank, Runner, Superseded
from server.status import State, Status
from tests.clients.scripted_engine import ScriptedEngine

Work = Callable[[Engine, CancelToken], object]


def opening(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
    return ScriptedEngine({}, config.model)


@asynccontextmanager
async def runner_with(open_engine: object = opening) -> AsyncIterator[tuple[Runner, list[Status]]]:
    statuses: list[Status] = []
    runner = Runner(open_engine, statuses.append)  # type: ignore[arg-type]
    try:
        yield runner, statuses
    finally:
        assert runner.close(2)


async def ready(runner: Runner) -> None:
    runner.open(EngineConfig())
    await runner.run(lambda *_: None, rank=Rank.COMMAND, key="")


def until_cancelled(seen: list[str], name: str) -> Work:
    def work(engine: Engine, cancel: CancelToken) -> object:
        seen.append(name)
        while not cancel.cancelled:
            time.sleep(0.001)
        seen.append(f"{name} stopped")
        cancel.raise_if_cancelled()
        return name

    return work


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - the runner tells nobody
            await asyncio.sleep(0.001)


async def test_work_runs_on_one_thread_of_its_own() -> None:
    async with runner_with() as (runner, statuses):
        await ready(runner)
        names = [
            await runner.run(lambda *_: threading.current_thread().name, rank=Rank.COMPLETION, key="a")
            for _ in range(3)
        ]
        assert names == ["engine"] * 3
        assert statuses[0].state is State.STARTING
        assert statuses[-1].state is State.READY


async def test_work_asked_for_early_waits_for_the_engine() -> None:
    async with runner_with() as (runner, _):
        asked = asyncio.ensure_future(runner.run(lambda engine, _: engine.info["model"], rank=Rank.COMPLETION, key=""))
        await asyncio.sleep(0.01)
        runner.open(EngineConfig(model="causal"))
        assert await asked == "causal"


async def test_the_newest_completion_of_a_document_supersedes_and_others_do_not() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        seen: list[str] = []
        first = asyncio.ensure_future(runner.run(until_cancelled(seen, "first"), rank=Rank.COMPLETION, key="a"))
        await until(lambda: seen == ["first"])
        other = asyncio.ensure_future(runner.run(lambda *_: "other", rank=Rank.COMPLETION, key="b"))
        waiting = asyncio.ensure_future(runner.run(lambda *_: "waiting", rank=Rank.COMPLETION, key="a"))
        newest = asyncio.ensure_future(runner.run(lambda *_: "newest", rank=Rank.COMPLETION, key="a"))
        for superseded in (first, waiting):
            with pytest.raises(Superseded):
                await superseded
        assert await asyncio.gather(other, newest) == ["other", "newest"]
        assert seen == ["first", "first stopped"]


async def test_commands_go_first_and_never_supersede_each_other() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        order: list[str] = []

        def note(name: str) -> Work:
            return lambda *_: order.append(name)

        blocked = threading.Event()
        first = runner.run(lambda *_: blocked.wait(5), rank=Rank.COMMAND, key="a")
        rest = [
            runner.run(note("completion"), rank=Rank.COMPLETION, key="b"),
            runner.run(note("one"), rank=Rank.COMMAND, key="a"),
            runner.run(note("two"), rank=Rank.COMMAND, key="a"),
        ]
        tasks = [asyncio.ensure_future(one) for one in (first, *rest)]
        await asyncio.sleep(0.02)
        blocked.set()
        await asyncio.gather(*tasks)
        assert order == ["one", "two", "completion"]


async def test_a_speculation_gives_way_to_everything_and_shows_nowhere() -> None:
    for rank, key in ((Rank.COMPLETION, "b"), (Rank.COMMAND, "b"), (Rank.SPECULATION, "a")):
        async with runner_with() as (runner, statuses):
            await ready(runner)
            seen: list[str] = []
            told = len(statuses)
            running = asyncio.ensure_future(runner.run(until_cancelled(seen, "x"), rank=Rank.SPECULATION, key="a"))
            await until(lambda seen=seen: seen == ["x"])  # type: ignore[misc]
            assert len(statuses) == told
            newer = runner.run(lambda *_: "newer", rank=rank, key=key)
            assert await newer == "newer"
            with pytest.raises(Superseded):
                await running
            assert seen == ["x", "x stopped"]


async def test_a_speculation_waits_for_whatever_runs() -> None:
    async with runner_with() as (runner, statuses):
        await ready(runner)
        seen: list[str] = []
        blocked = threading.Event()
        first = asyncio.ensure_future(runner.run(lambda *_: blocked.wait(5), rank=Rank.COMPLETION, key="a"))
        await until(lambda: statuses[-1].state is State.WORKING)
        later = asyncio.ensure_future(runner.run(until_cancelled(seen, "x"), rank=Rank.SPECULATION, key="a"))
        await asyncio.sleep(0.01)
        assert seen == []
        blocked.set()
        await first
        await until(lambda: seen == ["x"])
        assert statuses[-1].state is State.READY  # nobody waits for what runs now
        later.cancel()


async def test_a_speculation_that_is_asked_for_is_a_completion() -> None:
    async with runner_with() as (runner, statuses):
        await ready(runner)
        seen: list[str] = []
        running = asyncio.ensure_future(runner.run(until_cancelled(seen, "x"), rank=Rank.SPECULATION, key="a"))
        await until(lambda: seen == ["x"])
        runner.promote("b")
        assert statuses[-1].state is State.READY
        runner.promote("a")
        assert statuses[-1].state is State.WORKING
        other = asyncio.ensure_future(runner.run(lambda *_: 1, rank=Rank.COMPLETION, key="b"))
        await asyncio.sleep(0.02)
        assert seen == ["x"]
        running.cancel()
        assert await other == 1
        await until(lambda: statuses[-1].state is State.READY)


async def test_cancelled_work_that_waits_never_starts_and_work_that_runs_is_told() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        seen: list[str] = []
        running = asyncio.ensure_future(runner.run(until_cancelled(seen, "running"), rank=Rank.COMMAND, key="a"))
        await until(lambda: seen == ["running"])
        waiting = asyncio.ensure_future(runner.run(until_cancelled(seen, "waiting"), rank=Rank.COMMAND, key="a"))
        await asyncio.sleep(0.01)
        for task in (waiting, running):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await until(lambda: runner.status.state is State.READY)
        assert seen == ["running", "running stopped"]


async def test_what_is_superseded_in_one_breath_never_runs() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        ran: list[int] = []

        def note(number: int) -> Work:
            return lambda *_: ran.append(number)

        tasks = [asyncio.ensure_future(runner.run(note(n), rank=Rank.COMPLETION, key="a")) for n in range(5)]
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [Superseded] * 4 + [type(None)]
        assert ran == [4]


async def test_each_work_has_a_moment_of_its_own() -> None:
    """The moment of what it superseded ends earlier."""
    async with runner_with() as (runner, _):
        await ready(runner)
        seen: list[str] = []
        first = asyncio.ensure_future(runner.run(until_cancelled(seen, "first"), rank=Rank.COMPLETION, key="a"))
        await asyncio.sleep(0)
        time.sleep(0.0025)  # noqa: ASYNC251 - the first moment is over when the loop comes back
        second = asyncio.ensure_future(runner.run(until_cancelled(seen, "second"), rank=Rank.COMPLETION, key="a"))
        await asyncio.sleep(0)
        second.cancel()
        assert isinstance((await asyncio.gather(first, return_exceptions=True))[0], Superseded)
        await asyncio.sleep(0.02)
        assert seen == []


async def test_a_loop_that_is_late_reads_on_first() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        seen: list[str] = []
        asked = asyncio.ensure_future(runner.run(until_cancelled(seen, "work"), rank=Rank.COMPLETION, key="a"))
        await asyncio.sleep(0)
        time.sleep(0.02)  # noqa: ASYNC251 - another process had the core
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.sleep(0.02)
        assert seen == []


async def test_errors_of_the_engine_pass_and_faults_are_named_without_their_message() -> None:
    def wrong(engine: Engine, cancel: CancelToken) -> object:
        raise RequestError("holes overlap")

    def faulty(engine: Engine, cancel: CancelToken) -> object:
        raise ValueError("the user's code")

    async with runner_with() as (runner, _):
        await ready(runner)
        with pytest.raises(RequestError, match="holes overlap"):
            await runner.run(wrong, rank=Rank.COMPLETION, key="")
        with pytest.raises(EngineFault, match=r"ValueError at test_runner\.py"):
            await runner.run(faulty, rank=Rank.COMPLETION, key="")
        assert await runner.run(lambda *_: 1, rank=Rank.COMPLETION, key="") == 1


def allocate(size: int) -> object:
    return torch.empty(size, dtype=torch.uint8)


@pytest.mark.parametrize("allocate", [allocate, bytearray])
async def test_out_of_memory_says_what_helps(allocate: Callable[[int], object]) -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        with pytest.raises(EngineFault, match="out of memory; close something"):
            await runner.run(lambda *_: allocate(1 << 60), rank=Rank.COMPLETION, key="")
        assert await runner.run(lambda *_: 1, rank=Rank.COMPLETION, key="") == 1


@pytest.mark.parametrize("fault", [SystemExit, KeyboardInterrupt, RecursionError])
async def test_nothing_ends_the_engines_thread(fault: type[BaseException]) -> None:
    def faulty(engine: Engine, cancel: CancelToken) -> object:
        raise fault

    async with runner_with() as (runner, _):
        await ready(runner)
        with pytest.raises(EngineFault, match=fault.__name__):
            await runner.run(faulty, rank=Rank.COMPLETION, key="")
        assert await runner.run(lambda *_: 1, rank=Rank.COMPLETION, key="") == 1


async def test_a_failed_opening_refuses_what_waits_and_what_comes_until_another_is_opened() -> None:
    def failing(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        if config.model == "none":
            raise ModelError("no such model; run `sfumato models list`")
        return opening(config)

    async with runner_with(failing) as (runner, statuses):
        waiting = asyncio.ensure_future(runner.run(lambda *_: 1, rank=Rank.COMPLETION, key=""))
        await asyncio.sleep(0)
        runner.open(EngineConfig(model="none"))
        with pytest.raises(NotReady, match="no such model"):
            await waiting
        with pytest.raises(NotReady, match="no such model"):
            await runner.run(lambda *_: 1, rank=Rank.COMMAND, key="")
        assert statuses[-1] == Status(State.FAILED, "no such model; run `sfumato models list`")
        await ready(runner)
        assert runner.engine is not None


async def test_closing_ends_an_opening_that_reports_and_says_so_of_one_that_does_not() -> None:
    release = threading.Event()

    def slow(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        assert progress is not None
        for done in range(5000):
            if config.model == "deaf":
                release.wait(5)
                break
            progress(Progress("download", done, 5000))
            time.sleep(0.001)
        return opening(config)

    runner = Runner(slow, lambda _: None)
    runner.open(EngineConfig())
    await until(lambda: runner.status.state is State.DOWNLOADING)
    assert runner.close(2)
    deaf = Runner(slow, lambda _: None)
    deaf.open(EngineConfig(model="deaf"))
    await asyncio.sleep(0.01)
    assert not deaf.close(0.05)
    release.set()
    assert deaf.close(2)


async def test_closing_answers_everybody() -> None:
    async with runner_with() as (runner, _):
        await ready(runner)
        seen: list[str] = []
        tasks = [
            asyncio.ensure_future(runner.run(until_cancelled(seen, name), rank=Rank.COMMAND, key="a")) for name in "ab"
        ]
        await until(lambda: seen == ["a"])
        assert runner.close(2)
        for task in tasks:
            with pytest.raises(Superseded):
                await task
        assert seen == ["a", "a stopped"]


async def test_reports_are_thinned_out_but_no_stage_is_lost() -> None:
    def chatty(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
        assert progress is not None
        for done in range(1000):
            progress(Progress("download", done, 1000))
        progress(Progress("download", 1000, 1000, "trying the next place"))
        progress(Progress("load"))
        return opening(config)

    async with runner_with(chatty) as (runner, statuses):
        runner.open(EngineConfig())
        await until(lambda: runner.status.state is State.READY)
        assert len(statuses) < 20
        assert {status.state for status in statuses} >= {State.DOWNLOADING, State.LOADING, State.READY}
        assert "trying the next place" in {status.message for status in statuses}
