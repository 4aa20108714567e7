"""The canvas: a sequence of tokens being denoised. Each position is pinned, committed or open.

    pinned | hole 0: committed, open ... | pinned | hole 1: ... | pinned

A canvas is frozen: each step makes a new one, and no method of it changes a pinned token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Generator, Tensor

PINNED = -1


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
    """A hole of so many positions. Its first ones hold the `draft`, of which a share of `noise_level` is noise."""

    length: int
    draft: Sequence[int] = ()
    noise_level: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Canvas:
    """`ids`, `hole` and `open`, each (length,): what is shown, the number of the hole or PINNED, whether it is open."""

    ids: Tensor
    hole: Tensor
    open: Tensor
    noise: Noise

    @classmethod
    def of(cls, parts: Sequence[Pin | Gap], noise: Noise, generator: Generator) -> Canvas:
        """Pinned tokens and holes in their order. A draft longer than its gap is cut."""
        ids: list[int] = []
        hole: list[int] = []
        level: list[float] = []  # from which a place of a draft is noise
        for part in parts:
            tokens = list(part.tokens if isinstance(part, Pin) else part.draft[: part.length])
            length = len(tokens) if isinstance(part, Pin) else part.length
            number = PINNED if isinstance(part, Pin) else max(hole, default=PINNED) + 1
            drafted = 0.0 if isinstance(part, Pin) else part.noise_level
            ids += tokens + [0] * (length - len(tokens))
            hole += [number] * length
            level += [drafted] * len(tokens) + [1.0] * (length - len(tokens))
        device = generator.device
        drawn = noise(len(ids), generator)
        levels = torch.tensor(level, device=device)
        noisy = levels > 0  # no draw where nothing is uncertain: the reference implementation makes none
        if bool(((levels > 0) & (levels < 1)).any()):
            noisy = torch.rand(len(ids), generator=generator, device=device) < levels
        holes = torch.tensor(hole, dtype=torch.long, device=device)
        held = torch.where(noisy, drawn, torch.tensor(ids, dtype=torch.long, device=device))
        return cls(held, holes, (holes != PINNED) & (noisy if noise.marked else True), noise)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def pinned(self) -> Tensor:
        """(length,) bool: what must stay."""
        return self.hole == PINNED

    @property
    def done(self) -> bool:
        """Nothing is open."""
        return not bool(self.open.any())

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

    def answer(self, best: Tensor) -> Tensor:
        """(length,): the likeliest token where a position is open, what it holds elsewhere."""
        return torch.where(self.open, best, self.ids)
