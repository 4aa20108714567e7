"""Put on PYTHONPATH, this ends a Python process at once when it touches a socket; see `tests/e2e/test_privacy.py`."""

import os
import socket
import sys


def _forbid(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith("socket.") and not _is_own_pipe(event, arguments):
        os.write(2, f"FORBIDDEN {event}\n".encode())
        os._exit(97)


def _is_own_pipe(event: str, arguments: tuple[object, ...]) -> bool:
    """An event loop wakes itself by a pair of local sockets, which are made without a name."""
    return event == "socket.__new__" and arguments[1] == socket.AF_UNIX


sys.addaudithook(_forbid)
