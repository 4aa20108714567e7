"""A list of measurements in four numbers."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """How many, the median, the ninetieth percentile and the largest; None where there is nothing to say."""
    if not values:
        return {"n": 0, "p50": None, "p90": None, "max": None}
    p90 = statistics.quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
    return {"n": len(values), "p50": statistics.median(values), "p90": p90, "max": max(values)}
