"""How many threads a forward uses: several only while they really run side by side.

Two threads that share a core, because something else keeps the other one busy, are slower than one: each product waits
for the later of them (measured: 78 ms a forward with one, 85 to 430 with two). A forward tells by its processor time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

_SIDE_BY_SIDE = 0.6  # of the threads' time was spent running; idle machines show 0.75 and more
_LONGEST = 64  # forwards with one thread before several are tried again
_SHORTEST_S = 0.005  # a shorter forward tells nothing


def _set_for_torch(threads: int) -> None:
    torch.set_num_threads(threads)


@dataclass(slots=True)
class Threads:
    """Chooses between one thread and `most`. For the one thread that computes."""

    most: int
    wall: Callable[[], float] = time.perf_counter
    processor: Callable[[], float] = time.process_time  # of all threads of this process
    use: Callable[[int], None] = _set_for_torch
    _alone: int = field(default=0, init=False)  # forwards left with one thread
    _patience: int = field(default=4, init=False)

    @contextmanager
    def forward(self) -> Iterator[None]:
        """Around one forward: sets the threads before, draws the lesson after."""
        several = self.most > 1 and not self._alone
        self.use(self.most if several else 1)
        wall, processor = self.wall(), self.processor()
        yield
        wall, processor = self.wall() - wall, self.processor() - processor
        if not several:
            self._alone = max(0, self._alone - 1)
        elif wall > _SHORTEST_S:
            crowded = processor < _SIDE_BY_SIDE * self.most * wall
            self._alone = self._patience if crowded else 0
            self._patience = min(2 * self._patience, _LONGEST) if crowded else 4


def free_threads() -> int:
    """Cores this process may use, at most four: beyond, memory is what int8 rows wait for."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(4, allowed))
