"""When a hole is full: the model's end token, a line end, the length. Deadline and cancel are read by the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .request import StopReason
from .tokenizer import Tokenizer


class Stop(Protocol):
    """Looks at newly committed tokens."""

    def __call__(self, before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """`before` tokens are in already; returns how many of `tokens` to keep and why to stop, or None to go on."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """Any of the model's end tokens; it is not kept."""

    ends: frozenset[int]

    def __call__(self, before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Stop`."""
        for index, token in enumerate(tokens):
            if token in self.ends:
                return index, StopReason.END
        return None


@dataclass(frozen=True, slots=True)
class AtNewline:
    """A token with a line end in it; it is kept, the text is cut before the line end."""

    tokenizer: Tokenizer

    def __call__(self, before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Stop`."""
        for index, token in enumerate(tokens):
            if b"\n" in self.tokenizer.token_bytes[token]:
                return index + 1, StopReason.NEWLINE
        return None


@dataclass(frozen=True, slots=True)
class AtLength:
    """So many tokens."""

    tokens: int

    def __call__(self, before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Stop`."""
        return (self.tokens - before, StopReason.LENGTH) if before + len(tokens) >= self.tokens else None


@dataclass(frozen=True, slots=True)
class AtFence:
    """A token that holds the closing fence of a rewrite's answer; it is not kept."""

    tokenizer: Tokenizer
    fence: str

    def __call__(self, before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Stop`."""
        for index, token in enumerate(tokens):
            if self.fence.encode() in self.tokenizer.token_bytes[token]:
                return index, StopReason.END
        return None


def first_stop(stops: Sequence[Stop], before: int, tokens: Sequence[int]) -> tuple[int, StopReason] | None:
    """The stop that keeps least; of equal ones the first."""
    found = [stop for stop in (rule(before, tokens) for rule in stops) if stop is not None]
    return min(found, key=lambda stop: stop[0]) if found else None
