"""The canvas: a sequence of tokens being denoised. Each position is pinned, committed or open.

    pinned | hole 0: committed, open ... | pinned | hole 1: ... | pinned

A canvas is frozen: each step makes a new one, and no method of it changes a pinned token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import torch
from torch import Generator, Tensor

OUTSIDE = -1  # the number of no hole


class Noise(Protocol):
    """What open positions hold."""

    @property
    def marked(self) -> bool:
        """Whether an open position can be told by its token. If not, every unpinned one is open, for good."""

    def __call__(self, length: int, generator: Generator) -> Tensor:
        """(length,) ids on the generator's device. Always drawn for a whole canvas: pins change no draw."""


@dataclass(frozen=True, slots=True)
class Masks:
    """A mask canvas (LLaDA, Dream): open positions hold the mask token."""

    token: int
    marked = True

    def __call__(self, length: int, generator: Generator) -> Tensor:
        """See `Noise`."""
        return torch.full((length,), self.token, device=generator.device)


@dataclass(frozen=True, slots=True)
class Uniform:
    """A uniform canvas (DiffusionGemma): open positions hold random tokens."""

    vocabulary: int
    marked = False

    def __call__(self, length: int, generator: Generator) -> Tensor:
        """See `Noise`."""
        return torch.randint(self.vocabulary, (length,), generator=generator, device=generator.device)


@dataclass(frozen=True, slots=True)
class Pin:
    """Tokens that must stay."""

    tokens: Sequence[int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A hole of so many positions. Its first ones hold the `draft`, of which a share of `noise_level` is noise.

    `first` and `last`: the only tokens that may stand at its first and last position, where a seam is healed.
    """

    length: int
    draft: Sequence[int] = ()
    noise_level: float = 1.0
    first: Sequence[int] = ()
    last: Sequence[int] = ()

    def seams(self, start: int) -> dict[int, list[int]]:
        """The position of each end that may not hold any token -> the tokens it may hold."""
        found: dict[int, list[int]] = {}
        for at, only in ((start, self.first), (start + self.length - 1, self.last)):
            if only and self.length:
                found[at] = [token for token in only if at not in found or token in found[at]]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Canvas:
    """`ids`, `hole`, `pinned`, `open`, each (length,): what is shown, the number of the hole or OUTSIDE, and the state.

    `origin`: after positions were inserted or deleted in this step, the place each had before.
    """

    ids: Tensor
    hole: Tensor
    pinned: Tensor
    open: Tensor
    noise: Noise
    seams: Mapping[int, Tensor] = field(default_factory=dict)  # position -> the only ids that may stand there
    origin: Tensor | None = None

    @classmethod
    def of(cls, parts: Sequence[Pin | Gap], noise: Noise, generator: Generator) -> Canvas:
        """Pinned tokens and holes in their order, the holes numbered from 0. A draft longer than its gap is cut."""
        rows: list[tuple[int, int, float]] = []  # token, hole, and how likely noise takes its place
        seams: dict[int, list[int]] = {}
        number = OUTSIDE
        for part in parts:
            if isinstance(part, Pin):
                rows += [(token, OUTSIDE, 0.0) for token in part.tokens]
                continue
            number += 1
            seams |= part.seams(len(rows))
            drafted = part.draft[: part.length]
            rows += [(token, number, part.noise_level) for token in drafted]
            rows += [(0, number, 1.0)] * (part.length - len(drafted))
        device = generator.device
        ids, hole = torch.tensor([row[:2] for row in rows], dtype=torch.long, device=device).reshape(-1, 2).unbind(1)
        level = torch.tensor([1.0 if at in seams else row[2] for at, row in enumerate(rows)], device=device)
        drawn = noise(len(rows), generator)
        noisy = level > 0
        if bool((noisy & (level < 1)).any()):  # else nothing is left to chance, and no number is drawn
            noisy = torch.rand(len(rows), generator=generator, device=device) < level
        pinned = hole == OUTSIDE
        allowed = {at: torch.tensor(only, device=device) for at, only in seams.items()}
        opened = ~pinned & noisy if noise.marked else ~pinned
        return cls(torch.where(noisy, drawn, ids), hole, pinned, opened, noise, allowed)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def done(self) -> bool:
        """Nothing is open."""
        return not bool(self.open.any())

    def free(self, hole: int) -> Tensor:
        """(length,) bool: where a hole may hold any token; all of it where it has nothing but seams."""
        here = self.hole == hole
        free = here.index_fill(0, torch.tensor([*self.seams], dtype=torch.long, device=here.device), False)
        return free if bool(free.any()) else here

    def commit(self, where: Tensor, tokens: Tensor) -> Canvas:
        """Put tokens at unpinned positions and close them. where: (length,) bool; tokens: (length,)."""
        where = where & ~self.pinned
        return replace(self, ids=torch.where(where, tokens, self.ids), open=self.open & ~where)

    def reopen(self, where: Tensor, generator: Generator) -> Canvas:
        """Put noise at unpinned positions and open them. where: (length,) bool."""
        where = where & ~self.pinned
        noise = self.noise(len(self), generator)
        return replace(self, ids=torch.where(where, noise, self.ids), open=self.open | where)

    def all_open(self) -> Canvas:
        """Every unpinned position open; each keeps its token."""
        return replace(self, open=~self.pinned)

    def pin(self, where: Tensor, tokens: Tensor) -> Canvas:
        """Put tokens at unpinned positions, for good. where: (length,) bool; tokens: (length,)."""
        held = self.commit(where, tokens)
        return replace(held, pinned=self.pinned | where)

    def spread(self, counts: Tensor, opened: Tensor, generator: Generator) -> Canvas:
        """Each position `counts` times: 0 deletes it, 2 inserts an open one after it. Pins and seams stay as they are.

        counts: (length,); opened: (length,) bool, where the position itself is opened as well.
        """
        fixed = self.pinned.index_fill(0, torch.tensor([*self.seams], dtype=torch.long, device=self.ids.device), True)
        counts = torch.where(fixed, 1, counts)
        origin = torch.arange(len(self), device=self.ids.device).repeat_interleave(counts)
        inserted = torch.zeros_like(origin, dtype=torch.bool)
        inserted[1:] = origin[1:] == origin[:-1]
        starts = (counts.cumsum(dim=0) - counts).tolist()
        seams = {starts[at]: only for at, only in self.seams.items()}
        hole, pinned, opened_now = self.hole[origin], self.pinned[origin], self.open[origin]
        moved = Canvas(self.ids[origin], hole, pinned, opened_now, self.noise, seams, origin)
        return moved.reopen(inserted | opened[origin], generator)

    def allow(self, logits: Tensor) -> None:
        """Rule out, in place, what may not stand at a seam. logits: (length, vocabulary)."""
        for position, only in self.seams.items():
            kept = logits[position, only]
            logits[position] = float("-inf")
            logits[position, only] = kept

    def answer(self, best: Tensor) -> Tensor:
        """(length,): the likeliest token where a position is open, what it holds elsewhere."""
        return torch.where(self.open, best, self.ids)
