"""What the loops ask of a model: read rows of drafts and keep what was committed; or denoise canvases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import torch
from torch import Tensor

from ..cancel import NO_DEADLINE, CancelToken, Deadline
from ..canvas import Noise
from ..kernels.sampling import chunks, scaled
from ..tokenizer import Tokenizer

MASK = -1  # the id of an open canvas position


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one forward: `exact` causal rows first, then `canvas` rows; what is left are prompt rows.

    `positions` (rows,) count from the prompt's first token. Every row attends to the whole prompt; `visible`
    (rows, slots + rows) says to which of the slots committed since, and to which rows of this forward.
    """

    ids: Sequence[int]
    positions: Sequence[int]
    exact: int
    canvas: int
    visible: Tensor

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a forward says: logits of the exact rows and of the canvas rows, each (rows, vocabulary or its head)."""

    exact: Tensor
    canvas: Tensor


class Voice(StrEnum):
    """Which weights read the causal rows: each has its own prefix KV."""

    INFILL = "infill"  # base + infiller
    PLAIN = "plain"  # base alone: rewriting, and scoring what follows


@dataclass(frozen=True, slots=True)
class Prompts:
    """Control tokens of the family's prompt formats."""

    fim_prefix: int
    fim_suffix: int
    fim_middle: int
    turn_start: int
    turn_end: int
    text_end: int

    @property
    def end(self) -> frozenset[int]:
        """Any of these ends an answer."""
        return frozenset({self.text_end, self.turn_end})

    @property
    def tokens(self) -> frozenset[int]:
        """All of them."""
        return self.end | {self.fim_prefix, self.fim_suffix, self.fim_middle, self.turn_start, self.turn_end}


class Model(Protocol):
    """A loaded model with a causal reading, which verifies drafts. Not for several threads at once."""

    tokenizer: Tokenizer
    prompts: Prompts
    canvas: int  # open positions a forward proposes for; 0: this model has no denoiser

    def encode(self, prompt: Sequence[int], voice: Voice, cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """Make the prefix KV of `voice` hold `prompt`; returns how many tokens were reused. Raises `Cancelled`.

        A passed deadline ends it early: what is held then is kept for the next request, and must not be read.
        """

    def read(self, rows: Rows, voice: Voice) -> Reading:
        """One forward over the prompt and what was committed since."""

    def commit(self, rows: Sequence[int], voice: Voice) -> None:
        """Keep these rows of the last `read`, by number and in rising order, as slots."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditioning:
    """What the last step said of a canvas, with its pins: the model's own guess that it is conditioned on.

    logits: (length, vocabulary), as `denoise` returned them; ids, pinned: (length,).
    """

    logits: Tensor
    temperature: float
    ids: Tensor
    pinned: Tensor

    def scaled(self, softcap: float | None, dtype: torch.dtype = torch.float32) -> Tensor:
        """(length, vocabulary): logits whose softmax is the guess, and sure of the token where it is pinned.

        Computed in fp32, a few rows at a time.
        """
        said = torch.empty(self.logits.shape, dtype=dtype, device=self.logits.device)
        for rows in chunks(self.logits):
            said[rows] = scaled(self.logits[rows], self.temperature, softcap)
        sure = self.pinned.nonzero()[:, 0]
        said[sure] = float("-inf")
        said[sure, self.ids[sure]] = 0.0
        return said


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A canvas as a model is shown it. ids: (length,)."""

    ids: Tensor
    conditioning: Conditioning | None


class CausalReading(Protocol):
    """A model read causally, for canvases that are verified or compared by it."""

    def __call__(self, ids: Sequence[int]) -> Tensor:
        """(ids, vocabulary), the caller's to change: logits of what is expected after the prompt and ids[:i]."""


class CanvasModel(Protocol):
    """A loaded model that denoises whole canvases. Not for several threads at once."""

    tokenizer: Tokenizer
    ends: frozenset[int]  # any of these ends a hole's text
    noise: Noise
    softcap: float | None  # of its logits, left to whoever reads them
    device: torch.device

    def encode(self, prompt: Sequence[int], cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """Hold `prompt`, which canvases follow; returns how many tokens were reused. Raises `Cancelled`.

        A passed deadline ends it early: what is held then is kept for the next request, and must not be read.
        """

    def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
        """One forward over all of them, each after the prompt and not seeing the others.

        Returns logits (length, vocabulary) of each, the caller's to change, of any float type, before softcap and
        temperature; row i is about position i. Tokens that must not be proposed, such as the mask, are -inf.
        """


def causal(rows: int) -> Tensor:
    """(rows, rows): each sees itself and those before it."""
    return torch.ones(rows, rows, dtype=torch.bool).tril_()
