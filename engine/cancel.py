"""Cancellation: set by whoever asked, read by the engine at every denoise step and prompt chunk."""

from __future__ import annotations

import threading
import time

from .errors import Cancelled


class CancelToken:
    """A one-way switch, safe across threads."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the engine to stop; it does at its next step."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` once `cancel` was called."""
        if self._event.is_set():
            raise Cancelled("the request was cancelled")


class Deadline:
    """Seconds from now on the monotonic clock; `None` never passes."""

    __slots__ = ("_at",)

    def __init__(self, seconds: float | None) -> None:
        self._at = None if seconds is None else time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self._at is not None and time.monotonic() >= self._at


NO_DEADLINE = Deadline(None)
