"""A long run: stopped by a signal without losing anything, its summary written whole or not at all."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from engine import CancelToken


@contextmanager
def stoppable() -> Iterator[tuple[CancelToken, list[int]]]:
    """SIGTERM and SIGINT cancel; a second one of a kind does what it always does."""
    cancel, seen = CancelToken(), list[int]()

    def stop(number: int, _: FrameType | None) -> None:
        seen.append(number)
        signal.signal(number, before[signal.Signals(number)])
        cancel.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield cancel, seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def write_json(path: Path, summary: Mapping[str, object]) -> None:
    """Replace `path`."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    fresh.replace(path)
