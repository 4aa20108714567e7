"""Ratios over tasks with 95 % intervals from a cluster bootstrap.

Holes of one program rise and fall together, so whole problems are resampled, not tasks. The seed is fixed: the same
records give the same interval. Knows numbers only.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

RESAMPLES = 2000
BOOTSTRAP_SEED = 20250101
FORTIETHS = 40  # the first and the last of its cut points are the 2.5th and the 97.5th percentile


@dataclass(frozen=True, slots=True)
class Ratio:
    """`value` is sum(numerators) / sum(denominators); None, with no interval, where there was nothing to divide by."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one task adds to a ratio."""

    problem: str
    numerator: float
    denominator: float = 1.0


def clustered_ratio(parts: Iterable[Part]) -> Ratio:
    """The ratio of sums, and the percentile interval of it when problems are drawn again with replacement."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for part in parts:
        sums[part.problem][0] += part.numerator
        sums[part.problem][1] += part.denominator
    clusters = [sums[problem] for problem in sorted(sums)]  # the order of tasks must not move the interval
    value = _ratio(clusters)
    if value is None:
        return Ratio(None)
    draw = random.Random(BOOTSTRAP_SEED)
    drawn = (_ratio(draw.choices(clusters, k=len(clusters))) for _ in range(RESAMPLES))
    cuts = statistics.quantiles([ratio for ratio in drawn if ratio is not None], n=FORTIETHS, method="inclusive")
    return Ratio(value, cuts[0], cuts[-1])


def _ratio(clusters: list[list[float]]) -> float | None:
    below = sum(denominator for _, denominator in clusters)
    return sum(numerator for numerator, _ in clusters) / below if below else None
