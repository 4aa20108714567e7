"""Seams: a text with holes as the parts of a canvas, and the text of a hole back. No byte outside the holes changes.

Where a hole begins, the text left of it may stop inside what is one token in the texts the model learned from
(`retu` + `rn`); where it ends, the text right of it may begin so. The token at such a seam is taken off the pins, and
the hole's first (last) position may only hold tokens that begin (end) with its bytes. They are cut off again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .canvas import Gap, Pin
from .request import Hole
from .tokenizer import Tokenizer, needs_healing, whole_characters


@dataclass(frozen=True, slots=True)
class Seam:
    """The bytes of the text left and right of a hole that the hole's tokens write again."""

    left: bytes = b""
    right: bytes = b""

    def text(self, tokenizer: Tokenizer, ids: Sequence[int], ends: Collection[int]) -> str:
        """What a hole's tokens say, up to the first end token. A character that is cut off is left out."""
        end = next((at for at, token in enumerate(ids) if token in ends), len(ids))
        data = tokenizer.decode_bytes(ids[:end]).removeprefix(self.left)
        if end == len(ids):  # an end token stands before the last position, and so before what that one heals
            data = data.removesuffix(self.right)
        return data[: whole_characters(data)].decode("utf-8", "replace")


def parts_of(
    tokenizer: Tokenizer,
    text: str,
    holes: Sequence[Hole],
    lengths: Sequence[int],
    *,
    right: bool = True,
    noise_level: float = 1.0,
) -> tuple[list[Pin | Gap], list[Seam]]:
    """Pins and gaps of `text`, and the seams of each hole. Each gap has one position more for each healed seam.

    `lengths`: tokens of each hole. `right`: heal where holes end as well; not where end tokens fill up a hole, which
    then ends before its last position. The text inside a hole is its draft, noised to `noise_level`.
    """
    starts, stops = [0, *(hole.end for hole in holes)], [*(hole.start for hole in holes), len(text)]
    between = [tokenizer.encode(text[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    parts: list[Pin | Gap] = []
    seams: list[Seam] = []
    for number, (hole, length) in enumerate(zip(holes, lengths, strict=True)):
        before, after = between[number], between[number + 1]
        names = tokenizer.token_bytes
        heals = bool(before) and needs_healing(names[before[-1]])
        seam = Seam(names[before.pop()] if heals else b"", names[after.pop(0)] if right and after else b"")
        first = tokenizer.beginning_with(seam.left) if seam.left else ()
        last = tokenizer.ending_with(seam.right) if seam.right else ()
        draft = ([0] if seam.left else []) + tokenizer.encode(text[hole.start : hole.end])  # the first heals: noise
        gap = Gap(length + bool(seam.left) + bool(seam.right), draft, noise_level, first, last)
        parts += (Pin(before), gap)
        seams.append(seam)
    return [*parts, Pin(between[-1])], seams
