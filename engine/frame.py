"""What stands around the holes of a canvas: the prompt that is encoded, and what is pinned after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from .request import InfillRequest, RewriteRequest


@dataclass(frozen=True, slots=True)
class Frame:
    """`prompt`: token ids to encode. `pending`: bytes of the prefix that the first hole writes again (seam healing).
    `tail`: pinned after the last hole. `fence`: what closes an answer, at the start of a line."""

    prompt: list[int]
    pending: bytes = b""
    tail: tuple[int, ...] = ()
    fence: str = ""


class Frames(Protocol):
    """A family's prompt formats."""

    def infill(self, request: InfillRequest, prefix: str, suffix: str, budget: int, room: int) -> Frame:
        """For holes between two texts; `budget`: tokens of both, `room`: tokens of the tail."""

    def rewrite(self, request: RewriteRequest, budget: int) -> Frame:
        """For the answer to an instruction; `budget`: tokens of what stands before the selection."""
