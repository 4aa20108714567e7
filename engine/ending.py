"""When a hole is full: the model's end token, a line end, the length. Deadline and cancel are read by the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .request import StopReason
from .tokenizer import Tokenizer


class Ending(Protocol):
    """Looks at newly committed tokens."""

    def __call__(self, written: Sequence[int], tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """`tokens` follow `written`; returns how many of them to keep and why to stop, or None to go on."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """Any of the model's end tokens; it is not kept."""

    ends: frozenset[int]

    def __call__(self, written: Sequence[int], tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Ending`."""
        for index, token in enumerate(tokens):
            if token in self.ends:
                return index, StopReason.END
        return None


@dataclass(frozen=True, slots=True)
class AtNewline:
    """A token with a line end in it; it is kept, the text is cut before the line end."""

    tokenizer: Tokenizer

    def __call__(self, written: Sequence[int], tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Ending`."""
        for index, token in enumerate(tokens):
            if {*b"\r\n"} & {*self.tokenizer.token_bytes[token]}:
                return index + 1, StopReason.NEWLINE
        return None


@dataclass(frozen=True, slots=True)
class AtLength:
    """So many tokens."""

    tokens: int

    def __call__(self, written: Sequence[int], tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Ending`."""
        room = self.tokens - len(written)
        return (room, StopReason.LENGTH) if len(tokens) >= room else None


@dataclass(frozen=True, slots=True)
class AtFence:
    """The closing fence of a rewrite's answer, at the start of a line; it is kept, `before_fence` cuts it off.

    A fence may be spread over several tokens, some of which were committed before it could be told.
    """

    tokenizer: Tokenizer
    fence: str

    def __call__(self, written: Sequence[int], tokens: Sequence[int]) -> tuple[int, StopReason] | None:
        """See `Ending`."""
        near = len(self.fence)  # tokens that can hold its beginning and the line end before it
        start = b"\n" if len(written) <= near else b""
        data = start + self.tokenizer.decode_bytes(written[-near:])
        for index, token in enumerate(tokens):
            data += self.tokenizer.token_bytes[token]
            if f"\n{self.fence}".encode() in data:
                return index + 1, StopReason.END
        return None


def fenced(text: str, fence: str) -> str:
    """`text` as an answer that ends at its fence."""
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def before_fence(text: str, fence: str) -> str:
    """An answer without its closing fence and what follows it."""
    at = f"\n{text}".find(f"\n{fence}")
    return text if at < 0 else text[:at]


def first_ending(
    endings: Sequence[Ending], written: Sequence[int], tokens: Sequence[int]
) -> tuple[int, StopReason] | None:
    """The stop that keeps least; of equal ones an end token comes last, as it is read behind what is kept.

    So a reading token by token and one that verifies several at once stop for the same reason.
    """
    found = [(*stop, isinstance(rule, AtEnd)) for rule in endings if (stop := rule(written, tokens)) is not None]
    kept, reason, _ = min(found, key=lambda stop: (stop[0], stop[2]), default=(0, None, False))
    return None if reason is None else (kept, reason)
