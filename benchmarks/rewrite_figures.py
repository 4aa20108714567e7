"""Rewrites of the same tasks in several ways -> figures of each, and of the first against the others. Numbers only."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .intervals import Part, Ratio, clustered_ratio


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What one way gave for one task. `said`: the engine's text; `refused`: why it is no suggestion, or "".

    `outside`: whether anything but the selection changed. `tokens` were written, in all rounds and with their fences,
    by `forwards`. `ms` and `processor_ms` are of all but the prompt, which was read before.
    """

    id: str
    problem: str
    part: str
    way: str
    said: str
    refused: str
    passed: bool
    ending: str
    outside: bool
    tokens: int
    forwards: int
    prompt_tokens: int
    ms: float
    processor_ms: float

    @property
    def task(self) -> str:
        """The id without the way."""
        return self.id.rpartition(":")[0]


def summarise(rewrites: Sequence[Rewrite]) -> dict[str, object]:
    """Figures over all tasks that every way was tried on, then of each part."""
    ways = list(dict.fromkeys(one.way for one in rewrites))
    tried = Counter(one.task for one in rewrites)
    whole = [one for one in rewrites if tried[one.task] == len(ways)]
    parts = list(dict.fromkeys(one.part for one in whole))
    of_parts = {part: _compare([one for one in whole if one.part == part], ways) for part in parts}
    return {**_compare(whole, ways), "parts": of_parts}


def _compare(rewrites: Sequence[Rewrite], ways: Sequence[str]) -> dict[str, object]:
    by_way = {way: {one.task: one for one in rewrites if one.way == way} for way in ways}
    first = by_way[ways[0]] if ways else {}
    return {
        "n": len(first),
        "ways": {way: _figures(list(of_way.values())) for way, of_way in by_way.items()},
        "against": {f"{way} / {ways[0]}": _against(first, by_way[way]) for way in ways[1:]},
    }


def _figures(rewrites: Sequence[Rewrite]) -> dict[str, object]:
    return {
        "pass_at_1": _ratio(rewrites, lambda one: one.passed),
        "edits_outside": sum(one.outside for one in rewrites),
        "refused": dict(sorted(Counter(one.refused for one in rewrites if one.refused).items())),
        "forwards": _ratio(rewrites, lambda one: one.forwards),
        "tokens_per_forward": _ratio(rewrites, lambda one: one.tokens, lambda one: one.forwards),
        "ms_median": statistics.median(one.ms for one in rewrites) if rewrites else None,
        "processor_s": sum(one.processor_ms for one in rewrites) / 1000,
    }


def _against(mine: dict[str, Rewrite], others: dict[str, Rewrite]) -> dict[str, object]:
    """Ratios of sums: above 1, the other way costs more. `differs`: tasks whose texts are not the same."""
    pairs = [(mine[task], others[task]) for task in mine]
    ratios = {
        name: clustered_ratio(Part(one.problem, cost(other), cost(one)) for one, other in pairs)
        for name, cost in COSTS.items()
    }
    return {
        **{name: [ratio.value, ratio.low, ratio.high] for name, ratio in ratios.items()},
        "fewer_forwards": sum(other.forwards < one.forwards for one, other in pairs),
        "differs": [one.task for one, other in pairs if one.said != other.said],
    }


COSTS: dict[str, Callable[[Rewrite], float]] = {
    "forwards": lambda one: one.forwards,
    "ms": lambda one: one.ms,
    "processor_ms": lambda one: one.processor_ms,
}


def _ratio(
    rewrites: Sequence[Rewrite], above: Callable[[Rewrite], float], below: Callable[[Rewrite], float] = lambda _: 1.0
) -> list[float | None]:
    ratio: Ratio = clustered_ratio(Part(one.problem, above(one), below(one)) for one in rewrites)
    return [ratio.value, ratio.low, ratio.high]
