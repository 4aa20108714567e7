"""Several threads while they run side by side, one while they share a core, and several again later."""

from __future__ import annotations

from engine.threads import Threads


class Machine:
    """Clocks that a test moves, and what `Threads` asked for."""

    def __init__(self, most: int) -> None:
        self.wall = self.processor = 0.0
        self.used: list[int] = []
        self.threads = Threads(most, lambda: self.wall, lambda: self.processor, self.used.append)

    def run(self, forwards: int, *, cores: float, seconds: float = 0.05) -> list[int]:
        """So many forwards, each of which gets `cores` cores; what was used for each."""
        first = len(self.used)
        for _ in range(forwards):
            with self.threads.forward():
                self.wall += seconds
                self.processor += seconds * min(cores, self.used[-1])
        return self.used[first:]


def test_an_idle_machine_gets_all() -> None:
    assert set(Machine(2).run(50, cores=1.7)) == {2}


def test_a_crowded_machine_gets_one_and_seldom_a_trial() -> None:
    used = Machine(2).run(500, cores=1.0)
    assert used[0] == 2
    assert used.count(2) <= 12


def test_it_recovers_soon_after_the_crowd_is_gone() -> None:
    machine = Machine(2)
    machine.run(3, cores=1.0)
    used = machine.run(20, cores=2.0)
    assert used[-15:] == [2] * 15


def test_one_thread_stays_one_and_short_forwards_tell_nothing() -> None:
    assert set(Machine(1).run(20, cores=1.0)) == {1}
    assert set(Machine(2).run(20, cores=1.0, seconds=0.001)) == {2}
