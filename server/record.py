"""What happened so far, for people who ask why something is slow, quiet or wrong. Knows no protocol and no texts."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass

from engine import InfillResult, RewriteResult, Usage

from .quiet import Suppressed

_RECENT = 10


@dataclass(frozen=True, slots=True)
class LastRequest:
    """What the last answered request cost; milliseconds, and the names the command line uses."""

    kind: str
    refused: str | None
    queue_ms: float
    encode_ms: float
    denoise_ms: float
    trim_ms: float
    ms: float
    mode: str
    prompt_tokens: int
    reused_tokens: int
    forwards: int
    tokens: int
    tokens_per_forward: float


@dataclass(frozen=True, slots=True)
class _Refusal:
    kind: str
    reason: str
    at: float


class Record:
    """Counts by name. `suppressions`: it was no time to ask; `refusals`: nothing came of it; `counts`: all else."""

    def __init__(self) -> None:
        self.suppressions: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.last: LastRequest | None = None
        self._recent: deque[_Refusal] = deque(maxlen=_RECENT)

    def note(
        self,
        kind: str,
        refused: str | None,
        result: InfillResult | RewriteResult | None,
        *,
        queue_ms: float = 0.0,
        trim_ms: float = 0.0,
    ) -> None:
        """Remember what a request cost, and count it if nothing came of it."""
        if refused is not None:
            (self.suppressions if isinstance(refused, Suppressed) else self.refusals)[refused] += 1
            self._recent.append(_Refusal(kind, refused, time.monotonic()))
        usage = result.usage if result is not None else Usage()
        self.last = LastRequest(
            kind,
            refused,
            queue_ms=queue_ms,
            encode_ms=usage.ms.encode,
            denoise_ms=usage.ms.denoise,
            trim_ms=trim_ms,
            ms=usage.ms.total,
            mode=result.mode if isinstance(result, InfillResult) else "",
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            forwards=usage.forwards,
            tokens=usage.tokens,
            tokens_per_forward=usage.tokens_per_forward,
        )

    @property
    def recent(self) -> list[dict[str, object]]:
        """The last times nothing came of a request, the latest first."""
        now = time.monotonic()
        return [
            {"kind": one.kind, "reason": one.reason, "seconds_ago": round(now - one.at, 1)}
            for one in reversed(self._recent)
        ]
