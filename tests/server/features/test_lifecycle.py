from __future__ import annotations

import asyncio
import os

import pytest

from tests.clients.editor import AnsweredWithError, InProcessEditor

URI = "file:///project/a.py"


async def test_initialize_is_answered_before_the_engine_is_touched() -> None:
    async with InProcessEditor({}) as editor:
        result = await editor.request("initialize", {"processId": None, "capabilities": {}})
        assert result["serverInfo"]["name"] == "sfumato"
        assert editor.opening.opened == []


async def test_a_client_that_forgets_initialized_gets_an_engine_at_its_first_request() -> None:
    async with InProcessEditor({"answers": ["x"]}) as editor:
        await editor.request("initialize", {"processId": None, "capabilities": {}})
        editor.open(URI, "x = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1


@pytest.mark.parametrize("params", [None, {}])
async def test_initialized_may_come_without_parameters(params: object) -> None:
    async with InProcessEditor({}) as editor:
        await editor.request("initialize", {"processId": None, "capabilities": {}})
        editor.notify("initialized", params)
        await editor.until(lambda: editor.state == "ready")


async def test_status_and_progress_tell_of_download_and_load() -> None:
    steps = [["download", 10, 100], ["download", 100, 100], ["convert", 0, 0], ["load", 1, 2]]
    async with InProcessEditor({"models": {"embedded": {"progress": steps, "delay_s": 0.12}}}) as editor:
        await editor.initialize()
        assert [status["state"] for status in editor.statuses] == [
            "starting",
            "downloading",
            "downloading",
            "loading",
            "loading",
            "ready",
        ]
        assert editor.statuses[1] == {
            "state": "downloading",
            "message": "downloading the model",
            "done": 10,
            "total": 100,
        }
        [shown] = editor.progress.values()
        assert [value["kind"] for value in shown] == ["begin", "report", "report", "report", "end"]
        assert [value.get("percentage") for value in shown] == [10, 100, None, 50, None]


async def test_requests_during_a_download_are_answered_empty_and_during_a_load_they_wait() -> None:
    slow = {"progress": [["download", 0, 100]], "delay_s": 0.3}
    async with InProcessEditor({"answers": ["x"], "models": {"embedded": slow}}) as editor:
        await editor.initialize(ready=False)
        editor.open(URI, "x = \n")
        early = editor.ask_inline(URI, 0, 4)
        await editor.until(lambda: editor.state == "downloading")
        assert (await editor.answer(early))["items"] == []
        assert await editor.inline(URI, 0, 4) == []
        outcome = await editor.command(
            "sfumato.rewrite",
            {
                "uri": URI,
                "instruction": "x",
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
            },
        )
        assert (outcome["refused"], outcome["message"]) == ("not-ready", "downloading the model (0 %)")
    loading = {"progress": [["load", 0, 0]], "delay_s": 0.1}
    async with InProcessEditor({"answers": ["x"], "models": {"embedded": loading}}) as editor:
        await editor.initialize(ready=False)
        editor.open(URI, "x = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1


async def test_a_fault_while_opening_is_said_once_and_progress_ends() -> None:
    how = {"progress": [["load", 0, 0]], "delay_s": 0.05, "fault": "boom"}
    async with InProcessEditor({"models": {"embedded": how}}) as editor:
        await editor.initialize()
        assert editor.state == "failed"
        [message] = editor.shown
        assert "ValueError" in message
        [shown] = editor.progress.values()
        assert shown[-1]["kind"] == "end"


async def test_another_model_ends_the_download_of_the_first() -> None:
    steps = [["download", done, 1000] for done in range(1000)]
    script = {"answers": ["x"], "models": {"embedded": {"progress": steps, "delay_s": 0.02}}}
    async with InProcessEditor(script) as editor:
        await editor.initialize(ready=False)
        await editor.until(lambda: editor.state == "downloading")
        editor.notify("workspace/didChangeConfiguration", {"settings": {"sfumato": {"model": "causal"}}})
        await editor.until(lambda: editor.state == "ready", timeout_s=2)
        assert editor.shown == []
        editor.open(URI, "x = \n")
        assert len(await editor.inline(URI, 0, 4)) == 1


@pytest.mark.parametrize("shut_down", [True, False])
async def test_exit_tells_whether_it_was_announced(shut_down: bool) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        if shut_down:
            await editor.request("shutdown")
        editor.notify("exit")
        await asyncio.sleep(0)
        assert editor.exit_codes == [0 if shut_down else 1]


async def test_shutdown_answers_what_still_runs() -> None:
    async with InProcessEditor({"answers": [{"texts": ["x"], "delay_s": 30}]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = \ny = 1\n")
        completion = editor.ask_inline(URI, 0, 4)
        await editor.until_asked(1)
        await editor.request("shutdown")
        with pytest.raises(AnsweredWithError):
            await editor.answer(completion)


async def test_a_client_whose_process_is_gone_is_left() -> None:
    process = await asyncio.create_subprocess_exec("sleep", "60")
    async with InProcessEditor({}) as editor:
        await editor.request("initialize", {"processId": process.pid, "capabilities": {}})
        await asyncio.sleep(0.05)
        assert editor.exit_codes == []
        process.kill()
        await process.wait()
        async with asyncio.timeout(5):
            while not editor.exit_codes:  # noqa: ASYNC110 - the editor hears nothing of it
                await asyncio.sleep(0.05)


async def test_a_client_whose_process_cannot_be_seen_is_served() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(processId=2**22 + 1)
        await asyncio.sleep(0.05)
        assert editor.exit_codes == []


async def test_a_live_client_is_served() -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize(processId=os.getpid())
        assert editor.exit_codes == []
