from __future__ import annotations

import asyncio
import os

import pytest

from server.parent import is_alive, wait_for_end


def test_who_is_alive() -> None:
    assert is_alive(os.getpid())
    assert is_alive(1)
    assert not is_alive(2**22 + 1)
    assert is_alive(2**80)  # no number a process can have: nothing to conclude from


async def test_the_end_of_a_process_is_noticed() -> None:
    process = await asyncio.create_subprocess_exec("sleep", "60")
    waiting = asyncio.ensure_future(wait_for_end(process.pid))
    await asyncio.sleep(0.02)
    assert not waiting.done()
    process.kill()
    await process.wait()
    await asyncio.wait_for(waiting, 5)


async def test_a_process_that_cannot_be_seen_is_not_taken_for_dead() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wait_for_end(2**22 + 1), 0.05)
