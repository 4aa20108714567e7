"""What a request cost and how it ended: as JSON for programs, as one line for people. Knows no terminal."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from engine import InfillResult, RewriteResult, Usage

from ..positions import Lines, PositionEncoding
from ..suggestion import Refused


@dataclass(frozen=True, slots=True)
class Report:
    """Everything but the text. `mode` and `stop_reason` are empty when the engine was not asked."""

    model: str
    mode: str
    stop_reason: str
    refused: Refused | None
    usage: Usage
    load_ms: float

    @classmethod
    def of(
        cls, result: InfillResult | RewriteResult | None, refused: Refused | None, model: str, load_ms: float
    ) -> Report:
        """From what the road through `suggest` answered."""
        match result:
            case InfillResult():
                stop, mode = result.candidates[0].stop_reason.value, result.mode.value
            case RewriteResult():
                stop, mode = result.stop_reason.value, "rewrite"
            case None:
                return cls(model, "", "", refused, Usage(), load_ms)
        return cls(result.model, mode, stop, refused, result.usage, max(load_ms, result.usage.ms.load))

    @property
    def ms(self) -> dict[str, float]:
        """Milliseconds; the total holds the load."""
        spent = self.usage.ms
        total = self.load_ms + spent.total - spent.load
        named = {"load": self.load_ms, "encode": spent.encode, "denoise": spent.denoise, "total": total}
        return {name: round(value, 1) for name, value in named.items()}

    def fields(self) -> dict[str, object]:
        """The keys `infill` and `rewrite` have in common."""
        return {
            "stop_reason": self.stop_reason or None,
            "refused": self.refused.value if self.refused else None,
            "model": self.model,
            "mode": self.mode or None,
            "forwards": self.usage.forwards,
            "tokens": self.usage.tokens,
            "tokens_per_forward": round(self.usage.tokens_per_forward, 3),
            "ms": self.ms,
        }

    def line(self) -> str:
        """For people."""
        spent = ", ".join(f"{name} {value:.0f}" for name, value in self.ms.items())
        ended = f"refused: {self.refused.value}" if self.refused else f"stopped by {self.stop_reason or 'nothing'}"
        usage = self.usage
        rate = f"{usage.tokens} tokens in {usage.forwards} forwards ({usage.tokens_per_forward:.1f} each)"
        return f"{self.model} {self.mode} · {ended} · {rate} · ms: {spent}"


def range_of(lines: Lines, start: int, end: int) -> dict[str, dict[str, int]]:
    """An LSP range, in UTF-16."""
    first, last = (lines.position(offset, PositionEncoding.UTF16) for offset in (start, end))
    return {
        "start": {"line": first[0], "character": first[1]},
        "end": {"line": last[0], "character": last[1]},
    }


def print_json(answer: dict[str, object]) -> None:
    """One JSON object on standard output; characters stay as they are."""
    json.dump(answer, sys.stdout, ensure_ascii=False, indent=2)
    print()
