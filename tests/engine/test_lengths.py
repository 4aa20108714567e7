"""Lengths: a fixed length fails where each strategy succeeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import pytest
import torch
from torch import Tensor

from engine.cancel import NO_DEADLINE, CancelToken
from engine.canvas import Canvas, Gap, Pin
from engine.denoise import Denoising, Strategies, denoise
from engine.lengths import ByReading, FirstStep, Given, Lengths
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.models.toy_canvas import Learned, ToyCanvas
from engine.remask import InsertDelete, Keep, Remask
from engine.sampler import Greedy
from engine.schedule import Constant
from engine.stopping import Never
from engine.unmask import TopK

from .said import generator

TEXT = "total = width * count + shipping\nreturn total\n"
FIXED = 8  # the hole is of 13
TRIED = (1, 5, 8, 13, 16, 20)
ROOM = 20


@dataclass
class Toys:
    """`Layouts` and `Runner` over a toy. `batches`: how many canvases each forward had."""

    toy: ToyCanvas
    holes: int = 1
    remask: Remask = field(default_factory=Keep)
    batches: list[int] = field(default_factory=list)

    def whole(self, lengths: Sequence[int]) -> Denoising:
        pieces = (
            ["total = ", " + shipping\nreturn total\n"] if self.holes == 1 else ["total = ", " * count + ", "\nreturn"]
        )
        pins = [Pin(self.toy.tokenizer.encode(piece)) for piece in pieces]
        gaps = [Gap(length) for length in lengths]
        return self._denoising([pins[0], *chain(*zip(gaps, pins[1:], strict=True))])

    def bare(self, hole: int, length: int) -> Denoising:
        assert hole < self.holes
        return self._denoising([Gap(length)])

    def _denoising(self, parts: Sequence[Pin | Gap]) -> Denoising:
        use = Strategies(Constant(60), Greedy(), TopK(1), self.remask, Never())
        return Denoising(Canvas.of(parts, self.toy.noise, generator(2)), use, generator(2))

    def step(self, canvases: Sequence[Denoising]) -> None:
        self.batches.append(len(canvases))
        for one, logits in zip(canvases, self.toy.denoise([each.shown for each in canvases]), strict=True):
            one.take(logits, None)

    def denoise(self, canvases: Sequence[Denoising]) -> None:
        denoise(self.toy, canvases, CancelToken(), NO_DEADLINE, lambda: None)


def filled(toy: ToyCanvas, lengths: Lengths, remask: Remask | None = None, holes: int = 1) -> list[str]:
    toys = Toys(toy, holes, remask or Keep())
    one = lengths(toys, toys)
    return [text_of(toy, one.filling(number)) for number in range(holes)]


def text_of(toy: ToyCanvas, ids: list[int]) -> str:
    return toy.tokenizer.decode(ids[: next((at for at, token in enumerate(ids) if token in toy.ends), len(ids))])


def reading(ids: Sequence[int]) -> Tensor:
    """The other toy, which reads causally and knows the same text."""
    toy = Toy([TEXT])
    rows = torch.stack([toy.reading(ids[:at], Voice.PLAIN) for at in range(len(ids))])
    return torch.nn.functional.pad(rows, (0, 3), value=float("-inf"))  # it has no length tokens


@pytest.mark.parametrize("learned", Learned)
def test_the_right_length_is_filled_rightly(learned: Learned) -> None:
    assert filled(ToyCanvas([TEXT], learned), Given((13,))) == ["width * count"]


@pytest.mark.parametrize("length", [FIXED, ROOM])
def test_a_fixed_length_that_is_wrong_fails(length: int) -> None:
    assert filled(ToyCanvas([TEXT]), Given((length,))) != ["width * count"]


def test_end_tokens_fill_up_a_hole_with_room() -> None:
    assert filled(ToyCanvas([TEXT], Learned.ENDS), Given((ROOM,))) == ["width * count"]
    assert filled(ToyCanvas([TEXT], Learned.ENDS), Given((FIXED,))) != ["width * count"]  # they cannot make room


@pytest.mark.parametrize("length", [1, FIXED, ROOM])
def test_learned_length_tokens_find_the_length(length: int) -> None:
    toy = ToyCanvas([TEXT], Learned.LENGTHS)
    assert filled(toy, Given((length,)), InsertDelete(toy.expand, toy.delete)) == ["width * count"]
    kept = filled(toy, Given((length,)))
    assert (kept == ["width * count"]) is (length == ROOM)  # what is left of `delete` has no text


def test_the_first_step_is_surest_of_the_right_length() -> None:
    assert filled(ToyCanvas([TEXT]), FirstStep((TRIED,), (8,))) == ["width * count"]


def test_between_the_lengths_offered_it_looks_again() -> None:
    coarse = (1, 8, 11, 15, 20)
    toys = Toys(ToyCanvas([TEXT]))
    [ranked] = FirstStep((coarse,), (8,), at_once=3).ranked(toys, toys)
    assert ranked[0] == 13
    assert set(coarse) < set(ranked)
    assert max(toys.batches) == 2 * 3  # each beside its bare hole
    assert FirstStep((coarse,), (8,), finer=1).ranked(toys, toys)[0][0] != 13


def test_uncalibrated_it_takes_what_the_model_is_always_surer_of() -> None:
    assert filled(ToyCanvas([TEXT]), FirstStep((TRIED,), (8,), calibrated=False)) != ["width * count"]


def test_a_causal_reading_finds_the_right_length_likeliest() -> None:
    toy = ToyCanvas([TEXT])
    assert filled(toy, ByReading(tuple((n,) for n in (0, *TRIED)), reading, toy.ends)) == ["width * count"]


def test_several_holes_find_their_lengths() -> None:
    toy = ToyCanvas([TEXT])
    shipping = len(toy.tokenizer.encode("shipping"))
    others = (shipping - 2, shipping, shipping + 3)
    tried = tuple((one, other) for one in (3, 5, 9) for other in others)
    assert filled(toy, FirstStep(((3, 5, 9), others), (3, 2)), holes=2) == ["width", "shipping"]
    assert filled(toy, ByReading(tried, reading, toy.ends), holes=2) == ["width", "shipping"]
