"""Philox4x32-10, the counter-based random numbers of Triton, in plain torch integers.

A number is a function of a key and a counter, so a row's noise depends on nothing but where it stands: not on the
device, not on the other rows of the call, not on what was drawn before. Source: Salmon et al., "Parallel random
numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

LANES = 4  # numbers a counter gives
_WORD = 0xFFFF_FFFF
_MULTIPLIERS = (0xD251_1F53, 0xCD9E_8D57)
_WEYL = (0x9E37_79B9, 0xBB67_AE85)
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Draw:
    """Where in the stream a call draws: the key `seed`, and of the counter `step` and the first row's `place`.

    All from 0; `seed` below 2^63, the others below 2^31.
    """

    seed: int
    step: int = 0
    place: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.seed < 1 << 63 and 0 <= self.step < 1 << 31 and 0 <= self.place < 1 << 31):
            raise ValueError(f"{self} is outside 0 to 2^63 for the seed, 0 to 2^31 for step and place")


def philox(key: int, counter: tuple[Tensor | int, ...]) -> tuple[Tensor, ...]:
    """Four words of 32 bits, in int64, for each element of the four words of `counter`, broadcast."""
    low, high = key & _WORD, key >> 32
    words = [torch.as_tensor(word, dtype=torch.int64) for word in counter]
    shape = sum(words, torch.tensor(0)).shape
    c0, c1, c2, c3 = (word.expand(shape) for word in words)
    for _ in range(_ROUNDS):
        a, b = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]  # all 64 bits; that the top one is a sign harms nothing
        c0 = (b >> 32).bitwise_xor_(c1).bitwise_xor_(low).bitwise_and_(_WORD)
        c2 = (a >> 32).bitwise_xor_(c3).bitwise_xor_(high).bitwise_and_(_WORD)
        c1, c3 = b, a  # their upper halves are masked once they have been mixed in
        low, high = (low + _WEYL[0]) & _WORD, (high + _WEYL[1]) & _WORD
    return c0, c1 & _WORD, c2, c3 & _WORD


def gumbel(draw: Draw, rows: range, vocabulary: int, device: torch.device | None = None) -> Tensor:
    """fp32 (rows, vocabulary): Gumbel noise of these rows of a call; token v is lane v % 4 of counter v // 4."""
    quads = torch.arange(-(-vocabulary // LANES), device=device)  # (quads,)
    places = torch.arange(draw.place + rows.start, draw.place + rows.stop, device=device)[:, None]  # (rows, 1)
    words = torch.stack(philox(draw.seed, (quads, places, draw.step, 0)), dim=-1)  # (rows, quads, lanes)
    return noise(words.flatten(1)[:, :vocabulary])


def noise(words: Tensor) -> Tensor:
    """Words of 32 bits -> fp32 Gumbel noise, always finite."""
    # v is uniform on (0, 1), finest near 0, where -log1p(-v) becomes the large noise that decides; never 1
    v = ((words.float() + 0.5) * 2.0**-32).clamp_max_(1 - 2.0**-24)
    return v.neg_().log1p_().neg_().log_().neg_()
