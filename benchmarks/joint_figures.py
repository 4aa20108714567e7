"""Attempts at tasks -> figures: what each way passes and costs, and paired differences. Knows numbers only."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .intervals import Part, clustered_ratio


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one way gave for one task: candidates best first, each a text per hole.

    `scores`: the engine's, of the last request. `valid`: the file parses. Forwards are model calls after the prompts.
    """

    id: str
    problem: str
    way: str
    texts: list[list[str]]
    canonical: list[str]
    scores: list[float]
    passed: list[bool]
    valid: list[bool]
    tokens: int
    forwards: int
    prompt_tokens: int
    reused_tokens: int
    encode_ms: float
    seconds: float
    processor_seconds: float

    @property
    def task(self) -> str:
        """The id without the way."""
        return self.id.rpartition(":")[0]


def summarise(attempts: Sequence[Attempt]) -> dict[str, object]:
    """Figures of each way, then of each way against the first; tasks that not all ways were tried on are left out."""
    ways = list(dict.fromkeys(attempt.way for attempt in attempts))
    by_way = {way: {one.task: one for one in attempts if one.way == way} for way in ways}
    tasks = [task for task in by_way[ways[0]] if all(task in of_way for of_way in by_way.values())] if ways else []
    lined_up = {way: [of_way[task] for task in tasks] for way, of_way in by_way.items()}
    return {
        "n": len(tasks),
        "ways": {way: _figures(of_way) for way, of_way in lined_up.items()},
        "differences": {
            f"{way} - {other}": _difference(lined_up[way], lined_up[other])
            for place, way in enumerate(ways)
            for other in ways[:place]
        },
    }


def _figures(attempts: Sequence[Attempt]) -> dict[str, object]:
    def mean(value: Callable[[Attempt], float]) -> float | None:
        return statistics.fmean(map(value, attempts)) if attempts else None

    return {
        "pass_at_1": _share(attempts, lambda one: one.passed[0]),
        "any_passes": _share(attempts, lambda one: any(one.passed)),
        "syntax_valid": _share(attempts, lambda one: one.valid[0]),
        "exact_match": _share(attempts, lambda one: one.texts[0] == one.canonical),
        "exact_among": _share(attempts, lambda one: one.canonical in one.texts),
        "right_length": _share(attempts, lambda one: _lengths(one.texts[0]) == _lengths(one.canonical)),
        "right_length_among": _share(attempts, lambda one: _lengths(one.canonical) in map(_lengths, one.texts)),
        "candidates": mean(lambda one: len(one.texts)),
        "forwards": mean(lambda one: one.forwards),
        "prompt_tokens_read": mean(lambda one: one.prompt_tokens - one.reused_tokens),
        "encode_ms": mean(lambda one: one.encode_ms),
        "ms": mean(lambda one: one.seconds * 1000),
        "processor_ms": mean(lambda one: one.processor_seconds * 1000),
    }


def _lengths(texts: Sequence[str]) -> list[int]:
    """Characters that are no white space, hole by hole."""
    return [len("".join(text.split())) for text in texts]


def _share(attempts: Iterable[Attempt], holds: Callable[[Attempt], bool]) -> list[float | None]:
    ratio = clustered_ratio(Part(one.problem, float(holds(one))) for one in attempts)
    return [ratio.value, ratio.low, ratio.high]


def _difference(mine: Sequence[Attempt], others: Sequence[Attempt]) -> dict[str, object]:
    """Of pass@1, task by task."""
    pairs = list(zip(mine, others, strict=True))
    gained = sum(one.passed[0] > other.passed[0] for one, other in pairs)
    lost = sum(one.passed[0] < other.passed[0] for one, other in pairs)
    ratio = clustered_ratio(Part(one.problem, one.passed[0] - other.passed[0]) for one, other in pairs)
    return {
        "pass_at_1": [ratio.value, ratio.low, ratio.high],
        "gained": gained,
        "lost": lost,
        "p": sign_p(gained, lost),
    }


def sign_p(gained: int, lost: int) -> float:
    """Two-sided exact sign test over the tasks that differ (McNemar); tasks of a problem taken as independent."""
    of = gained + lost
    tail = sum(math.comb(of, k) for k in range(min(gained, lost) + 1))
    return min(1.0, 2.0 * tail / 2.0**of)
