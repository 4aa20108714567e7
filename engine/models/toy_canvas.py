"""A toy denoiser of canvases for tests: no weights, and what it says depends on every token that it is shown.

Noise is made of prompt, canvas and conditioning. Above it stands what the texts it knows have between the text left of
a run of masks and the text right of it: the surer the nearer to them, and surer where the run is as long as that. It
does not know how long a run should be unless it is of a kind that has learned it. No command or setting reaches it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby

import torch
from torch import Tensor

from ..cancel import NO_DEADLINE, CancelToken, Deadline
from ..canvas import Masks, Noise, Uniform
from ..kv_cache import common_prefix
from .base import Shown
from .toy import toy_tokenizer

_BASE, _FITS, _NEAR = 5.5, 3.0, 1.0  # logits above the noise: always, where the length fits, next to what is known
_GUESS, _AGREES = 2.5, 8.0  # on a uniform canvas: with nothing to go by, and where all around is as it should be
_SHORT = 4.0  # and in short runs, whatever they hold: a bias that tells nothing


class Learned(StrEnum):
    """What a kind of toy has learned of lengths."""

    NOTHING = "nothing"  # it fills a run from both sides
    ENDS = "ends"  # it fills what is left of a run with end tokens
    LENGTHS = "lengths"  # it says where to expand and what to delete


class ToyCanvas:
    """`base.CanvasModel` that knows `texts`."""

    softcap = None
    device = torch.device("cpu")

    def __init__(self, texts: Sequence[str] = (), learned: Learned = Learned.NOTHING, *, uniform: bool = False) -> None:
        self.tokenizer = toy_tokenizer("<mask>", "<expand>", "<delete>")
        end, *_, self.mask, self.expand, self.delete = sorted(self.tokenizer.control)
        self.ends = frozenset({end})
        self.vocabulary = self.delete + 1
        self.noise: Noise = Uniform(self.vocabulary) if uniform else Masks(self.mask)
        self.prompt: list[int] = []
        self._end = end
        self._texts = [text.encode() for text in texts]
        self._learned = learned

    def encode(self, prompt: Sequence[int], cancel: CancelToken, deadline: Deadline = NO_DEADLINE) -> int:
        """See `CanvasModel`."""
        cancel.raise_if_cancelled()
        reused = common_prefix(self.prompt, prompt)
        self.prompt = list(prompt)
        return reused

    def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
        """See `CanvasModel`."""
        return [self._logits(shown) for shown in canvases]

    def _logits(self, shown: Shown) -> Tensor:
        ids = shown.ids.tolist()
        guess = shown.conditioning.scaled(None).argmax(dim=-1).tolist() if shown.conditioning else []
        seed = zlib.crc32(repr((self.prompt, ids, guess)).encode())
        logits = torch.randn(len(ids), self.vocabulary, generator=torch.Generator().manual_seed(seed))
        for position, token, surety in self._known(ids) if self.noise.marked else self._agreed(ids, guess):
            logits[position, token] = surety
        logits[:, self.mask] = float("-inf")
        return logits

    def _known(self, ids: Sequence[int]) -> Iterator[tuple[int, int, float]]:
        """(position, token, logit) of what the texts say."""
        for masked, run in groupby(range(len(ids)), key=lambda at: ids[at] == self.mask):
            places = list(run)
            middle = self._middle(ids, places[0], places[-1] + 1) if masked else None
            if middle is None:
                continue
            fits = _FITS if len(middle) == len(places) else 0.0
            for at, token in enumerate(self._spread(middle, len(places))):
                near = _NEAR / (1 + min(at, len(places) - 1 - at))
                yield places[at], token, _BASE + fits + near + _SHORT / len(places)

    def _agreed(self, ids: Sequence[int], guess: Sequence[int]) -> Iterator[tuple[int, int, float]]:
        """On a uniform canvas: what follows the prompt, the surer the more of it is shown or was guessed before."""
        middle = self._middle([], 0, 0)
        if middle is None:
            return
        told = [*middle, *[self._end] * len(ids)][: len(ids)]
        for at, token in enumerate(told):
            around = range(max(0, at - 2), min(len(ids), at + 3))
            seen = sum(ids[place] == told[place] for place in around)
            guessed = sum(guess[place] == told[place] for place in around) if guess else 0
            yield at, token, _GUESS + _AGREES * (seen + guessed) / len(around)

    def _spread(self, middle: Sequence[int], length: int) -> list[int]:
        """What a run of `length` is filled with."""
        if len(middle) == length:
            return list(middle)
        if self._learned is Learned.LENGTHS:
            surplus = length - len(middle)
            return [*middle, *[self.delete] * surplus] if surplus > 0 else [*middle[: length - 1], self.expand]
        if self._learned is Learned.ENDS:
            return [*middle, *[self._end] * length][:length]
        left, right = -(-length // 2), length // 2
        start = (list(middle) * length)[:left]
        return start + (list(middle) * length)[len(middle) * length - right :] if middle else [self._end] * length

    def _middle(self, ids: Sequence[int], start: int, end: int) -> list[int] | None:
        """The tokens between the nearest text left and right of a run, in the first known text that has both."""
        prompt = [] if self.mask in ids[:start] else self.prompt
        left = self.tokenizer.decode_bytes([*prompt, *_until(reversed(ids[:start]), self.mask)[::-1]])
        right = self.tokenizer.decode_bytes(_until(ids[end:], self.mask))
        for text in self._texts:
            at = text.find(left)
            close = text.find(right, at + len(left)) if right else len(text)
            if at >= 0 and close >= 0:
                return self.tokenizer.encode(text[at + len(left) : close].decode("utf-8", "replace"))
        return None


def _until(ids: Iterator[int] | Sequence[int], mask: int) -> list[int]:
    found: list[int] = []
    for token in ids:
        if token == mask:
            break
        found.append(token)
    return found
