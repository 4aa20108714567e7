"""Lengths: a fixed length fails where each strategy succeeds."""

from __future__ import annotations

from collections.abc import Sequence

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
TRIED = tuple((length,) for length in (1, 5, 8, 13, 16, 20))
ROOM = 20


def filled(toy: ToyCanvas, lengths: Lengths, remask: Remask | None = None, holes: int = 1) -> list[str]:
    encode = toy.tokenizer.encode
    pieces = ["total = ", " + shipping\nreturn total\n"] if holes == 1 else ["total = ", " * count + ", "\nreturn"]
    use = Strategies(Constant(60), Greedy(), TopK(1), remask or Keep(), Never())

    def layout(lengths: Sequence[int]) -> Denoising:
        parts: list[Pin | Gap] = [Pin(encode(pieces[0]))]
        for length, piece in zip(lengths, pieces[1:], strict=True):
            parts += (Gap(length), Pin(encode(piece)))
        noise = generator(2)
        return Denoising(Canvas.of(parts, toy.noise, noise), use, noise)

    def run(canvases: Sequence[Denoising]) -> None:
        denoise(toy, canvases, CancelToken(), NO_DEADLINE, lambda: None)

    one = lengths(toy, layout, run)
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
    assert filled(ToyCanvas([TEXT]), FirstStep(TRIED)) == ["width * count"]


def test_uncalibrated_it_takes_what_the_model_is_always_surer_of() -> None:
    assert filled(ToyCanvas([TEXT]), FirstStep(TRIED, calibrated=False)) != ["width * count"]


def test_a_causal_reading_finds_the_right_length_likeliest() -> None:
    assert filled(ToyCanvas([TEXT]), ByReading(TRIED, reading)) == ["width * count"]


@pytest.mark.parametrize("lengths", [FirstStep, lambda tried: ByReading(tried, reading)])
def test_several_holes_find_their_lengths_together(lengths: type[FirstStep]) -> None:
    shipping = len(ToyCanvas().tokenizer.encode("shipping"))
    tried = tuple((one, other) for one in (3, 5, 9) for other in (shipping - 2, shipping, shipping + 3))
    assert filled(ToyCanvas([TEXT]), lengths(tried), holes=2) == ["width", "shipping"]


def test_an_empty_hole_can_be_tried() -> None:
    assert filled(ToyCanvas([TEXT]), FirstStep(((0,), *TRIED))) == ["width * count"]
    assert filled(ToyCanvas([TEXT]), ByReading(((0,), *TRIED), reading)) == ["width * count"]
