"""The denoising loop over the toy model, whose text changes with any mistake in masks, positions, commits or owners."""

from __future__ import annotations

import pytest

from engine.cancel import CancelToken, Deadline
from engine.canvas import Canvas
from engine.denoise import Filling, denoise
from engine.errors import Cancelled
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.request import StopReason
from engine.sampler import Drawn, Greedy, Sampler
from engine.stopping import AtEnd, AtLength
from engine.unmask import Confident, Nothing, Unmask

from .plain_reading import told

SAMPLERS: list[Sampler] = [Greedy(), Drawn(1), Drawn(2), Drawn(3, temperature=0.4)]
UNMASKS = [
    pytest.param(Nothing(), id="one by one"),
    pytest.param(Confident(4), id="both blocks"),
    pytest.param(Confident(4, fallback=False), id="one block"),
    pytest.param(Confident(4, most=2), id="two proposals"),
]


def filling(
    toy: Toy, prompt: list[int], unmask: Unmask, sampler: Sampler, pending: bytes = b"", most: int = 40
) -> Filling:
    canvas = unmask(Canvas.after(prompt), 0, 0, None)
    return Filling(canvas, sampler, unmask, [AtEnd(toy.prompts.end), AtLength(most)], pending)


def run(toy: Toy, prompt: list[int], fillings: list[Filling], voice: Voice = Voice.INFILL) -> int:
    toy.encode(prompt[:-1], voice, CancelToken())
    return denoise(toy, fillings, voice, CancelToken(), Deadline(None), lambda: None)


def prompt_of(toy: Toy, text: str) -> list[int]:
    return [toy.prompts.fim_prefix, toy.prompts.fim_suffix, toy.prompts.fim_middle, *toy.tokenizer.encode(text)]


@pytest.mark.parametrize("accuracy", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("unmask", UNMASKS)
@pytest.mark.parametrize("text", ["", "def f(a):\n    return", "漢字 é = 1\r\n"])
def test_the_text_is_the_plain_readings_however_good_the_denoiser(text: str, unmask: Unmask, accuracy: float) -> None:
    toy = Toy(accuracy=accuracy)
    prompt = prompt_of(toy, text)
    for sampler in SAMPLERS:
        one = filling(toy, prompt, unmask, sampler)
        run(toy, prompt, [one])
        expected = told(toy, prompt, sampler=sampler)
        assert toy.tokenizer.decode_bytes(one.canvas.committed) == expected.data
        assert one.stop_reason is (StopReason.END if expected.ended else StopReason.LENGTH)
        assert one.log_probability == pytest.approx(expected.log_probability, abs=1e-3)


@pytest.mark.parametrize("unmask", UNMASKS)
def test_canvases_in_one_batch_do_not_touch_each_other(unmask: Unmask) -> None:
    toy = Toy(accuracy=0.6)
    prompt = prompt_of(toy, "x = ")
    fillings = [filling(toy, prompt, unmask, sampler, most=12 + 9 * n) for n, sampler in enumerate(SAMPLERS)]
    forwards = run(toy, prompt, fillings)
    for number, one in enumerate(fillings):
        expected = told(toy, prompt, sampler=one.sampler, most=12 + 9 * number)
        assert toy.tokenizer.decode_bytes(one.canvas.committed) == expected.data
    alone = [filling(toy, prompt, unmask, one.sampler, most=12 + 9 * n) for n, one in enumerate(fillings)]
    assert forwards == max(run(toy, prompt, [one]) for one in alone)
    assert [one.canvas.committed for one in alone] == [one.canvas.committed for one in fillings]


def test_voices_read_differently() -> None:
    toy = Toy()
    prompt = prompt_of(toy, "x = ")
    texts = []
    for voice in Voice:
        one = filling(toy, prompt, Confident(4), Greedy())
        run(toy, prompt, [one], voice)
        texts.append(toy.tokenizer.decode_bytes(one.canvas.committed))
        assert texts[-1] == told(toy, prompt, voice).data
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    ("unmask", "forwards"),
    [
        (Nothing(), 41),  # the text has 40 tokens and an end
        (Confident(4), 9),  # one token, then four proposals and one token a forward
        (Confident(4, fallback=False), 9),
        (Confident(4, most=2), 15),
    ],
)
def test_a_denoiser_that_is_always_right_saves_this_many_forwards(unmask: Unmask, forwards: int) -> None:
    """Only masks that see all before them, their own block and nothing else are right."""
    toy = Toy(["0123456789" * 4])
    prompt = prompt_of(toy, "")
    one = filling(toy, prompt, unmask, Greedy(), most=60)
    assert run(toy, prompt, [one]) == forwards
    assert len(one.canvas.committed) == 40


def test_a_refused_proposal_costs_nothing_but_itself() -> None:
    """The second block stands right after the anchor: with nothing right, each forward still gives its one token."""
    toy = Toy(["0123456789" * 4], accuracy=0.0)
    prompt = prompt_of(toy, "")
    assert run(toy, prompt, [filling(toy, prompt, Confident(4), Greedy(), most=60)]) == 41


def test_a_second_block_proposes_again_after_a_refusal() -> None:
    toy = Toy(["0123456789" * 4], accuracy=0.4)
    prompts = [prompt_of(toy, "0123456789"[:size]) for size in range(8)]

    def forwards(fallback: bool) -> int:
        unmask = Confident(4, fallback=fallback)
        return sum(run(toy, prompt, [filling(toy, prompt, unmask, Greedy(), most=60)]) for prompt in prompts)

    assert forwards(fallback=True) < forwards(fallback=False) < 8 * 41


@pytest.mark.parametrize("unmask", UNMASKS)
@pytest.mark.parametrize("pending", ["ret", " ", "  ", "é", "漢字", "zq", " retur", "=="])
@pytest.mark.parametrize("most", [1, 2, 30])
def test_what_is_pending_is_written_again_and_does_not_count(unmask: Unmask, pending: str, most: int) -> None:
    toy = Toy(accuracy=0.7)
    prompt = prompt_of(toy, "x = ")
    for sampler in SAMPLERS:
        one = filling(toy, prompt, unmask, sampler, pending.encode(), most)
        run(toy, prompt, [one])
        expected = told(toy, prompt, sampler=sampler, pending=pending.encode(), most=most)
        assert toy.tokenizer.decode_bytes(one.canvas.committed) == pending.encode() + expected.data
        assert len(one.canvas.committed) - one.healed == expected.tokens
        assert one.log_probability == pytest.approx(expected.log_probability, abs=1e-3)


def test_cancel_is_read_at_every_step() -> None:
    toy, cancel, steps = Toy(canvas=0), CancelToken(), 0
    prompt = prompt_of(toy, "x = ")
    toy.encode(prompt[:-1], Voice.INFILL, cancel)

    def watch() -> None:
        nonlocal steps
        steps += 1
        if steps == 3:
            cancel.cancel()

    one = filling(toy, prompt, Nothing(), Drawn(1))
    with pytest.raises(Cancelled):
        denoise(toy, [one], Voice.INFILL, cancel, Deadline(None), watch)
    assert (steps, len(one.canvas.committed)) == (3, 3)


def test_a_deadline_leaves_what_there_is() -> None:
    toy = Toy()
    prompt = prompt_of(toy, "x = ")
    done = filling(toy, prompt, Nothing(), Greedy())
    done.stop_reason = StopReason.LENGTH
    late = filling(toy, prompt, Nothing(), Greedy())
    assert denoise(toy, [done, late], Voice.INFILL, CancelToken(), Deadline(0), lambda: None) == 0
    assert (done.stop_reason, late.stop_reason) == (StopReason.LENGTH, StopReason.DEADLINE)
    assert late.canvas.committed == ()


def test_nothing_to_fill_costs_nothing() -> None:
    assert denoise(Toy(), [], Voice.INFILL, CancelToken(), Deadline(None), lambda: None) == 0
