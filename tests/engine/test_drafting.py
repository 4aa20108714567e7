"""The denoising loop over the toy model, whose text changes with any mistake in masks, positions, commits or owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from torch import Tensor

from engine.cancel import CancelToken, Deadline
from engine.choose import Choose, Drawn, Greedy
from engine.draft import Draft
from engine.drafting import Filling, draft_and_verify
from engine.ending import AtEnd, AtLength
from engine.errors import Cancelled
from engine.models.base import Voice
from engine.models.toy import Toy
from engine.propose import Confident, Nothing, Propose
from engine.request import StopReason

from .plain_reading import told

CHOICES: list[Choose] = [Greedy(), Drawn(1), Drawn(2), Drawn(3, temperature=0.4)]
PROPOSALS = [
    pytest.param(Nothing(), id="one by one"),
    pytest.param(Confident(4), id="both blocks"),
    pytest.param(Confident(4, fallback=False), id="one block"),
    pytest.param(Confident(4, most=2), id="two proposals"),
]


def filling(
    toy: Toy, prompt: list[int], propose: Propose, choose: Choose, pending: bytes = b"", most: int = 40
) -> Filling:
    draft = propose(Draft.after(prompt), 0, 0, None)
    return Filling(draft, choose, propose, [AtEnd(toy.prompts.end), AtLength(most)], pending)


def run(toy: Toy, prompt: list[int], fillings: list[Filling], voice: Voice = Voice.INFILL) -> int:
    toy.encode(prompt[:-1], voice, CancelToken())
    return draft_and_verify(toy, fillings, voice, CancelToken(), Deadline(None), lambda: None)


def prompt_of(toy: Toy, text: str) -> list[int]:
    return [toy.prompts.fim_prefix, toy.prompts.fim_suffix, toy.prompts.fim_middle, *toy.tokenizer.encode(text)]


@pytest.mark.parametrize("accuracy", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("propose", PROPOSALS)
@pytest.mark.parametrize("text", ["", "def f(a):\n    return", "漢字 é = 1\r\n"])
def test_the_text_is_the_plain_readings_however_good_the_denoiser(text: str, propose: Propose, accuracy: float) -> None:
    toy = Toy(accuracy=accuracy)
    prompt = prompt_of(toy, text)
    for choose in CHOICES:
        one = filling(toy, prompt, propose, choose)
        run(toy, prompt, [one])
        expected = told(toy, prompt, choose=choose)
        assert toy.tokenizer.decode_bytes(one.draft.committed) == expected.data
        assert one.stop_reason is (StopReason.END if expected.ended else StopReason.LENGTH)
        assert one.log_probability == pytest.approx(expected.log_probability, abs=1e-3)


@dataclass(frozen=True)
class Knowing:
    """Proposes the next two tokens of what is to be written."""

    ids: Sequence[int]

    def __call__(self, draft: Draft, accepted: int, proposed: int, block: Tensor | None) -> Draft:
        done = len(draft.committed)
        return draft.propose(self.ids[done : done + 2])


@pytest.mark.parametrize("text", ["", "\n", "    ", "\n    ", "\n    \n", "\n    \n    ", "\n    \n    \n"])
def test_no_end_is_verified_behind_blanks_where_something_must_be_written(text: str) -> None:
    toy = Toy([f"a{text}"])
    prompt = prompt_of(toy, "a")
    for propose in (Nothing(), Knowing(toy.tokenizer.encode(text))):
        one = filling(toy, prompt, propose, Greedy())
        one.not_yet = toy.prompts.end
        run(toy, prompt, [one])
        written = toy.tokenizer.decode_bytes(one.draft.committed)
        assert written.strip()
        assert written == told(toy, prompt, may_be_empty=False).data


@pytest.mark.parametrize("propose", PROPOSALS)
def test_canvases_in_one_batch_do_not_touch_each_other(propose: Propose) -> None:
    toy = Toy(accuracy=0.6)
    prompt = prompt_of(toy, "x = ")
    fillings = [filling(toy, prompt, propose, choose, most=12 + 9 * n) for n, choose in enumerate(CHOICES)]
    forwards = run(toy, prompt, fillings)
    for number, one in enumerate(fillings):
        expected = told(toy, prompt, choose=one.choose, most=12 + 9 * number)
        assert toy.tokenizer.decode_bytes(one.draft.committed) == expected.data
    alone = [filling(toy, prompt, propose, one.choose, most=12 + 9 * n) for n, one in enumerate(fillings)]
    assert forwards == max(run(toy, prompt, [one]) for one in alone)
    assert [one.draft.committed for one in alone] == [one.draft.committed for one in fillings]


def test_voices_read_differently() -> None:
    toy = Toy()
    prompt = prompt_of(toy, "x = ")
    texts = []
    for voice in Voice:
        one = filling(toy, prompt, Confident(4), Greedy())
        run(toy, prompt, [one], voice)
        texts.append(toy.tokenizer.decode_bytes(one.draft.committed))
        assert texts[-1] == told(toy, prompt, voice).data
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    ("propose", "forwards"),
    [
        (Nothing(), 41),  # the text has 40 tokens and an end
        (Confident(4), 9),  # one token, then four proposals and one token a forward
        (Confident(4, fallback=False), 9),
        (Confident(4, most=2), 15),
    ],
)
def test_a_denoiser_that_is_always_right_saves_this_many_forwards(propose: Propose, forwards: int) -> None:
    """Only masks that see all before them, their own block and nothing else are right."""
    toy = Toy(["0123456789" * 4])
    prompt = prompt_of(toy, "")
    one = filling(toy, prompt, propose, Greedy(), most=60)
    assert run(toy, prompt, [one]) == forwards
    assert len(one.draft.committed) == 40


def test_a_refused_proposal_costs_nothing_but_itself() -> None:
    """The second block stands right after the anchor: with nothing right, each forward still gives its one token."""
    toy = Toy(["0123456789" * 4], accuracy=0.0)
    prompt = prompt_of(toy, "")
    assert run(toy, prompt, [filling(toy, prompt, Confident(4), Greedy(), most=60)]) == 41


def test_a_second_block_proposes_again_after_a_refusal() -> None:
    toy = Toy(["0123456789" * 4], accuracy=0.4)
    prompts = [prompt_of(toy, "0123456789"[:size]) for size in range(8)]

    def forwards(fallback: bool) -> int:
        propose = Confident(4, fallback=fallback)
        return sum(run(toy, prompt, [filling(toy, prompt, propose, Greedy(), most=60)]) for prompt in prompts)

    assert forwards(fallback=True) < forwards(fallback=False) < 8 * 41


@pytest.mark.parametrize("propose", PROPOSALS)
@pytest.mark.parametrize("pending", ["ret", " ", "  ", "é", "漢字", "zq", " retur", "=="])
@pytest.mark.parametrize("most", [1, 2, 30])
def test_what_is_pending_is_written_again_and_does_not_count(propose: Propose, pending: str, most: int) -> None:
    toy = Toy(accuracy=0.7)
    prompt = prompt_of(toy, "x = ")
    for choose in CHOICES:
        one = filling(toy, prompt, propose, choose, pending.encode(), most)
        run(toy, prompt, [one])
        expected = told(toy, prompt, choose=choose, pending=pending.encode(), most=most)
        assert toy.tokenizer.decode_bytes(one.draft.committed) == pending.encode() + expected.data
        assert len(one.draft.committed) - one.healed == expected.tokens
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
        draft_and_verify(toy, [one], Voice.INFILL, cancel, Deadline(None), watch)
    assert (steps, len(one.draft.committed)) == (3, 3)


def test_a_deadline_leaves_what_there_is() -> None:
    toy = Toy()
    prompt = prompt_of(toy, "x = ")
    done = filling(toy, prompt, Nothing(), Greedy())
    done.stop_reason = StopReason.LENGTH
    late = filling(toy, prompt, Nothing(), Greedy())
    assert draft_and_verify(toy, [done, late], Voice.INFILL, CancelToken(), Deadline(0), lambda: None) == 0
    assert (done.stop_reason, late.stop_reason) == (StopReason.LENGTH, StopReason.DEADLINE)
    assert late.draft.committed == ()


def test_nothing_to_fill_costs_nothing() -> None:
    assert draft_and_verify(Toy(), [], Voice.INFILL, CancelToken(), Deadline(None), lambda: None) == 0
