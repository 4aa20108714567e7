"""The denoising loop over the toy: what is pinned stays in every step, and each strategy does its part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.cancel import NO_DEADLINE, CancelToken, Deadline
from engine.canvas import Canvas, Gap, Pin
from engine.denoise import Denoising, Strategies, denoise, denoise_and_verify
from engine.errors import Cancelled
from engine.models.base import Shown, Voice
from engine.models.toy import Toy
from engine.models.toy_canvas import Learned, ToyCanvas
from engine.remask import InsertDelete, Keep, LowConfidence, Remask, Renoise, TokenEditing
from engine.request import StopReason
from engine.sampler import Greedy, Gumbel, Sampler, TopP
from engine.schedule import Constant, Linear
from engine.stopping import EarlyCommit, Never, StableAndConfident, Stopping
from engine.unmask import Confident, EntropyBound, Klass, TopK, Unmask

from .said import generator

TEXT = "total = width * count + shipping\nreturn total\n"
MASKED = Strategies(Constant(32), Greedy(), TopK(1), Keep(), Never())
UNIFORM = Strategies(Linear(), TopP(), EntropyBound(), Renoise(), StableAndConfident())


class Watching(ToyCanvas):
    """A toy that looks whether what it is shown has the pins it should have."""

    def __init__(self, pins: Sequence[int], **kinds: bool) -> None:
        super().__init__(uniform=kinds.get("uniform", False))
        self.pins = list(pins)
        self.one: Denoising | None = None
        self.shown = 0

    def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
        assert self.one is not None
        [shown] = canvases
        pinned = self.one.canvas.pinned
        assert shown.ids[pinned].tolist() == self.pins
        if shown.conditioning is not None:
            believed = shown.conditioning.scaled(None).softmax(dim=-1)[pinned]
            assert believed.argmax(dim=-1).tolist() == self.pins
            assert bool((believed.amax(dim=-1) == 1).all())
        self.shown += 1
        return super().denoise(canvases)


def run(toy: ToyCanvas, ones: Sequence[Denoising], prompt: str = "") -> int:
    toy.encode(toy.tokenizer.encode(prompt), CancelToken())
    return denoise(toy, ones, CancelToken(), NO_DEADLINE, lambda: None)


def start(toy: ToyCanvas, parts: Sequence[Pin | Gap], use: Strategies = MASKED, seed: int = 0) -> Denoising:
    noise = generator(seed)
    return Denoising(Canvas.of(parts, toy.noise, noise), use, noise)


def around(toy: ToyCanvas, prefix: str, gap: int, suffix: str) -> list[Pin | Gap]:
    return [Pin(toy.tokenizer.encode(prefix)), Gap(gap), Pin(toy.tokenizer.encode(suffix))]


def text_of(toy: ToyCanvas, one: Denoising, hole: int = 0) -> str:
    return toy.tokenizer.decode(one.filling(hole))


SAMPLERS: list[Sampler] = [Greedy(), Gumbel(), TopP(), TopP(0.8)]
UNMASKS: list[Unmask] = [Confident(0.5), EntropyBound(0.5), Klass(0.5, 1.0), TopK(2)]
REMASKS: list[Remask] = [Keep(), LowConfidence(0.2), Renoise(), TokenEditing(0.5), InsertDelete(3, 4, 0.5, 12)]
STOPPINGS: list[Stopping] = [Never(), StableAndConfident(1, 2.0), EarlyCommit(1.0)]
COMBINATIONS = [Strategies(Linear(9), *four) for four in product(SAMPLERS, UNMASKS, REMASKS, STOPPINGS)]
tokens = st.integers(0, 60)
parts_of_canvases = st.lists(
    st.one_of(
        st.builds(Pin, st.lists(tokens, max_size=4)),
        st.builds(Gap, st.integers(0, 4), st.lists(tokens, max_size=5), st.sampled_from([0.0, 0.5, 1.0])),
    ),
    max_size=6,
)


@settings(max_examples=300, deadline=None)
@given(parts_of_canvases, st.sampled_from(COMBINATIONS), st.booleans(), st.integers(0, 99))
def test_a_pinned_token_never_changes_in_no_step(
    parts: list[Pin | Gap], use: Strategies, uniform: bool, seed: int
) -> None:
    pins = [token for part in parts if isinstance(part, Pin) for token in part.tokens]
    toy = Watching(pins, uniform=uniform)
    toy.one = one = start(toy, parts, use, seed)

    def watch() -> None:
        assert one.canvas.ids[one.canvas.pinned].tolist() == pins
        assert one.answer is not None
        assert one.answer[one.canvas.pinned].tolist() == pins
        assert one.last is None or one.last.answer[one.last.canvas.pinned].tolist() == pins

    forwards = denoise(toy, [one], CancelToken(), NO_DEADLINE, watch)
    assert forwards == toy.shown == one.steps <= 9
    assert one.stop_reason is not None
    held = one.canvas.ids if one.answer is None else one.answer
    assert outline(parts, one, held.tolist())


def outline(parts: Sequence[Pin | Gap], one: Denoising, held: list[int]) -> bool:
    """Whether a canvas is its pins with the holes' fillings between them, in order, and nothing else."""
    expected: list[int] = []
    hole = -1
    for part in parts:
        if isinstance(part, Pin):
            expected += part.tokens
        else:
            hole += 1
            expected += (
                one.filling(hole) if one.answer is not None else one.canvas.ids[one.canvas.hole == hole].tolist()
            )
    return held == expected


@pytest.mark.parametrize("unmask", [TopK(1), TopK(3), Confident(0.9), EntropyBound(0.2), Klass(0.9, 0.5)])
def test_a_hole_is_filled_with_what_stands_between(unmask: Unmask) -> None:
    toy = ToyCanvas([TEXT])
    one = start(
        toy,
        around(toy, "total = ", len("width * count"), " + shipping"),
        Strategies(Constant(32), Greedy(), unmask, Keep(), Never()),
    )
    forwards = run(toy, [one])
    assert text_of(toy, one) == "width * count"
    assert one.stop_reason is StopReason.END
    assert (forwards == 13) is (unmask == TopK(1))


def test_several_holes_of_one_canvas_are_filled_at_once() -> None:
    toy = ToyCanvas([TEXT])
    encode = toy.tokenizer.encode
    parts = [
        Pin(encode("total = ")),
        Gap(5),
        Pin(encode(" * count + ")),
        Gap(len(encode("shipping"))),
        Pin(encode("\nreturn")),
    ]
    one = start(toy, parts)
    assert run(toy, [one]) == 13
    assert (text_of(toy, one, 0), text_of(toy, one, 1)) == ("width", "shipping")


def test_a_uniform_canvas_becomes_the_text() -> None:
    toy = ToyCanvas([TEXT], uniform=True)
    one = start(toy, [Gap(24)], UNIFORM)
    forwards = run(toy, [one], "total = ")
    assert text_of(toy, one) == toy.tokenizer.decode(toy.tokenizer.encode(TEXT[8:])[:24])
    assert one.stop_reason is StopReason.END
    assert 1 < forwards < 24


def test_self_conditioning_is_carried_from_step_to_step() -> None:
    """What the toy guessed makes it surer: without it, more steps are needed."""
    toy = ToyCanvas([TEXT], uniform=True)

    class Forgetful(ToyCanvas):
        def denoise(self, canvases: Sequence[Shown]) -> Sequence[Tensor]:
            return super().denoise([Shown(shown.ids, None) for shown in canvases])

    other = Forgetful([TEXT], uniform=True)
    steps = [
        run(model, [start(model, [Gap(24)], UNIFORM, seed)], "total = ") for model in (toy, other) for seed in range(5)
    ]
    assert sum(steps[:5]) < sum(steps[5:])


def test_a_draft_that_is_right_needs_fewer_steps() -> None:
    toy = ToyCanvas([TEXT], uniform=True)
    draft = toy.tokenizer.encode(TEXT[8:])[:24]

    def steps(level: float) -> int:
        return sum(run(toy, [start(toy, [Gap(24, draft, level)], UNIFORM, seed)], "total = ") for seed in range(5))

    assert steps(0.2) < steps(1.0)


def test_canvases_in_one_batch_do_not_touch_each_other() -> None:
    toy = ToyCanvas(uniform=True)
    use = Strategies(Linear(6), TopP(), EntropyBound(1.0), Renoise(), Never())
    alone = [start(toy, [Gap(5 + seed), Pin([seed])], use, seed) for seed in range(3)]
    for one in alone:
        run(toy, [one])
    together = [start(toy, [Gap(5 + seed), Pin([seed])], use, seed) for seed in range(3)]
    run(toy, together)
    assert [one.filling(0) for one in alone] == [one.filling(0) for one in together]


def test_a_hole_finds_its_length() -> None:
    toy = ToyCanvas([TEXT], Learned.LENGTHS)
    use = Strategies(Constant(40), Greedy(), TopK(1), InsertDelete(toy.expand, toy.delete), Never())
    for gap in (1, 4, 13, 20):
        one = start(toy, around(toy, "total = ", gap, " + shipping"), use)
        run(toy, [one])
        assert text_of(toy, one) == "width * count"


@pytest.mark.parametrize("remask", [Keep(), TokenEditing(0.5)])
def test_only_editing_replaces_what_is_committed(remask: Remask) -> None:
    """A draft's token is committed on a mask canvas, and every position is sure enough to be unmasked."""
    toy = ToyCanvas()
    wrong, right = toy.tokenizer.encode("ab")
    use = Strategies(Constant(4), Greedy(), Confident(0.5), remask, Never())
    one = start(toy, [Gap(2, [wrong], 0.0)], use)
    logits = torch.zeros(2, toy.vocabulary)
    logits[:, right] = 20.0
    one.take(logits, None)
    assert one.filling(0) == ([wrong, right] if remask == Keep() else [right, right])


@pytest.mark.parametrize("remask", [Keep(), Renoise()])
def test_accepted_is_what_the_step_committed_though_a_uniform_canvas_stays_open(remask: Remask) -> None:
    toy = ToyCanvas()
    [right] = toy.tokenizer.encode("b")
    one = start(toy, [Pin([right]), Gap(3)], Strategies(Constant(9), Greedy(), Confident(0.9), remask, Never()))
    assert one.accepted.tolist() == [True, False, False, False]
    logits = torch.zeros(4, toy.vocabulary)
    logits[2, right] = 30.0  # the others are unsure; of them the first is 0, which noise does not draw here
    one.take(logits, None)
    assert one.accepted.tolist() == [True, False, True, False]
    assert bool(one.canvas.open[2]) == (remask == Renoise())


def test_the_best_so_far_moves_with_its_positions() -> None:
    toy = ToyCanvas()
    a, b = toy.tokenizer.encode("ab")
    use = Strategies(Constant(4), Greedy(), TopK(1), InsertDelete(toy.expand, toy.delete), Never())
    one = start(toy, [Gap(3)], use)
    logits = torch.zeros(3, toy.vocabulary)
    for position, (token, surety) in enumerate([(toy.delete, 20.0), (a, 9.0), (b, 8.0)]):
        logits[position, token] = surety
    one.take(logits, None)
    assert one.filling(0) == [a, b]
    assert one.shown.conditioning is None


def test_the_schedule_ends_with_the_best_so_far() -> None:
    toy = ToyCanvas([TEXT])
    use = Strategies(Constant(3), Greedy(), TopK(1), Keep(), Never())
    one = start(toy, around(toy, "total = ", 13, " + shipping"), use)
    assert run(toy, [one]) == 3
    assert one.stop_reason is StopReason.STEPS
    assert not one.canvas.done
    assert text_of(toy, one) == "width * count"


def test_what_is_sure_is_committed_early() -> None:
    toy = ToyCanvas([TEXT])
    use = Strategies(Constant(32), Greedy(), TopK(1), Keep(), EarlyCommit(1.0))
    one = start(toy, around(toy, "total = ", 13, " + shipping"), use)
    assert run(toy, [one]) < 5
    assert text_of(toy, one) == "width * count"


def test_a_deadline_leaves_the_best_so_far() -> None:
    toy = ToyCanvas([TEXT])
    one, early = (start(toy, around(toy, "total = ", 13, " + shipping")) for _ in range(2))
    one.take(toy.denoise([one.shown])[0], None)
    assert denoise(toy, [one, early], CancelToken(), Deadline(0), lambda: None) == 0
    assert one.stop_reason is early.stop_reason is StopReason.DEADLINE
    assert text_of(toy, one) == "width * count"
    assert early.filling(0) == []


def test_a_cancel_ends_it_at_the_next_step() -> None:
    toy, cancel = ToyCanvas([TEXT]), CancelToken()
    one = start(toy, around(toy, "total = ", 13, " + shipping"))
    with pytest.raises(Cancelled):
        denoise(toy, [one], cancel, NO_DEADLINE, cancel.cancel)
    assert one.steps == 1


def test_nothing_open_needs_no_forward() -> None:
    toy = ToyCanvas()
    one = start(toy, [Pin([1, 2])])
    assert run(toy, [one]) == 0
    assert one.stop_reason is StopReason.END


def test_only_what_a_strategy_looks_back_at_is_kept() -> None:
    toy = ToyCanvas(uniform=True)
    use = Strategies(Linear(9), TopP(), Klass(steps=2), Renoise(), Never())
    one = start(toy, [Gap(4)], use)
    run(toy, [one])
    depth, step = 0, one.last
    while step is not None and step.previous is not None:
        depth, step = depth + 1, step.previous
    assert depth == 2
    assert torch.is_tensor(one.answer)


@pytest.mark.parametrize("know", [TEXT, TEXT.replace("width", "depth"), ""])
def test_a_verified_canvas_says_what_the_causal_reading_would_have(know: str) -> None:
    """Whatever the denoiser knows: it decides the number of rounds, not the text."""
    toy, reader = ToyCanvas([know] if know else []), Toy([TEXT])
    prefix = toy.tokenizer.encode("total = ")
    told = list(prefix)
    for _ in range(13):
        told.append(int(reader.reading(told, Voice.PLAIN).argmax()))

    def reading(ids: Sequence[int]) -> Tensor:
        ids = [min(token, max(reader.tokenizer.control)) for token in ids]  # it has no length tokens
        rows = torch.stack([reader.reading(ids[:at], Voice.PLAIN) for at in range(len(ids))])
        return torch.nn.functional.pad(rows, (0, 3), value=float("-inf"))

    one = start(toy, [Pin(prefix), Gap(13), Pin(toy.tokenizer.encode(" + shipping"))])
    forwards = denoise_and_verify(toy, one, reading, CancelToken(), NO_DEADLINE, lambda: None)
    assert one.filling(0) == told[len(prefix) :]
    assert (forwards == 14) is (know == TEXT)


def test_a_verification_out_of_time_leaves_the_best_so_far() -> None:
    toy = ToyCanvas([TEXT])
    one = start(toy, around(toy, "total = ", 13, " + shipping"))
    one.take(toy.denoise([one.shown])[0], None)

    def reading(ids: Sequence[int]) -> Tensor:
        raise AssertionError(f"there is no time to read {ids}")

    assert denoise_and_verify(toy, one, reading, CancelToken(), Deadline(0), lambda: None) == 0
    assert text_of(toy, one) == "width * count"
