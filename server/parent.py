"""Whether the client's process is still there: a server must not outlive its editor. Knows no protocol."""

from __future__ import annotations

import asyncio
import os
import sys

_POLL_S = 1.0


async def wait_for_end(pid: int) -> None:
    """Return once the process is gone; never, if it cannot be seen from here (another container, say)."""
    if not is_alive(pid):
        await asyncio.Event().wait()
    is_parent = sys.platform != "win32" and os.getppid() == pid
    # a dead parent may stay as a zombie
    while is_alive(pid) and (not is_parent or os.getppid() == pid):  # noqa: ASYNC110 - nobody tells when it ends
        await asyncio.sleep(_POLL_S)


if sys.platform == "win32":

    def is_alive(pid: int) -> bool:
        """Whether a process of that number runs."""
        import ctypes

        synchronize, still_there = 0x00100000, 0x00000102
        handle = ctypes.windll.kernel32.OpenProcess(synchronize, False, pid)
        if not handle:
            return False
        alive: bool = ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == still_there
        ctypes.windll.kernel32.CloseHandle(handle)
        return alive

else:

    def is_alive(pid: int) -> bool:
        """Whether a process of that number runs."""
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (PermissionError, OverflowError):
            return True  # it is there and not ours, or no number to ask for
        return True
