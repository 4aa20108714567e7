"""Seams: a text with holes as the parts of a canvas, and the text of a hole back. No byte outside the holes changes.

Where a hole begins, the text left of it may stop inside what is one token in the texts the model learned from
(`retu` + `rn`); where it ends, the text right of it may begin so. The token at such a seam is taken off the pins, and
the hole's first (last) position may only hold tokens that begin (end) with its bytes. They are cut off again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .canvas import Gap, Pin
from .request import Hole
from .tokenizer import Tokenizer, needs_healing, whole_characters


@dataclass(frozen=True, slots=True)
class Seam:
    """The bytes of the text left and right of a hole that the hole's tokens write again."""

    left: bytes = b""
    right: bytes = b""

    @property
    def healed(self) -> int:
        """Positions that write something again."""
        return bool(self.left) + bool(self.right)

    def gap(self, tokenizer: Tokenizer, length: int, draft: Sequence[int] = (), noise_level: float = 1.0) -> Gap:
        """A hole of `length` positions, those that heal among them."""
        first = tokenizer.beginning_with(self.left) if self.left else ()
        last = tokenizer.ending_with(self.right) if self.right else ()
        held = [0, *draft] if self.left else draft  # where it heals is noise
        return Gap(length, held, noise_level, first, last)

    def data(self, tokenizer: Tokenizer, ids: Sequence[int], ends: Collection[int]) -> bytes:
        """What a hole's tokens say, up to the first end token, without what they write again."""
        end = next((at for at, token in enumerate(ids) if token in ends), len(ids))
        data = tokenizer.decode_bytes(ids[:end]).removeprefix(self.left)
        # an end token stands before the last position, and so before what that one heals
        return data.removesuffix(self.right) if end == len(ids) else data

    def text(self, tokenizer: Tokenizer, ids: Sequence[int], ends: Collection[int]) -> str:
        """The same as text. A character that is cut off at the end is left out."""
        data = self.data(tokenizer, ids, ends)
        return data[: whole_characters(data)].decode("utf-8", "replace")


def heal(tokenizer: Tokenizer, between: Sequence[list[int]], *, right: bool = True) -> list[Seam]:
    """Takes the tokens at seams off the texts left, between and right of the holes.

    `right`: heal where holes end as well, if that is inside a word; not where end tokens fill up a hole, which then
    ends before its last position.
    """
    names = tokenizer.token_bytes
    seams = []
    for before, after in pairwise(between):
        left = names[before.pop()] if before and needs_healing(names[before[-1]]) else b""
        seams.append(Seam(left, names[after.pop(0)] if right and after and _in_word(names[after[0]]) else b""))
    return seams


def _in_word(name: bytes) -> bool:
    """Whether a token can be the middle or the end of a word: letters of other scripts are bytes above ASCII."""
    return name[:1].isalnum() or name[:1] == b"_" or name[:1] >= b"\x80"


def parts_of(
    tokenizer: Tokenizer,
    text: str,
    holes: Sequence[Hole],
    lengths: Sequence[int],
    *,
    right: bool = True,
    noise_level: float = 1.0,
) -> tuple[list[Pin | Gap], list[Seam]]:
    """Pins and gaps of `text`, and the seam of each hole. A gap has a position more for each end that heals.

    `lengths`: tokens of each hole; `right`: see `heal`. The text inside a hole is its draft, noised to `noise_level`.
    """
    starts, stops = [0, *(hole.end for hole in holes)], [*(hole.start for hole in holes), len(text)]
    between = [tokenizer.encode(text[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    seams = heal(tokenizer, between, right=right)
    parts: list[Pin | Gap] = [Pin(between[0])]
    for hole, length, seam, after in zip(holes, lengths, seams, between[1:], strict=True):
        draft = tokenizer.encode(text[hole.start : hole.end])
        parts += (seam.gap(tokenizer, length + seam.healed, draft, noise_level), Pin(after))
    return parts, seams
